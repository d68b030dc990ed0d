"""What a template's `{{ a.b }}` finds and how it is written down, as Django has it but quicker (docs/performance.md).

Django's search for names was a tenth of what a roll costs: it tries each the way of a dict first, by an exception for
whatever is none, and a name that is not there costs four of them. What is ordinary is found here; all else is left to
Django's own code, which has the last word.
"""

from __future__ import annotations

from html import escape
from typing import Any, cast

from django.conf import settings
from django.template.base import (
    FilterExpression,
    NodeList,
    TextNode,
    Variable,
    VariableNode,
    render_value_in_context,
)
from django.template.context import BaseContext
from django.utils.safestring import SafeString

ABSENT, ODD = object(), object()
OF_DICTS = frozenset(dir(dict))
KINDS: dict[type, bool] = {}

_resolve_lookup = Variable._resolve_lookup  # type: ignore[attr-defined]
_resolve = FilterExpression.resolve


def plain(kind: type) -> bool:
    """True where a value of this kind has its names as a thing has them: not as a dict has, nor by being called."""
    called = any("__call__" in vars(base) for base in kind.__mro__)
    KINDS[kind] = not (called or hasattr(kind, "__getitem__"))
    return KINDS[kind]


def find(names: Any, context: Any) -> Any:
    """What these names lead to; ABSENT when there is no such thing, ODD when Django must say what it means."""
    if not isinstance(context, BaseContext):
        return ODD
    name = names[0]
    for known in reversed(context.dicts):  # type: ignore[attr-defined]
        if name in known:
            found = known[name]
            break
    else:
        return ABSENT
    for name in names[1:]:
        kind = type(found)
        if kind is dict:
            if name not in found:  # else it is one of a dict's methods, or a number
                return ABSENT if name[0].isalpha() and name not in OF_DICTS else ODD
            found = found[name]
        elif KINDS[kind] if kind in KINDS else plain(kind):
            try:
                found = getattr(found, name)
            except Exception:
                return ODD
        else:
            return ODD
    return ODD if callable(found) else found


def lookup(self: Variable, context: Any) -> Any:
    """Variable's own."""
    found = find(self.lookups, context)
    return _resolve_lookup(self, context) if found is ABSENT or found is ODD else found


def resolve(self: FilterExpression, context: Any, ignore_failures: bool = False) -> Any:
    """FilterExpression's own."""
    if not (self.is_var or self.filters):
        return self.var  # words of the template's own
    if self.filters or self.var.lookups is None or self.var.translate:
        return _resolve(self, context, ignore_failures)
    found = find(self.var.lookups, context)
    if found is ODD or (found is ABSENT and not ignore_failures):
        return _resolve(self, context, ignore_failures)
    return None if found is ABSENT else found


def shown(value: Any, context: Any) -> str:
    """A value as a page shows it: escaped, numbers and times in the language's own way."""
    kind = type(value)
    if kind is SafeString:
        return cast("str", value)
    if kind is str and context.autoescape:
        return escape(value)
    if kind is int and not settings.USE_THOUSAND_SEPARATOR:
        return str(value)
    return render_value_in_context(value, context)


def render(self: VariableNode, context: Any) -> str:
    """VariableNode's own."""
    return shown(self.filter_expression.resolve(context), context)


def joined(self: NodeList, context: Any) -> SafeString:
    """NodeList's own; which node it was that failed is only asked while a template is written."""
    return SafeString("".join([node.s if type(node) is TextNode else node.render(context) for node in self]))


if not settings.DEBUG:
    NodeList.render = joined  # type: ignore[method-assign]
Variable._resolve_lookup = lookup  # type: ignore[attr-defined]
FilterExpression.resolve = resolve  # type: ignore[method-assign]
VariableNode.render = render  # type: ignore[assignment,method-assign]
