"""An import keeps ids that are free, and gives others new ids that every reference follows (specification 12.12)."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest
from flask import Flask

from inbox.domain.values import ids
from inbox.models.incidents.tables import Incident, TimelineEntry
from inbox.models.routing.rules import Rule
from inbox.models.workspaces.tables import Workspace
from inbox.services.workspaces.imports import survey
from inbox.services.workspaces.imports.export_file import ExportFile
from inbox.services.workspaces.imports.id_map import derived, numbered
from tests.cast import Cast, make_source, make_user, make_workspace
from tests.services.workspaces.imports.lived_in import live_in
from tests.services.workspaces.imports.moved import document_of, exported, imported, on_another_instance

PEOPLE = ("olga@example.org", "adam@example.org", "mia@example.org", "vic@example.org")


@pytest.fixture
def file(app: Flask, cast: Cast, tmp_path: Path) -> ExportFile:
    """The export of a workspace in which people have worked."""
    live_in(cast)
    return exported(cast.workspace, tmp_path / "acme.json")


def _ids(document: dict[str, object], *sections: str) -> set[str]:
    return {each["id"] for name in sections for each in document[name]}  # type: ignore[attr-defined, index]


def test_a_copy_beside_the_original_has_new_ids_and_the_original_stays(
    file: ExportFile, cast: Cast, tmp_path: Path
) -> None:
    sections = ("sources", "destinations", "rules", "incidents", "alerts", "notices", "deliveries", "events")
    before = document_of(file)
    copy = imported(file)

    original = document_of(exported(cast.workspace, tmp_path / "again.json"))
    copied = document_of(exported(copy, tmp_path / "copy.json"))

    kept = {name: value for name, value in before.items() if name not in ("exportedAt", "auditLog")}
    assert {name: original[name] for name in kept} == kept
    assert not _ids(copied, *(set(sections) - {"alerts"})) & _ids(before, *sections)
    assert (copy.slug, copied["workspace"]["name"]) == ("acme-2", "Acme")
    assert [each["number"] for each in copied["incidents"]] == [1, 2, 3, 4, 5, 6]


def test_references_follow_new_ids(file: ExportFile, tmp_path: Path) -> None:
    copy = imported(file)

    copied = document_of(exported(copy, tmp_path / "copy.json"))

    text = (tmp_path / "copy.json").read_text()
    old = _ids(document_of(file), "sources", "destinations", "rules", "incidents", "notices", "deliveries", "events")
    assert [id for id in sorted(old) if id in text] == []
    named = copied["defaultRoute"] if "defaultRoute" in copied else copied["workspace"]["defaultRoute"]
    assert named["destinationIds"] == [copied["destinations"][0]["id"]]
    rule = next(each for each in copied["rules"] if each["name"] == "Databases")
    assert rule["then"]["destinationIds"] == [copied["destinations"][0]["id"]]
    step = copied["routingProfiles"][0]["steps"][0]
    assert step["people"] == [{"scheduleId": copied["onCallSchedules"][0]["id"]}]
    assert {each["details"]["about"] for each in copied["timeline"]} == _ids(copied, "incidents")
    assert {each["eventId"] for each in copied["timeline"]} <= _ids(copied, "events")


def test_an_id_that_another_workspace_has_is_replaced_alone(file: ExportFile) -> None:
    incidents = document_of(file)["incidents"]
    taken, free = (ids.decode("inc", incidents[place]["id"]) for place in (0, 1))
    assert taken is not None and free is not None
    on_another_instance(*PEOPLE)
    other = make_workspace("Other", eve=make_user("eve"))
    source, _ = make_source(other, "Theirs")
    row = {"severity": "ERROR", "last_severity": "ERROR", "state": "open"}
    times = dict.fromkeys(("first_seen_at", "last_seen_at", "opened_at"), other.created_at)
    Incident.create(
        id=taken,
        workspace_id=other.id,
        number=1,
        source_id=source.id,
        fingerprint="f1:x",
        title="Theirs",
        **row,
        **times,
    )

    found = survey.of_file(file)
    here = imported(file)

    new = derived(here.id, taken)
    assert found.new_ids == [(ids.encode("inc", taken), ids.encode("inc", new))]
    assert Incident.get_by_id(taken).title == "Theirs"
    assert Incident.get_by_id(new).title == incidents[0]["title"]
    assert Incident.get_by_id(free).workspace_id == here.id
    assert {each.incident_id for each in TimelineEntry.select()} == {
        each.id for each in Incident.select().where(Incident.workspace_id == here.id)
    }
    assert Rule.select().where(Rule.workspace_id == here.id).count() == 2
    assert Workspace.select().count() == 2


def test_new_ids_keep_their_millisecond_and_differ_by_workspace() -> None:
    first, second, id = (ids.uuid7(millisecond, bytes(10)) for millisecond in (1, 2, 1_700_000_000_000))

    new = derived(first, id)

    assert new == derived(first, id) and new != derived(second, id)
    assert (new.int >> 80, new.version) == (id.int >> 80, 7)


def test_records_of_a_millisecond_keep_their_order() -> None:
    made = [numbered(UUID(int=1), "timeline", 1_700_000_000_000, number) for number in (1, 2, 3, 5_000_000_000)]

    assert made == sorted(made) and len(set(made)) == 4
