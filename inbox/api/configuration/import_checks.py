"""Checks the configuration of an imported workspace by the schemas of the API (specification 12.12).

An export may have been changed, and routing must never meet what no editor would save.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

import marshmallow as ma

from inbox.api.configuration import workspace_shape
from inbox.api.configuration.keys import Keys
from inbox.api.configuration.sections import SECTIONS, Section
from inbox.api.http.parsing import faults

UNREADABLE = (AttributeError, KeyError, LookupError, TypeError, ValueError)
"""What the readers of stored records raise for another shape than that of a record."""

EMPTY: dict[str, Any] = {"config": {}}
"""The settings of a destination lack their secrets, and are checked when a person enters these."""


def check(workspace_id: UUID) -> list[str]:
    """Returns the faults of the stored configuration, each with the name of its record."""
    found = [f"workspace: {each}" for each in _workspace_faults(workspace_id)]
    for section in SECTIONS:
        for row in section.rows(workspace_id):
            title = str(getattr(row, section.title_field))[:100]
            found += [f"{section.label} “{title}”: {each}" for each in _faults(section, row)]
    return found


def _workspace_faults(workspace_id: UUID) -> list[str]:
    try:
        workspace_shape.SHAPE.load(workspace_shape.document(workspace_id, Keys()))
    except ma.ValidationError as wrong:
        return _sentences(wrong)
    except UNREADABLE:
        return ["The settings or the default route have another shape."]
    return []


def _faults(section: Section, row: Any) -> list[str]:
    try:
        document = section.document(row)
        section.shape.load({**document, **EMPTY} if section.record_type == "destination" else document)
    except ma.ValidationError as wrong:
        return _sentences(wrong)
    except UNREADABLE:
        return ["The record has another shape."]
    return []


def _sentences(wrong: ma.ValidationError) -> list[str]:
    return [f"{each.pointer}: {each.detail}" for each in faults(wrong.messages)]
