"""Fields of answers whose values come from a list that later versions may extend."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import marshmallow as ma

from inbox.domain.deliveries.delivery import FAILURE_STATUS, FailureReason

LENIENT = "Clients must ignore values that they do not know."
"""The description of each of these fields in the document. A later version may add a value."""


class Code(ma.fields.String):
    """A value of an enumeration in an answer."""

    def __init__(self, values: Iterable[str], description: str, *, example: str, **kwargs: Any) -> None:
        metadata = {"description": f"{description} {LENIENT}", "example": example}
        listed = ma.validate.OneOf([str(each) for each in values])
        super().__init__(required=True, validate=listed, metadata=metadata, **kwargs)


class FailureCode(ma.fields.String):
    """The reason why a call or a delivery failed: a word, or the status of the answer (`http_503`, `redirect_302`)."""

    def __init__(
        self, description: str, values: Iterable[str] = FailureReason, *, example: str, allow_none: bool = False
    ) -> None:
        ways: list[dict[str, Any]] = [
            {"type": "string", "enum": [str(each) for each in values]},
            {"type": "string", "pattern": FAILURE_STATUS},
            *([{"type": "null"}] if allow_none else []),
        ]
        metadata = {"description": f"{description} {LENIENT}", "anyOf": ways, "example": example}
        super().__init__(required=True, allow_none=allow_none, metadata=metadata)
