"""What an import stores and what is to do after it, as JSON and in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.models.workspaces.imports import WorkspaceImport
from inbox.services.workspaces.imports.adjustments import needs_secret
from inbox.services.workspaces.imports.survey import Survey
from inbox.services.workspaces.imports.targets import CONFIGURATION, HISTORY

TO_DO = "To do: "

NOT_STORED = (
    *("invites", "sourceKeys", "onCallCalendars", "onCallSlack", "onCallCalendarShifts", "calendarFeeds", "auditLog"),
)
"""The sections that no import stores: they have secrets, follow from others, or belong to the other instance."""

SHOWN_IDS = 20

Counts = Mapping[str, Mapping[str, int]]


def of_plan(survey: Survey, planned: Counts) -> dict[str, Any]:
    """Returns a plan as JSON."""
    return {
        "workspaceId": ids.encode(Prefix.WORKSPACE, survey.id_map.workspace[1]),
        "records": dict(survey.counts),
        "configuration": {section: dict(found) for section, found in planned.items() if found},
        "people": [
            {"email": each.email, "role": str(each.role), "hasAccount": each.user_id is not None}
            for each in survey.people
        ],
        "newIds": [{"id": id, "newId": new} for id, new in survey.new_ids],
        "toDo": list(to_do(survey)),
    }


def of_import(run: WorkspaceImport, slug: str) -> dict[str, Any]:
    """Returns an ended import as JSON."""
    id = ids.encode(Prefix.WORKSPACE, run.workspace_id)
    return {"workspaceId": id, "slug": slug, "counts": {name: dict(each) for name, each in run.counts.items()}}


def lines_of_plan(survey: Survey, planned: Counts) -> list[str]:
    """Returns a plan in words."""
    head = survey.head
    return [
        f"Workspace “{head.workspace.get('name')}”, exported at {head.exported_at}.",
        *lines_of_counts(planned),
        *(f"  {section:<18} {survey.counts[section]:>10,}" for section in HISTORY if survey.counts[section]),
        *(
            f"  {section:<18}  not stored: {survey.counts[section]:,}"
            for section in NOT_STORED
            if survey.counts[section]
        ),
        *_lines_of_ids(survey),
        *(f"{TO_DO}{each}" for each in to_do(survey)),
        "Nothing was stored. --apply imports the workspace.",
    ]


def lines_of_counts(counts: Counts) -> list[str]:
    """Returns the stored records of each section, and how many were left out for each reason."""
    lines = []
    for section in (*CONFIGURATION, *HISTORY):
        found = dict(counts.get(section, {}))
        if found:
            stored = found.pop("stored", 0)
            left_out = "; ".join(f"{count:,} left out: {reason}" for reason, count in found.items())
            lines.append(f"  {section:<18} {stored:>10,}{f'  ({left_out})' if left_out else ''}")
    return lines


def to_do(survey: Survey) -> Iterator[str]:
    """Yields what an operator or an owner does after the import, because no export has secrets and accounts."""
    strangers = sorted(each.email for each in survey.people if each.user_id is None)
    if strangers:
        yield f"Invite the people without an account here: {', '.join(strangers)}."
    for record in survey.configuration:
        item = record.item
        if record.section == "destinations" and item.get("deletedAt") is None and needs_secret(str(item.get("kind"))):
            yield f"Enter the secret of the destination “{item.get('name')}” ({item.get('kind')}), and enable it."
        if record.section == "heartbeatMonitors" and item.get("deletedAt") is None:
            yield f"Replace the token of the heartbeat monitor “{item.get('name')}”, and resume it."
    for name, count in survey.keys.items():
        yield f"Create {'a key' if count == 1 else f'{count} keys'} for the source “{name}”."
    for name in survey.calendars:
        yield f"Enter the address of the calendar of the schedule “{name}”."
    if survey.counts["onCallSlack"]:
        yield "Choose again in Slack who shows who is on call."


def _lines_of_ids(survey: Survey) -> list[str]:
    found = survey.new_ids
    if not found:
        return []
    shown = [f"  {id} → {new}" for id, new in found[:SHOWN_IDS]]
    more = [f"  and {len(found) - SHOWN_IDS:,} more, which --ids FILE writes"] if len(found) > SHOWN_IDS else []
    return [f"{len(found):,} ids are in use here. Their records get new ids:", *shown, *more]
