"""A file that is no whole export is refused with the number of its record, and nothing is stored (specification 12.12)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from inbox.models.workspaces.imports import WorkspaceImport
from inbox.models.workspaces.tables import Workspace
from inbox.services.workspaces.imports import export_file
from inbox.services.workspaces.imports.export_file import ExportFile, ImportRefused
from tests.cast import Cast
from tests.services.workspaces.imports.lived_in import live_in
from tests.services.workspaces.imports.moved import (
    Document,
    begun,
    document_of,
    exported,
    imported,
    on_another_instance,
)

PEOPLE = ("olga@example.org", "adam@example.org", "mia@example.org", "vic@example.org")


@pytest.fixture
def file(app: Flask, cast: Cast, tmp_path: Path) -> ExportFile:
    """The export of a workspace in which people have worked."""
    live_in(cast)
    made = exported(cast.workspace, tmp_path / "acme.json")
    on_another_instance(*PEOPLE)
    return made


def write(file: ExportFile, document: Document) -> None:
    """Writes a changed document as an export is written."""
    head = {name: value for name, value in document.items() if not isinstance(value, list)}
    text = json.dumps(head)[:-1]
    for name, records in document.items():
        if isinstance(records, list):
            inner = ",\n".join(json.dumps(each) for each in records)
            text += f',\n"{name}":[' + (f"\n{inner}\n]" if records else "]")
    file.path.write_text(text + "}\n")


def refusal(file: ExportFile) -> str:
    """Why the file is refused. Nothing of it is stored."""
    with pytest.raises(ImportRefused) as refused:
        begun(file)
    assert Workspace.select().count() == 0 and WorkspaceImport.select().count() == 0
    return str(refused.value)


@pytest.mark.parametrize(
    "content", [b"", b"{}\n", b"a,b\n1,2\n", b'{"format":"other","version":1},\n', b"[[[[\n", b"\x00\n"]
)
def test_a_foreign_file_is_refused(file: ExportFile, content: bytes) -> None:
    file.path.write_bytes(content)

    assert refusal(file) in (export_file.NOT_AN_EXPORT, export_file.TRUNCATED)


def test_a_truncated_file_is_refused_wherever_it_ends(file: ExportFile) -> None:
    whole = file.path.read_bytes()
    for part in range(1, 40):
        file.path.write_bytes(whole[: len(whole) * part // 40])
        assert refusal(file) in (export_file.NOT_AN_EXPORT, export_file.TRUNCATED), part


def test_a_huge_line_is_refused(file: ExportFile) -> None:
    whole = file.path.read_bytes()
    file.path.write_bytes(whole.replace(b'"incidents":[\n', b'"incidents":[\n' + b'{"title":"' + b"x" * 9_000_000, 1))

    assert refusal(file) == "A line has more than 8,388,608 bytes. An export has one record on a line."


def test_a_file_of_a_later_version_is_refused(file: ExportFile) -> None:
    write(file, {**document_of(file), "version": 3})

    assert refusal(file) == "The export has version 3. This instance reads versions up to 2."


def test_a_file_of_version_1_is_imported(file: ExportFile) -> None:
    document = {**document_of(file), "version": 1}
    for each in document["incidents"]:
        del each["stateBeforeSilence"]
    write(file, document)

    assert imported(file).name == "Acme"


def _set(section: str, **members: Any) -> Callable[[Document], None]:
    return lambda document: document[section][0].update(members)


BAD: dict[str, tuple[Callable[[Document], None], str]] = {
    "id": (_set("incidents", id="inc_1"), "incidents, record 1: id is no id that begins with inc_."),
    "unknown": (_set("timeline", more=1), "timeline, record 1: The member more is unknown."),
    "time": (_set("incidents", openedAt="yesterday"), "incidents, record 1: openedAt is no time."),
    "shape": (_set("incidents", title={"a": 1}), "incidents, record 1: title is no text, number or list of these."),
    "kind": (_set("destinations", kind="pigeon"), "destinations, record 1: This instance has no destinations of the kind pigeon."),
    "severity": (_set("sources", defaultSeverity="BAD"), 'sources, record 1: invalid input value for enum severity: "BAD".'),
    "name": (_set("rules", name=None), 'rules, record 1: null value in column "name" of relation "rules" violates not-null constraint.'),
    "match": (_set("rules", match={"all": 5}), "rule “"),
    "recursion": (_set("silences", recurrence={"rrule": "FREQ=NEVER"}), "silence “Reboots”: "),
    "schedule": (_set("heartbeatMonitors", schedule={"kind": "simple"}), "heartbeat monitor “Backup”: "),
    "steps": (_set("routingProfiles", steps="now"), "routing profile “On call”: "),
    "role": (_set("members", role="god"), "members, record 1: role or joinedAt is missing."),
    "settings": (lambda document: document["workspace"].update(settings=[]), "workspace: The name, slug"),
    "zone": (lambda document: document["workspace"].update(timezone="Mars/Base"), "workspace: The name, slug"),
    "list": (lambda document: document.update(people=[]), "After 29 lists, the file has no list"),
    "number": (lambda document: document["incidents"].append(5), "incidents, record 8: This is no JSON object."),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_bad_record_is_named_and_nothing_is_stored(file: ExportFile, name: str) -> None:
    change, sentence = BAD[name]
    document = document_of(file)
    change(document)
    write(file, document)

    assert refusal(file).startswith(sentence)


HISTORY: dict[str, tuple[Callable[[Document], None], str]] = {
    "source": (_set("incidents", sourceId="src_01m7h8bwqvfcpa55f1fmmp0457"), "incidents, record 1: sourceId is no source of the file."),
    "state": (_set("incidents", state="asleep"), "incidents, record 1: new row for relation"),
    "twice": (lambda document: document["incidents"][3].update(number=1), "incidents, record 4: duplicate key value"),
    "nul": (_set("events", title="a\x00b"), "events, record 1: invalid byte sequence"),
    "large": (_set("incidents", rev=2**40), 'incidents, record 1: value "1099511627776" is out of range'),
}  # fmt: skip


@pytest.mark.parametrize("name", HISTORY)
def test_a_record_that_no_table_takes_stops_the_import_while_the_workspace_is_closed(
    file: ExportFile, name: str
) -> None:
    change, sentence = HISTORY[name]
    document = document_of(file)
    change(document)
    write(file, document)

    with pytest.raises(ImportRefused) as refused:
        imported(file)

    assert str(refused.value).startswith(sentence)
    assert Workspace.get().deleted_at is not None
    assert WorkspaceImport.get().finished_at is None
