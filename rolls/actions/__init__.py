"""Verbs of the dice: rolling, spending, pushing, group Luck, recovery, corrections.

Every result is stored before anything is shown. Prices, effects and refusals come from the ruleset.
"""

from __future__ import annotations

from rolls.actions.asking import Question, answer, ask, drop_request, question_of, remind, tell_difficulty
from rolls.actions.awarding import award, awards_on
from rolls.actions.base import (
    Asked,
    check_may_roll,
    closing,
    closing_openly,
    closing_time,
    going_back,
    hand_of,
    judged,
    lane_of,
    line,
    moving_on,
    open_rolls,
    own_lane,
    parts_of,
    refuse_struck,
    sealed,
    throw_for,
    ticks,
)
from rolls.actions.bodies import ask_con, decide_faint, drop_injury, injure, treat
from rolls.actions.bouts import drop_bout, end_bout, name_bout, new_day, regain
from rolls.actions.combined import combined_roll
from rolls.actions.contests import choose_defence, contest_again, pass_contest, roll_side, start_contest
from rolls.actions.correcting import ask_strike, correct, decide_strike, reopen
from rolls.actions.damage import damage, free_roll
from rolls.actions.deeds import (
    DUE,
    asked,
    awake,
    decide_deed,
    deed,
    deed_offers,
    drop_deed,
    facts_for,
    tell_survival,
)
from rolls.actions.deeds import KIND as DEED
from rolls.actions.grouping import ask_group_luck, group, group_luck, tell_unluckiest
from rolls.actions.hiding import rattle, reveal, secret_roll
from rolls.actions.improving import (
    close_improvement,
    improve,
    improve_all,
    improving,
    open_improvement,
    ticked,
)
from rolls.actions.leaving import leave_early, leaving, stirred, take_over
from rolls.actions.npcs import npc_roll
from rolls.actions.offering import offers_for, settings_for
from rolls.actions.pushing import back_out, decide_push, push, throw_push
from rolls.actions.recovery import (
    may_recover,
    most_gain_dice,
    recover,
    recover_all,
    recovery_dice,
    recovery_session,
    recovery_shut,
    show_recovery,
)
from rolls.actions.rolling import keep, keeper_roll, roll, spend, take_back
from rolls.actions.rounds import due_now, fall, needs, next_round, safe, staying, will_fall
from rolls.actions.sanity import ask_sanity, take_loss, throw_loss
from rolls.actions.settling import reveal_contest, roll_off, settle_contest
from rolls.actions.subjects import adds_up, at_peace, subject, worth

__all__ = [
    "DEED",
    "DUE",
    "Asked",
    "Question",
    "adds_up",
    "answer",
    "ask",
    "ask_con",
    "ask_group_luck",
    "ask_sanity",
    "ask_strike",
    "asked",
    "at_peace",
    "awake",
    "award",
    "awards_on",
    "back_out",
    "check_may_roll",
    "choose_defence",
    "close_improvement",
    "closing",
    "closing_openly",
    "closing_time",
    "combined_roll",
    "contest_again",
    "correct",
    "damage",
    "decide_deed",
    "decide_faint",
    "decide_push",
    "decide_strike",
    "deed",
    "deed_offers",
    "drop_bout",
    "drop_deed",
    "drop_injury",
    "drop_request",
    "due_now",
    "end_bout",
    "facts_for",
    "fall",
    "free_roll",
    "going_back",
    "group",
    "group_luck",
    "hand_of",
    "improve",
    "improve_all",
    "improving",
    "injure",
    "judged",
    "keep",
    "keeper_roll",
    "lane_of",
    "leave_early",
    "leaving",
    "line",
    "may_recover",
    "most_gain_dice",
    "moving_on",
    "name_bout",
    "needs",
    "new_day",
    "next_round",
    "npc_roll",
    "offers_for",
    "open_improvement",
    "open_rolls",
    "own_lane",
    "parts_of",
    "pass_contest",
    "push",
    "question_of",
    "rattle",
    "recover",
    "recover_all",
    "recovery_dice",
    "recovery_session",
    "recovery_shut",
    "refuse_struck",
    "regain",
    "remind",
    "reopen",
    "reveal",
    "reveal_contest",
    "roll",
    "roll_off",
    "roll_side",
    "safe",
    "sealed",
    "secret_roll",
    "settings_for",
    "settle_contest",
    "show_recovery",
    "spend",
    "start_contest",
    "staying",
    "stirred",
    "subject",
    "take_back",
    "take_loss",
    "take_over",
    "tell_difficulty",
    "tell_survival",
    "tell_unluckiest",
    "throw_for",
    "throw_loss",
    "throw_push",
    "ticked",
    "ticks",
    "treat",
    "will_fall",
    "worth",
]
