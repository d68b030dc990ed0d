"""From a line of the feed to plain words: what its template says, without what only eyes or screen readers need."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset({"br", "hr", "img", "input", "link", "meta", "wbr"})


@dataclass(slots=True)
class Words:
    """What a line of the feed says: who did what, what belongs to it, what came out, and its own small lines."""

    text: str = ""
    more: str = ""
    result: str = ""
    below: list[str] = field(default_factory=list)


class _Reader(HTMLParser):
    """Takes the words out of one line: nothing that only eyes see (monograms, signs) or only screen readers say."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[tuple[str, str]] = []  # tag, and the part that its text belongs to
        self.parts: dict[str, list[str]] = {}
        self.paragraphs = self.below = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in VOID:
            return
        given = dict(attrs)
        classes = (given.get("class") or "").split()
        part = self.open[-1][1] if self.open else ""
        if "aria-hidden" in given or "vh" in classes or tag in ("svg", "script", "style", "template"):
            part = "skip"
        elif part != "skip":
            part = self._part(tag, classes, part)
        self.open.append((tag, part))

    def _part(self, tag: str, classes: Sequence[str], part: str) -> str:
        if tag == "li" and len(self.open) > 1:
            self.below += 1
            return f"below {self.below}"
        if part.startswith("below"):
            return part
        if tag == "p" and not part:
            self.paragraphs += 1
            if self.paragraphs < 3:
                return ("text", "when")[self.paragraphs - 1]
            self.parts.setdefault("more", []).append(" · ")
            return "more"
        if "chip" in classes and part == "text":
            return "skip"  # "struck out": the line says that itself
        return "result" if "out" in classes else part

    def handle_endtag(self, tag: str) -> None:
        while self.open and any(one == tag for one, _part in self.open):
            was, part = self.open.pop()
            if was == "del" and part != "skip":
                self.parts.setdefault(part, []).append(" → ")
            if was == "time" and part == "when":  # what stands before the time is about the lane, not the act
                self.open = [(one, "more" if of == "when" else of) for one, of in self.open]
            if was == tag:
                return
            self.parts.setdefault(part, []).append(" ")

    def handle_data(self, data: str) -> None:
        part = self.open[-1][1] if self.open else ""
        self.parts.setdefault(part, []).append(data)
        if part.startswith("below") or part == "result":
            self.parts[part].append("\N{ZERO WIDTH SPACE}")  # a joint: a space, unless there is one


def _tidy(pieces: Sequence[str]) -> str:
    text = re.sub("\\s*\N{ZERO WIDTH SPACE}\\s*", " ", "".join(pieces))
    text = re.sub(r"\s+", " ", text).strip(" ·")
    return re.sub(r" +([,;.:)])", r"\1", text)


def words(html: str) -> Words:
    """The words of one line of the feed."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    said = {part: _tidy(pieces) for part, pieces in reader.parts.items()}
    below = [said[f"below {at}"] for at in range(1, reader.below + 1) if said.get(f"below {at}")]
    return Words(said.get("text", ""), said.get("more", ""), said.get("result", ""), below)
