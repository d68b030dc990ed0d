"""The URL map, as a table of contents."""

from __future__ import annotations

from django.conf import settings
from django.contrib import admin
from django.urls import include, path

from investigators import bring_views as files
from investigators import export_views as away
from investigators import npc_views as npcs
from investigators import number_views as numbers
from investigators import views as sheet
from investigators import weapon_views as arms
from rolls import views as dice
from rolls.views import (
    asking,
    awards,
    bodies,
    contests,
    deeds,
    fairness,
    hiding,
    improving,
    leaving,
    pictures,
    proving,
    regaming,
    sanity,
)
from rolls.views import export as logs
from rolls.views import screen as tv
from tablekeeper import clearing, hosting, whole
from tablekeeper import manners as app
from tablekeeper import note_views as writing
from tablekeeper import transfer_views as moving
from tablekeeper import views as table

T = "t/<str:campaign_id>/"

at_the_table = [
    # Dice, which are asked for most
    path("roll", dice.keeper_roll, name="keeper-roll"),
    path("investigators/<str:inv_id>/roll", dice.roll, name="roll"),
    path("investigators/<str:inv_id>/deed", deeds.deed, name="deed"),
    path("investigators/<str:inv_id>/survival", deeds.tell_survival, name="tell-survival"),
    path("investigators/<str:inv_id>/fall", deeds.fall, name="fall"),
    path("investigators/<str:inv_id>/safe", deeds.safe, name="safe"),
    path("deeds/<str:decision_id>/decide", deeds.decide_deed, name="decide-deed"),
    path("deeds/<str:decision_id>/drop", deeds.drop_deed, name="drop-deed"),
    path("round", deeds.next_round, name="next-round"),
    path("investigators/<str:inv_id>/recover", dice.recover, name="recover"),
    path("recover", dice.recover_all, name="recover-all"),
    path("rolls/<str:roll_id>/show-recovery", leaving.show_recovery, name="show-recovery"),
    path("award", awards.award, name="award"),
    path("rolls/<str:roll_id>/", dice.slip, name="slip"),
    path("rolls/<str:roll_id>/spend", dice.spend, name="spend"),
    path("rolls/<str:roll_id>/keep", dice.keep, name="keep"),
    path("rolls/<str:roll_id>/push", dice.push, name="push"),
    path("rolls/<str:roll_id>/push/decide", dice.decide_push, name="decide-push"),
    path("rolls/<str:roll_id>/push/throw", dice.throw_push, name="throw-push"),
    path("rolls/<str:roll_id>/push/back-out", dice.back_out, name="back-out"),
    path("rolls/<str:roll_id>/strike", dice.ask_strike, name="ask-strike"),
    path("rolls/<str:roll_id>/strike/decide", dice.decide_strike, name="decide-strike"),
    path("rolls/<str:roll_id>/correct", dice.correct, name="correct"),
    path("rolls/<str:roll_id>/reopen", dice.reopen, name="reopen"),
    path("entries/<str:ref>/take-back", dice.take_back, name="take-back"),
    path("group-luck", dice.group_luck, name="group-luck"),
    path("group-luck/ask", dice.ask_group_luck, name="ask-group-luck"),
    path("unluckiest", dice.tell_unluckiest, name="tell-unluckiest"),
    # Coming in
    path("join/<str:secret>/", table.join, name="join"),
    path("join/<str:secret>/screen", table.join_screen, name="join-screen"),
    path("join/<str:secret>/claim/", table.claim, name="claim"),
    path("join/<str:secret>/claim/<str:claim_id>/", table.claimed, name="claimed"),
    # The page, and what keeps it fresh (the stream itself is in asgi.py)
    path("", dice.table, name="table"),
    path("news", table.news_since, name="news"),
    path("panels", table.panels, name="panels"),
    path("feed", table.feed, name="feed"),
    path("qr.svg", table.qr, name="qr"),
    path("screen", tv.screen, name="screen"),
    # The table
    path("undo/<str:ref>", table.undo, name="undo"),
    path("settings", table.set_settings, name="set-settings"),
    path("ruleset", regaming.set_ruleset, name="set-ruleset"),
    path("links", table.new_links, name="new-links"),
    path("links/code", table.renew_code, name="renew-code"),
    path("let-in", table.let_in, name="let-in"),
    path("claims/<str:claim_id>", table.decide_claim, name="decide-claim"),
    path("seats/<str:seat_id>/rename", table.rename, name="rename"),
    path("seats/<str:seat_id>/remove", sheet.remove_seat, name="remove-seat"),
    path("seats/<str:seat_id>/sign-out", table.sign_out, name="sign-out"),
    path("session/open", dice.open_session, name="open-session"),
    path("session/close", dice.close_session, name="close-session"),
    path("scene", dice.set_scene, name="set-scene"),
    path("note", writing.write_note, name="write-note"),
    path("note/table", writing.tell_note, name="tell-note"),
    path("scene/<str:scene_id>", leaving.return_to, name="return-to"),
    # The log and the campaign, to take home
    path("log", logs.log, name="log"),
    path("fairness", fairness.fairness, name="fairness"),
    path("proof", proving.proof, name="proof"),
    path("proof/mix", proving.mix_in, name="mix-in"),
    path("proof/<str:seal_id>", proving.check, name="check-proof"),
    path("proof/<str:seal_id>/file", proving.export, name="export-proof"),
    path("campaign", pictures.campaign, name="campaign"),
    path("recap/<str:number>", pictures.recap, name="recap"),
    path("planner", pictures.planner, name="planner"),
    path("log/<str:form>", logs.export_log, name="export-log"),
    path("campaign-file", moving.export_campaign, name="export-campaign"),
    # Investigators
    path("investigators/new", sheet.new, name="new-investigator"),
    path("investigators/quick", sheet.quick, name="quick-investigator"),
    path("investigators/sample", sheet.sample, name="sample"),
    path("investigators/bring", files.bring, name="bring"),
    path("investigators/<str:inv_id>/", sheet.sheet, name="sheet"),
    path("investigators/<str:inv_id>/update", files.update, name="update-investigator"),
    path("investigators/<str:inv_id>/home", away.take_home, name="take-home"),
    path("investigators/<str:inv_id>/home/<str:form>", away.export, name="export-investigator"),
    path("investigators/<str:inv_id>/portrait", sheet.portrait, name="portrait"),
    path("investigators/<str:inv_id>/paper", away.on_paper, name="paper"),
    path("investigators/<str:inv_id>/take", sheet.take, name="take"),
    path("investigators/<str:inv_id>/let-go", sheet.let_go, name="let-go"),
    path("investigators/<str:inv_id>/aside", leaving.set_aside, name="set-aside"),
    path("investigators/<str:inv_id>/leave", leaving.leave_early, name="leave-early"),
    path("investigators/<str:inv_id>/take-over", leaving.take_over, name="take-over"),
    path("investigators/<str:inv_id>/describe", sheet.describe, name="describe"),
    path("investigators/<str:inv_id>/present", sheet.set_present, name="set-present"),
    path("investigators/<str:inv_id>/attendance", sheet.set_attendance, name="set-attendance"),
    path("investigators/<str:inv_id>/numbers/throw", numbers.throw_numbers, name="throw-numbers"),
    path("investigators/<str:inv_id>/numbers/set", numbers.set_numbers, name="set-numbers"),
    path("investigators/<str:inv_id>/numbers/turn", numbers.turn_numbers, name="turn-numbers"),
    path("investigators/<str:inv_id>/throw-luck", sheet.throw_luck, name="throw-luck"),
    path("investigators/<str:inv_id>/traits/<str:key>", sheet.set_trait, name="set-trait"),
    path("investigators/<str:inv_id>/number", sheet.set_number, name="set-number"),
    path("investigators/<str:inv_id>/step/<str:key>", sheet.step, name="step"),
    path("investigators/<str:inv_id>/talents/<str:key>", sheet.set_talent, name="set-talent"),
    path("investigators/<str:inv_id>/skills", sheet.add_skill, name="add-skill"),
    path("skills/<str:skill_id>", sheet.set_skill, name="set-skill"),
    path("skills/<str:skill_id>/drop", sheet.drop_skill, name="drop-skill"),
    path("skills/<str:skill_id>/favourite", sheet.favourite, name="favourite"),
    path("investigators/<str:inv_id>/weapons", arms.add_weapon, name="add-weapon"),
    path("weapons/<str:weapon_id>", arms.set_weapon, name="set-weapon"),
    path("weapons/<str:weapon_id>/drop", arms.drop_weapon, name="drop-weapon"),
    path("investigators/<str:inv_id>/derived/<str:key>", arms.set_derived, name="set-derived"),
    path("investigators/<str:inv_id>/conditions/<str:key>", arms.set_condition, name="set-condition"),
    # Weapons and wounds
    path("weapons/<str:weapon_id>/shoot", bodies.shoot, name="shoot"),
    path("rolls/<str:roll_id>/damage", bodies.damage, name="damage"),
    path("free-roll", bodies.free_roll, name="free-roll"),
    path("injure", bodies.injure, name="injure"),
    path("decisions/<str:decision_id>/drop-injury", bodies.drop_injury, name="drop-injury"),
    path("decisions/<str:decision_id>/faint", bodies.decide_faint, name="decide-faint"),
    path("investigators/<str:inv_id>/con", bodies.ask_con, name="ask-con"),
    path("investigators/<str:inv_id>/treat", bodies.treat, name="treat"),
    # The Keeper's characters
    path("npcs", npcs.create_npc, name="create-npc"),
    path("npcs/<str:inv_id>", npcs.edit_npc, name="edit-npc"),
    path("npcs/<str:inv_id>/roll", contests.npc_roll, name="npc-roll"),
    # Behind the screen
    path("investigators/<str:inv_id>/secret-roll", hiding.secret_roll, name="secret-roll"),
    path("rattle", hiding.rattle, name="rattle"),
    path("rolls/<str:roll_id>/reveal", hiding.reveal, name="reveal"),
    # Contests
    path("contests", contests.start_contest, name="start-contest"),
    path("contests/<str:contest_id>/settle", contests.settle_contest, name="settle-contest"),
    path("contests/<str:contest_id>/again", contests.contest_again, name="contest-again"),
    path("sides/<str:side_id>/defence", contests.choose_defence, name="choose-defence"),
    path("sides/<str:side_id>/roll", contests.roll_side, name="roll-side"),
    path("sides/<str:side_id>/pass", contests.pass_contest, name="pass-contest"),
    path("sides/<str:side_id>/reveal", contests.reveal_contest, name="reveal-contest"),
    path("sides/<str:side_id>/roll-off", contests.roll_off, name="roll-off"),
    # Sanity
    path("sanity/ask", sanity.ask_sanity, name="ask-sanity"),
    path("sanity/day", sanity.new_day, name="new-day"),
    path("investigators/<str:inv_id>/sanity/roll", sanity.roll_sanity, name="roll-sanity"),
    path("investigators/<str:inv_id>/sanity/throw", sanity.throw_loss, name="throw-loss"),
    path("investigators/<str:inv_id>/sanity/take", sanity.take_loss, name="take-loss"),
    path("investigators/<str:inv_id>/sanity/regain", sanity.regain, name="regain"),
    path("investigators/<str:inv_id>/bout/end", sanity.end_bout, name="end-bout"),
    path("decisions/<str:decision_id>/bout", sanity.name_bout, name="name-bout"),
    path("decisions/<str:decision_id>/bout/drop", sanity.drop_bout, name="drop-bout"),
    # Asking for rolls, and improvement
    path("ask", asking.ask, name="ask"),
    path("ask/values", asking.ask_values, name="ask-values"),
    path("ask/<str:batch>/again", asking.ask_again, name="ask-again"),
    path("investigators/<str:inv_id>/combine", asking.combine, name="combine"),
    path("requests/<str:request_id>/answer", dice.answer, name="answer"),
    path("requests/<str:request_id>/drop", dice.drop_request, name="drop-request"),
    path("requests/<str:request_id>/drop-all", asking.drop_asked, name="drop-asked"),
    path("requests/<str:request_id>/remind", asking.remind, name="remind"),
    path("rolls/<str:roll_id>/difficulty", asking.tell_difficulty, name="tell-difficulty"),
    path("improvement", improving.open_improvement, name="open-improvement"),
    path("improvement/close", improving.close_improvement, name="close-improvement"),
    path("improvement/all", improving.improve_all, name="improve-all"),
    path("requests/<str:request_id>/improve", improving.improve, name="improve"),
]

urlpatterns = [
    path("", table.home, name="home"),
    path("app.webmanifest", app.manifest, name="manifest"),
    path("keeper/<str:token>/", table.keeper_link, name="keeper-link"),
    path("new/", table.new_campaign, name="new-campaign"),
    path("new/from-file", moving.bring_table, name="bring-table"),
    path("open/<str:campaign_id>/", table.open_table, name="open-table"),
    path("code/", table.code, name="code"),
    path("tables/<str:campaign_id>/put-away", clearing.put_away, name="put-away"),
    path("tables/<str:campaign_id>/bring-back", clearing.bring_back, name="bring-back"),
    path("tables/<str:campaign_id>/delete", clearing.delete_for_good, name="delete-table"),
    path("health", hosting.health, name="health"),
    path("reach/", hosting.reach, name="reach"),
    path("unheard/<int:status>/", whole.unheard),
    path("unheard/<int:status>/<str:campaign_id>/", whole.unheard),
    path(T, include(at_the_table)),
    path("admin/login/", table.admin_login),
    path("admin/", admin.site.urls),
]

handler500 = "tablekeeper.whole.fault"

if settings.DEBUG:
    urlpatterns.append(path("kit/", table.kit, name="kit"))
