"""A deletion keeps the record as it was in its audit entry, without a secret (specification 12.7)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import orjson
import pytest

from inbox.database.base import new_id
from inbox.domain.routing.rule_action import RuleAction
from inbox.domain.routing.rules import RuleActions
from inbox.models.people.accounts import User
from inbox.models.people.devices import Device
from inbox.models.people.factors import Passkey
from inbox.models.people.links import Invite
from inbox.models.records.audit import AuditEntry
from inbox.models.routing.profiles import RoutingProfile
from inbox.models.routing.rules import Rule
from inbox.models.senders.sources import SourceKey
from inbox.services.people import factors
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.oncall import make_schedule
from tests.silences import make_silence
from tests.stand_ins.outgoing_posts import make_destination, make_profile
from tests.stand_ins.phone import pair
from tests.stand_ins.receivers import SECRET

Browsers = Callable[[str], Browser]
HOOK = "http://127.0.0.1:9/hook"


@dataclass
class Scene:
    """Olga's browser, the cast, and the paths of what she is about to delete."""

    cast: Cast
    olga: Browser

    def workspace(self) -> str:
        return f"/v1/workspaces/{typeid('wsp', self.cast.workspace.id)}"

    def rule(self) -> str:
        rule = Rule.create(
            id=new_id(), workspace_id=self.cast.workspace.id, name="Databases", position=1, match={"all": []},
            actions=RuleActions(RuleAction.INCIDENT).record(), created_at=present(),
        )  # fmt: skip
        return f"/v1/rules/{typeid('rul', rule.id)}"

    def source(self) -> str:
        return f"/v1/sources/{typeid('src', self.cast.source.id)}"

    def key(self) -> str:
        key = SourceKey.get(SourceKey.source == self.cast.source.id)
        return f"{self.source()}/keys/{typeid('key', key.id)}"

    def destination(self) -> str:
        return f"/v1/destinations/{typeid('dst', make_destination(self.cast.workspace, HOOK).id)}"

    def profile(self) -> str:
        profile: RoutingProfile = make_profile(self.cast.workspace, make_destination(self.cast.workspace, HOOK))
        return f"/v1/routing-profiles/{typeid('prf', profile.id)}"

    def silence(self) -> str:
        silence = make_silence(self.cast.workspace, comment="Maintenance")
        return f"/v1/silences/{typeid('sil', silence.id)}"

    def schedule(self) -> str:
        schedule = make_schedule(self.cast.workspace, self.cast.users["mia"])
        return f"/v1/schedules/{typeid('sch', schedule.id)}"

    def member(self) -> str:
        return f"{self.workspace()}/members/{typeid('usr', self.cast.users['mia'].id)}"

    def invite(self) -> str:
        invite = Invite.create(
            id=new_id(), workspace=self.cast.workspace, role="member", email="nina@example.org", token_hash=b"t" * 32,
            created_by=self.cast.users["olga"].id, created_at=present(), expires_at=present() + timedelta(days=1),
        )  # fmt: skip
        return f"{self.workspace()}/invites/{typeid('inv', invite.id)}"

    def device(self) -> str:
        pair(self.cast.users["olga"])
        return f"/v1/devices/{typeid('dev', Device.get().id)}"


@pytest.fixture
def scene(browser: Browsers, cast: Cast) -> Scene:
    return Scene(cast, browser("olga"))


CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "rule": ("rule.deleted", {"name": "Databases", "position": 1, "enabled": True, "sourceIds": []}),
    "source": ("source.deleted", {"name": "Prometheus", "defaultSeverity": "INFO", "resolveBy": "dedupKey"}),
    "key": ("key.revoked", {"revokedAt": ..., "lastUsedAt": None, "name": ""}),
    "destination": ("destination.deleted", {"kind": "webhook", "enabled": True, "sendUpdates": True}),
    "profile": ("routing_profile.deleted", {"repeat": 0, "quietHours": "inherit", "fallbackDestinationId": None}),
    "silence": ("silence.deleted", {"comment": "Maintenance", "recurrence": None}),
    "schedule": ("schedule.deleted", {"description": "", "timezone": "UTC"}),
    "member": ("member.removed", {"role": "member"}),
    "invite": ("invite.withdrawn", {"role": "member", "email": "nina@example.org"}),
    "device": ("device.revoked", {"platform": "", "name": "Phone"}),
}


@pytest.mark.parametrize("what", CASES)
def test_the_entry_of_a_deletion_keeps_the_record_as_it_was(scene: Scene, what: str) -> None:
    action, expected = CASES[what]
    path = getattr(scene, what)()

    answer = scene.olga.delete(path)

    assert answer.status_code in (200, 204), answer.text
    [entry] = AuditEntry.select().where(AuditEntry.action == action)
    record = entry.details["record"]
    assert {name: record.get(name, ...) for name in expected} == expected
    assert record.get("createdAt") or record.get("joinedAt") or what in ("rule", "silence")
    assert set(record).isdisjoint(
        {"id", "rev", "sealed", "hash", "tokenHash", "deletedAt", "workspaceId", "generation"}
    )


def test_the_audit_entry_of_a_deleted_destination_holds_no_secret(scene: Scene) -> None:
    scene.olga.delete(scene.destination())

    [entry] = AuditEntry.select().where(AuditEntry.action == "destination.deleted")
    assert entry.details["record"]["config"] == {"url": HOOK, "secretHint": "…GKYo"}
    text = orjson.dumps(entry.details).decode()
    assert SECRET not in text and SECRET.removeprefix("whsec_") not in text


def test_a_key_keeps_its_hint_and_nothing_that_opens(scene: Scene) -> None:
    scene.olga.delete(scene.key())

    [entry] = AuditEntry.select().where(AuditEntry.action == "key.revoked")
    assert scene.cast.key not in orjson.dumps(entry.details).decode()
    assert set(entry.details["record"]) == {"name", "hint", "createdAt", "lastUsedAt", "graceEndsAt"}


def test_a_removed_passkey_is_named(scene: Scene) -> None:
    olga = scene.cast.users["olga"]
    User.update(password_hash="x").where(User.id == olga.id).execute()
    keys = [
        Passkey.create(
            id=new_id(), user=olga.id, credential_id=bytes([number]) * 16, public_key=b"k", sign_count=0,
            name=f"Key {number}", created_at=present(),
        )
        for number in (1, 2)
    ]  # fmt: skip
    factors.remove_passkey(olga.id, keys[0].id, present())

    [entry] = AuditEntry.select().where(AuditEntry.action == "factor.removed")
    assert entry.details["factor"] == "passkey"
    assert set(entry.details["record"]) == {"name", "createdAt", "lastUsedAt"}
    assert entry.details["record"]["name"] == "Key 1"


def test_the_entry_of_an_ended_session_names_its_browser(browser: Browsers, cast: Cast) -> None:
    browser("mia").post("/v1/auth/logout")

    [entry] = AuditEntry.select().where(AuditEntry.action == "session.ended")
    assert set(entry.details["record"]) == {"userAgent", "address", "createdAt", "lastSeenAt"}


def test_a_closed_account_keeps_its_name_and_not_its_address(browser: Browsers, cast: Cast) -> None:
    assert browser("mia").delete("/v1/me").status_code in (200, 202, 204)

    [entry] = AuditEntry.select().where(AuditEntry.action == "account.closed")
    [left] = AuditEntry.select().where(AuditEntry.action == "member.left")
    assert entry.details["record"]["name"] == "Mia"
    assert entry.user_id == cast.users["mia"].id
    assert "mia@example.org" not in orjson.dumps(entry.details).decode()
    assert left.details["record"]["role"] == "member"


def test_a_closed_workspace_keeps_its_settings(browser: Browsers, cast: Cast) -> None:
    olga = browser("olga")
    olga.post("/v1/workspaces", {"name": "Second", "timezone": "UTC"})
    path = f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}"
    olga.patch(path, {"settings": {"reopenWindowMinutes": 7}})

    assert olga.delete(path).status_code in (200, 202, 204)

    [entry] = AuditEntry.select().where(AuditEntry.action == "workspace.closed")
    assert entry.details["record"]["name"] == "Acme"
    assert entry.details["record"]["settings.reopenWindowMinutes"] == 7
