"""A column that holds a match, read in canonical words also where it was stored in others."""

from __future__ import annotations

from typing import Any

from playhouse.postgres_ext import BinaryJSONField

from inbox.domain.matchers import canonical


class _MatchField(BinaryJSONField):
    def python_value(self, value: Any) -> Any:
        """The tree as it is shown."""
        return canonical(value)


MatchField: Any = _MatchField
"""The tree of a match (specification 6.3); those stored by an earlier version may call severities by their aliases."""
