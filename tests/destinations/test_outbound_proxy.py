"""Outgoing calls through a proxy of the operator, against a small real one on loopback."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import pytest

from inbox.config.settings import Settings
from inbox.destinations.http import Client
from inbox.destinations.outbound_policy import client as current_client
from inbox.destinations.outbound_policy import operators_client, policy
from inbox.destinations.provider_client import ProviderClient
from inbox.domain.deliveries.delivery import FailureReason
from inbox.domain.values.addresses import AddressRefused, OutboundPolicy, check_addresses, parse
from inbox.domain.values.outbound_proxy import OutboundProxy
from tests.destinations.receivers import Receiver, answer, drip, names
from tests.destinations.test_tls import Authority

ANY = OutboundPolicy(allow_private=True, allow_loopback=True)


@dataclass
class SmallProxy:
    """A proxy that understands CONNECT only. `heads` are the requests that it got."""

    response: bytes = b"HTTP/1.1 200 Connection established\r\n\r\n"
    heads: list[str] = field(default_factory=list)

    def __enter__(self) -> Self:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for each in self._open:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self._open.append(connection)
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError):
            head = b""
            while not head.endswith(b"\r\n\r\n") and (byte := connection.recv(1)):
                head += byte
            self.heads.append(head.decode())
            host, port = head.split()[1].decode().rsplit(":", 1)
            if b" 200 " not in self.response:
                connection.sendall(self.response)
                connection.shutdown(socket.SHUT_RDWR)
                return
            onward = socket.create_connection((host, int(port)))
            self._open.append(onward)
            connection.sendall(self.response)
            threading.Thread(target=_copy, args=(onward, connection), daemon=True).start()
            _copy(connection, onward)


def _copy(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while piece := source.recv(65_536):
            target.sendall(piece)
        target.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def proxy() -> Iterator[SmallProxy]:
    with SmallProxy() as proxy:
        yield proxy


@pytest.mark.parametrize("kind", [Client, ProviderClient])
def test_the_proxy_is_asked_for_the_checked_address_and_the_receiver_gets_the_name(
    proxy: SmallProxy, kind: type[Client]
) -> None:
    with Receiver(answer(202, b"thanks")) as receiver:
        client = kind(ANY, resolver=names(a_internal=["127.0.0.1"]), proxy=OutboundProxy.parse(proxy.url))
        called = [client.exchange("POST", f"http://a.internal:{receiver.port}/x?y=z", {}, b"{}") for _ in range(3)]

    assert [each.receipt.status_code for each in called] == [202, 202, 202]
    assert {each.body for each in called} == {b"thanks"}
    assert [head.split("\r\n")[0].rsplit(" ", 1)[0] for head in proxy.heads] == [f"CONNECT 127.0.0.1:{receiver.port}"]
    assert [hit.path for hit in receiver.hits] == ["/x?y=z"] * 3
    assert {hit.headers["host"] for hit in receiver.hits} == {f"a.internal:{receiver.port}"}


@pytest.mark.parametrize("certified", ["hooks.internal", "other.internal"])
def test_tls_through_the_proxy_is_verified_for_the_name(proxy: SmallProxy, tmp_path: Path, certified: str) -> None:
    authority = Authority(tmp_path)
    with Receiver(answer(), tls=authority.context(certified)) as receiver:
        resolver = names(hooks_internal=["127.0.0.1"])
        client = Client(ANY, resolver=resolver, ca_file=str(authority.file), proxy=OutboundProxy.parse(proxy.url))
        receipt = client.post(f"https://hooks.internal:{receiver.port}/", b"{}", {})

    is_good = certified == "hooks.internal"
    assert (receipt.status_code, receipt.failure) == ((200, None) if is_good else (None, FailureReason.TLS_FAILED))
    assert len(receiver.hits) == is_good


def test_a_connection_that_the_receiver_closed_is_opened_again_through_the_proxy(proxy: SmallProxy) -> None:
    with Receiver(answer(Connection="close")) as receiver:
        client = Client(ANY, proxy=OutboundProxy.parse(proxy.url))
        statuses = [client.post(receiver.url, b"{}", {}).status_code for _ in range(3)]

    assert (statuses, len(proxy.heads)) == ([200, 200, 200], 3)
    assert all(head.startswith("CONNECT ") for head in proxy.heads)


def test_the_password_goes_to_the_proxy_and_not_to_the_receiver(proxy: SmallProxy) -> None:
    chosen = OutboundProxy.parse(f"http://me:p%40ss@127.0.0.1:{proxy.port}")
    with Receiver(answer()) as receiver:
        assert Client(ANY, proxy=chosen).post(receiver.url, b"{}", {}).status_code == 200

    assert "Proxy-Authorization: Basic bWU6cEBzcw==" in proxy.heads[0]
    assert "proxy-authorization" not in receiver.hits[0].headers
    assert "bWU6cEBzcw" not in repr(chosen) and "p@ss" not in repr(chosen)


def test_an_address_that_is_refused_is_not_asked_of_the_proxy(proxy: SmallProxy) -> None:
    client = Client(ANY, resolver=names(bad=["169.254.169.254"]), proxy=OutboundProxy.parse(proxy.url))

    assert client.post("http://bad/", b"{}", {}).failure is FailureReason.ADDRESS_REFUSED
    assert proxy.heads == []


@pytest.mark.parametrize(
    "response",
    [b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", b"HTTP/1.1 403 No\r\n\r\n", b"220 mail\r\n", b""],
)
def test_a_refusing_proxy_fails_the_connection(response: bytes) -> None:
    with SmallProxy(response) as proxy, Receiver(answer()) as receiver:
        receipt = Client(ANY, proxy=OutboundProxy.parse(proxy.url)).post(receiver.url, b"{}", {})

    assert (receipt.failure, receiver.connections) == (FailureReason.CONNECT_FAILED, 0)


def test_an_unreachable_proxy_fails_the_connection(proxy: SmallProxy) -> None:
    proxy.__exit__()
    client = Client(ANY, proxy=OutboundProxy.parse(proxy.url))

    with Receiver(answer()) as receiver:
        assert client.post(receiver.url, b"{}", {}).failure is FailureReason.CONNECT_FAILED


def test_a_proxy_that_drips_its_response_ends_with_the_call() -> None:
    with Receiver(lambda connection, _: drip(connection, b"HTTP/1.1 200 OK\r\nX: y")) as dripping:
        chosen = OutboundProxy.parse(f"http://127.0.0.1:{dripping.port}")
        receipt = Client(ANY, deadline=0.6, proxy=chosen).post("http://127.0.0.1:9/", b"{}", {})

    assert receipt.failure is FailureReason.TIMEOUT


def test_the_setting_covers_both_clients_and_refuses_loopback(settings: Settings) -> None:
    chosen = Settings.from_env(
        {
            "DATABASE_URL": settings.database_url,
            "REDIS_URL": settings.redis_url,
            "INBOX_SECRET_KEYS": settings.secret_keys,
            "INBOX_SIGNING_KEY": settings.signing_key,
            "INBOX_OUTBOUND_PROXY": "http://proxy.internal:3128",
        }
    )

    with pytest.raises(AddressRefused, match="loopback"):
        check_addresses(parse("http://127.0.0.1:9/"), [], policy(chosen))
    assert check_addresses(parse("http://10.0.0.1:9/"), [], policy(chosen))
    assert chosen.outbound_proxy is not None and chosen.outbound_proxy.url.port == 3128
    assert settings.outbound_proxy is None


def test_the_clients_of_the_process_use_the_proxy_of_the_settings(settings: Settings, proxy: SmallProxy) -> None:
    from dataclasses import replace

    from inbox.config.settings import use

    use(replace(settings, outbound_proxy=OutboundProxy.parse(proxy.url)))
    try:
        receipts = [each.post("http://10.255.255.1:9/", b"{}", {}) for each in (current_client(), operators_client())]
    finally:
        use(settings)

    assert {head.split("\r\n")[0].rsplit(" ", 1)[0] for head in proxy.heads} == {"CONNECT 10.255.255.1:9"}
    assert len(proxy.heads) == len(receipts) == 2


@pytest.mark.parametrize(
    "text",
    [
        "proxy:3128",
        "https://proxy:3128",
        "socks5://proxy:1080",
        "http://proxy",
        "http://proxy:0",
        "http://proxy:3128/path",
        "http://proxy:3128?a=b",
        "http://user@proxy:3128",
        "http://:secret@proxy:3128",
        "http://a b:3128",
    ],
)
def test_a_proxy_that_cannot_be_used_is_refused_without_its_password(text: str) -> None:
    with pytest.raises(ValueError, match=r"^must be http://, with user:password@ if wanted, host and port$"):
        OutboundProxy.parse(text)
