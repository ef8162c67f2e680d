"""Settings of a workspace: only differences are stored, and defaults fill the rest."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbox.domain.workspaces.settings import SHIPPED, differences, effective_route, effective_settings, merged, slug_of

HERE = UUID("01900000-0000-7000-8000-000000000001")


def test_a_workspace_without_settings_has_the_defaults() -> None:
    found = effective_settings({})

    assert (found.reopen_window_minutes, found.reoccur_quiet_minutes, found.renotify_max) == (60, 15, 6)
    assert found.renotify_minutes == {"CRITICAL": 30, "ERROR": 120, "WARNING": 0}
    assert found.retention == {"eventDays": 90, "incidentDays": 365, "deliveryDays": 30, "auditDays": 730}
    assert found.fallback_destination_id is None and found.require_mfa is False


def test_stored_settings_are_merged_over_the_defaults_member_by_member() -> None:
    found = effective_settings({"retention": {"eventDays": 7}, "fallbackDestinationId": str(HERE)})

    assert found.retention == {"eventDays": 7, "incidentDays": 365, "deliveryDays": 30, "auditDays": 730}
    assert found.fallback_destination_id == HERE


def test_a_setting_equal_to_its_default_is_not_stored() -> None:
    whole = merged(SHIPPED, {"reopenWindowMinutes": 60, "retention": {"eventDays": 7, "auditDays": 730}})

    assert differences(whole) == {"retention": {"eventDays": 7}}


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "reopenWindowMinutes": st.integers(0, 100),
            "renotifyMinutes": st.fixed_dictionaries({}, optional={"ERROR": st.integers(0, 200)}),
            "quietHours": st.fixed_dictionaries({}, optional={"holidays": st.lists(st.just("2026-12-25"), max_size=2)}),
        },
    )
)
def test_storing_the_differences_loses_nothing(chosen: dict[str, Any]) -> None:
    whole = merged(SHIPPED, chosen)

    assert merged(SHIPPED, differences(whole)) == whole


def test_the_default_settings_cannot_be_changed_by_readers() -> None:
    merged(SHIPPED, {})["retention"]["eventDays"] = 1

    assert SHIPPED["retention"]["eventDays"] == 90


def test_the_shipped_route_opens_incidents_from_warning_on_and_notifies_nobody() -> None:
    route = effective_route({})

    assert route.destination_ids == () and route.routing_profile_id is None
    assert {name for name, target in route.dispositions.items() if target == "incident"} == {
        "WARNING",
        "ERROR",
        "CRITICAL",
    }


def test_a_route_names_its_destinations_in_order() -> None:
    other = UUID("01900000-0000-7000-8000-000000000002")
    route = effective_route({"destinationIds": [str(other), str(HERE)], "dispositions": {"INFO": "incident"}})

    assert route.destination_ids == (other, HERE)
    assert route.dispositions["INFO"] == "incident" and route.dispositions["ERROR"] == "incident"


@pytest.mark.parametrize(
    ("name", "slug"),
    [("Acme", "acme"), ("Café Zürich!", "cafe-zurich"), ("  --  ", ""), ("日本", ""), ("a" * 60, "a" * 40)],
)
def test_a_name_becomes_the_part_of_an_address(name: str, slug: str) -> None:
    assert slug_of(name) == slug
