"""A small on-call set-up of another tool, for imports into the workspace of the cast."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from tests.cast import present
from tests.intake.importers.opsgenie import fixtures
from tests.intake.importers.rotas import Override, Rota, Rotation

MIA, ADAM, ZOE = "mia@example.org", "Adam@Example.org", "zoe@elsewhere.example"


def opsgenie(people: tuple[str, str, str] = (MIA, ADAM, ZOE)) -> dict[str, Any]:
    """Three people take turns of a week, the last of whom is no member; a team with routing rules for its integration."""
    mia, adam, zoe = people
    midnight = present().replace(hour=0, minute=0, second=0, microsecond=0)
    weekly = Rotation(midnight - timedelta(days=10), "week", 1, (mia, adam, zoe))
    cover = Override(midnight + timedelta(days=2), midnight + timedelta(days=3), adam)
    ended = Override(midnight - timedelta(days=3), midnight - timedelta(days=2), adam)
    rota = Rota(0, "Europe/Berlin", (weekly,), (cover, ended))
    notify = [(0, {"type": "schedule", "id": "s0", "name": "Rota 0"}), (15, fixtures.participant(zoe)),
              (30, fixtures.participant(mia))]  # fmt: skip
    steps = [
        {"condition": "if-not-acked", "notifyType": "default", "delay": {"timeAmount": after}, "recipient": recipient}
        for after, recipient in notify
    ]
    found = fixtures.answers(
        [rota],
        midnight,
        integrations=[{"id": "i1", "name": "Nagios", "type": "Nagios", "enabled": True, "teamId": "t1"}],
        escalations=[{"id": "e1", "name": "Backend", "rules": steps, "repeat": {"count": 2}}],
        teams=[{"id": "t1", "name": "Backend"}],
    )
    found["/v2/users?limit=100"] = {
        "data": [fixtures.user(mia)],
        "paging": {"next": "https://api.opsgenie.com/v2/users?limit=100&offset=1"},
    }
    found["/v2/users?limit=100&offset=1"] = {"data": [fixtures.user(adam), fixtures.user(zoe)]}
    found |= {f"/v2/users/id-{mia.replace('@', '%40')}/contacts": {"data": [
        {"method": "sms", "to": "49-15112345678"}, {"method": "email", "to": "mia@private.example"},
        {"method": "mobile", "to": "Phone"}]}}  # fmt: skip
    found |= notification_rules(mia)
    routing = [
        {"id": "g1", "name": "Databases", "order": 0, "notify": {"type": "escalation", "id": "e1"},
         "criteria": {"type": "match-all-conditions", "conditions": [
             {"field": "message", "operation": "contains", "expectedValue": "database"},
             {"field": "extra-properties", "key": "my host", "operation": "equals", "expectedValue": "db1", "not": True}]}},
        {"id": "g2", "name": "Others", "order": 1, "isDefault": True, "notify": {"type": "schedule", "id": "s0"}},
    ]  # fmt: skip
    found |= {"/v2/teams/t1": {"data": {"members": [{"user": fixtures.participant(mia)}]}}}
    found |= {"/v2/teams/t1/routing-rules": {"data": routing}}
    return found


def notification_rules(email: str) -> dict[str, Any]:
    """Push at once and mail after five minutes for a new alert, and a rule for another event."""
    base = f"/v2/users/id-{email.replace('@', '%40')}/notification-rules"
    steps = [
        {"contact": {"method": "mobile", "to": "Phone"}, "sendAfter": {"timeAmount": 0, "timeUnit": "minutes"}},
        {"contact": {"method": "email", "to": email}, "sendAfter": {"timeAmount": 5, "timeUnit": "minutes"}},
    ]
    listed = [{"id": "n1", "actionType": "create-alert"}, {"id": "n2", "actionType": "closed-alert"}]
    return {base: {"data": listed}, f"{base}/n1": {"data": {"criteria": {"type": "match-all"}, "steps": steps}}}
