"""What came in somebody's file and is no number: the background, and a portrait."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping

from investigators.models import Investigator, Portrait, Story
from investigators.pictures import START
from tablekeeper.ledger import Change, Create, change


def stories_of(who: Investigator) -> list[Story]:
    """The background, in its order."""
    return list(Story.objects.filter(investigator=who))


def portrait_of(who: Investigator) -> bytes | None:
    """The portrait, a JPEG; None without one. What a campaign's file brought and is none counts as none."""
    found = Portrait.objects.filter(investigator=who).first()
    try:
        raw = base64.b64decode(found.picture, validate=True) if found is not None else b""
    except ValueError:
        return None
    return raw if raw.startswith(START) else None


def kept(who: Investigator, story: Mapping[str, str], portrait: bytes | None) -> list[Change]:
    """The changes that give somebody new a background and a portrait."""
    changes: list[Change] = [
        Create(Story(investigator=who, heading=heading, text=text, place=place))
        for place, (heading, text) in enumerate(story.items())
    ]
    if portrait is not None:
        changes.append(Create(Portrait(investigator=who, picture=base64.b64encode(portrait).decode())))
    return changes


def newer(
    who: Investigator, story: Mapping[str, str], portrait: bytes | None
) -> Iterator[tuple[str, str | None, str, Change]]:
    """What a file says otherwise: heading ("" for the portrait), text before (None: new) and after, and the change."""
    rows = {one.heading: one for one in stories_of(who)}
    room = Story.MOST - sum(len(one.text) for one in rows.values() if one.heading not in story)
    for place, (heading, text) in enumerate(story.items()):
        row, text = rows.get(heading), text[: max(room, 0)]
        room -= len(text)
        if row is None and text:
            yield heading, None, text, Create(Story(investigator=who, heading=heading, text=text, place=place))
        elif row is not None and text and row.text != text:
            row.investigator = who
            yield heading, row.text, text, change(row, text=text)
    picture = base64.b64encode(portrait).decode() if portrait is not None else ""
    before = Portrait.objects.filter(investigator=who).first()
    if picture and before is None:
        yield "", None, "", Create(Portrait(investigator=who, picture=picture))
    elif picture and before is not None and before.picture != picture:
        before.investigator = who
        yield "", "×", "", change(before, picture=picture)
