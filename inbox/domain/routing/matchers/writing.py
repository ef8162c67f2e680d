"""The text of a checked match (specification 6.4)."""

from __future__ import annotations

from typing import Any

from inbox.domain.routing.matchers.fields import FieldKind, Op, field_of
from inbox.domain.routing.matchers.tokens import ANY_EVENT, EXISTS, SIGNS, quote

_LOOSEST, _OR, _AND, _NOT = range(4)


def to_text(tree: Any) -> str:
    """Returns the text of a checked tree. `from_text` returns an equal tree, if the tree is `canonical`."""
    return ANY_EVENT if tree == {"all": []} else _node_text(tree, _LOOSEST)


def _node_text(node: Any, outer_binding: int) -> str:
    """Returns the text of a node, in brackets if `outer_binding` binds at least as tightly."""
    if "field" in node:
        return _clause(node)
    if "not" in node:
        return f"not {_node_text(node['not'], _NOT)}"
    word, separator, binding = ("all", " and ", _AND) if "all" in node else ("any", " or ", _OR)
    if len(node[word]) == 1:
        return f"{word} ({_node_text(node[word][0], _LOOSEST)})"
    text = separator.join(_node_text(child, binding) for child in node[word])
    return text if binding > outer_binding else f"({text})"


def _clause(node: Any) -> str:
    name, op, value = node["field"], Op(node["op"]), node["value"]
    if op is Op.EXISTS:
        return f"{name} {EXISTS[value]}"
    field = field_of(name)
    bare = field is not None and field.kind in (FieldKind.SEVERITY, FieldKind.ACTION)
    if isinstance(value, list):
        return f"{name} {SIGNS[op]} ({', '.join(_value(each, bare=bare) for each in value)})"
    return f"{name} {SIGNS[op]} {_value(value, bare=bare)}"


def _value(value: Any, *, bare: bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value if bare else quote(value)
    return repr(value)
