"""Faults of files: each has its file, its line and the path of its field, and nothing is stored."""

from __future__ import annotations

from pathlib import Path

import pytest

from inbox.api.configuration import files
from inbox.api.configuration.files import MOST_RECORDS, FilesRefused
from inbox.api.configuration.yaml_documents import MOST_BYTES
from inbox.models.routing.rules import Rule
from inbox.models.senders.sources import Source
from tests.api.configuration.workspaces import run
from tests.cast import Cast

RULE = "  r:\n    name: R\n    matchText: severity >= ERROR\n    then: {disposition: incident}\n"


def refused(cast: Cast, place: Path, text: str) -> list[str]:
    file = place / "acme.yaml"
    file.write_text(text)
    with pytest.raises(FilesRefused) as found:
        run(cast.workspace, file)
    return [str(each) for each in found.value.faults]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("rules: {}\n", "acme.yaml:1: version: The file must begin with version: 1."),
        ("version: 2\n", "acme.yaml:1: version: The file must begin with version: 1."),
        ("version: 1\nrule: {}\n", "acme.yaml:2: rule: Unknown section. Use one of: version, workspace, destinations,"),
        ("version: 1\nrules: []\n", "acme.yaml:2: rules: Must be an object of records by their keys."),
        ("version: 1\nrules:\n  -x: {}\n", "acme.yaml:3: rules.-x: A key has 1 to 100 letters"),
        (f"version: 1\nrules:\n  {'x' * 101}: {{}}\n", f"acme.yaml:3: rules.{'x' * 101}: A key has 1 to 100 letters"),
        ("version: 1\nrules:\n  x: 5\n", "acme.yaml:3: rules.x: Must be an object."),
        ("version: 1\nworkspace: 5\n", "acme.yaml:2: workspace: Must be an object."),
        (f"version: 1\nrules:\n{RULE}    nam: x\n", "acme.yaml:7: rules.r.nam: Unknown field."),
        (
            f"version: 1\nrules:\n{RULE}    sourceIds: [nobody]\n",
            "acme.yaml:7: rules.r.sourceIds.0: No file keeps a record of the kind source with the key nobody.",
        ),
        (
            "version: 1\nworkspace:\n  defaultRoute:\n    people:\n    - userId: eve@example.org\n",
            "acme.yaml:5: workspace.defaultRoute.people.0.userId: No member of the workspace has the address",
        ),
        ("version: 1\nworkspace:\n  settings: {requireMfa: true}\n", "acme.yaml:3: workspace.settings.requireMfa: Unknown"),
        (
            "version: 1\nsilences:\n  s:\n    comment: x\n    matchText: severity >= ERROR\n    endsAt: 2026-12-30T00:00:00Z\n",
            "acme.yaml:3: silences.s.recurrence: Required: files keep silences that recur.",
        ),
        ("version: 1\nsources:\n  s:\n    name: S\n    kind: events\n", "acme.yaml:5: sources.s.kind: Unknown field."),
    ],
)  # fmt: skip
def test_a_fault_is_told_with_its_line(cast: Cast, tmp_path: Path, text: str, fault: str) -> None:
    [found] = refused(cast, tmp_path, text)

    assert found.startswith(fault)


def test_all_faults_are_told_and_nothing_is_stored(cast: Cast, tmp_path: Path) -> None:
    rules = "".join(f"  r{n}:\n    name: R\n    matchText: severity >> {n}\n    then: {{}}\n" for n in range(3))

    found = refused(cast, tmp_path, f"version: 1\nsources:\n  good:\n    name: Good\nrules:\n{rules}")

    assert [each.split(":")[1] for each in found] == ["8", "12", "16"]
    assert Source.select().where(Source.name == "Good").count() == Rule.select().count() == 0


def test_a_record_that_refers_to_a_refused_one_has_no_fault_of_its_own(cast: Cast, tmp_path: Path) -> None:
    text = f"version: 1\nsources:\n  s:\n    name: ''\nrules:\n{RULE}    sourceIds: [s]\n"

    assert [each.split(": ", 1)[0] for each in refused(cast, tmp_path, text)] == ["acme.yaml:4"]


def test_the_refusal_of_a_use_case_has_the_line_of_its_record(cast: Cast, tmp_path: Path) -> None:
    schedule = "schedule: {kind: simple, periodSeconds: 60}"
    monitors = "".join(f"  m{n}:\n    name: M\n    slug: same\n    sourceId: s\n    {schedule}\n" for n in range(2))

    [found] = refused(cast, tmp_path, f"version: 1\nsources:\n  s:\n    name: S\nheartbeatMonitors:\n{monitors}")

    assert found == "acme.yaml:11: heartbeatMonitors.m1: Another heartbeat monitor of the source has this slug."


def test_a_key_stands_in_one_file_of_a_directory(tmp_path: Path) -> None:
    place = tmp_path / "acme"
    place.mkdir()
    for name in ("a.yaml", "b.yml"):
        (place / name).write_text("version: 1\nworkspace: {timezone: UTC}\nsources:\n  s:\n    name: S\n")

    with pytest.raises(FilesRefused) as found:
        files.read(place)

    assert [str(each) for each in found.value.faults] == [
        "acme/b.yml:2: workspace: Also in acme/a.yaml. Keep it in one file.",
        "acme/b.yml:4: sources.s: Also in acme/a.yaml.",
    ]


def test_an_empty_directory_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    for place, fault in ((tmp_path, "The directory has no file"), (tmp_path / "no.yaml", "The file cannot be read.")):
        with pytest.raises(FilesRefused, match=fault):
            files.read(place)


def test_a_file_has_at_most_five_mebibytes(tmp_path: Path) -> None:
    file = tmp_path / "acme.yaml"
    file.write_text("version: 1\n#".ljust(MOST_BYTES, "x"))
    assert files.read(file).entries == []

    file.write_text("version: 1\n#".ljust(MOST_BYTES + 1, "x"))
    with pytest.raises(FilesRefused, match="more than 5,242,880 bytes"):
        files.read(file)


def test_files_have_at_most_five_thousand_records(tmp_path: Path) -> None:
    file = tmp_path / "acme.yaml"
    for count in (MOST_RECORDS, MOST_RECORDS + 1):
        file.write_text("version: 1\nsources:\n" + "".join(f"  s{n}: {{}}\n" for n in range(count)))
        if count == MOST_RECORDS:
            assert len(files.read(file).entries) == MOST_RECORDS

    with pytest.raises(FilesRefused, match=f"acme.yaml:{MOST_RECORDS + 3}: .* more than 5,000 records"):
        files.read(file)
