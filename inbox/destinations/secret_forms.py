"""Spellings of secrets in requests and answers, so that they can be masked."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from urllib.parse import SplitResult, quote, unquote, urlsplit

SHORTEST_HIDDEN_PART = 8
"""Answers mask a path or query of an address from this length on. Shorter ones are no secrets."""

SHORTEST_TOKEN = 16
"""The same limit for a single part of a path or query."""


class SecretForms(NamedTuple):
    """The spellings in requests, longest first: the hidden parts of addresses, and texts."""

    of_addresses: Sequence[str]
    of_texts: Sequence[str]


def of_requests(secrets: Iterable[str]) -> SecretForms:
    """Returns the spellings that the service itself writes. A secret may be a part of another."""
    addresses, texts = set[str](), set[str]()
    for secret in secrets:
        texts |= {secret, quote(secret, safe=""), *_in_json(secret)}
        addresses |= _hidden_parts(secret)
    return SecretForms(sorted(addresses, key=len, reverse=True), sorted(texts, key=len, reverse=True))


def of_answers(secrets: Iterable[str]) -> set[str]:
    """Returns the spellings in which a receiver may repeat a secret, or a part of a secret address."""
    found = set[str]()
    for secret in secrets:
        hidden = _hidden_parts(secret)
        tokens = {token for part in hidden for token in re.split("[/?&=]", part) if len(token) >= SHORTEST_TOKEN}
        parts = {part for part in hidden if len(part) >= SHORTEST_HIDDEN_PART}
        for text in {secret, *parts, *tokens}:
            found |= _written(text) | _written(unquote(text))
    return found


def _hidden_parts(secret: str) -> set[str]:
    """Returns the path and query of a secret address; nothing for any other secret."""
    parts = _address(secret)
    if parts is None:
        return set()
    path = parts.path.lstrip("/")
    return {each for each in (path, parts.query, parts.query and f"{path}?{parts.query}") if each}


def _address(secret: str) -> SplitResult | None:
    try:
        return urlsplit(secret) if "://" in secret else None
    except ValueError:  # a password with `://[` is no address
        return None


def _written(text: str) -> set[str]:
    """Returns the text as programs write it: unchanged, in URLs, in HTML, and in JSON of different libraries."""
    in_html = html.escape(text)
    texts = {text, quote(text, safe=""), quote(text), in_html, in_html.replace("&#x27;", "&#39;"), *_in_json(text)}
    return texts | {each.replace("/", "\\/") for each in texts} | {each.translate(_HTML_SAFE) for each in texts}


def _in_json(text: str) -> set[str]:
    return {json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]}


_HTML_SAFE = {ord(sign): f"\\u{ord(sign):04x}" for sign in "&<>"}
"""Characters that are also escaped in JSON inside HTML."""
