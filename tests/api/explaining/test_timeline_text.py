"""Every timeline entry has a sentence and a kind from a closed list."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from inbox.domain.explaining.timeline_text import of_entry
from inbox.domain.incidents.timeline import EntryKind
from inbox.models.incidents.tables import Incident
from tests.browser import Browser
from tests.cast import NOW, Cast, present, typeid
from tests.flow.plans import follow, pass_to, step
from tests.flow.routing_fixtures import accept, incident, listen, routed, settle
from tests.silences import make_silence

Browsers = Callable[[str], Browser]
MINUTE = timedelta(minutes=1)
MIA = {"type": "user", "id": "usr_1", "name": "Mia"}
SENDER = {"type": "event", "id": "evt_1", "name": "Backups"}
CLOCK = {"type": "timer", "id": "", "name": "Clock"}


def lines(browser: Browsers, existing: Incident) -> list[tuple[str, str]]:
    """(kind, text) of its timeline, oldest first."""
    answer = browser("vic").get(f"/v1/incidents/{typeid('inc', existing.id)}/timeline?order=asc").get_json()
    return [(entry["kind"], entry["text"]) for entry in answer["items"]]


def test_timeline_entries_of_people_use_their_names_and_the_words_of_the_buttons(browser: Browsers, cast: Cast) -> None:
    existing = incident(routed(cast.source, present() - MINUTE, tags=["db"]).id)
    mia, path = browser("mia"), f"/v1/incidents/{typeid('inc', existing.id)}"
    mia.post(f"{path}/acknowledge", {})
    mia.post(f"{path}/unacknowledge", {})
    mia.post(f"{path}/snooze", {"until": (present() + timedelta(hours=1)).isoformat()})
    mia.post(f"{path}/unsnooze", {})
    mia.patch(path, {"severity": "CRITICAL", "assigneeId": typeid("usr", cast.users["adam"].id)})
    mia.patch(path, {"tags": ["prod"], "assigneeId": None})
    mia.post(f"{path}/notes", {"text": "It is the cable."})
    done = mia.post(f"{path}/resolve", {})
    mia.post("/v1/incidents/undo", {"undoId": done.headers["X-Undo-Id"]})

    found = lines(browser, existing)

    snoozed = found[3][1]
    assert snoozed.startswith("Mia snoozed it until ") and snoozed.endswith("Z.")
    assert [text for _, text in found if text != snoozed] == [
        f"An event from {cast.source.name} opened the incident with severity ERROR.",
        "Mia acknowledged it.",
        "Mia unacknowledged it.",
        "Mia ended the snooze.",
        "Mia assigned it to Adam and set the severity to CRITICAL.",
        'Mia added the tag "prod", removed the tag "db" and unassigned Adam.',
        "Mia added a note.",
        "Mia resolved it.",
        "Mia undid the resolution.",
    ]
    assert {kind for kind, _ in found} <= {str(kind) for kind in EntryKind}


def test_a_note_is_answered_with_its_sentence(browser: Browsers, cast: Cast) -> None:
    existing = incident(routed(cast.source, NOW).id)

    added = browser("mia").post(f"/v1/incidents/{typeid('inc', existing.id)}/notes", {"text": "It is the cable."})

    assert (added.get_json()["kind"], added.get_json()["text"]) == ("note", "Mia added a note.")


def test_timeline_entries_describe_events_and_timers(browser: Browsers, cast: Cast) -> None:
    pager, boss = listen(cast.workspace, routed=False), listen(cast.workspace, "Boss", routed=False)
    follow(cast.workspace, step(0, pager), step(10, boss), auto_resolve_minutes=60)
    existing = incident(routed(cast.source, NOW, severity="WARNING").id)
    routed(cast.source, NOW + MINUTE, severity="ERROR")
    pass_to(10)
    make_silence(cast.workspace, start=NOW + 11 * MINUTE, ends_at=NOW + 12 * MINUTE, comment="Upgrade")
    pass_to(11)
    pass_to(12)
    routed(cast.source, NOW + 14 * MINUTE, severity="ERROR", action="resolve")

    assert lines(browser, existing) == [
        ("opened", f"An event from {cast.source.name} opened the incident with severity WARNING."),
        ("escalated", f"An event from {cast.source.name} raised the severity from WARNING to ERROR."),
        ("escalated", "Step 2 of the routing profile was due."),
        ("silenced", 'Silence "Upgrade" covered the incident.'),
        ("silence_ended", 'Silence "Upgrade" ended: the incident is open again.'),
        ("resolved", f"Resolved automatically by {cast.source.name}."),
    ]


def test_the_timeline_describes_a_fallback_and_an_automatic_resolution(browser: Browsers, cast: Cast) -> None:
    listen(cast.workspace, enabled=False)
    last = listen(cast.workspace, "Last", routed=False)
    settle(cast.workspace, fallbackDestinationId=str(last.id), autoResolveMinutes=60)
    accept(cast.source, NOW)
    existing = incident(routed(cast.source, NOW).id)
    pass_to(0)
    pass_to(60)

    assert [text for _, text in lines(browser, existing)][1:] == [
        "No other destination could be notified: none is enabled.",
        "Resolved automatically: no event arrived within the time limit.",
    ]


def test_the_timeline_says_that_the_assignee_left_the_workspace() -> None:
    gone = {"type": "system", "id": "", "name": "Mia left the workspace"}
    changed = {"changed": {"assigneeId": ["usr_1", None]}}

    assert of_entry("updated", gone, changed, {}) == "Mia left the workspace: the incident is unassigned."
    assert of_entry("unacknowledged", gone, {}, {}) == (
        "Mia left the workspace: the incident is no longer acknowledged."
    )


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (EntryKind.REOCCURRED, "Fired again after a quiet period."),
        (EntryKind.ACK_TIMED_OUT, "The acknowledgement expired."),
        (EntryKind.SNOOZE_EXPIRED, "The snooze ended."),
        (EntryKind.DELAY_ENDED, "The wait of the routing profile ended."),
        (EntryKind.RENOTIFIED, "A reminder was due."),
        (EntryKind.FLAPPING_ENDED, "Flapping ended."),
    ],
)
def test_timeline_entries_of_timers_have_a_sentence(kind: EntryKind, text: str) -> None:
    assert of_entry(kind, CLOCK, {}, {}) == text


@pytest.mark.parametrize("kind", [*EntryKind, "a_kind_of_later"])
@pytest.mark.parametrize("actor", [MIA, SENDER, CLOCK])
def test_every_kind_has_a_sentence(kind: str, actor: dict[str, str]) -> None:
    details: dict[str, Any] = {
        "from": "open",
        "to": "open",
        "act": "resolve",
        "fallbackReason": "undelivered",
        "escalation": {"kind": "step", "from": 1, "to": 2},
        "pages": [{"name": "Mia", "cause": None}],
        "count": 1,
        "titles": ["Disk full"],
        "firing": 1,
        "alerts": 2,
    }
    if kind == "updated":
        details["changed"] = {"assigneeId": ["usr_gone", None]}

    text = of_entry(kind, actor, details, {})

    assert text[0].isupper() and text.endswith(".")


def test_the_document_lists_the_kinds_and_actors(browser: Browsers, cast: Cast) -> None:
    schemas = browser("vic").get("/v1/openapi.json").get_json()["components"]["schemas"]

    assert schemas["TimelineRecord"]["properties"]["kind"]["enum"] == [str(kind) for kind in EntryKind]
    assert "text" in schemas["TimelineRecord"]["required"]
    assert "user" in schemas["ActorRecord"]["properties"]["type"]["enum"]
