"""Apprise: sends in a child process whose connections obey the address policy (specification 9.19)."""

from __future__ import annotations

import importlib
import inspect
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from inbox.config import settings as in_force
from inbox.config.settings import Settings
from inbox.destinations import KINDS, Config, Message, kind
from inbox.destinations import apprise as module
from inbox.destinations.apprise.schemas import SCHEMAS
from inbox.destinations.http import Client
from inbox.destinations.recording_client import RecordingClient
from inbox.domain.deliveries.delivery import FailureReason, Receipt
from inbox.domain.values.addresses import Deny, OutboundPolicy
from inbox.domain.values.refusals import ValidationFailed
from tests.destinations.kinds.notice_bodies import AT, body
from tests.destinations.kinds.stand_in import vet
from tests.destinations.kinds.test_digests import digest
from tests.stand_ins.receivers import Answer, Receiver

APPRISE = KINDS["apprise"]
OPEN = OutboundPolicy(allow_private=True, allow_loopback=True)
CLOSED = OutboundPolicy(allow_private=False, allow_loopback=False)


@pytest.fixture(autouse=True)
def _settings(settings: Settings) -> Iterator[None]:
    in_force.use(replace(settings, edition="self_hosted", delivery_timeout_seconds=60))
    yield
    in_force.use(settings)


def config(url: str) -> Config:
    return APPRISE.validate({"url": url}, vet)


def send(url: str, policy: OutboundPolicy = OPEN, **message: Any) -> Receipt:
    with_body = {"body": body(), **message}
    return APPRISE.send(Message("dlv_1", with_body["body"], AT), config(url), Client(policy))


def at(receiver: Receiver, schema: str = "json", host: str = "127.0.0.1", more: str = "") -> str:
    return f"{schema}://{host}:{receiver.port}/hook{more}"


def test_a_message_is_sent_with_its_title_body_and_type(receiver: Receiver) -> None:
    receipt = send(at(receiver))

    assert (receipt.is_accepted, receipt.status_code) == (True, 200)
    (request,) = receiver.requests
    assert request.json["title"].endswith("CRITICAL · Disk full")
    assert request.json["message"].startswith("Incident opened.")
    assert "https://inbox.example.org/w/shop/incidents/" in request.json["message"]
    assert request.json["type"] == "failure"


def test_a_digest_lists_its_incidents(receiver: Receiver) -> None:
    send(at(receiver), body=digest("usual"))
    assert "WARNING · Site down" not in receiver.requests[0].json["message"]
    assert "RESOLVED · Site down" in receiver.requests[0].json["message"]


@pytest.mark.parametrize(
    ("answer", "status", "failure"),
    [
        (Answer(404, b"gone"), 404, None),
        (Answer(503, b"", {"Retry-After": "7"}), 503, None),
        (Answer(302, b"", {"Location": "http://127.0.0.1:1/"}), 302, None),
    ],
)
def test_the_status_of_the_service_counts(
    receiver: Receiver, answer: Answer, status: int, failure: FailureReason | None
) -> None:
    receiver.answer = answer

    receipt = send(at(receiver))

    assert (receipt.status_code, receipt.failure, receipt.is_accepted) == (status, failure, False)
    assert len(receiver.requests) == 1
    assert (receipt.retry_after is not None) is (status == 503)


def test_a_service_that_does_not_listen_is_tried_again() -> None:
    with Receiver() as gone:
        url = at(gone)
    assert send(url).failure is FailureReason.CONNECT_FAILED


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.0.0.53", "0.0.0.0"),
        *("[::1]", "[::ffff:127.0.0.1]", "[::]", "[::ffff:7f00:1]", "127.0.0.1.", "LOCALHOST"),
    ],
)
def test_no_form_of_a_loopback_address_is_called_where_the_policy_refuses_it(receiver: Receiver, host: str) -> None:
    receipt = send(at(receiver, host=host), CLOSED)
    assert not receipt.is_accepted
    assert receiver.requests == []


@pytest.mark.parametrize("host", ["10.0.0.1", "169.254.169.254", "192.168.0.1", "100.64.0.1", "[fe80::1]", "[fd00::1]"])
def test_no_private_address_is_called_where_the_policy_refuses_it(host: str) -> None:
    assert send(f"json://{host}/", CLOSED).failure is FailureReason.ADDRESS_REFUSED


def test_addresses_denied_by_the_operator_and_own_servers_are_not_called(receiver: Receiver) -> None:
    denied = replace(OPEN, deny=Deny.parse("127.0.0.0/8"))
    own = replace(OPEN, is_own=lambda address, port: port == receiver.port)
    assert [send(at(receiver), policy).failure for policy in (denied, own)] == [FailureReason.ADDRESS_REFUSED] * 2
    assert receiver.requests == []


def test_plain_http_does_not_go_to_public_addresses() -> None:
    assert send("json://1.1.1.1/").failure is FailureReason.ADDRESS_REFUSED


def test_a_process_is_ended_at_the_deadline(receiver: Receiver, settings: Settings) -> None:
    in_force.use(replace(settings, edition="self_hosted", delivery_timeout_seconds=0))
    assert send(at(receiver)).failure in (FailureReason.TIMEOUT, FailureReason.SERVICE_BUSY)
    assert receiver.requests == []


def test_a_service_that_drips_is_cut_off(receiver: Receiver, settings: Settings) -> None:
    in_force.use(replace(settings, edition="self_hosted", delivery_timeout_seconds=5))
    receiver.answer = Answer(200, b"x", delay=30)
    receipt = send(at(receiver))
    assert not receipt.is_accepted
    assert receipt.failure in (FailureReason.TIMEOUT, FailureReason.CONNECT_FAILED)


@pytest.mark.parametrize(
    "url",
    [
        *("file:///etc/passwd", "syslog://", "dbus://", "macosx://", "windows://", "mailto://a:b@example.org"),
        *(
            "fcm://project@key/?keyfile=/etc/passwd",
            "apprise://localhost/token",
            "mqtt://localhost",
            "https://a.example",
        ),
        *("json", "", "json:/localhost", "python://x", "vapid://a@b"),
    ],
)
def test_an_address_with_another_schema_is_refused(url: str) -> None:
    with pytest.raises(ValidationFailed) as caught:
        config(url)
    assert [each.pointer for each in caught.value.errors] == ["/config/url"]
    assert "passwd" not in str(caught.value.errors)


@pytest.mark.parametrize("parameter", sorted(module.FORBIDDEN_PARAMETERS))
def test_a_parameter_that_weakens_a_call_is_refused(parameter: str) -> None:
    encoded = "".join(f"%{ord(each):02x}" for each in parameter)
    for name in (
        parameter,
        parameter.upper(),
        f"+{parameter}",
        encoded,
        f"{parameter}%20",
        f"{parameter}+",
        f"%3a{parameter}",
    ):
        for sign in "&;":
            with pytest.raises(ValidationFailed):
                config(f"json://localhost/?a=b{sign}{name}=no")


def test_the_hint_is_the_schema_alone() -> None:
    assert config("pbul://o.secret-token-of-pushbullet").public == {"urlHint": "pbul://…"}


def test_a_recorded_apprise_request_omits_the_address(receiver: Receiver) -> None:
    recorder = RecordingClient(Client(OPEN))
    secret = config(at(receiver, more="/secret-part"))
    APPRISE.send(Message("dlv_1", body(), AT), secret, recorder)
    (recorded,) = recorder.requests(secret.secrets.values())
    assert (recorded.method, "secret-part" in recorded.url + recorded.body, "Disk full" in recorded.body) == (
        "APPRISE",
        False,
        True,
    )


@pytest.mark.parametrize(
    ("changes", "available"),
    [
        ({"edition": "self_hosted"}, True),
        ({"edition": "hosted"}, False),
        ({"edition": "hosted", "allow_apprise": True}, True),
        ({"edition": "self_hosted", "allow_apprise": False}, False),
    ],
)
def test_apprise_is_available_when_the_operator_allows_it(
    settings: Settings, receiver: Receiver, changes: dict[str, Any], available: bool
) -> None:
    in_force.use(replace(settings, **{"allow_apprise": None, "delivery_timeout_seconds": 60, **changes}))
    assert (APPRISE.unavailable_because() is None) is available
    if not available:
        with pytest.raises(ValidationFailed):
            kind("apprise", is_new=True)
        assert send(at(receiver)).failure is FailureReason.UNSENDABLE
        assert receiver.requests == []


def test_the_library_is_not_loaded_by_the_service() -> None:
    code = "import inbox.destinations, sys; print('apprise' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


@pytest.mark.parametrize("schema", sorted(SCHEMAS))
def test_the_plug_in_of_a_schema_speaks_http_and_nothing_else(schema: str) -> None:
    manager = importlib.import_module("apprise.manager_plugins").NotificationManager()
    source = inspect.getsource(sys.modules[manager[schema].__module__])
    found = re.findall(
        r"^\s*(?:import|from)\s+(socket|subprocess|smtplib|ssl|ctypes|paho|slixmpp|websocket\w*|dbus|gi)\b",
        source,
        re.MULTILINE,
    )
    assert found == []
    assert not re.search(r"\bos\.(?:system|popen|exec\w+|spawn\w+)\(", source)


def child(code: str) -> dict[str, Any]:
    """Run code in a guarded process whose parent refuses every address."""
    program = (
        f"import json, sys, io; sys.path.insert(0, {str(module.PROGRAM.parent.parent.parent)!r})\n"
        "import importlib.util\n"
        f"spec = importlib.util.spec_from_file_location('child', {str(module.PROGRAM)!r})\n"
        "child = importlib.util.module_from_spec(spec); spec.loader.exec_module(child)\n"
        "parent = child.Parent(io.StringIO(), io.StringIO('false\\n' * 9)); child.guard(parent)\n"
        "import os, socket, subprocess\n"
        f"try:\n    {code}\n    print(json.dumps('done'))\nexcept OSError as fault:\n    print(json.dumps(str(fault)))\n"
    )
    ran = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)
    return json.loads(ran.stdout)


@pytest.mark.parametrize(
    "code",
    [
        "socket.create_connection(('127.0.0.1', 9))",
        "socket.socket().connect(('127.0.0.1', 9))",
        "socket.socket().connect_ex(('127.0.0.1', 9))",
        "socket.socket(socket.AF_INET6).connect(('::1', 9))",
        "socket.socket(socket.AF_UNIX).connect('/tmp/x')",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))",
        "socket.socket().bind(('127.0.0.1', 0))",
        "socket.gethostbyname('localhost')",
        "socket.getaddrinfo('localhost', 9)",
        "subprocess.run(['true'])",
        "os.system('true')",
        "os.fork()",
        "os.execv('/bin/true', ['true'])",
        "os.posix_spawn('/bin/true', ['true'], {})",
    ],
)
def test_a_plug_in_connects_to_nothing_unchecked_and_starts_nothing(code: str) -> None:
    assert child(code) in ("the address is refused", "the address is not checked", "a plug-in may not do that")
