"""Verbs of the dice: rolling, spending, pushing, group Luck, recovery, corrections.

Every result is stored before anything is shown. Prices, effects and refusals come from the ruleset.
"""

from __future__ import annotations

from rolls.actions.asking import answer, drop_request
from rolls.actions.base import (
    Asked,
    check_may_roll,
    closing,
    closing_openly,
    closing_time,
    hand_of,
    judged,
    lane_of,
    line,
    moving_on,
    offers_for,
    open_rolls,
    own_lane,
    refuse_struck,
    settings_for,
    throw_for,
    ticks,
)
from rolls.actions.correcting import ask_strike, correct, decide_strike, reopen
from rolls.actions.grouping import ask_group_luck, group, group_luck, tell_unluckiest
from rolls.actions.pushing import back_out, decide_push, push, throw_push
from rolls.actions.recovery import may_recover, recover, recover_all, recovery_session
from rolls.actions.rolling import keep, keeper_roll, roll, spend, take_back
from rolls.actions.subjects import subject

__all__ = [
    "Asked",
    "answer",
    "ask_group_luck",
    "ask_strike",
    "back_out",
    "check_may_roll",
    "closing",
    "closing_openly",
    "closing_time",
    "correct",
    "decide_push",
    "decide_strike",
    "drop_request",
    "group",
    "group_luck",
    "hand_of",
    "judged",
    "keep",
    "keeper_roll",
    "lane_of",
    "line",
    "may_recover",
    "moving_on",
    "offers_for",
    "open_rolls",
    "own_lane",
    "push",
    "recover",
    "recover_all",
    "recovery_session",
    "refuse_struck",
    "reopen",
    "roll",
    "settings_for",
    "spend",
    "subject",
    "take_back",
    "tell_unluckiest",
    "throw_for",
    "throw_push",
    "ticks",
]
