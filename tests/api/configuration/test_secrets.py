"""Secrets of destinations come from the environment or from files, and are never printed (specification 24.3)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inbox.api.configuration import application
from inbox.api.configuration.files import FilesRefused
from inbox.api.configuration.secrets import LARGEST_FILE
from inbox.flow.delivery.senders import decrypted_config
from inbox.models.deliveries import results
from inbox.models.deliveries.destinations import Destination
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.oncall.slack import OnCallSlack
from inbox.services.oncall import calendars
from tests.api.configuration.workspaces import SECRET, exported, run
from tests.cast import Cast

OTHER = SECRET.replace("MfKQ", "NfKQ")


def written(place: Path, secret: str, more: str = "") -> Path:
    file = place / "acme.yaml"
    config = f"      url: http://127.0.0.1:9/hook\n      secret: {secret}\n{more}"
    file.write_text(f"version: 1\ndestinations:\n  pager:\n    name: Pager\n    kind: webhook\n    config:\n{config}")
    return file


def stored() -> dict[str, str]:
    return dict(decrypted_config(results.read(Destination.get().id)).secrets)


def test_a_variable_is_stored_sealed_and_exported_as_a_reference(cast: Cast, tmp_path: Path) -> None:
    file = written(tmp_path, "${ACME_HOOK}", "      headers:\n        X-Key: ${ACME_KEY}\n")
    run(cast.workspace, file, environment={"ACME_HOOK": SECRET, "ACME_KEY": "k" * 20})

    text = exported(cast.workspace)

    assert stored()["secret"] == SECRET and json.loads(stored()["headers"]) == {"X-Key": "k" * 20}
    assert "secret: ${ACME_HOOK}" in text and "X-Key: ${ACME_KEY}" in text
    assert SECRET not in text and "k" * 20 not in text


def test_a_file_beside_the_configuration_has_a_secret(cast: Cast, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(f"{SECRET}\n")
    run(cast.workspace, written(tmp_path, "file:secret"), environment={})

    assert stored()["secret"] == SECRET
    assert "secret: file:secret" in exported(cast.workspace)


def test_a_changed_secret_is_named_and_its_values_are_not(cast: Cast, tmp_path: Path) -> None:
    file = written(tmp_path, "${ACME_HOOK}")
    run(cast.workspace, file, environment={"ACME_HOOK": SECRET})

    planned = run(cast.workspace, file, application.plan, environment={"ACME_HOOK": OTHER})
    assert stored()["secret"] == SECRET
    run(cast.workspace, file, environment={"ACME_HOOK": OTHER})

    [change] = planned.changes
    text = json.dumps(change.record()) + "\n".join(planned.lines())
    assert change.notes == ["Secret changes: secret."]
    assert SECRET not in text and OTHER not in text
    assert stored()["secret"] == OTHER
    assert run(cast.workspace, file, environment={"ACME_HOOK": OTHER}).changes == []


@pytest.mark.parametrize(
    ("reference", "fault"),
    [
        ("${MISSING}", "The environment variable MISSING is not set."),
        (SECRET, "Write no secret here."),
        ("${INBOX_SECRET_KEYS}", "INBOX_SECRET_KEYS belongs to the service. Use another variable."),
        ("${DATABASE_URL}", "DATABASE_URL belongs to the service. Use another variable."),
        ("x${ACME_HOOK}", "Write no secret here."),
        ("file:nothing", "The file nothing cannot be read."),
        ("file:empty", "The file empty is empty."),
        ("file:large", "The file large has more than 65,536 bytes."),
        ("5", "Write no secret here."),
    ],
)
def test_a_reference_that_gives_no_secret_is_refused(cast: Cast, tmp_path: Path, reference: str, fault: str) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "large").write_text("x" * (LARGEST_FILE + 1))

    with pytest.raises(FilesRefused) as found:
        run(
            cast.workspace,
            written(tmp_path, reference),
            environment={"ACME_HOOK": SECRET, "INBOX_SECRET_KEYS": SECRET, "DATABASE_URL": SECRET},
        )

    [told] = found.value.faults
    assert (told.line, told.file) == (8, "acme.yaml")
    assert told.detail.startswith(f"destinations.pager.config.secret: {fault}") and SECRET not in str(told)
    assert Destination.select().count() == 0


def test_a_setting_that_the_file_no_longer_has_is_removed(cast: Cast, tmp_path: Path) -> None:
    environment = {"ACME_HOOK": SECRET, "ACME_KEY": "k" * 20}
    headers = "      headers:\n        X-Key: ${ACME_KEY}\n"
    run(cast.workspace, written(tmp_path, "${ACME_HOOK}", headers), environment=environment)

    changed = run(cast.workspace, written(tmp_path, "${ACME_HOOK}"), environment=environment)

    assert changed.changes[0].notes == ["Secret changes: headers."]
    assert "headers" not in stored()


def test_the_address_of_a_followed_calendar_is_a_secret(cast: Cast, tmp_path: Path) -> None:
    file = tmp_path / "acme.yaml"
    schedule = "schedules:\n  s:\n    name: S\n    timezone: UTC\n"
    file.write_text(f"version: 1\n{schedule}    calendarUrl: ${{TEAM}}\n")
    address = "http://127.0.0.1:9/private-1234567890abcdef"

    first = run(cast.workspace, file, environment={"TEAM": address})
    again = run(cast.workspace, file, environment={"TEAM": address})
    text = exported(cast.workspace)
    other = run(cast.workspace, file, environment={"TEAM": f"{address}x"})

    assert (first.summary, again.changes) == ("1 to create.", [])
    assert "calendarUrl: ${TEAM}" in text and "private" not in text
    assert other.changes[0].notes == ["Secret changes: calendarUrl."]
    assert calendars.stored_address(OnCallSchedule.get()) == f"{address}x"


def test_a_schedule_whose_file_has_no_calendar_stops_following_one(cast: Cast, tmp_path: Path) -> None:
    file = tmp_path / "acme.yaml"
    layer = "{name: W, unit: week, every: 1, start: 2026-01-05T09:00, members: [[olga@example.org]]}"
    schedule = f"version: 1\nschedules:\n  s:\n    name: S\n    timezone: UTC\n    layers: [{layer}]\n"
    file.write_text(f"{schedule}    calendarUrl: ${{TEAM}}\n")
    run(cast.workspace, file, environment={"TEAM": "http://127.0.0.1:9/private-1234567890abcdef"})

    file.write_text(schedule)
    changed = run(cast.workspace, file, environment={})

    assert changed.changes[0].notes == ["Secret changes: calendarUrl."]
    assert calendars.of_schedule(OnCallSchedule.get().id) is None
    assert run(cast.workspace, file, environment={}).changes == []


def test_what_follows_a_schedule_in_slack_is_in_its_file(cast: Cast, tmp_path: Path) -> None:
    file = tmp_path / "acme.yaml"
    config = "config: {token: '${SLACK_TOKEN}', channel: C0123456789}"
    slack = "slack: {destinationId: chat, userGroupId: S0123456789, setsTopic: true}"
    schedule = "name: S, timezone: UTC, calendarUrl: '${TEAM}'"
    file.write_text(
        f"version: 1\ndestinations:\n  chat: {{name: Chat, kind: slack, {config}}}\nschedules:\n  s: {{{schedule}, {slack}}}\n"
    )
    environment = {"SLACK_TOKEN": "xoxb-1-secret", "TEAM": "http://127.0.0.1:9/private-1234567890abcdef"}

    first = run(cast.workspace, file, environment=environment)
    text = exported(cast.workspace)
    again = run(cast.workspace, file, environment=environment)
    file.write_text(file.read_text().replace(f", {slack}", ""))
    removed = run(cast.workspace, file, environment=environment)

    assert (first.summary, again.changes) == ("2 to create.", [])
    assert "    slack:\n      destinationId: chat\n      userGroupId: S0123456789\n      setsTopic: true\n" in text
    assert [each.path for each in removed.changes[0].fields] == ["slack"]
    assert OnCallSlack.select().count() == 0
