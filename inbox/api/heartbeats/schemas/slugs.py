"""The slug of a heartbeat monitor (specification 18.11)."""

from __future__ import annotations

from typing import Any

import marshmallow as ma

from inbox.domain.heartbeats import pings

SLUG_PATTERN = rf"^(?!(start|fail|log|[0-9]+)$)[a-z0-9_-]{{1,{pings.LONGEST_SLUG}}}$"
SLUG = {
    "description": "Its name in the address of pings with a ping key of the source. Unique among the monitors of the source.",
    "example": "nightly-backup",
}


class Slug(ma.fields.String):
    """A slug of a monitor (specification 18.11)."""

    def _deserialize(self, value: object, attr: str | None, data: object, **kwargs: Any) -> str:
        text = str(super()._deserialize(value, attr, data, **kwargs))
        if not pings.is_slug(text):
            raise ma.ValidationError(
                f"Must be 1 to {pings.LONGEST_SLUG} of a-z, 0-9, - and _, and neither a number nor start, fail or log."
            )
        return text
