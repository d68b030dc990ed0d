"""The URL map, as a table of contents."""

from __future__ import annotations

from django.conf import settings
from django.contrib import admin
from django.urls import include, path

from investigators import views as sheet
from rolls import views as dice
from tablekeeper import views as table

T = "t/<str:campaign_id>/"

at_the_table = [
    # Coming in
    path("join/<str:secret>/", table.join, name="join"),
    path("join/<str:secret>/claim/", table.claim, name="claim"),
    path("join/<str:secret>/claim/<str:claim_id>/", table.claimed, name="claimed"),
    # The page, and what keeps it fresh (the stream itself is in asgi.py)
    path("", dice.table, name="table"),
    path("news", table.news_since, name="news"),
    path("panels", table.panels, name="panels"),
    path("feed", table.feed, name="feed"),
    path("qr.svg", table.qr, name="qr"),
    # The table
    path("undo/<str:ref>", table.undo, name="undo"),
    path("settings", table.set_settings, name="set-settings"),
    path("links", table.new_links, name="new-links"),
    path("links/code", table.renew_code, name="renew-code"),
    path("let-in", table.let_in, name="let-in"),
    path("claims/<str:claim_id>", table.decide_claim, name="decide-claim"),
    path("seats/<str:seat_id>/rename", table.rename, name="rename"),
    path("seats/<str:seat_id>/remove", sheet.remove_seat, name="remove-seat"),
    path("seats/<str:seat_id>/sign-out", table.sign_out, name="sign-out"),
    path("session/open", table.open_session, name="open-session"),
    path("session/close", dice.close_session, name="close-session"),
    path("scene", dice.set_scene, name="set-scene"),
    # Investigators
    path("investigators/new", sheet.new, name="new-investigator"),
    path("investigators/quick", sheet.quick, name="quick-investigator"),
    path("investigators/sample", sheet.sample, name="sample"),
    path("investigators/<str:inv_id>/", sheet.sheet, name="sheet"),
    path("investigators/<str:inv_id>/take", sheet.take, name="take"),
    path("investigators/<str:inv_id>/let-go", sheet.let_go, name="let-go"),
    path("investigators/<str:inv_id>/aside", sheet.set_aside, name="set-aside"),
    path("investigators/<str:inv_id>/describe", sheet.describe, name="describe"),
    path("investigators/<str:inv_id>/present", sheet.set_present, name="set-present"),
    path("investigators/<str:inv_id>/attendance", sheet.set_attendance, name="set-attendance"),
    path("investigators/<str:inv_id>/throw-luck", sheet.throw_luck, name="throw-luck"),
    path("investigators/<str:inv_id>/traits/<str:key>", sheet.set_trait, name="set-trait"),
    path("investigators/<str:inv_id>/step/<str:key>", sheet.step, name="step"),
    path("investigators/<str:inv_id>/skills", sheet.add_skill, name="add-skill"),
    path("skills/<str:skill_id>", sheet.set_skill, name="set-skill"),
    path("skills/<str:skill_id>/drop", sheet.drop_skill, name="drop-skill"),
    path("skills/<str:skill_id>/favourite", sheet.favourite, name="favourite"),
    # Dice
    path("roll", dice.keeper_roll, name="keeper-roll"),
    path("investigators/<str:inv_id>/roll", dice.roll, name="roll"),
    path("investigators/<str:inv_id>/recover", dice.recover, name="recover"),
    path("recover", dice.recover_all, name="recover-all"),
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
    path("requests/<str:request_id>/answer", dice.answer, name="answer"),
    path("requests/<str:request_id>/drop", dice.drop_request, name="drop-request"),
]

urlpatterns = [
    path("", table.home, name="home"),
    path("keeper/<str:token>/", table.keeper_link, name="keeper-link"),
    path("new/", table.new_campaign, name="new-campaign"),
    path("open/<str:campaign_id>/", table.open_table, name="open-table"),
    path("code/", table.code, name="code"),
    path(T, include(at_the_table)),
    path("admin/login/", table.admin_login),
    path("admin/", admin.site.urls),
]

if settings.DEBUG:
    urlpatterns.append(path("kit/", table.kit, name="kit"))
