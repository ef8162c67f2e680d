"""A match in either of its forms. It is checked with the body, so that its faults are listed with all others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import marshmallow as ma

from inbox.domain.routing import matchers
from inbox.domain.values.refusals import Fault
from inbox.runtime import work_budget

LIMIT = "Send fewer or simpler matches."
"""The advice to a caller whose matches take too much computing."""


class MatchTree(ma.fields.Dict):
    """A match as a tree."""

    def _deserialize(self, value: object, attr: str | None, data: object, **kwargs: Any) -> Any:
        tree = super()._deserialize(value, attr, data, **kwargs)
        _spend()
        faults = matchers.check(tree, _spend)
        if faults:
            raise ma.ValidationError(_nested(faults))
        return tree


class MatchLine(ma.fields.String):
    """A match on one line."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{**kwargs, "metadata": {"maxLength": matchers.TEXT_LIMIT, **kwargs.get("metadata", {})}})

    def _deserialize(self, value: object, attr: str | None, data: object, **kwargs: Any) -> str:
        text = str(super()._deserialize(value, attr, data, **kwargs))
        _spend()
        try:
            matchers.from_text(text, _spend)
        except matchers.BadMatch as bad:
            raise ma.ValidationError([fault.detail for fault in bad.faults]) from None
        return text


def _spend() -> None:
    work_budget.spend(LIMIT)


def _nested(faults: Iterable[Fault]) -> dict[str, Any]:
    """Returns faults of a tree in the shape of marshmallow's messages: by the steps of their pointers."""
    messages: dict[str, Any] = {}
    for fault in faults:
        node = messages
        for step in fault.pointer.split("/")[1:]:
            node = node.setdefault(step, {})
        node.setdefault("_schema", []).append(fault.detail)
    return messages
