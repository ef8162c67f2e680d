"""Every spelling of an address that is not of the open internet is refused: generated, more than 1,075 URL forms."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address
from itertools import product

import pytest

from inbox.domain.values.addresses import AddressRefused, OutboundPolicy, check_addresses, parse

HOSTED = OutboundPolicy(allow_private=False, allow_loopback=False)
TARGETS = (
    "127.0.0.1", "127.255.255.254", "10.0.0.1", "172.16.0.1", "172.31.255.254", "192.168.1.1", "100.64.0.1",
    "169.254.169.254", "169.254.0.1", "168.63.129.16", "100.100.100.200", "0.0.0.0", "0.0.0.1", "192.0.0.1",
    "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1",
    "255.255.255.255",
)  # fmt: skip
WIDE = str.maketrans("0123456789.", "０１２３４５６７８９．")
EMBEDDED = (
    "::{v4}", "::ffff:{v4}", "::ffff:0:{v4}", "::ffff:{hex}", "::ffff:0:{hex}", "::{hex}", "64:ff9b::{v4}",
    "64:ff9b::{hex}", "64:ff9b:1::{v4}", "2002:{hex}::", "2002:{hex}::1", "2001:0:{hex}::", "2001::{hex}",
    "fe80::5efe:{v4}", "fec0::{hex}", "fc00::{hex}", "fd00::{v4}", "ff02::{hex}", "100::{hex}", "2001:db8::{v4}",
    "3fff::{hex}", "5f00::{hex}", "4000::{hex}", "1000::{hex}", "0:0:0:0:0:ffff:{v4}", "0000::FFFF:{hex}",
)  # fmt: skip


def plain(target: str) -> Iterator[str]:
    """An IPv4 address in the ways in which a resolver may read one."""
    number, parts = int(IPv4Address(target)), [int(part) for part in target.split(".")]
    octal, hexed = [f"0{part:o}" for part in parts], [f"0x{part:x}" for part in parts]
    last = {1: number, 2: number & 0xFFFFFF, 3: number & 0xFFFF}
    yield from (target, f"{target}.", target.translate(WIDE), target.replace(".", "。"), target.replace(".", "｡"))
    yield from (str(number), f"{number}.", hex(number), f"0{number:o}", f"0X{number:08X}", f"0{number:012o}")
    yield from (".".join(octal), ".".join(hexed), ".".join([octal[0], *map(str, parts[1:])]))
    yield from (".".join([hexed[0], *octal[1:]]), ".".join(f"{part:03d}" for part in parts))
    yield from (f"{parts[0]}.{last[2]}", f"{parts[0]}.{parts[1]}.{last[3]}", f"{hexed[0]}.{hex(last[2])}")
    yield from (f"%{ord(target[0]):x}{target[1:]}", f"{target}%00", f"{target}%2eexample.com")
    yield from (f"user@{target}", f"example.com@{target}", f"{target}:80@example.com", f"[{target}]")


def forms() -> list[tuple[str, str]]:
    """(address that a resolver may lead to, what stands between the scheme and the path)"""
    found = [(target, spelled) for target in TARGETS for spelled in plain(target)]
    for target, pattern in product(TARGETS, EMBEDDED):
        high, low = divmod(int(IPv4Address(target)), 1 << 16)
        found.append((target, f"[{pattern.format(v4=target, hex=f'{high:x}:{low:x}')}]"))
    return found


def test_the_address_spellings_cover_the_documented_forms() -> None:
    assert len({form for _, form in forms()}) >= 1_075


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("tail", ["/", ":8080/", "/x?y=z"])
def test_no_spelling_of_an_address_of_our_side_is_called(scheme: str, tail: str) -> None:
    called = []
    for target, form in forms():
        try:
            check_addresses(parse(f"{scheme}://{form}{tail}"), [target], HOSTED)
        except AddressRefused:
            continue
        called.append(form)

    assert called == []
