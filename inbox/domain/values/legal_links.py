"""Links of the operator to legal texts, such as an imprint (specification 13.2)."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

MAX_LINKS = 5
LONGEST_NAME = 40

_FORM = "must be name=address, separated by commas"


@dataclass(frozen=True, slots=True)
class LegalLink:
    """A link that the dashboard shows below its sign-in page, for example `Imprint` with its address."""

    name: str
    url: str


def parse_legal_links(text: str) -> tuple[LegalLink, ...]:
    """Returns links as `Imprint=https://example.org/imprint`, separated by commas.

    Raises `ValueError` with the first fault.
    """
    links = tuple(_link(item.strip()) for item in text.split(",") if item.strip())
    names = [link.name for link in links]
    if len(links) > MAX_LINKS:
        raise ValueError(f"has {len(links)} links, but at most {MAX_LINKS} are shown")
    if repeated := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"has the name {repeated[0]!r} twice")
    return links


def _link(item: str) -> LegalLink:
    name, _, url = (part.strip() for part in item.partition("="))
    if not (name and url):
        raise ValueError(f"{_FORM}; {item!r} is not")
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise ValueError(f"has the name {name!r}, but a name has at most {LONGEST_NAME} printable characters")
    if not _is_web_address(url):
        raise ValueError(f"has the address {url!r}, but an address begins with https:// or http:// and names a host")
    return LegalLink(name, url)


def _is_web_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return bool(parts.scheme in ("https", "http") and parts.hostname and parts.port != 0) and _is_plain(url)
    except ValueError:
        return False


def _is_plain(url: str) -> bool:
    return url.isprintable() and not any(each in url for each in ' "<>\\^`{|}@')
