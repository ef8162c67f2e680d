"""Requests of on-call schedules that succeed."""

from __future__ import annotations

from datetime import timedelta

from inbox.domain.values import ids
from tests.api.sample import Sample
from tests.api.stage import Stage, somebody
from tests.cast import join, present
from tests.oncall import CODE, a_layer


def colleague(stage: Stage) -> str:
    """The id of another member of the workspace."""
    person = somebody()
    join(stage.workspace, person, "member")
    return ids.encode("usr", person.id)


ON_CALL: dict[str, Sample] = {
    "calendar_feeds.create": Sample(lambda stage: {"workspaceId": ids.encode("wsp", stage.workspace.id)}),
    "calendars.read": Sample(status=404, path=(("address", "svc_cal_x.ics"),)),
    "schedules.create": Sample(
        lambda stage: {
            "workspaceId": ids.encode("wsp", stage.workspace.id),
            "name": "Backend",
            "timezone": "Europe/Berlin",
            "layers": [a_layer(stage.owner)],
        }
    ),
    "schedules.edit": Sample({"name": "Renamed"}),
    "schedule_previews.create": Sample(
        lambda stage: {
            "workspaceId": ids.encode("wsp", stage.workspace.id),
            "scheduleId": ids.encode("sch", stage.schedule.id),
            "timezone": "Europe/Berlin",
            "layers": stage.schedule.layers,
        }
    ),
    "schedule_versions.revert": Sample({"rev": 1}),
    "contact_methods.create": Sample({"kind": "email", "address": "further@example.net"}),
    "contact_methods.confirm": Sample({"code": CODE}),
    "me.replace_notification_rules": Sample({"default": [{"afterMinutes": 0, "method": "push"}], "critical": []}),
    "overrides.edit": Sample({"reason": "Dentist"}),
    "forwardings.create": Sample(
        lambda stage: {
            "workspaceId": ids.encode("wsp", stage.workspace.id),
            "userId": ids.encode("usr", stage.person.id),
            "to": colleague(stage),
            "endsAt": (present() + timedelta(hours=1)).isoformat(),
        }
    ),
    "overrides.create": Sample(
        lambda stage: {
            "endsAt": (present() + timedelta(hours=1)).isoformat(),
            "userIds": [ids.encode("usr", stage.person.id)],
        }
    ),
}
