"""The outgoing client: requests, receipts, name lookups and addresses that it refuses."""

from __future__ import annotations

import random
import threading
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from inbox.destinations.http import Client
from inbox.destinations.outbound_policy import OwnServers, Server
from inbox.domain.deliveries.delivery import FailureReason
from inbox.domain.values.addresses import AddressRefused, OutboundPolicy
from tests.destinations.http_steps import (
    ANY,
    _listening_at,
    client,  # noqa: F401
)
from tests.destinations.receivers import Receiver, answer, names


def test_a_post_arrives_unchanged_and_the_receipt_holds_the_answer(client: Client) -> None:
    with Receiver(answer(202, b"thanks")) as receiver:
        receipt = client.post(receiver.url, b'{"a":1}', {"Content-Type": "application/json", "webhook-id": "dlv_1"})

    (hit,) = receiver.hits
    assert (hit.method, hit.path, hit.body) == ("POST", "/hook?a=b", b'{"a":1}')
    assert hit.headers == {
        "host": f"127.0.0.1:{receiver.port}",
        "user-agent": "Incident-Inbox/1.0.0",
        "accept-encoding": "identity",
        "content-type": "application/json",
        "webhook-id": "dlv_1",
        "content-length": "7",
    }
    assert (receipt.status_code, receipt.failure) == (202, None)


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.2"])
def test_no_text_of_a_loopback_answer_is_stored(client: Client, address: str) -> None:
    with Receiver(answer(200, b"internal"), address=address) as receiver:
        exchanged = client.exchange("GET", receiver.url, {})

    assert (exchanged.body, exchanged.receipt.answer) == (b"internal", "")


@pytest.mark.parametrize("status", [200, 204, 400, 401, 404, 410, 429, 500, 503, 599])
def test_every_status_is_an_answer(client: Client, status: int) -> None:
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


def test_one_forbidden_address_refuses_a_name_without_a_call() -> None:
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
def test_an_unknown_host_name_is_reported(url: str) -> None:
    assert Client(ANY, resolver=names()).post(url, b"{}", {}).failure is FailureReason.NAME_UNKNOWN


def test_a_look_up_that_hangs_ends_with_the_call() -> None:
    hanging = threading.Event()

    def resolve(host: str, port: int) -> Sequence[str]:
        hanging.wait(30)
        return []

    receipt = Client(ANY, resolver=resolve, deadline=0.3).post("http://slow.example/", b"{}", {})
    hanging.set()

    assert receipt.failure is FailureReason.TIMEOUT


def test_a_closed_port_fails_the_connection(client: Client) -> None:
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


def test_vetting_resolves_names_and_accepts_names_that_do_not_resolve_yet() -> None:
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
