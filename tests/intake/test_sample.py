"""Stored samples of payloads: bounded, and without possible credentials (specification 19.14)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from inbox.intake import sample
from tests.database.call_counts import calls_of

SECRET = "hunter2hunter2"


@pytest.mark.parametrize(
    "document",
    [{"password": SECRET}, {"a": [{"API-Key": SECRET}]}, {"routing_key": [SECRET]}, {"headers": {"Cookie": SECRET}},
     {"text": f"call with token={SECRET}&x=1"}, {"text": f'{{"client_secret": "{SECRET}"}}'},
     {"text": f"Authorization: Bearer {SECRET}"}, {"url": f"https://me:{SECRET}@example.org/"},
     {"x-signature-256": f"sha256={SECRET}"}, {f"svc_src_{SECRET}{SECRET}": 1}],
)  # fmt: skip
def test_a_secret_is_masked(document: Any) -> None:
    text, cut = sample.body_of(b"", document)

    assert SECRET not in text and "[REDACTED]" in text
    assert not cut


@pytest.mark.parametrize(
    "body",
    [
        f"token={SECRET}&a=1",
        f'{{"password": "{SECRET}"',
        f"x-api-key: {SECRET}\n",
        f"Authorization: GenieKey {SECRET}",
        f"svc_src_{SECRET}{SECRET}",
    ],
)
def test_a_secret_is_masked_in_a_body_that_cannot_be_parsed(body: str) -> None:
    assert SECRET not in sample.body_of(body.encode(), None)[0]


def test_a_payload_without_secrets_is_stored_unchanged() -> None:
    document = {"alerts": [{"status": "firing", "labels": {"job": "nas"}}], "count": 3, "token": ""}
    assert json.loads(sample.body_of(b"", document)[0]) == document


@pytest.mark.parametrize("document", [{"a": "x" * 300_000}, [{"b": "ü"}] * 20_000, None])
def test_a_long_body_is_cut(document: Any) -> None:
    text, cut = sample.body_of(b"\xff\x00" * 100_000, document)

    assert cut and len(text) <= sample.LONGEST_BODY
    assert "\x00" not in text


def test_a_secret_at_the_cut_is_masked() -> None:
    for before in range(sample.LONGEST_BODY - 40, sample.LONGEST_BODY + 5):
        assert SECRET[:6] not in sample.body_of(b"x" * before + b" token=" + SECRET.encode(), None)[0]


def test_only_harmless_values_of_headers_stay() -> None:
    sent = {"authorization": SECRET, "x-gitlab-token": SECRET, "x-other": SECRET, "user-agent": "GitHub-Hookshot\x07"}

    stored = sample.headers_of(sent)

    assert stored.keys() == sent.keys()
    assert SECRET not in str(stored)
    assert stored["user-agent"] == "GitHub-Hookshot\ufffd"
    assert len(sample.headers_of({f"x-{number}": "1" for number in range(200)})) == sample.MOST_HEADERS


def test_only_the_beginning_of_a_large_document_is_masked() -> None:
    document = {"alerts": [{"token": SECRET, "name": "x"}] * 60_000}

    calls = calls_of(lambda: sample.body_of(b"", document))
    text, cut = sample.body_of(b"", document)

    assert calls < 200_000  # all of them are more than a million
    assert cut and SECRET not in text
    assert len(text) == sample.LONGEST_BODY


@pytest.mark.parametrize("document", ["x" * 2_000_000, {"x" * 2_000_000: 1}, [["x" * 2_000_000]]])
def test_a_large_text_in_a_document_is_cut(document: Any) -> None:
    text, cut = sample.body_of(b"", document)

    assert cut and len(text) == sample.LONGEST_BODY
