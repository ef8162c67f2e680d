"""The shape of URLs that are called, and the forms that are refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbox.domain.values.addresses import AddressRefused, parse

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
    # special forms of IPv6
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
def test_valid_urls_are_parsed(url: str, host: str, port: int, path: str, authority: str) -> None:
    place = parse(url)
    assert (place.host, place.port, place.path, place.authority) == (host, port, path, authority)
