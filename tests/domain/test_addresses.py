"""Which URLs are called: their shape, where they lead, and under which policy."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbox.domain.addresses import (
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

# What stands between `scheme://` and the end; each is tried with both schemes; the policy is
# never asked.
BAD_FORMS = [
    # IPv4 in the spellings that a resolver takes and an address parser does not
    *("127.1", "127.0.1", "2130706433", "017700000001", "0x7f000001", "0x7F.1", "0x7f.0x0.0x0.0x1", "0177.0.0.1"),
    *(
        "0177.0.0.01",
        "127.0.0.01",
        "127.000.000.001",
        "0x7f.0.0.1",
        "127.0.0.0x1",
        "127.0.0.1.",
        "127.1.",
        "2130706433.",
    ),
    *("0", "0x0", "00", "0.0", "1", "4294967295", "4294967296", "99999999999", "256.256.256.256", "127.0.0.1.1"),
    *(
        "1.2.3",
        "0x",
        "a.0x",
        "a.0x7f",
        "a.b.1",
        "example.1",
        "example.08",
        "0xa9fea9fe",
        "2852039166",
        "0251.0376.0251.0376",
    ),
    *("169.254.43518", "169.16689662", "0xa9.0xfe.0xa9.0xfe", "10.1", "012.1", "0xa000001", "192.168.1", "3232235777"),
    # other digits and dots that become ASCII ones
    *(
        "①②⑦.⓪.⓪.①",
        "１２７.0.0.1",
        "127。0。0。1",
        "127．0．0．1",
        "127｡0｡0｡1",
        "⑯⑨。②⑤④。⑯⑨。②⑤④",
        "𝟏𝟐𝟕.𝟎.𝟎.𝟏",
        "١٢٧.0.0.1",
    ),
    *("２１３０７０６４３３", "０x7f000001"),
    # IPv6 in forms of its own
    *("[::1", "::1]", "::1", "[::1]]", "[[::1]]", "[]", "[:]", "[::1%25lo]", "[::1%lo]", "[fe80::1%eth0]", "[v1.x]"),
    *("[127.0.0.1]", "[::1]x", "x[::1]", "[::1].example", "[12345::]", "[1:2:3:4:5:6:7:8:9]", "[::ffff:127.0.0.1.1]"),
    *("[localhost]", "[::1]@example.com", "[::g]", "[ ::1]"),
    # names that are none
    *("", ".", "..", "a..b", ".a", "a..", "-a.example", "a-.example", "a.-b.example", "a_b-.example", "exa mple.com"),
    *(
        "a" * 64 + ".example",
        ".".join(["a" * 60] * 5),
        "a!b.example",
        "a$b",
        "a'b",
        "a(b)",
        "a*b",
        "a,b",
        "a;b",
        "a=b",
        "a&b",
    ),
    *("a|b", "a^b", "a`b", "a{b}", 'a"b', "a<b>", "a~b", "*.example.com", "%65xample.com", "127.0.0.1%00.example.com"),
    *(
        "example.com%2f@evil.example",
        "%31%32%37.0.0.1",
        "localhost%09",
        "%00",
        "xn--\u00fc.example",
        "a\u200db.example",
    ),
    *("xn--", "a\u200cb.example", "exa\u00admple\u2028.com", "ex\u0000ample.com", "\u3000.example", "a\ufffdb.example"),
    # credentials, fragments, ports
    *("user@example.com", "user:password@example.com", "@example.com", ":@example.com", "example.com@127.0.0.1"),
    *(
        "127.0.0.1@example.com",
        "a@b@c.example",
        "example.com#",
        "example.com#@127.0.0.1",
        "example.com/#x",
        "example.com:0",
    ),
    *(
        "example.com:65536",
        "example.com:99999",
        "example.com:100000",
        "example.com:-1",
        "example.com:+80",
        "example.com:8 0",
    ),
    *("example.com:80a", "example.com:a", "example.com:", "example.com:８０", "example.com:0x50", "example.com:8_0"),
    *("example.com:80:80", "example.com:1e3", "[::1]:", "[::1]:0", "[::1]:x", "[::1]80", "localhost:00000"),
    # what one parser drops and another does not
    *("exa\tmple.com", "example.com\n", "\rexample.com", "example.com/\r\nX: y", "example.com/a b", " example.com"),
    *("example.com ", "example.com/\x00", "example.com/\x1f", "example.com/\x7f", "example.com/\x85", "example.com\\"),
    *("127.0.0.1\\@example.com", "example.com\\@127.0.0.1", "\\example.com", "example.com/\\x", "example.com?a=\\b"),
    *("/example.com", "//example.com", "///127.0.0.1/", "?example.com", "#example.com", "/"),
    # too long
    "example.com/" + "a" * 2_048,
]
NOT_CALLED_SCHEMES = [
    *(
        "ftp://example.com/",
        "file:///etc/passwd",
        "gopher://127.0.0.1:6379/_",
        "javascript:alert(1)",
        "data:text/plain,x",
    ),
    *("//example.com/", "example.com", "/x", "", "http", "http:", "https:", "http:/example.com", "https:example.com"),
    *(
        "ws://example.com",
        "unix:///var/run/docker.sock",
        "http+unix://x/y",
        "HTTPX://example.com",
        "ht tp://example.com",
    ),
    *(
        " http://example.com",
        "\thttp://example.com",
        "http ://example.com",
        "ｈttp://example.com",
        "h\x00ttp://example.com",
    ),
    *(
        "jar:http://example.com!/",
        "dict://127.0.0.1:11211/",
        "ldap://127.0.0.1",
        "view-source:http://example.com",
        ":",
        "://",
    ),
]


def test_the_bad_forms_are_many() -> None:
    assert len(set(BAD_FORMS)) == len(BAD_FORMS) >= 160


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("form", BAD_FORMS)
def test_a_form_that_two_parsers_read_differently_is_refused_under_every_policy(form: str, scheme: str) -> None:
    with pytest.raises(AddressRefused):
        parse(f"{scheme}://{form}")


@pytest.mark.parametrize("url", NOT_CALLED_SCHEMES)
def test_only_http_and_https_are_called(url: str) -> None:
    with pytest.raises(AddressRefused):
        parse(url)


@given(st.text(max_size=60))
def test_any_text_is_a_place_or_refused_and_nothing_else(text: str) -> None:
    for url in (text, f"https://{text}", f"https://example.com:{text}", f"http://[{text}]/"):
        try:
            place = parse(url)
        except AddressRefused:
            continue
        assert place.host.isascii()
        assert 1 <= place.port <= 65_535


@pytest.mark.parametrize(
    ("url", "host", "port", "path", "authority"),
    [
        ("https://example.com", "example.com", 443, "/", "example.com"),
        ("https://Example.COM:443/a/b?c=d&e=%20", "example.com", 443, "/a/b?c=d&e=%20", "example.com"),
        ("HTTPS://example.com:8443?x", "example.com", 8443, "/?x", "example.com:8443"),
        ("http://localhost:8080/hook", "localhost", 8080, "/hook", "localhost:8080"),
        ("http://my_service:3000/", "my_service", 3000, "/", "my_service:3000"),
        ("https://example.com./", "example.com", 443, "/", "example.com"),
        ("https://bücher.example/", "xn--bcher-kva.example", 443, "/", "xn--bcher-kva.example"),
        ("https://BÜCHER.example/", "xn--bcher-kva.example", 443, "/", "xn--bcher-kva.example"),
        ("https://faß.example/", "xn--fa-hia.example", 443, "/", "xn--fa-hia.example"),
        ("https://βόλος.example/", "xn--nxasmm1c.example", 443, "/", "xn--nxasmm1c.example"),
        ("https://xn--bcher-kva.example/", "xn--bcher-kva.example", 443, "/", "xn--bcher-kva.example"),
        ("https://3com.example/", "3com.example", 443, "/", "3com.example"),
        ("http://127.0.0.1/", "127.0.0.1", 80, "/", "127.0.0.1"),
        ("http://[::1]:8080/", "::1", 8080, "/", "[::1]:8080"),
        ("https://[2606:4700:0:0::1111]/", "2606:4700::1111", 443, "/", "[2606:4700::1111]"),
        ("https://example.com/a@b:c", "example.com", 443, "/a@b:c", "example.com"),
    ],
)
def test_good_urls_are_taken_apart(url: str, host: str, port: int, path: str, authority: str) -> None:
    place = parse(url)
    assert (place.host, place.port, place.path, place.authority) == (host, port, path, authority)


PUBLIC = ["1.1.1.1", "8.8.8.8", "93.184.216.34", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0"]
PUBLIC += ["11.0.0.0", "9.255.255.255", "192.167.255.255", "192.169.0.0", "2606:4700::1111", "2a00:1450::1", "2400::1"]
PUBLIC += ["::ffff:8.8.8.8", "126.255.255.255", "128.0.0.1", "168.63.129.15", "223.255.255.255"]
PRIVATE = ["10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.1.1"]
PRIVATE += ["100.64.0.0", "100.127.255.255", "fc00::1", "fdff:ffff::1", "fd12:3456::1", "::ffff:10.0.0.1"]
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
SPECIAL += ["198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.255.255.250", "240.0.0.1"]
SPECIAL += ["255.255.255.255", "168.63.129.16", "100.100.100.200", "::", "::127.0.0.1", "::8.8.8.8", "100::1"]
SPECIAL += ["2001:db8::1", "3fff::1", "5f00::1", "fe80::1", "febf::1", "fec0::1", "ff02::1", "fd00:ec2::254"]
SPECIAL += ["64:ff9b::a9fe:a9fe", "64:ff9b::808:808", "64:ff9b:1::1", "2002:a9fe:a9fe::", "2002:808:808::", "2001::1"]
SPECIAL += ["2001:20::1", "::ffff:169.254.169.254", "::ffff:0.0.0.0", "fe80::1%eth0"]
# IPv6 outside of 2000::/3, right below it and above it, and forms in which an IPv4 address is hidden
SPECIAL += ["::ffff:0:127.0.0.1", "::ffff:0:8.8.8.8", "::ffff:0:a9fe:a9fe", "::2", "1fff:ffff::1", "4000::", "8000::1"]
SPECIAL += ["200::1", "400::1", "fbff:ffff::1", "fe00::1", "::fffe:808:808", "1::1"]


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
def test_what_is_not_of_the_open_internet_is_never_public(address) -> None:  # type: ignore[no-untyped-def]
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
