"""A schedule that follows a calendar and has no layers is kept by a file (specification 24.1, 24.3)."""

from __future__ import annotations

from pathlib import Path

from inbox.models.oncall.schedules import OnCallSchedule
from inbox.services.oncall import calendars, schedules
from tests.api.configuration.workspaces import exported, run
from tests.cast import Cast, make_workspace, present

ADDRESS = "http://127.0.0.1:9/private-1234567890abcdef/basic.ics"


def test_a_schedule_without_layers_that_follows_a_calendar_is_exported_equal_byte_for_byte(
    cast: Cast, tmp_path: Path
) -> None:
    fields = {"name": "Team", "timezone": "Europe/Berlin", "layers": [], "calendar_url": ADDRESS}
    schedules.create(cast.workspace.id, fields, now=present())
    text, file = exported(cast.workspace), tmp_path / "acme.yaml"
    file.write_text(text)
    copy = make_workspace("Copy", olga=cast.users["olga"])

    run(copy, file, environment={"TEAM_CALENDAR_URL": ADDRESS})
    again = run(copy, file, environment={"TEAM_CALENDAR_URL": ADDRESS})

    assert "calendarUrl: ${TEAM_CALENDAR_URL}" in text and "private" not in text
    assert exported(copy) == text
    assert again.changes == []
    applied = OnCallSchedule.get(OnCallSchedule.workspace_id == copy.id)
    assert applied.layers == []
    assert calendars.stored_address(applied) == ADDRESS
