"""Incidents as a file.

It completes the blueprint of `inbox.api.incidents.incidents`.
"""

from __future__ import annotations

from typing import Any

from flask import Response

from inbox.api.http.csv_files import csv_file
from inbox.api.http.policy import USER, VIEWER, EndpointPolicy, readable_workspaces
from inbox.api.http.schemas.plain_rows import incident_row
from inbox.api.incidents.incidents import blp, resolved
from inbox.api.incidents.records import presented
from inbox.api.incidents.schemas.filters import IncidentsQuery
from inbox.models.incidents.search import INCIDENTS

__all__ = ["blp"]

PAGES = ("limit", "cursor", "offset")
"""The parameters of the list that an export has not."""

COLUMNS = (
    "number", "title", "severity", "state", "sourceName", "resource", "type", "tags", "eventCount", "assignee", "firstSeenAt",
    "lastSeenAt", "openedAt", "acknowledgedAt", "acknowledgedBy", "resolvedAt", "resolvedBy", "dedupKey", "id", "url",
)  # fmt: skip
"""The columns of an export, with the names of `IncidentRecord`."""


@blp.route("/export", methods=["GET"], endpoint="export")
@EndpointPolicy(USER, VIEWER, section="7.2")
@blp.arguments(IncidentsQuery(exclude=PAGES), location="query")
@blp.response(200, {"type": "string"}, content_type="text/csv", example=f"{','.join(COLUMNS)}\r\n")
def export(args: dict[str, Any]) -> Response:
    """Export incidents

    The list as a CSV file, under its filters and in its order, with at most 20,000 rows. A last line says that more may
    follow. A text that a spreadsheet would take for a formula begins with an apostrophe.
    """
    readable = readable_workspaces(args.get("workspace_id"))
    rows = INCIDENTS.search(readable, resolved(args))
    return csv_file(
        rows, args, name="incidents", columns=COLUMNS, present=lambda found: map(incident_row, presented(found))
    )
