"""The column type of a match, which returns canonical names also for older stored forms."""

from __future__ import annotations

from typing import Any

from playhouse.postgres_ext import BinaryJSONField

from inbox.domain.matchers import canonical


class _MatchField(BinaryJSONField):
    def python_value(self, value: object) -> Any:
        """The tree with canonical names."""
        return canonical(value)


MatchField: Any = _MatchField
"""The tree of a match (specification 6.3). A tree stored by an earlier version may contain aliases of severities."""
