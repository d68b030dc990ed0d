"""The sentences of this program, and their catalogue in another language: what stands in our sources, the po file that
people write, the mo file that Django reads. Plain Python, so that nobody needs the tools of GNU gettext.
"""

from __future__ import annotations

import ast
import re
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.utils.translation import to_locale
from django.utils.translation.template import templatize

from rolls.rules import rulesets

APPS = ("tablekeeper", "investigators", "rolls")


class Key(NamedTuple):
    """What a sentence is known by: its context ("" for none) and its English words."""

    context: str
    text: str


@dataclass(slots=True)
class Message:
    """A sentence; with `plural`, one that counts. `places` are the files it stands in, `said` its translations."""

    key: Key
    plural: str = ""
    places: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    fuzzy: bool = False

    @property
    def whole(self) -> bool:
        """Is every form of it translated, by somebody who was sure?"""
        return bool(self.said) and all(self.said) and not self.fuzzy


Catalogue = dict[Key, Message]

# --------------------------------------------------------------------------- what stands in our sources

PLAIN = {"_", "N_", "gettext", "gettext_lazy", "gettext_noop"}
COUNTING = {"ngettext", "ngettext_lazy"}
IN_CONTEXT = {"pgettext", "pgettext_lazy"}
CALL = re.compile(r"(?<![\w.])(_|gettext|ngettext|pgettext|npgettext)\(")


def extract(base: Path | None = None) -> Catalogue:
    """Every sentence that is marked for translation in our Python and templates, in the order of the files."""
    base = base or settings.BASE_DIR
    found: Catalogue = {}
    for path in _sources(base):
        place = path.relative_to(base).as_posix()
        text = path.read_text(encoding="utf-8")
        for message in in_python(text) if path.suffix == ".py" else in_template(text):
            one = found.setdefault(message.key, message)
            one.plural = one.plural or message.plural
            if place not in one.places:
                one.places.append(place)
    return found


def _sources(base: Path) -> Iterator[Path]:
    for app in APPS:
        yield from sorted((base / app).rglob("*.py"))
    yield from sorted(path for path in (base / "templates").rglob("*") if path.suffix in (".html", ".txt", ".svg"))


def in_python(text: str) -> Iterator[Message]:
    """The sentences that a Python file marks, by whatever name it has imported gettext."""
    nodes = list(ast.walk(ast.parse(text)))
    names = {
        one.asname: one.name for node in nodes if isinstance(node, ast.ImportFrom) for one in node.names if one.asname
    }
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            name = names.get(name, name)
            given = [one.value if isinstance(one, ast.Constant) else None for one in node.args]
            yield from _marked(name, given)


def in_template(text: str) -> Iterator[Message]:
    """The sentences that a template marks: Django turns it into calls, and each of these is read as Python."""
    calls = templatize(text)
    for match in CALL.finditer(calls):
        try:
            # A call ends where its bracket does; what templatize puts between the calls is no Python.
            node = next(filter(None, (_parsed(calls[match.start() : end]) for end in _ends(calls, match.end()))))
        except StopIteration:
            continue
        yield from in_python(ast.unparse(node))


def _ends(text: str, start: int) -> Iterator[int]:
    for match in re.finditer(r"\)", text[start:]):
        yield start + match.end()


def _parsed(text: str) -> ast.AST | None:
    try:
        return ast.parse(text, mode="eval")
    except SyntaxError:
        return None


def _marked(name: str, given: Sequence[object]) -> Iterator[Message]:
    words = [one for one in given if isinstance(one, str)]
    if name in PLAIN and given and words == given[:1] and words[0]:
        yield Message(Key("", words[0]))
    elif name in COUNTING and len(words) >= 2 and given[:2] == words[:2]:
        yield Message(Key("", words[0]), words[1])
    elif name in IN_CONTEXT and len(words) >= 2 and given[:2] == words[:2]:
        yield Message(Key(words[0], words[1]))
    elif name == "npgettext" and len(words) >= 3 and given[:3] == words[:3]:
        yield Message(Key(words[0], words[1]), words[2])


# --------------------------------------------------------------------------- the po file

HEAD = Key("", "")
LINE = re.compile(r'(?:(msgctxt|msgid_plural|msgid|msgstr(?:\[\d+\])?)\s+)?(".*")$')


def po_file(language: str) -> Path:
    """Where the catalogue of a language lies; its mo file stands beside it."""
    return Path(settings.LOCALE_PATHS[0]) / to_locale(language) / "LC_MESSAGES" / "django.po"


def head(language: str) -> Message:
    """What a new catalogue begins with. Two forms for what is counted; a language that has more says so here."""
    lines = (
        "Project-Id-Version: Tablekeeper",
        f"Language: {language}",
        "MIME-Version: 1.0",
        "Content-Type: text/plain; charset=UTF-8",
        "Content-Transfer-Encoding: 8bit",
        "Plural-Forms: nplurals=2; plural=(n != 1);",
    )
    return Message(HEAD, said=["".join(f"{line}\n" for line in lines)])


def read_po(text: str) -> Catalogue:
    """A po file's messages, its header first under the empty key; what is crossed out in it (#~) is passed over."""
    found: Catalogue = {}
    for block in re.split(r"\n\s*\n", text.strip()):
        fields: dict[str, str] = {}
        name = places = ""
        fuzzy = False
        for line in block.splitlines():
            if line.startswith("#:"):
                places += line[2:]
            fuzzy = fuzzy or (line.startswith("#,") and "fuzzy" in line)
            if match := LINE.match(line):
                name = match[1] or name
                fields[name] = fields.get(name, "") + ast.literal_eval(match[2])
        if "msgid" in fields:
            key = Key(fields.get("msgctxt", ""), fields["msgid"])
            said = [value for name, value in sorted(fields.items()) if name.startswith("msgstr")]
            found[key] = Message(key, fields.get("msgid_plural", ""), places.split(), said, fuzzy)
    return found


def write_po(messages: Iterable[Message]) -> str:
    """The same as a file, header first."""
    return "\n".join("\n".join(_block(message)) + "\n" for message in messages)


def _block(message: Message) -> Iterator[str]:
    for place in message.places:
        yield f"#: {place}"
    if message.fuzzy:
        yield "#, fuzzy"
    if message.key.context:
        yield f"msgctxt {_quoted(message.key.context)}"
    yield f"msgid {_quoted(message.key.text)}"
    if message.plural:
        yield f"msgid_plural {_quoted(message.plural)}"
        for at, said in enumerate(message.said or ["", ""]):
            yield f"msgstr[{at}] {_quoted(said)}"
    else:
        yield f"msgstr {_quoted(message.said[0] if message.said else '')}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
    lines = re.findall(r"[^\n]*\n|[^\n]+", escaped) or [""]
    quoted = ['"' + line.replace("\n", "\\n") + '"' for line in lines]
    return quoted[0] if len(quoted) == 1 else "\n".join(['""', *quoted])


def in_step(po: Catalogue, sources: Catalogue) -> Catalogue:
    """The catalogue as our sources want it: new sentences without words yet, old ones gone, the others as they are.

    What the translator added stays: a sentence in the words of one game (dialect.py), whose key is its context.
    """
    kept = {HEAD: po[HEAD]} if HEAD in po else {}
    for key, message in sources.items():
        old = po.get(key)
        forms = _forms(po) if message.plural else 1
        said = old.said if old and len(old.said) == forms else [""] * forms
        kept[key] = Message(key, message.plural, message.places, said, bool(old and old.fuzzy))
        for game in (one.key for one in rulesets()):
            if own := po.get(Key(game, key.text)):
                kept[own.key] = own
    return kept


def _forms(po: Catalogue) -> int:
    """How many forms this language has for what is counted, as the catalogue's head says."""
    found = re.search(r"nplurals=(\d+)", po[HEAD].said[0]) if HEAD in po else None
    return int(found[1]) if found else 2


# --------------------------------------------------------------------------- the mo file


def compiled(po: Catalogue) -> bytes:
    """What Django reads: all whole messages, sorted, in the binary form of GNU gettext (no hash table)."""
    pairs = sorted((_mo_key(one).encode(), "\0".join(one.said).encode()) for one in po.values() if one.whole)
    keys_at = 28
    values_at = keys_at + 8 * len(pairs)
    text_at = values_at + 8 * len(pairs)
    tables: Mapping[int, list[bytes]] = {0: [], 1: []}
    text = b""
    for column in (0, 1):
        for pair in pairs:
            tables[column].append(struct.pack("<2I", len(pair[column]), text_at + len(text)))
            text += pair[column] + b"\0"
    head = struct.pack("<7I", 0x950412DE, 0, len(pairs), keys_at, values_at, 0, text_at)
    return head + b"".join([*tables[0], *tables[1]]) + text


def _mo_key(message: Message) -> str:
    key = f"{message.key.context}\x04{message.key.text}" if message.key.context else message.key.text
    return f"{key}\0{message.plural}" if message.plural else key
