"""One good request for every operation, made for each caller. An operation with a body or a new kind of id needs its line here."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from inbox.database.base import new_id
from inbox.domain.values import ids
from inbox.identity import totp
from inbox.models.people.factors import Identity, TotpFactor
from inbox.models.people.links import Link, Purpose
from inbox.models.workspaces.tables import Workspace
from inbox.services.heartbeats import monitors
from inbox.services.people import factors, links, sessions
from inbox.services.records import versions
from inbox.services.workspaces import walls
from tests.api.deliveries.destinations_steps import text_preview, unusable_subscription
from tests.api.imports.imports_steps import crontab_of
from tests.api.incidents.incident_samples import INCIDENTS
from tests.api.oncall.schedule_samples import ON_CALL
from tests.api.sample import Sample
from tests.api.stage import PASSWORD, Stage, _hash, _numbers, some_workspace
from tests.cast import present
from tests.heartbeats import with_badge
from tests.identity.authenticators import Authenticator
from tests.proving import HOME, App
from tests.stand_ins.phone import code_of, pair
from tests.stand_ins.receivers import SECRET

SUBSCRIPTION = {
    "endpoint": "https://updates.push.services.mozilla.com/wpush/v2/x",
    "keys": {
        "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "auth": "BTBZMqHH6r4Tts7J_aSIgg",
    },
}
"""The keys are those of the example of RFC 8291."""

BY_SLUG = (("key", "svc_ping_x"), ("slug", "backup"), ("signal", "start"))
PUSHED = Sample({}, path=(("token", "svc_hb_x"),), status=401)


def _token(purpose: Purpose, **payload: str) -> Callable[[Stage], str]:
    return lambda stage: links.make(purpose, stage.person.id, present(), **payload).partition("#token=")[2]


def _verification(stage: Stage) -> str:
    email = f"new-{next(_numbers)}@example.org"
    token = secrets.token_urlsafe(32)
    payload = {"email": email, "emailKey": email, "name": "New", "passwordHash": _hash()}
    payload |= {"timezone": "UTC", "locale": "en"}
    Link.create_sign_up(sessions.digest(token), present(), present() + timedelta(hours=1), payload)
    return token


def _begun_app(stage: Stage) -> dict[str, str]:
    app = App.of(stage.person)
    TotpFactor.update(confirmed_at=None).where(TotpFactor.user == stage.person.id).execute()
    return {"code": totp.code_of(app.secret, app.start)}


def _new_passkey(stage: Stage) -> dict[str, Any]:
    challenge, options = factors.passkey_options(stage.person.id, stage.session.id, present())
    key = Authenticator(HOME, "localhost", user_handle=stage.person.id.bytes)
    return {"challenge": challenge, "name": "Laptop", "credential": key.make(options)}


def _wall_token(stage: Stage) -> dict[str, str]:
    return {"token": walls.create(stage.workspace.id, present()).partition("#token=")[2]}


def _receiver(stage: Stage) -> dict[str, Any]:
    address = {"url": "https://93.184.216.34/", "secret": SECRET}
    return {
        "workspaceId": ids.encode("wsp", stage.workspace.id), "name": "Receiver", "kind": "webhook", "config": address,
    }  # fmt: skip


def _new_one(stage: Stage) -> dict[str, str]:
    return {
        "token": stage.invite()[1], "email": f"new-{next(_numbers)}@example.org", "name": "New", "password": PASSWORD,
    }  # fmt: skip


def _profile(stage: Stage) -> dict[str, Any]:
    to = ids.encode("dst", stage.destination_id)
    return {"name": "On call", "steps": [{"afterMinutes": 0, "destinationIds": [to]}]}


SAMPLES: dict[str, Sample] = {
    **ON_CALL,
    **INCIDENTS,
    "admin.edit_user": Sample({"disabled": True}),
    "auth.login": Sample(lambda stage: {"email": stage.person.email, "password": PASSWORD}),
    "auth.check_password": Sample({"password": PASSWORD}),
    "auth.login_second_factor": Sample({"challenge": "x", "factor": "totp", "code": "000000"}, status=401),
    "auth.login_options": Sample({"challenge": "x"}, status=401),
    "auth.passkey": Sample({"challenge": "x", "credential": {}}, status=401),
    "auth.step_up": Sample({"factor": "password", "password": PASSWORD}),
    "auth.step_up_options": Sample(before=Stage.passkey_id),
    "workspaces.delete": Sample(before=lambda stage: some_workspace(owner=stage.person)),
    "destinations.create": Sample(_receiver),
    "destinations.test_unsaved": Sample(_receiver),
    "destinations.edit": Sample({"name": "Renamed"}),
    "destinations.preview_text": Sample(text_preview),
    "destinations.replay": Sample(
        lambda stage: {"since": (present() - timedelta(hours=1)).isoformat()}, before=Stage.delivery_id
    ),
    "devices.edit": Sample({"name": "Renamed"}),
    "devices.pair": Sample(lambda stage: {"code": code_of(stage.person), "name": "Phone"}),
    "devices.preview_pairing": Sample(lambda stage: {"code": code_of(stage.person)}),
    "devices.refresh": Sample(lambda stage: {"refreshToken": pair(stage.person).refresh_token}),
    "devices.start_pairing": Sample({}),
    "events.create": Sample({"title": "Disk full", "severity": "ERROR"}),
    "factors.add_passkey": Sample(_new_passkey),
    "factors.confirm_totp": Sample(_begun_app),
    "factors.remove_totp": Sample(before=lambda stage: App.of(stage.person)),
    "factors.replace_recovery_codes": Sample(before=lambda stage: App.of(stage.person)),
    "heartbeat_monitors.create": Sample(
        lambda stage: {
            "workspaceId": ids.encode("wsp", stage.workspace.id),
            "sourceId": ids.encode("src", stage.source.id),
            "name": "Backup",
            "schedule": {"kind": "cron", "expression": "0 3 * * *", "timezone": "Europe/Berlin"},
        }
    ),
    "heartbeat_monitors.edit": Sample({"name": "Renamed"}),
    "heartbeat_monitors.preview_schedule": Sample({"schedule": {"kind": "simple", "periodSeconds": 3600}}),
    "heartbeat_monitors.remove_badge": Sample(before=lambda stage: with_badge(stage.monitor)),
    "heartbeat_monitors.resume": Sample(
        before=lambda stage: monitors.pause(stage.monitor, expected_rev=None, now=present())
    ),
    "heartbeats.badge": Sample(status=404, path=(("badge", "svc_badge_x.svg"),)),
    "heartbeats.ping": Sample(status=401),
    "heartbeats.ping_with_text": Sample("OK", status=401),
    "heartbeats.ping_handle": Sample(path=(("handle", "start"),), status=401),
    "heartbeats.ping_handle_with_text": Sample("OK", path=(("handle", "start"),), status=401),
    "heartbeats.ping_signal": Sample(path=(("token", "svc_hb_x"), ("signal", "start")), status=401),
    "heartbeats.ping_signal_with_text": Sample("OK", path=(("token", "svc_hb_x"), ("signal", "start")), status=401),
    "heartbeats.ping_slug": Sample(path=BY_SLUG, status=401),
    "heartbeats.ping_slug_with_text": Sample("OK", path=BY_SLUG, status=401),
    "push_pings.ping": Sample(path=(("token", "svc_hb_x"),), status=401),
    **{f"push_pings.ping_by_{how}": PUSHED for how in ("post", "put", "patch", "delete")},
    "invites.accept": Sample(_new_one),
    "invites.create": Sample({"role": "viewer"}),
    "walls.read": Sample(_wall_token),
    "walls.remove_link": Sample(before=_wall_token),
    "invites.preview": Sample(lambda stage: {"token": stage.invite()[1]}),
    "keys.create": Sample({"name": "Another"}),
    "hooks.receive": Sample({"alerts": [{"fingerprint": "db73"}]}, path=(("tool", "alertmanager"),)),
    "hooks.receive_by_put": Sample({"alerts": [{"fingerprint": "db73"}]}, path=(("tool", "alertmanager"),)),
    "hooks.receive_signed_by_put": Sample({"object_kind": "note"}, path=(("tool", "gitlab"),)),
    "hooks.receive_signed": Sample({"object_kind": "note"}, path=(("tool", "gitlab"),)),
    "prometheus.push": Sample([{"labels": {"alertname": "DiskFull"}}]),
    "cloudevents.receive": Sample({"specversion": "1.0", "id": "1", "source": "/nas", "type": "backup.failed"}),
    "opsgenie.create": Sample({"message": "Disk full"}),
    "opsgenie.list_alerts": Sample(),
    "opsgenie.read_alert": Sample(path=(("alert", "disk/db2"),), status=404),
    "opsgenie.act": Sample({}, path=(("alert", "disk/db2"), ("act", "close"))),
    "opsgenie.change": Sample({"message": "Disk full"}, path=(("alert", "disk"), ("act", "message"))),
    "opsgenie.request_status": Sample(path=(("alert_request", "01900000-0000-7000-8000-000000000001"),), status=404),
    "opsgenie.ping": Sample(path=(("name", "Backup"),), before=lambda stage: stage.monitor),
    "opsgenie.ping_by_post": Sample({}, path=(("name", "Backup"),), before=lambda stage: stage.monitor),
    "pagerduty.enqueue": Sample({"event_action": "trigger", "payload": {"summary": "Disk full"}}),
    "pagerduty.enqueue_change": Sample({"payload": {"summary": "Deployed"}}),
    "legacy.push": Sample({"message": "Disk full"}),
    "legacy.push_at_root": Sample({"message": "Disk full"}),
    "links.request_email_change": Sample({"newEmail": "elsewhere@example.org"}),
    "links.request_password_reset": Sample({"email": "nobody@example.org"}),
    "links.change_email": Sample(
        lambda stage: {"token": _token(Purpose.EMAIL_CHANGE, email=f"new-{next(_numbers)}@example.org")(stage)}
    ),
    "links.reset": Sample(
        lambda stage: {"token": _token(Purpose.PASSWORD_RESET)(stage), "password": "another phrase of theirs"}
    ),
    "links.sign_up": Sample({"email": "zoe@example.org", "password": PASSWORD, "name": "Zoe"}),
    "links.verify_email": Sample(lambda stage: {"token": _verification(stage)}),
    "trusted_browsers.remove_all": Sample(before=Stage.trusted_browser_id),
    "me.change_password": Sample({"newPassword": "another phrase of theirs"}),
    "me.edit_preferences": Sample({"theme": "dark"}),
    "me.edit": Sample({"name": "Renamed"}),
    "members.change": Sample({"role": "member"}),
    "oidc.callback": Sample(path=(("provider_id", "acme"),), status=303),
    "oidc.start": Sample({}, path=(("provider_id", "acme"),), status=404),
    "oidc.unlink": Sample(
        path=(("provider_id", "acme"),),
        before=lambda stage: Identity.create(
            id=new_id(), user=stage.person, provider="acme", subject=str(new_id()), created_at=present()
        ),
    ),
    "built_in_receiver.receive": Sample({"type": "test"}),
    **dict.fromkeys(("interactions.receive", "app_interactions.slack"), Sample({"payload": "{}"}, status=401)),
    "app_interactions.discord": Sample({"payload": "{}"}, path=(("public_key", "0" * 64),), status=401),
    "phone_answers.key": Sample({"Digits": "4"}, status=403),
    "phone_answers.text_message": Sample({"From": "+491700000001", "Body": "15a"}, status=401),
    "status_callbacks.receive": Sample({"MessageStatus": "delivered"}),
    "unsubscribing.accept": Sample({}),
    "destination_pages.read": Sample(path=(("kind", "slack"),)),
    "guide_pages.read": Sample(path=(("name", "first-steps"),)),
    "problems.read": Sample(path=(("code", "conflict"),)),
    "profiles.create": Sample(lambda stage: {"workspaceId": ids.encode("wsp", stage.workspace.id), **_profile(stage)}),
    "profiles.edit": Sample({"name": "Renamed"}),
    "profiles.simulate": Sample({"severity": "ERROR"}),
    "profiles.simulate_draft": Sample(
        lambda at: {"workspaceId": ids.encode("wsp", at.workspace.id), "profile": _profile(at), "severity": "ERROR"}
    ),
    "previews.create": Sample(
        lambda stage: {
            "workspaceId": ids.encode("wsp", stage.workspace.id),
            "since": "2026-01-01T00:00:00Z",
            "sourceIds": [ids.encode("src", stage.source.id)],
            "rule": {"id": ids.encode("rul", stage.rule_id()), "enabled": False},
        },
        status=200,
    ),
    "previews.create_of_event": Sample(
        lambda stage: {
            "workspaceId": ids.encode("wsp", stage.workspace.id),
            "eventId": ids.encode("evt", stage.event_id()),
        }
    ),
    "imports.preview": Sample(crontab_of),
    "imports.create": Sample(crontab_of),
    "push.subscribe": Sample(SUBSCRIPTION),
    "push.test": Sample(before=unusable_subscription),
    "rules.create": Sample(
        lambda stage: {
            "workspaceId": ids.encode("wsp", stage.workspace.id),
            "name": "Databases",
            "matchText": "any event",
            "sourceIds": [ids.encode("src", stage.source.id)],
            "then": {"disposition": "incident", "destinationIds": [ids.encode("dst", stage.destination_id)]},
        }
    ),
    "rules.edit": Sample({"name": "Renamed"}),
    "rules.parse": Sample({"matchText": "any event"}),
    "rules.reorder": Sample(
        lambda stage: {
            "workspaceId": ids.encode("wsp", stage.workspace.id),
            "ids": [ids.encode("rul", stage.rule_id())],
            "rev": Workspace.get_by_id(stage.workspace.id).rule_order_rev,
        }
    ),
    "setup.create": Sample(
        {"token": "x", "email": "a@example.org", "password": PASSWORD, "name": "A", "workspaceName": "A"}, status=404
    ),
    "silences.create": Sample(
        lambda stage: {
            "workspaceId": ids.encode("wsp", stage.workspace.id),
            "match": {"all": []},
            "endsAt": (present() + timedelta(hours=1)).isoformat(),
            "comment": "Upgrade",
        }
    ),
    "silences.edit": Sample({"comment": "Upgrade, again"}),
    "silences.extend": Sample(lambda stage: {"endsAt": (present() + timedelta(hours=2)).isoformat()}),
    "silences.preview": Sample(
        lambda stage: {"workspaceId": ids.encode("wsp", stage.workspace.id), "match": {"all": []}}
    ),
    "sources.create": Sample(lambda stage: {"workspaceId": ids.encode("wsp", stage.workspace.id), "name": "Cron"}),
    "sources.edit": Sample({"name": "Renamed"}),
    "mappings.preview": Sample({"mapping": {"title": {"template": "{name}"}}, "sample": {"name": "DiskFull"}}),
    "sources.send_test_event": Sample({"severity": "ERROR", "title": "Try the rules"}),
    "versions.revert_rule": Sample({"rev": 1}),
    "versions.revert_profile": Sample(
        {"rev": 1}, before=lambda stage: versions.record(stage.profile, versions.PROFILE_FIELDS, present())
    ),
    "views.create": Sample(
        lambda stage: {"workspaceId": ids.encode("wsp", stage.workspace.id), "name": "Open", "filters": {"q": "disk"}}
    ),
    "views.edit": Sample({"name": "Renamed"}),
    "watchers.check_in": Sample({"watcherId": "web-1"}, status=201),
    "watchers.edit": Sample({"name": "Renamed"}),
    "workspaces.change": Sample({"name": "Renamed"}),
    "workspaces.change_default_route": Sample({"destinationIds": [], "dispositions": {"INFO": "incident"}}),
    "workspaces.preview_quiet_hours": Sample({"quietHours": {"enabled": True}}),
    "workspaces.create": Sample({"name": "Another"}),
}
