"""A note with an act: one request, one notice, two entries of the timeline (specification 7.3)."""

from __future__ import annotations

from typing import Any

import pytest

from inbox.models.incidents.tables import Incident
from tests.api.incidents.incident_bulk_steps import (
    BULK,
    UNDO,
    Browsers,
    order,
    states,
    three,  # noqa: F401
)
from tests.cast import typeid
from tests.flow.routing_fixtures import reasons

ACTS = [("acknowledge", {}, "acknowledged"), ("resolve", {}, "resolved"), ("snooze", {"forMinutes": 5}, "snoozed")]


def entries(browser: Any, one: Incident) -> list[tuple[str, str | None]]:
    """The newest two entries with the text of a note, the older one first."""
    items = browser.get(f"/v1/incidents/{typeid('inc', one.id)}/timeline?limit=2").get_json()["items"]
    return [(item["kind"], item["details"].get("text")) for item in items[::-1]]


@pytest.mark.parametrize(("act", "more", "kind"), ACTS)
def test_an_act_with_a_note_is_one_notice_and_two_entries(
    browser: Browsers, three: list[Incident], act: str, more: dict[str, Any], kind: str
) -> None:
    one, mia = three[0], browser("mia")

    answer = mia.post(f"/v1/incidents/{typeid('inc', one.id)}/{act}", {"note": "Swapped the disk", **more})

    assert (answer.status_code, answer.get_json()["state"]) == (200, kind)
    assert entries(mia, one) == [("note", "Swapped the disk"), (kind, None)]
    assert len(reasons(one.id)) <= 2


@pytest.mark.parametrize(("act", "more", "kind"), ACTS)
def test_a_bulk_action_adds_the_note_to_each(
    browser: Browsers, three: list[Incident], act: str, more: dict[str, Any], kind: str
) -> None:
    mia = browser("mia")

    answer = mia.post(BULK, order(three, act, note="Known", **more))

    assert answer.status_code == 200
    assert [entries(mia, one) for one in three] == [[("note", "Known"), (kind, None)]] * 3


def test_an_act_that_changes_nothing_keeps_its_note(browser: Browsers, three: list[Incident]) -> None:
    path, mia = f"/v1/incidents/{typeid('inc', three[0].id)}/acknowledge", browser("mia")
    mia.post(path)

    mia.post(path, {"note": "Still at it"})

    assert entries(mia, three[0]) == [("acknowledged", None), ("note", "Still at it")]


def test_an_undone_act_leaves_its_note(browser: Browsers, three: list[Incident]) -> None:
    mia = browser("mia")
    answer = mia.post(BULK, order(three[:1], "resolve", note="Fixed"))

    assert mia.post(UNDO, {"undoId": answer.get_json()["undoId"]}).status_code == 200

    assert states(three) == ["open"] * 3
    kinds = mia.get(f"/v1/incidents/{typeid('inc', three[0].id)}/timeline").get_json()["items"]
    assert "note" in [each["kind"] for each in kinds]


def test_a_key_in_a_note_is_redacted(browser: Browsers, three: list[Incident]) -> None:
    mia, key = browser("mia"), "svc_src_" + "a" * 43

    mia.post(f"/v1/incidents/{typeid('inc', three[0].id)}/resolve", {"note": f"used {key}"})

    assert key not in str(entries(mia, three[0]))


@pytest.mark.parametrize(("length", "status"), [(1, 200), (10_000, 200), (10_001, 422), (0, 422)])
def test_a_note_has_one_to_ten_thousand_characters(
    browser: Browsers, three: list[Incident], length: int, status: int
) -> None:
    answer = browser("mia").post(f"/v1/incidents/{typeid('inc', three[0].id)}/resolve", {"note": "x" * length})

    assert answer.status_code == status


@pytest.mark.parametrize("act", ["unsnooze", "reopen", "unacknowledge", "assign", "tag"])
def test_bulk_acts_without_notes_refuse_a_note(browser: Browsers, three: list[Incident], act: str) -> None:
    more = {"assign": {"assigneeId": None}, "tag": {"tags": ["x"]}}.get(act, {})

    refused = browser("mia").post(BULK, order(three, act, note="No", **more))

    assert "/note" in [each["pointer"] for each in refused.get_json()["errors"]]


@pytest.mark.parametrize("act", ["acknowledge", "resolve"])
def test_a_body_is_optional_and_a_blank_note_is_refused(browser: Browsers, three: list[Incident], act: str) -> None:
    path = f"/v1/incidents/{typeid('inc', three[0].id)}/{act}"

    assert browser("mia").post(path, {"note": "  "}).status_code == 422
    assert browser("mia").post(path, {}).status_code == 200
    assert browser("mia").post(path).status_code == 200
