"""Every operation leaves exactly the entries of the audit log that the table beside this test names.

`test_audit_sign_in.py` sends those of `NEED_MORE`, whose success takes more than one request. `test_heartbeats.py` sends pings.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

import peewee
import pytest
from flask import Flask

from inbox.config.settings import Settings
from inbox.domain.values import ids
from inbox.models.people.accounts import User
from inbox.models.records.audit import AuditEntry
from tests.api.audit.audited import ENTRIES
from tests.api.openapi.operations import Operation, operations
from tests.api.policy.expectations import EXPECTED
from tests.api.stage import IN_FORCE, Stage
from tests.browser import Browser
from tests.cast import join, make_key, make_signing_secret, sign_in
from tests.proving import HOME
from tests.stand_ins.phone import Phone, SigningTool, pair

NEED_MORE = {
    "heartbeats.ping_with_text",
    "heartbeats.ping_handle_with_text",
    "heartbeats.ping_signal_with_text",
    "heartbeats.ping_slug_with_text",
    "push_pings.ping_by_post",
    "push_pings.ping_by_put",
    "push_pings.ping_by_patch",
    "push_pings.ping_by_delete",
    "interactions.receive",
    "phone_answers.key",
    "phone_answers.text_message",
    "app_interactions.slack",
    "app_interactions.discord",
    "auth.login_second_factor",
    "auth.login_options",
    "auth.passkey",
    "oidc.callback",
    "oidc.start",
    "setup.create",
}


@pytest.fixture
def in_force(ground: peewee.Database, in_settings: Callable[..., Settings]) -> None:
    in_settings(**IN_FORCE)


def sender(app: Flask, stage: Stage, credential: str) -> Browser:
    """Whoever may do everything: an owner who administers the instance, or the source."""
    User.update(is_instance_admin=True).where(User.id == stage.owner.id).execute()
    if credential == "sourceKey":
        return Phone(app, HOME, make_key(stage.source))
    if credential == "signature":
        return SigningTool(app, HOME, make_signing_secret(stage.source))
    if credential == "aliasToken":
        return Phone(app, HOME, make_key(stage.source, kind="alias_token"))
    if credential == "device":
        tokens = pair(stage.owner)
        stage.device = tokens.device_id
        return Phone(app, HOME, tokens.access_token)
    if credential == "none":
        return Browser(app, HOME)
    token = sign_in(stage.owner)
    stage.act(stage.owner, token)
    return Browser(app, HOME, cookie=token)


def by_endpoint(app: Flask) -> dict[str, Operation]:
    return {each.endpoint: each for each in operations(app)}


@pytest.mark.usefixtures("in_force")
@pytest.mark.parametrize("endpoint", sorted(ENTRIES.keys() - NEED_MORE))
def test_an_act_writes_its_audit_entries(endpoint: str, app: Flask) -> None:
    operation, stage, other = by_endpoint(app)[endpoint], Stage(), Stage()
    User.update(is_instance_admin=True).where(User.id == other.owner.id).execute()  # never the last one
    if endpoint == "members.leave":
        join(stage.workspace, other.owner, "owner")  # never the last one either
    browser = sender(app, stage, EXPECTED[endpoint].credential)
    path, body = operation.path(app, operation.values(stage)), operation.body(stage)
    before = {entry.id for entry in AuditEntry.select()}

    sent = {} if body is None and operation.method != "GET" else body
    with closing(browser.call(operation.method, path, sent)) as answer:
        assert answer.status_code == operation.success < 400
        answer.get_data()  # an export is written while it is read

    entries = [entry for entry in AuditEntry.select().order_by(AuditEntry.at, AuditEntry.id) if entry.id not in before]
    assert [entry.action for entry in entries] == ENTRIES[endpoint]
    for entry in entries:
        assert entry.request_id and entry.ip
        assert entry.workspace_id in (None, stage.workspace.id) or endpoint == "workspaces.create"
        assert EXPECTED[endpoint].credential == "none" or entry.actor["id"] in _actors(stage)


def _actors(stage: Stage) -> set[str]:
    return {ids.encode("usr", stage.owner.id), ids.encode("src", stage.source.id)}


def test_the_table_names_every_operation_that_writes(app: Flask) -> None:
    writes = {each.endpoint for each in operations(app) if each.method != "GET"}

    assert sorted(ENTRIES) == sorted(writes | {"audit.export", "export.read", "oidc.callback"})


@pytest.mark.usefixtures("in_force")
def test_reading_leaves_no_entry(app: Flask) -> None:
    for operation in operations(app):
        if operation.method != "GET" or operation.endpoint in ENTRIES or operation.endpoint == "stream.read":
            continue
        stage = Stage()
        browser = sender(app, stage, EXPECTED[operation.endpoint].credential)
        path = operation.path(app, operation.values(stage))
        before = AuditEntry.select().count()
        with closing(browser.get(path)) as answer:
            assert answer.status_code == operation.success, operation.endpoint
        assert AuditEntry.select().count() == before, operation.endpoint
