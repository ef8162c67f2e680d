"""The measured list queries are queries that the lists accept."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs

import pytest
from flask import Flask

from bench import lists
from inbox.models.events import search as event_search
from inbox.models.incidents import search as incident_search

NAMES = {"workspace": "wsp_01900000000000000000000000", "common": "src_01900000000000000000000000",
         "rare": "src_01900000000000000000000000", "person": "usr_01900000000000000000000000",
         "incident": "inc_01900000000000000000000000", "late": "2026-11-01T00:00:00Z", "mid": "2026-06-01T00:00:00Z", "early": "2026-01-01T00:00:00Z",
         }  # fmt: skip


@pytest.mark.parametrize("query", [*lists.BOTH, *lists.INCIDENTS])
def test_the_lists_accept_each_measured_query_of_incidents(query: str):
    assert lists.arguments("incidents", query.format(**NAMES))["sort"] in incident_search.SORTS


@pytest.mark.parametrize("query", [*lists.BOTH, *lists.EVENTS])
def test_the_lists_accept_each_measured_query_of_events(query: str):
    assert lists.arguments("events", query.format(**NAMES))["sort"] in event_search.SORTS


def test_every_filter_and_every_sort_that_is_documented_is_measured(app: Flask):
    paths: Any = app.test_client().get("/v1/openapi.json").json["paths"]
    for name, queries in (("incidents", lists.INCIDENTS), ("events", lists.EVENTS)):
        requested = [parse_qs(query) for query in (*lists.BOTH, *queries)]
        fields = {each["name"]: each["schema"] for each in paths[f"/v1/{name}"]["get"]["parameters"]}

        assert fields.keys() - {key for query in requested for key in query} == {"limit", "cursor", "offset"}
        assert set(fields["sort"]["enum"]) == {sort for query in requested for sort in query.get("sort", ())}


def test_all_states_are_parsed_and_other_fields_once():
    args = lists.arguments("incidents", "state=open&state=snoozed&minSeverity=ERROR")

    assert (args["state"], args["min_severity"]) == (["open", "snoozed"], "ERROR")
