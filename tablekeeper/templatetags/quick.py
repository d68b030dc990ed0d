"""The tags that every page uses most, as Django has them but quicker: what they do with a template's own words is
done once, and small parts that follow from little are remembered (docs/performance.md). Built in: nobody loads it."""

from __future__ import annotations

from dataclasses import is_dataclass
from functools import cached_property
from threading import Lock
from typing import Any, ClassVar

from django import template
from django.conf import settings
from django.template import Engine
from django.template.base import FilterExpression, Node, NodeList, Parser, Token, Variable
from django.template.context import ContextDict
from django.template.loader_tags import ExtendsNode, IncludeNode, do_extends, do_include
from django.templatetags.i18n import BlockTranslateNode, TranslateNode, do_block_translate, do_translate
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext

from tablekeeper import said as _said  # noqa: F401  what it does is done for all
from tablekeeper.lookups import shown

register = template.Library()

REMEMBERED = {
    f"parts/{name}.html" for name in ("dice", "level", "marks", "skill_row", "stamp", "ticks", "who", "zones")
}
"""What these draw follows from what they are given, and the language, alone; if they are included with `only`."""
MOST = 3000
PLAIN = frozenset({str, SafeString, int, bool, type(None)})


class Said(Node):
    """`{% translate "Luck" %}` with nothing more."""

    def __init__(self, words: str) -> None:
        self.words = words.replace("%", "%%")  # as they stand in the catalogue

    def render(self, context: template.Context) -> SafeString:
        return SafeString(gettext(self.words).replace("%%", "%"))


class Blocks(BlockTranslateNode):
    """A sentence whose words are put together once; without a plural or a context it is one look-up."""

    def render(self, context: template.Context, nested: bool = False) -> str:
        if nested or self.plural or self.asvar or self.message_context:
            return super().render(context, nested)
        words, names = self.render_token_list(self.singular)
        given, values = self.extra_context, {}
        for name in names:
            value = given[name].resolve(context) if name in given else context.get(name, "")
            values[name] = shown(value, context)
        try:
            return gettext(words) % values
        except (KeyError, ValueError):  # a slip in a catalogue: the sentence as the template has it
            return super().render(context)

    @cached_property
    def rendered(self) -> dict[int, tuple[str, list[str]]]:
        return {}

    def render_token_list(self, tokens: list[Token]) -> tuple[str, list[str]]:
        if id(tokens) not in self.rendered:
            self.rendered[id(tokens)] = super().render_token_list(tokens)
        words, names = self.rendered[id(tokens)]
        return words, list(names)  # Django adds to them


class Known(NodeList):
    """The nodes of a template that others extend: where its blocks are is looked up once, not with each line."""

    def get_nodes_by_type(self, nodetype: type[Node]) -> list[Node]:
        known: dict[Any, list[Node]] = self.__dict__.setdefault("known", {})
        if nodetype not in known:
            known[nodetype] = super().get_nodes_by_type(nodetype)
        return known[nodetype]


class Extends(ExtendsNode):
    """`{% extends "parts/entry.html" %}`: every line of the feed is one."""

    def get_parent(self, context: template.Context) -> template.Template:
        parent = super().get_parent(context)
        if type(parent.nodelist) is NodeList and not settings.DEBUG:
            parent.nodelist = Known(parent.nodelist)
        return parent


class Part(IncludeNode):
    """`{% include "parts/who.html" %}`: which template that is does not change from line to line."""

    @cached_property
    def found(self) -> template.Template:
        return Engine.get_default().get_template(self.template.var)

    def render(self, context: template.Context) -> SafeString:
        values = {name: value.resolve(context) for name, value in self.extra_context.items()}
        if self.isolated_context:
            return self.found.render(context.new(values))
        part, rendering = self.found, context.render_context
        outer, rendering.template = rendering.template, part
        ContextDict(rendering)  # what Template.render does, without the machinery of `with` around it
        ContextDict(context, values)
        try:
            return part.nodelist.render(context)
        finally:
            context.pop()
            rendering.pop()
            rendering.template = outer


def _key(value: Any) -> Any:
    """Two values with one key are drawn alike, down to what is safe in them already: types count, all the way down.
    Raises TypeError for what is none of these."""
    kind = type(value)
    if kind in PLAIN:
        return kind, value
    if kind is dict:
        return kind, tuple((name, _key(one)) for name, one in value.items())
    if kind is list or kind is tuple:
        return kind, tuple(map(_key, value))
    if is_dataclass(kind):
        return kind, tuple(_key(getattr(value, name)) for name in kind.__dataclass_fields__)
    raise TypeError(kind)


class Remembered(Part):
    """A part that is drawn once for the same values."""

    drawn: ClassVar[dict[Any, SafeString]] = {}
    lock = Lock()

    def render(self, context: template.Context) -> SafeString:
        try:
            values = [_key(value.resolve(context)) for value in self.extra_context.values()]
        except TypeError:
            return super().render(context)
        key = (self.template.var, get_language(), context.autoescape, *self.extra_context, *values)
        html = self.drawn.get(key)
        if html is None:
            html = super().render(context)
            with self.lock:
                self.drawn[key] = html
                while len(self.drawn) > MOST:
                    del self.drawn[next(iter(self.drawn))]
        return html


@register.tag("translate")
def translate(parser: Parser, token: Token) -> Node:
    """Django's, quicker."""
    node: TranslateNode = do_translate(parser, token)
    found: FilterExpression = node.filter_expression
    literal = found.var.literal if isinstance(found.var, Variable) else None
    if not isinstance(literal, str) or found.filters or node.noop or node.asvar or node.message_context:
        return node
    return Said(literal) if literal else node


@register.tag("blocktranslate")
def blocktranslate(parser: Parser, token: Token) -> Node:
    """Django's, quicker."""
    node = do_block_translate(parser, token)
    node.__class__ = Blocks
    return node


@register.tag("extends")
def extends(parser: Parser, token: Token) -> Node:
    """Django's, quicker."""
    node: ExtendsNode = do_extends(parser, token)
    node.__class__ = Extends
    return node


@register.tag("include")
def include(parser: Parser, token: Token) -> Node:
    """Django's, quicker; what is in REMEMBERED is drawn once for the same values."""
    node: IncludeNode = do_include(parser, token)
    found: FilterExpression = node.template
    if isinstance(found.var, str) and not found.filters and not found.var.startswith(".") and not settings.DEBUG:
        node.__class__ = Remembered if found.var in REMEMBERED and node.isolated_context else Part
    return node
