"""Source keys: only a live key of a live source sends events (specification 5.3)."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import orjson
import pytest
from flask import Flask

from inbox.domain.senders import keys
from inbox.models.events.tables import Event
from inbox.models.senders.sources import Source, SourceKey
from inbox.models.workspaces.tables import Workspace
from tests.api.events.senders import Sender, counts, event, until
from tests.cast import Cast, make_key, make_source, sign_in


def refused(sender: Sender, **more: str) -> bool:
    answer = sender.post(event(), headers=more)
    if answer.status_code == 202:
        return False
    assert (answer.status_code, answer.get_json()["code"]) == (401, "unauthenticated")
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert counts()[0] == 0
    return True


def test_a_key_creates_events_only_for_its_source(sender: Sender, other_sender: Sender, cast: Cast) -> None:
    sender.stored(event())
    other_sender.stored(event())

    assert {(row.workspace_id, row.source_id) for row in Event.select()} == {
        (cast.workspace.id, cast.source.id),
        (cast.foreign.id, cast.foreign_source.id),
    }


def test_no_credential_is_refused(app: Flask, cast: Cast, door: str) -> None:
    assert refused(Sender(app, None, door=door))


@pytest.mark.parametrize(
    "mangled",
    [
        lambda key: f"Bearer {key[:-1]}",
        lambda key: f"Bearer {key}x",
        lambda key: f"Bearer {key[:-1]}{'a' if key[-1] != 'a' else 'b'}",
        lambda key: f"Bearer {key} {key}",
        lambda key: f"Bearer {key},Bearer {key}",
        lambda key: f"Basic {key}",
        lambda key: key,
        lambda key: f"Bearer\t{key}",
        lambda key: "Bearer",
        lambda key: "Bearer ",
        lambda key: "",
        lambda key: "Bearer \xe9",
        lambda key: "Bearer " + "x" * 8192,
        lambda key: "Bearer " + keys.mint(keys.KeyKind.HEARTBEAT, secrets.token_bytes(32)),
        lambda key: "Bearer " + keys.mint(keys.KeyKind.ALIAS, secrets.token_bytes(32)),
        lambda key: "Bearer " + keys.mint(keys.KeyKind.SOURCE, secrets.token_bytes(32)),
        lambda key: "Bearer " + keys.mint(keys.KeyKind.SOURCE, secrets.token_bytes(32)).replace("src", "pat"),
    ],
)
def test_only_a_live_source_key_is_accepted(app: Flask, cast: Cast, door: str, mangled: Callable[[str], str]) -> None:
    assert refused(Sender(app, None, door=door), Authorization=mangled(cast.key))


def test_the_scheme_is_known_in_any_case(app: Flask, cast: Cast, door: str) -> None:
    assert not refused(Sender(app, None, door=door), Authorization=f"bearer  {cast.key}")


def test_a_session_does_not_send_events(app: Flask, cast: Cast, door: str) -> None:
    token = sign_in(cast.users["olga"])
    assert refused(Sender(app, None, door=door), Cookie=f"inbox_session_8080={token}")
    assert refused(Sender(app, None, door=door), Authorization=f"Bearer {token}")


def test_a_malformed_key_is_refused_without_asking_the_database(
    app: Flask, cast: Cast, door: str, no_database: None
) -> None:
    assert Sender(app, cast.key, door=door).post(event()).status_code == 503
    assert Sender(app, cast.key[:-1] + "!", door=door).post(event()).status_code == 401


def test_the_body_of_an_unknown_sender_is_not_evaluated(app: Flask, cast: Cast, door: str) -> None:
    stranger = Sender(app, keys.mint(keys.KeyKind.SOURCE, secrets.token_bytes(32)), door=door)
    for body in (b"{", b"", b'{"title":""}', b"[]"):
        assert stranger.post(body).status_code == 401
    assert stranger.post(event(), key="\x07").status_code == 401


def test_a_revoked_key_ends_at_once(sender: Sender) -> None:
    sender.stored(event())
    SourceKey.update(revoked_at=datetime.now(UTC)).execute()
    answer = sender.post(event())
    assert answer.status_code == 401


def test_a_revoked_key_does_not_replay_either(sender: Sender) -> None:
    sender.stored(event(), key="k")
    SourceKey.update(revoked_at=datetime.now(UTC)).execute()
    assert sender.post(event(), key="k").status_code == 401


def test_a_rotated_key_works_until_its_grace_ends(sender: Sender, app: Flask, cast: Cast, door: str) -> None:
    old = SourceKey.get(SourceKey.source == cast.source)
    fresh = Sender(app, make_key(cast.source), door=door)

    old.grace_ends_at = datetime.now(UTC) + timedelta(seconds=30)
    old.save()
    sender.stored(event())
    fresh.stored(event())

    old.grace_ends_at = datetime.now(UTC) - timedelta(seconds=1)
    old.save()
    assert sender.post(event()).status_code == 401
    fresh.stored(event())


def test_a_rotated_key_replays_requests_of_the_old_key(sender: Sender, app: Flask, cast: Cast, door: str) -> None:
    first = sender.post(event(), key="k")
    repeated = Sender(app, make_key(cast.source), door=door).post(event(), key="k")
    assert repeated.data == first.data


def test_keys_of_disabled_or_deleted_records_are_refused(sender: Sender, cast: Cast) -> None:
    now = datetime.now(UTC)
    for change, back in (
        (Source.update(enabled=False), Source.update(enabled=True)),
        (Source.update(deleted_at=now), Source.update(deleted_at=None)),
        (Workspace.update(deleted_at=now), Workspace.update(deleted_at=None)),
    ):
        change.execute()
        assert refused(sender)
        back.execute()
    assert not refused(sender)


def test_the_first_use_of_a_key_is_noted_soon(sender: Sender, cast: Cast) -> None:
    _, unused = make_source(cast.workspace, "Unused")
    sender.stored(event())

    until(lambda: SourceKey.get(SourceKey.hash == keys.digest(cast.key)).last_used_at is not None)
    assert SourceKey.get(SourceKey.hash == keys.digest(unused)).last_used_at is None


def test_the_client_of_the_last_use_is_stored_without_keys(sender: Sender, cast: Cast) -> None:
    agent = f"backup/1.2 {cast.key} " + "x" * 300
    answer = sender.client.post(
        "/v1/events",
        data=orjson.dumps(event()),
        headers={"User-Agent": agent, "Authorization": f"Bearer {cast.key}"},
        environ_overrides={"REMOTE_ADDR": "2001:db8::7"},
    )
    assert answer.status_code == 202

    def stored() -> SourceKey:
        return SourceKey.get(SourceKey.hash == keys.digest(cast.key))

    until(lambda: stored().last_used_network is not None)
    assert stored().last_used_network == "2001:db8::"
    assert stored().last_used_agent.startswith("backup/1.2 svc_[REDACTED]")
    assert len(stored().last_used_agent) == 200
