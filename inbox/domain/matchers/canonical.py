"""The canonical form of a match, as it is stored and displayed: canonical names of severities (specification 4.2)."""

from __future__ import annotations

from typing import Any

from inbox.domain import severity


def canonical(tree: Any) -> Any:
    """The tree with each severity once and by its canonical name. Invalid parts are returned unchanged."""
    match tree:
        case {"field": "severity", "value": list(values)} if all(isinstance(each, str) for each in values):
            return {**tree, "value": list(dict.fromkeys(map(_name, values)))}
        case {"field": "severity", "value": str(value)}:
            return {**tree, "value": _name(value)}
        case {"all": list(nodes)}:
            return {**tree, "all": [canonical(node) for node in nodes]}
        case {"any": list(nodes)}:
            return {**tree, "any": [canonical(node) for node in nodes]}
        case {"not": inner}:
            return {**tree, "not": canonical(inner)}
        case _:
            return tree


def _name(text: str) -> str:
    found = severity.parse(text)
    return text if found is None else str(found)
