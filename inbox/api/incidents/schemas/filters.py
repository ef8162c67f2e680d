"""Filters and sorts of the list of incidents (specification 7.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from inbox.api.http.paging import PageQuery, page_query_from
from inbox.api.http.schemas.base import Person, SeverityName, Timestamp, TypeId
from inbox.api.http.schemas.list_filters import PeriodQuery, SearchText, last, of_resources, several
from inbox.api.incidents.schemas.incidents import STATES
from inbox.domain.incidents.state_machine import State
from inbox.models.incidents.search import INCIDENTS

FILTERS: Mapping[str, ma.fields.Field[Any]] = dict(
    workspace_id=TypeId("wsp"),
    state=several(ma.fields.String(validate=ma.validate.OneOf(STATES))),
    severity=several(SeverityName()),
    min_severity=SeverityName(metadata={"description": "This severity and those above; INFO and SUCCESS are equal."}),
    source_id=several(TypeId("src")),
    assignee_id=several(Person(nobody=True), "Assigned to this person; `none`: to nobody."),
    acknowledged_by=several(Person(), "Acknowledged by this person since it last opened."),
    **of_resources(),
    routing_profile_id=several(TypeId("prf"), "On the route of this profile."),
    silence_id=several(TypeId("sil"), "Covered by this silence."),
    flapping=ma.fields.Boolean(),
    q=SearchText(
        metadata={
            "description": "Part of the title, resource or dedup key, or of an alert's title or key, in any case. Or the number: one or two digits are one.",
            "maxLength": 256,
        }
    ),
    since=Timestamp(metadata={"description": "Last seen at or after."}),
    last=last("Last seen in this period up to now."),
    until=Timestamp(metadata={"description": "First seen before."}),
)
"""The filters of the list, of its counts and of bulk actions."""

IncidentFilter = type("IncidentFilter", (PeriodQuery,), {**FILTERS, "__doc__": "Filters, as the list takes them."})


class _ListQuery(PageQuery):
    """The paging of the list. The sort `resolved` excludes the other states."""

    @ma.validates_schema(skip_on_field_errors=False)
    def _resolved_alone(self, data: Mapping[str, Any], **_: object) -> None:
        states = data.get("state", [State.RESOLVED])
        if data.get("sort") == "resolved" and any(each != State.RESOLVED for each in states):
            raise ma.ValidationError("Lists resolved incidents only. Leave `state` out, or use `resolved`.", "sort")


IncidentsQuery = page_query_from(_ListQuery, "Incidents", tuple(INCIDENTS.sorts), FILTERS)
