"""Classes of addresses, and the classes that each policy allows."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbox.domain.values.addresses import (
    NEVER,
    AddressClass,
    AddressRefused,
    Deny,
    OutboundPolicy,
    UrlFault,
    address_class,
    check_addresses,
    parse,
)

HOSTED = OutboundPolicy(allow_private=False, allow_loopback=False)


SELF_HOSTED = OutboundPolicy(allow_private=True, allow_loopback=True)


PUBLIC = ["1.1.1.1", "8.8.8.8", "93.184.216.34", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0"]


PRIVATE = ["10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.1.1"]


LOOPBACK = ["127.0.0.0", "127.0.0.1", "127.255.255.255", "::1", "::ffff:127.0.0.1"]


SPECIAL = [
    "0.0.0.0",
    "0.1.2.3",
    "169.254.169.254",
    "169.254.0.1",
    "192.0.0.192",
    "192.0.0.1",
    "192.0.2.1",
    "192.88.99.1",
]


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        *((address, AddressClass.PUBLIC) for address in PUBLIC),
        *((address, AddressClass.PRIVATE) for address in PRIVATE),
        *((address, AddressClass.LOOPBACK) for address in LOOPBACK),
        *((address, AddressClass.NEVER) for address in SPECIAL),
    ],
)
def test_addresses_are_public_private_loopback_or_never_called(address: str, expected: AddressClass) -> None:
    assert address_class(ip_address(address)) is expected


@given(st.sampled_from([network for network in NEVER if network.num_addresses > 1]), st.data())
def test_no_address_of_a_forbidden_range_is_called(network, data) -> None:  # type: ignore[no-untyped-def]
    address = network[data.draw(st.integers(0, network.num_addresses - 1))]
    assert address_class(address) is AddressClass.NEVER or address == ip_address("::1")


@given(st.ip_addresses())
def test_an_address_outside_the_public_internet_is_never_public(address) -> None:  # type: ignore[no-untyped-def]
    assert address_class(address) is not AddressClass.PUBLIC or (address.is_global and not address.is_multicast)


@given(st.ip_addresses(v=6))
def test_public_addresses_of_ipv6_lie_in_global_unicast(address) -> None:  # type: ignore[no-untyped-def]
    assert address_class(address) is not AddressClass.PUBLIC or address in ip_network("2000::/3") or address.ipv4_mapped


@pytest.mark.parametrize(
    ("url", "resolved", "hosted", "self_hosted"),
    [
        ("https://a.example/", ["93.184.216.34"], None, None),
        ("https://a.example/", ["93.184.216.34", "2606:4700::1"], None, None),
        ("http://a.example/", ["93.184.216.34"], UrlFault.PLAIN, UrlFault.PLAIN),
        ("http://93.184.216.34/", [], UrlFault.PLAIN, UrlFault.PLAIN),
        ("https://a.example/", ["10.0.0.1"], UrlFault.PRIVATE, None),
        ("http://a.example/", ["10.0.0.1"], UrlFault.PRIVATE, None),
        ("http://localhost/", ["127.0.0.1", "::1"], UrlFault.LOOPBACK, None),
        ("http://127.0.0.1:9/", [], UrlFault.LOOPBACK, None),
        ("http://[::ffff:127.0.0.1]:9/", [], UrlFault.LOOPBACK, None),
        ("https://a.example/", ["93.184.216.34", "10.0.0.1"], UrlFault.PRIVATE, None),
        ("http://a.example/", ["10.0.0.1", "93.184.216.34"], UrlFault.PRIVATE, UrlFault.PLAIN),
        ("https://a.example/", ["93.184.216.34", "169.254.169.254"], UrlFault.FORBIDDEN, UrlFault.FORBIDDEN),
        ("http://a.example/", ["127.0.0.1", "0.0.0.0"], UrlFault.FORBIDDEN, UrlFault.FORBIDDEN),
        ("http://169.254.169.254/latest/meta-data/", [], UrlFault.FORBIDDEN, UrlFault.FORBIDDEN),
        ("https://[fd00:ec2::254]/", [], UrlFault.FORBIDDEN, UrlFault.FORBIDDEN),
        ("https://a.example/", [], UrlFault.UNKNOWN, UrlFault.UNKNOWN),
        ("https://93.184.216.34/", ["10.0.0.1"], None, None),
    ],
)
def test_the_policy_decides_over_all_addresses(
    url: str, resolved: list[str], hosted: UrlFault | None, self_hosted: UrlFault | None
) -> None:
    for policy, fault in ((HOSTED, hosted), (SELF_HOSTED, self_hosted)):
        if fault is None:
            place = parse(url)
            assert check_addresses(place, resolved, policy) == [
                place.address or ip_address(text) for text in resolved or [""]
            ]
        else:
            with pytest.raises(AddressRefused) as refused:
                check_addresses(parse(url), resolved, policy)
            assert refused.value.fault is fault


@pytest.mark.parametrize("url", ["http://127.0.0.1:8080/", "http://[::ffff:127.0.0.1]:8080/"])
def test_our_own_servers_are_never_called(url: str) -> None:
    policy = OutboundPolicy(True, True, is_own=lambda address, port: (str(address), port) == ("127.0.0.1", 8080))

    with pytest.raises(AddressRefused) as refused:
        check_addresses(parse(url), [], policy)
    assert refused.value.fault is UrlFault.OWN
    assert check_addresses(parse(url.replace("8080", "8081")), [], policy)


@pytest.mark.parametrize(
    ("url", "private", "loopback", "fault"),
    [
        ("http://127.0.0.1:9/", True, False, UrlFault.LOOPBACK),
        ("http://127.0.0.1:9/", False, True, None),
        ("http://[::1]:9/", False, True, None),
        ("http://10.0.0.1/", False, True, UrlFault.PRIVATE),
        ("http://10.0.0.1/", True, False, None),
        ("https://1.1.1.1/", False, False, None),
    ],
)
def test_loopback_and_private_addresses_are_allowed_apart(
    url: str, private: bool, loopback: bool, fault: UrlFault | None
) -> None:
    assert fault_of(url, OutboundPolicy(private, loopback)) is fault


@pytest.mark.parametrize(
    ("url", "resolved", "fault"),
    [
        ("https://1.1.1.0/", [], None),
        ("https://1.1.1.4/", [], UrlFault.DENIED),
        ("https://1.1.1.7/", [], UrlFault.DENIED),
        ("https://1.1.1.8/", [], None),
        ("https://[::ffff:1.1.1.4]/", [], UrlFault.DENIED),
        ("https://[2606:4700::1]/", [], UrlFault.DENIED),
        ("https://ok.example/", ["1.1.1.9", "1.1.1.5"], UrlFault.DENIED),
        ("https://bad.example/", ["8.8.8.8"], UrlFault.DENIED),
        ("https://BAD.example./", ["8.8.8.8"], UrlFault.DENIED),
        ("https://a.bad.example/", ["8.8.8.8"], UrlFault.DENIED),
        ("https://notbad.example/", ["8.8.8.8"], None),
        ("https://bad.example.org/", ["8.8.8.8"], None),
        ("https://x.dot.example/", ["8.8.8.8"], UrlFault.DENIED),
        ("https://xn--bcher-kva.example/", ["8.8.8.8"], UrlFault.DENIED),
        ("http://10.1.2.3/", [], UrlFault.DENIED),
    ],
)
def test_denied_networks_and_names_are_refused(url: str, resolved: list[str], fault: UrlFault | None) -> None:
    deny = Deny.parse(" 1.1.1.4/30, 2606:4700::/32,Bad.example, .dot.example,bücher.example ,10.1.2.3/8,")

    assert fault_of(url, OutboundPolicy(True, True, deny), resolved) is fault


@pytest.mark.parametrize(
    "item", ["1.2.3.4/33", "a b", "https://x.example", "x.example/path", "x.example:443", "*.x", "1.2"]
)
def test_a_denied_item_that_is_neither_network_nor_name_is_refused_by_its_text(item: str) -> None:
    with pytest.raises(ValueError, match="neither") as refused:
        Deny.parse(f"10.0.0.0/8,{item}")

    assert repr(item) in str(refused.value)


def fault_of(url: str, policy: OutboundPolicy, resolved: Iterable[str] = ()) -> UrlFault | None:
    try:
        check_addresses(parse(url), resolved, policy)
    except AddressRefused as refused:
        return refused.fault
    return None


def test_a_refusal_names_the_rule_and_neither_url_nor_address() -> None:
    with pytest.raises(AddressRefused) as refused:
        check_addresses(parse("http://secret-name.example/token-in-path"), ["169.254.169.254"], SELF_HOSTED)
    assert not any(word in str(refused.value) for word in ("secret", "token", "169"))
