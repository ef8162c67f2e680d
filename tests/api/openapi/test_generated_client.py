"""Every operation of the document can be called through a client that is generated from it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import peewee
import pytest
from flask import Flask
from werkzeug.serving import WSGIRequestHandler, make_server

from inbox.api.http.policy import POLICY
from inbox.config.settings import Settings
from inbox.domain.people.cookies import cookie_name
from inbox.domain.values import ids
from tests.api.http.filled import entered, example_of, filled, setup_body
from tests.api.openapi.operations import Operation, operations
from tests.api.stage import IN_FORCE
from tests.cast import make_key, make_signing_secret
from tests.client.generated import GeneratedClient, installed
from tests.identity.providers import OwnProvider
from tests.runner.ports import free_port
from tests.stand_ins.phone import pair

pytestmark = pytest.mark.slow


class Quiet(WSGIRequestHandler):
    """Writes no line for a request."""

    def log(self, level: str, message: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def client(app: Flask, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> GeneratedClient:
    """The client of this very document, which compiles strictly. Packages are installed once and kept."""
    packages = installed(request.config.cache.mkdir("generated-client"))
    document = app.test_client().get("/v1/openapi.json").data
    return GeneratedClient(tmp_path_factory.mktemp("client"), document, packages)


@pytest.fixture
def in_force(ground: peewee.Database, in_settings: Callable[..., Settings]) -> Iterator[Settings]:
    with OwnProvider(now=int(time.time())) as provider:
        yield in_settings(**IN_FORCE, oidc_providers=(provider.chosen(),))


@pytest.fixture
def address(app: Flask, in_force: Settings) -> Iterator[str]:
    """Where the app is served."""
    port = free_port()
    server = make_server("127.0.0.1", port, app, threaded=True, request_handler=Quiet)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://127.0.0.1:{port}"
    server.shutdown()
    thread.join(60)


def prepared(operation: Operation, app: Flask, in_force: Settings, *, by_example: bool) -> dict[str, Any]:
    """A call of the operation on its own stage: with its sample, or with the example of the document."""
    stage, token = entered(app)
    headers = {"Cookie": f"{cookie_name('inbox_session', in_force.base_url)}={token}"}
    if POLICY[operation.endpoint].credential == "sourceKey":
        headers = {"Authorization": f"Bearer {make_key(stage.source)}"}
    if POLICY[operation.endpoint].credential == "aliasToken":
        headers = {"Authorization": f"Bearer {make_key(stage.source, kind='alias_token')}"}
    if POLICY[operation.endpoint].credential == "signature":
        headers = {"X-Gitlab-Token": make_signing_secret(stage.source)}
    if POLICY[operation.endpoint].credential == "device":
        tokens = pair(stage.person)
        stage.device, headers = tokens.device_id, {"Authorization": f"Bearer {tokens.access_token}"}
    body = None
    if "requestBody" in operation.described:
        body = filled(operation, stage, app) if by_example else operation.body(stage)
    values = operation.values(stage)
    path = {
        name: ids.encode(operation.prefixes[name], value) if name in operation.prefixes else value
        for name, value in values.items()
    }
    if by_example and operation.endpoint == "oidc.start":
        path["provider_id"] = "own"
    return {
        "name": f"{operation.method} {operation.endpoint}",
        "operationId": operation.described["operationId"],
        "path": path,
        "body": body,
        "headers": headers,
    }


def test_every_operation_answers_a_generated_client(
    client: GeneratedClient, address: str, app: Flask, in_force: Settings
) -> None:
    everything = list(operations(app))
    calls = [prepared(each, app, in_force, by_example=False) for each in everything]
    answers = client.call(address, calls)

    expected = {call["name"]: each.success for call, each in zip(calls, everything, strict=True)}
    assert len(expected) > 140
    assert {answer["name"]: answer["status"] for answer in answers} == expected


def test_every_request_example_succeeds_through_a_generated_client(
    client: GeneratedClient, address: str, app: Flask, in_force: Settings
) -> None:
    with_bodies = {each.endpoint: each for each in operations(app) if example_of(each) is not None}
    first = with_bodies.pop("setup.create")
    body = setup_body(first) | {
        "email": "first@example.org"
    }  # the example of another operation makes an account of its name
    set_up = {"name": "setup", "operationId": "setupCreate", "path": {}, "body": body, "headers": {}}
    answers = client.call(address, [set_up])
    answers += client.call(address, [prepared(each, app, in_force, by_example=True) for each in with_bodies.values()])

    assert len(answers) > 50
    assert [answer for answer in answers if not 200 <= answer["status"] < 300] == []
