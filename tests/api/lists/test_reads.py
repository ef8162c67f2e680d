"""Reads and previews return data of one workspace only, and write nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import timedelta

import peewee
import pytest
from flask import Flask

from inbox.config.settings import Settings
from inbox.database.base import db
from inbox.domain.values import ids
from inbox.models.records.audit import ExportRun
from inbox.services.people import devices, sessions
from tests.api.lists.reads import TRACES, Reader, furnish, reads
from tests.api.stage import IN_FORCE, Stage
from tests.browser import Browser
from tests.cast import present, sign_in
from tests.database.tables import tables as stored_tables
from tests.proving import HOME


@pytest.fixture
def in_force(ground: peewee.Database, in_settings: Callable[..., Settings], monkeypatch: pytest.MonkeyPatch) -> None:
    """Reads do not record that their own session was used: that happens once a minute, and the machine may be slow."""
    in_settings(**IN_FORCE)
    for module in (sessions, devices):
        monkeypatch.setattr(module, "SEEN_EVERY", timedelta(days=1))


@pytest.fixture
def stage(in_force: None) -> Stage:
    made = Stage()
    furnish(made, present() - timedelta(hours=1))
    return made


def reader(app: Flask, stage: Stage) -> Reader:
    token = sign_in(stage.owner)
    stage.act(stage.owner, token)
    return Reader(app, Browser(app, HOME, cookie=token), stage, present())


def tables() -> dict[str, str]:
    """A hash of all rows of each table, and the position of each sequence."""
    found = {}
    for name in stored_tables():
        rows = db.execute_sql(f'SELECT t::text FROM "{name}" t ORDER BY 1').fetchall()
        found[name] = hashlib.sha256(repr(rows).encode()).hexdigest()
    sequences = db.execute_sql(
        "SELECT sequencename, last_value::text FROM pg_sequences WHERE schemaname = ANY(current_schemas(false))"
    )
    return {**found, **dict(sequences.fetchall())}


def test_records_of_another_workspace_change_no_answer(app: Flask, stage: Stage) -> None:
    own_one = reader(app, stage)
    before = own_one.answers()
    foreign_one = Stage()
    for _ in range(2):
        furnish(foreign_one, present() - timedelta(minutes=30))

    after = own_one.answers()
    changed = {name: (before[name], after[name]) for name in after if after[name] != before[name]}
    assert changed == {}, "\n".join(f"{name}:\n{was}\n{now}" for name, (was, now) in changed.items())


def test_records_of_another_workspace_are_in_no_export(app: Flask, stage: Stage) -> None:
    own_one, foreign_one, exports = reader(app, stage), Stage(), []
    for _ in range(2):
        ExportRun.delete().execute()
        status, export = own_one.send(own_one.requests["export.read "])
        exports.append({name: value for name, value in export.items() if name not in ("exportedAt", "auditLog")})
        assert status == 200
        furnish(foreign_one, present() - timedelta(minutes=30))

    assert exports[0] == exports[1]
    assert ids.encode("wsp", foreign_one.workspace.id) not in repr(export)


def test_compared_answers_are_not_empty(app: Flask, stage: Stage) -> None:
    answers = reader(app, stage).answers()

    refused = {name: answer for name, answer in answers.items() if answer[0] >= 400}
    assert refused == {}


def test_a_read_or_a_preview_writes_nothing(app: Flask, stage: Stage) -> None:
    own_one = reader(app, stage)
    wrote = {}
    before = tables()
    for name, request in own_one.requests.items():
        if not name.endswith(" "):
            continue  # filters and orders of what is read once already
        own_one.send(request)
        after = tables()
        changed = {table for table in after if after[table] != before[table]}
        if changed - TRACES.get(name.split()[0], set()):
            wrote[name] = changed
        before = after

    assert wrote == {}


def test_every_preview_is_tested_as_a_read(app: Flask) -> None:
    names = {operation.endpoint for operation in reads(app)}
    posts = {name for name in names if "preview" in name or "simulate" in name}
    assert posts >= {
        "previews.create", "previews.create_of_event", "profiles.simulate", "profiles.simulate_draft", "silences.preview",
    }  # fmt: skip
