"""The outgoing client against real receivers: what it refuses, when it ends, what it keeps."""

from __future__ import annotations

import contextlib
import gzip
import itertools
import random
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest

from inbox.destinations.bounded_response import BODY_BYTES
from inbox.destinations.http import Client
from inbox.destinations.own import OwnServers, Server
from inbox.destinations.provider_client import ProviderClient
from inbox.domain.addresses import AddressRefused, OutboundPolicy
from inbox.domain.delivery import FailureReason
from tests.destinations.receivers import Receiver, Request, answer, drip, names

ANY = OutboundPolicy(allow_private=True, allow_loopback=True)
HEAD = b"HTTP/1.1 200 OK\r\n"


@pytest.fixture(params=[Client, ProviderClient])
def client(request: pytest.FixtureRequest) -> Iterator[Client]:
    client: Client = request.param(ANY, deadline=60.0)
    yield client
    client.close()


@pytest.fixture(params=[Client, ProviderClient])
def hasty(request: pytest.FixtureRequest) -> Iterator[Client]:
    """A client whose calls end after half a second."""
    client: Client = request.param(ANY, deadline=0.5)
    yield client
    client.close()


def test_a_post_arrives_as_it_was_given_and_the_receipt_says_what_came_back(client: Client) -> None:
    with Receiver(answer(202, b"thanks")) as receiver:
        receipt = client.post(receiver.url, b'{"a":1}', {"Content-Type": "application/json", "webhook-id": "dlv_1"})

    (hit,) = receiver.hits
    assert (hit.method, hit.path, hit.body) == ("POST", "/hook?a=b", b'{"a":1}')
    assert hit.headers == {
        "host": f"127.0.0.1:{receiver.port}",
        "user-agent": "Incident-Inbox/0.1.0",
        "accept-encoding": "identity",
        "content-type": "application/json",
        "webhook-id": "dlv_1",
        "content-length": "7",
    }
    assert (receipt.status_code, receipt.failure) == (202, None)


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.2"])
def test_no_word_of_an_answer_from_this_machine_is_kept(client: Client, address: str) -> None:
    with Receiver(answer(200, b"internal"), address=address) as receiver:
        exchanged = client.exchange("GET", receiver.url, {})

    assert (exchanged.body, exchanged.receipt.excerpt) == (b"internal", "")


@pytest.mark.parametrize("status", [200, 204, 400, 401, 404, 410, 429, 500, 503, 599])
def test_a_status_is_an_answer_whatever_it_is(client: Client, status: int) -> None:
    with Receiver(answer(status)) as receiver:
        assert client.post(receiver.url, b"{}", {}).status_code == status


def test_the_wait_that_the_receiver_asks_for_is_in_the_receipt(client: Client) -> None:
    with Receiver(answer(503, Retry_After="120")) as receiver:
        assert client.post(receiver.url, b"{}", {}).retry_after == timedelta(seconds=120)


# Where it connects


def test_a_name_is_looked_up_once_and_the_checked_address_is_called_with_the_name_kept() -> None:
    requested: list[tuple[str, int]] = []

    def resolve(host: str, port: int) -> Sequence[str]:
        requested.append((host, port))
        return ["127.0.0.1"]

    with Receiver(answer()) as receiver:
        receipt = Client(ANY, resolver=resolve).post(f"http://Receiver.Internal:{receiver.port}/x", b"{}", {})

    assert receipt.status_code == 200
    assert requested == [("receiver.internal", receiver.port)]
    assert receiver.hits[0].headers["host"] == f"receiver.internal:{receiver.port}"


def test_a_name_that_changes_between_check_and_call_gains_nothing() -> None:
    """DNS rebinding: of two thousand answers half lead, in no order, to an address that is not to be called."""
    rng = random.Random(7)
    leads = ["127.0.0.1", "127.0.0.2"] * 1_000
    rng.shuffle(leads)
    answers = iter(leads)
    with Receiver(answer()) as good, _listening_at("127.0.0.2", good.port) as bad:
        policy = OutboundPolicy(True, True, is_own=lambda address, port: str(address) == "127.0.0.2")
        client = Client(policy, resolver=lambda host, port: [next(answers)])
        receipts = [client.post(f"http://rebind.example:{good.port}/", b"{}", {}) for _ in leads]

    assert [receipt.status_code for receipt in receipts] == [200 if lead == "127.0.0.1" else None for lead in leads]
    assert {receipt.failure for receipt in receipts} == {None, FailureReason.ADDRESS_REFUSED}
    assert (len(good.hits), bad.connections) == (1_000, 0)


def test_one_forbidden_address_refuses_all_and_nobody_is_called() -> None:
    with Receiver(answer()) as receiver:
        client = Client(ANY, resolver=names(a_example=["127.0.0.1", "169.254.169.254"]))
        receipt = client.post(f"http://a.example:{receiver.port}/", b"{}", {})

    assert (receipt.failure, receiver.connections) == (FailureReason.ADDRESS_REFUSED, 0)


def test_the_hosted_edition_calls_no_private_address() -> None:
    with Receiver(answer()) as receiver:
        receipt = Client(OutboundPolicy(allow_private=False, allow_loopback=False)).post(receiver.url, b"{}", {})

    assert (receipt.failure, receiver.connections) == (FailureReason.ADDRESS_REFUSED, 0)


def test_our_own_listener_is_not_called() -> None:
    with Receiver(answer()) as receiver:
        policy = OutboundPolicy(True, True, is_own=OwnServers([Server("0.0.0.0", receiver.port)]))
        receipt = Client(policy, resolver=names(me=["127.0.0.1"])).post(f"http://me:{receiver.port}/", b"{}", {})

    assert (receipt.failure, receiver.connections) == (FailureReason.ADDRESS_REFUSED, 0)


def test_an_address_that_does_not_answer_is_followed_by_the_next_of_the_name() -> None:
    with Receiver(answer()) as receiver:
        client = Client(ANY, resolver=names(a=["127.0.0.9", "127.0.0.1"]))
        assert client.post(f"http://a:{receiver.port}/", b"{}", {}).status_code == 200


@pytest.mark.parametrize("url", ["http://nowhere.example/", "https://nowhere.example/"])
def test_a_name_that_is_not_found_is_said_so(url: str) -> None:
    assert Client(ANY, resolver=names()).post(url, b"{}", {}).failure is FailureReason.NAME_UNKNOWN


def test_a_look_up_that_hangs_ends_with_the_call() -> None:
    hanging = threading.Event()

    def resolve(host: str, port: int) -> Sequence[str]:
        hanging.wait(30)
        return []

    receipt = Client(ANY, resolver=resolve, deadline=0.3).post("http://slow.example/", b"{}", {})
    hanging.set()

    assert receipt.failure is FailureReason.TIMEOUT


def test_a_closed_port_is_no_connection(client: Client) -> None:
    with Receiver(answer()) as receiver:
        url = receiver.url
    assert client.post(url, b"{}", {}).failure is FailureReason.CONNECT_FAILED


@pytest.mark.parametrize(
    "url", ["http://user:secret@127.0.0.1/", "http://127.1/", "file:///etc/passwd", "", "http://a b/"]
)
def test_a_url_that_may_not_be_saved_is_not_called_either(client: Client, url: str) -> None:
    assert client.post(url, b"{}", {}).failure is FailureReason.ADDRESS_REFUSED
    with pytest.raises(AddressRefused):
        client.vet(url)


def test_vetting_looks_names_up_and_lets_pass_those_that_may_come_to_be() -> None:
    client = Client(ANY, resolver=names(bad=["169.254.169.254"], good=["10.0.0.1"]))

    client.vet("http://good/")
    client.vet("http://not-yet.example/")
    with pytest.raises(AddressRefused):
        client.vet("http://bad/")


# What it does not follow


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_never_followed(client: Client, status: int) -> None:
    with (
        Receiver(answer()) as second,
        Receiver(answer(status, Location=second.url, Refresh=f"0; url={second.url}")) as first,
    ):
        receipt = client.post(first.url, b"{}", {})

    assert (receipt.status_code, receipt.reason) == (status, f"redirect_{status}")
    assert (len(first.hits), second.connections) == (1, 0)


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY"])
def test_a_proxy_of_the_environment_is_ignored(client: Client, variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with Receiver(answer(418)) as proxy, Receiver(answer()) as receiver:
        monkeypatch.setenv(variable, f"http://127.0.0.1:{proxy.port}")
        monkeypatch.delenv("NO_PROXY", raising=False)
        receipt = client.post(receiver.url, b"{}", {})

    assert (receipt.status_code, proxy.connections) == (200, 0)


def test_a_netrc_is_ignored(client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login someone password something\n")
    monkeypatch.setenv("NETRC", str(netrc))
    with Receiver(answer()) as receiver:
        client.post(receiver.url, b"{}", {})

    assert "authorization" not in receiver.hits[0].headers


def test_a_cookie_is_not_sent_back(client: Client) -> None:
    with Receiver(answer(200, Set_Cookie="a=b; Path=/")) as receiver:
        client.post(receiver.url, b"{}", {})
        client.post(receiver.url, b"{}", {})

    assert ["cookie" in hit.headers for hit in receiver.hits] == [False, False]


# When it ends


def test_dripped_headers_end_with_the_call(hasty: Client) -> None:
    def script(connection: socket.socket, request: Request) -> None:
        connection.sendall(HEAD)
        drip(connection, b"X-Drip: on and on\r\n")

    with Receiver(script) as receiver:
        receipt = hasty.post(receiver.url, b"{}", {})

    assert receipt.failure is FailureReason.TIMEOUT
    assert receipt.duration_ms >= 400


def test_a_dripped_body_ends_with_the_call_and_its_status_counts() -> None:
    def script(connection: socket.socket, request: Request) -> None:
        connection.sendall(HEAD + b"Content-Length: 100000\r\n\r\n")
        drip(connection, b"drip")

    with Receiver(script) as receiver:
        exchanged = Client(ANY, deadline=3.0).exchange("POST", receiver.url, {}, b"{}")

    assert (exchanged.receipt.status_code, exchanged.receipt.failure) == (200, None)
    assert exchanged.body.startswith(b"dripdrip")


def test_a_receiver_that_says_nothing_ends_with_the_call(hasty: Client) -> None:
    with Receiver(lambda connection, request: receiver.closing.wait(60)) as receiver:
        assert hasty.post(receiver.url, b"{}", {}).failure is FailureReason.TIMEOUT


def test_what_was_dripped_does_not_lengthen_the_silence_after_it() -> None:
    def script(connection: socket.socket, request: Request) -> None:
        connection.sendall(HEAD)
        time.sleep(0.8)
        connection.sendall(b"X-Drip: on\r\n")
        time.sleep(0.8)
        connection.sendall(b"\r\n")

    with Receiver(script) as receiver:
        assert Client(ANY, deadline=1.0).post(receiver.url, b"{}", {}).failure is FailureReason.TIMEOUT


def test_interim_answers_in_a_flood_are_no_answer(client: Client) -> None:
    def script(connection: socket.socket, request: Request) -> None:
        while True:
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" * 1_000)

    with Receiver(script) as receiver:
        assert client.post(receiver.url, b"{}", {}).failure is FailureReason.BAD_RESPONSE


def test_interim_answers_without_end_end_with_the_call(hasty: Client) -> None:
    def script(connection: socket.socket, request: Request) -> None:
        while True:
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            time.sleep(0.01)

    with Receiver(script) as receiver:
        assert hasty.post(receiver.url, b"{}", {}).failure is FailureReason.TIMEOUT


def test_a_tls_handshake_that_never_comes_ends_with_the_call() -> None:
    with Receiver(answer()) as receiver, _listening_at("127.0.0.3", receiver.port) as silent:
        receipt = Client(ANY, deadline=0.5).post(f"https://127.0.0.3:{receiver.port}/", b"{}", {})

    assert receipt.failure in (FailureReason.TIMEOUT, FailureReason.TLS_FAILED)
    assert silent.connections == 1


def test_a_receiver_that_does_not_take_the_body_ends_with_the_call() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=1) as unreachable:
        url = f"http://127.0.0.1:{unreachable.getsockname()[1]}/"
        receipt = Client(ANY, deadline=0.5).post(url, b"x" * 20_000_000, {})

    assert receipt.failure is FailureReason.TIMEOUT


# How much it reads


def test_an_endless_body_is_left_after_64_kib(client: Client) -> None:
    sent = 0

    def script(connection: socket.socket, request: Request) -> None:
        nonlocal sent
        connection.sendall(HEAD + b"\r\n")
        while True:
            sent += connection.send(b"x" * 65_536)

    with Receiver(script) as receiver:
        exchanged = client.exchange("POST", receiver.url, {}, b"{}")

    assert exchanged.receipt.status_code == 200
    assert exchanged.body == b"x" * BODY_BYTES
    assert sent < 20_000_000


@pytest.mark.parametrize("piece", [b"X-Much: " + b"y" * 60_000 + b"\r\n", b"X: " + b"y" * 70_000, b"X: y\r\n" * 50_000])
def test_headers_without_end_are_no_answer(client: Client, piece: bytes) -> None:
    def script(connection: socket.socket, request: Request) -> None:
        connection.sendall(HEAD)
        while True:
            connection.sendall(piece)

    with Receiver(script) as receiver:
        assert client.post(receiver.url, b"{}", {}).failure is FailureReason.BAD_RESPONSE


def test_a_packed_answer_is_never_unpacked(client: Client) -> None:
    bomb = gzip.compress(b"\0" * 50_000_000)
    with Receiver(answer(200, bomb, Content_Encoding="gzip")) as receiver:
        exchanged = client.exchange("POST", receiver.url, {}, b"{}")

    assert exchanged.receipt.status_code == 200
    assert exchanged.body == bomb[:BODY_BYTES]


@pytest.mark.parametrize(
    "body", [b"5\r\nhello\r\n0\r\n\r\n", b"5\r\nhello\r\nzz\r\n", b"5\r\nhello\r\nffffffffff\r\n", b"5\r\nhello"]
)
def test_a_chunked_answer_is_read_as_far_as_it_makes_sense(client: Client, body: bytes) -> None:
    def script(connection: socket.socket, request: Request) -> None:
        connection.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + body)

    with Receiver(script) as receiver:
        exchanged = client.exchange("POST", receiver.url, {}, b"{}")
    assert (exchanged.receipt.status_code, exchanged.receipt.failure) == (200, None)
    assert exchanged.body in (b"hello", b"")


@pytest.mark.parametrize(
    ("sent", "trouble"),
    [
        (b"", FailureReason.CONNECTION_LOST),
        (b"SSH-2.0-OpenSSH_9.2\r\n", FailureReason.BAD_RESPONSE),
        (b"HTTP/1.1 abc OK\r\n\r\n", FailureReason.BAD_RESPONSE),
        (b"\x00\xff\x00\xff\r\n\r\n", FailureReason.BAD_RESPONSE),
        (b"HTTP/9.9 200 OK\r\n\r\n", FailureReason.BAD_RESPONSE),
        (b"220 mail.example ESMTP\r\n", FailureReason.BAD_RESPONSE),
    ],
)
def test_what_is_not_http_is_no_answer(client: Client, sent: bytes, trouble: FailureReason) -> None:
    with Receiver(lambda connection, request: connection.sendall(sent)) as receiver:
        assert client.post(receiver.url, b"{}", {}).failure is trouble


def test_a_connection_that_is_reset_is_lost(client: Client) -> None:
    def script(connection: socket.socket, request: Request) -> None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")

    with Receiver(script) as receiver:
        assert client.post(receiver.url, b"{}", {}).failure is FailureReason.CONNECTION_LOST


def test_a_header_that_would_split_the_request_is_not_sent(client: Client) -> None:
    with Receiver(answer()) as receiver:
        receipt = client.post(receiver.url, b"{}", {"X-A": "b\r\nX-C: d"})

    assert (receipt.failure, len(receiver.hits)) == (FailureReason.UNSENDABLE, 0)


# Connections that are kept


def test_a_connection_is_kept_for_the_next_call(client: Client) -> None:
    with Receiver(answer(200, b"ok")) as receiver:
        for _ in range(5):
            client.post(receiver.url, b"{}", {})

    assert (len(receiver.hits), receiver.connections) == (5, 1)


def test_a_connection_is_not_shared_between_names() -> None:
    with Receiver(answer()) as receiver:
        client = Client(ANY, resolver=names(a=["127.0.0.1"], b=["127.0.0.1"]))
        for name in ("a", "b", "a", "b"):
            client.post(f"http://{name}:{receiver.port}/", b"{}", {})

    assert receiver.connections == 2


def test_a_kept_connection_that_the_receiver_closed_is_not_its_answer(client: Client) -> None:
    """The race of a receiver that closes an idle connection just as the next request leaves."""

    def script(connection: socket.socket, request: Request) -> bool:
        if request.body == b"close" and len(receiver.hits) == 2:
            return False
        connection.sendall(HEAD + b"Content-Length: 0\r\n\r\n")
        return True

    with Receiver(script) as receiver:
        receipts = [client.post(receiver.url, body, {}) for body in (b"first", b"close")]

    assert [receipt.status_code for receipt in receipts] == [200, 200]
    assert [hit.body for hit in receiver.hits] == [b"first", b"close", b"close"]


def test_a_new_connection_that_is_lost_is_not_asked_again(client: Client) -> None:
    with Receiver(lambda connection, request: None) as receiver:
        assert client.post(receiver.url, b"{}", {}).failure is FailureReason.CONNECTION_LOST

    assert len(receiver.hits) == 1


def test_a_hundred_threads_share_one_client_and_each_gets_its_own_answer(client: Client) -> None:
    def echo(connection: socket.socket, request: Request) -> bool:
        connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(request.body) + request.body)
        return True

    with Receiver(echo) as one, Receiver(echo) as two, ThreadPoolExecutor(100) as threads:
        bodies = [f"{number}".encode() for number in range(600)]
        urls = itertools.cycle([one.url, two.url])
        answers = list(threads.map(lambda body, url: client.exchange("POST", url, {}, body), bodies, urls))

    assert [each.body for each in answers] == bodies
    assert len(one.hits) == len(two.hits) == 300


@contextlib.contextmanager
def _listening_at(address: str, port: int) -> Iterator[Receiver]:
    """Something that takes connections at another loopback address and never says a word."""
    silent = Receiver(answer(), address=address)
    with socket.create_server((address, port)) as listener:
        listener.settimeout(0.05)
        ended = threading.Event()

        def accept() -> None:
            retained = []
            while not ended.is_set():
                with contextlib.suppress(TimeoutError):
                    retained.append(listener.accept())
                    silent.connections += 1

        thread = threading.Thread(target=accept)
        thread.start()
        try:
            yield silent
        finally:
            ended.set()
            thread.join()
