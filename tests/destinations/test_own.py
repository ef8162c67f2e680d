"""Addresses that count as our own servers."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from ipaddress import ip_address

import pytest

from inbox.destinations.outbound_policy import ANYWHERE, REFRESH_SECONDS, UNKNOWN_SECONDS, OwnServers, Server, is_local


class Names:
    """A resolver whose answers a test changes; `requested` counts the look-ups."""

    def __init__(self, *addresses: str) -> None:
        self.addresses: Sequence[str] = addresses
        self.requested = 0

    def __call__(self, host: str, port: int) -> Sequence[str]:
        self.requested += 1
        if not self.addresses:
            raise socket.gaierror(socket.EAI_NONAME, "not known")
        return self.addresses


class Clock:
    """Seconds that pass when a test says so."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def is_own(own: OwnServers, address: str, port: int = 5432) -> bool:
    return own(ip_address(address), port)


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("127.0.0.1", True),
        ("127.3.2.1", True),
        ("198.51.100.1", False),
        ("10.255.255.254", False),
        ("2001:db8::1", False),
    ],
)
def test_an_address_is_of_this_machine_when_it_can_be_bound_here(address: str, local: bool) -> None:
    assert is_local(ip_address(address)) is local


def test_every_address_by_which_this_machine_calls_out_is_its_own() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("198.51.100.1", 9))  # sends nothing: the kernel only chooses the address to send from
        except OSError:
            pytest.skip("this machine has no route out")
        own = probe.getsockname()[0]

    assert is_own(OwnServers([Server("0.0.0.0", 8080)]), own, 8080)


@pytest.mark.parametrize("host", sorted(ANYWHERE))
def test_a_server_bound_to_all_addresses_is_at_every_address_of_this_machine(host: str) -> None:
    own = OwnServers([Server(host, 8080)])

    assert is_own(own, "127.0.0.1", 8080) and is_own(own, "127.9.9.9", 8080)
    assert not is_own(own, "198.51.100.1", 8080)
    assert not is_own(own, "127.0.0.1", 8081)


def test_a_server_of_this_machine_counts_at_its_other_addresses_too() -> None:
    own = OwnServers([Server("db.example", 5432)], resolver=Names("127.0.0.1"))

    assert is_own(own, "127.0.0.2")
    assert not is_own(own, "198.51.100.1")


def test_a_server_of_another_machine_is_own_at_its_addresses_only() -> None:
    own = OwnServers([Server("db.example", 5432)], resolver=Names("198.51.100.1", "::ffff:198.51.100.2", "2001:db8::5"))

    assert [is_own(own, f"198.51.100.{last}") for last in (1, 2, 3)] == [True, True, False]
    assert is_own(own, "2001:db8::5")
    assert not is_own(own, "127.0.0.1")
    assert not is_own(own, "198.51.100.1", 5433)


def test_a_port_of_an_unresolved_server_name_is_refused_everywhere() -> None:
    names, clock = Names(), Clock()
    own = OwnServers([Server("db.example", 5432)], resolver=names, clock=clock)

    assert is_own(own, "198.51.100.9") and is_own(own, "8.8.8.8") and not is_own(own, "8.8.8.8", 443)

    names.addresses = ["198.51.100.1"]
    clock.now = UNKNOWN_SECONDS - 0.1
    assert is_own(own, "198.51.100.9")
    clock.now = UNKNOWN_SECONDS
    assert is_own(own, "198.51.100.1") and not is_own(own, "198.51.100.9")


def test_a_name_is_resolved_again_so_that_a_server_that_moves_stays_protected() -> None:
    names, clock = Names("198.51.100.1"), Clock()
    own = OwnServers([Server("db.example", 5432)], resolver=names, clock=clock)
    assert is_own(own, "198.51.100.1") and not is_own(own, "198.51.100.2")

    names.addresses = ["198.51.100.2"]
    clock.now = REFRESH_SECONDS - 0.1
    assert not is_own(own, "198.51.100.2")
    assert names.requested == 1
    clock.now = REFRESH_SECONDS
    assert is_own(own, "198.51.100.2") and not is_own(own, "198.51.100.1")
    assert names.requested == 2


def test_a_name_that_is_lost_again_closes_its_port() -> None:
    names, clock = Names("198.51.100.1"), Clock()
    own = OwnServers([Server("db.example", 5432)], resolver=names, clock=clock)
    assert not is_own(own, "198.51.100.9")

    names.addresses = []
    clock.now = REFRESH_SECONDS
    assert is_own(own, "198.51.100.9")


def test_other_ports_need_no_lookup() -> None:
    names = Names("198.51.100.1")
    assert not is_own(OwnServers([Server("db.example", 5432)], resolver=names), "198.51.100.1", 443)
    assert names.requested == 0


def test_a_server_that_sentinels_named_meanwhile_is_own() -> None:
    named: set[tuple[str, int]] = set()
    own = OwnServers([Server("198.51.100.9", 26379)], named=named, resolver=Names("198.51.100.1"))
    assert not is_own(own, "198.51.100.1", 6379)

    named.add(("redis1.example", 6379))

    assert is_own(own, "198.51.100.1", 6379)
    assert not is_own(own, "198.51.100.1", 6380)
