"""Links to legal texts, as an operator writes them."""

from __future__ import annotations

import pytest

from inbox.domain.values.legal_links import LegalLink, parse_legal_links


def test_legal_links_keep_their_order_and_may_be_surrounded_by_spaces() -> None:
    text = " Imprint = https://example.org/imprint?lang=en#top , Data protection=http://intranet:8080/privacy, "

    assert parse_legal_links(text) == (
        LegalLink("Imprint", "https://example.org/imprint?lang=en#top"),
        LegalLink("Data protection", "http://intranet:8080/privacy"),
    )


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            "https://example.org/imprint",
            "must be name=address, separated by commas; 'https://example.org/imprint' is not",
        ),
        ("Imprint=", "must be name=address, separated by commas; 'Imprint=' is not"),
        ("=https://example.org", "must be name=address, separated by commas; '=https://example.org' is not"),
        ("A=https://a.example,A=https://b.example", "has the name 'A' twice"),
        (",".join(f"{n}=https://a.example" for n in range(6)), "has 6 links, but at most 5 are shown"),
        (f"{'n' * 41}=https://a.example", f"has the name {'n' * 41!r}, but a name has at most 40 printable characters"),
        ("a\x07b=https://a.example", "has the name 'a\\x07b', but a name has at most 40 printable characters"),
    ],
)
def test_a_list_that_cannot_be_shown_is_refused(text: str, fault: str) -> None:
    with pytest.raises(ValueError) as refused:
        parse_legal_links(text)

    assert str(refused.value) == fault


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "JavaScript://example.org/%0aalert(1)",
        "data:text/html;base64,AAAA",
        "ftp://example.org",
        "//example.org",
        "/imprint",
        "example.org/imprint",
        "https://",
        "https:///imprint",
        "https://example.org:99999",
        "https://[::1",
        "https://olga:secret@example.org",
        "https://example.org/a b",
        'https://example.org/"onclick',
    ],
)
def test_an_address_of_another_kind_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="begins with https:// or http:// and names a host"):
        parse_legal_links(f"Imprint={url}")


def test_the_longest_name_and_the_most_links_are_accepted() -> None:
    names = [f"{n}" * 40 for n in range(5)]

    links = parse_legal_links(",".join(f"{name}=https://example.org" for name in names))

    assert [link.name for link in links] == names
