"""Rate limit of conditional reads: a read answered 304 counts a tenth of a read (specification 2.8)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Response

from inbox.config.settings import Settings
from inbox.runtime import queue
from tests.browser import Browser

Browsers = Callable[[str], Browser]


def unchanged(reader: Browser, times: int) -> list[Response]:
    tag = reader.get("/v1/me").headers["ETag"]
    return [reader.get("/v1/me", headers={"If-None-Match": tag}) for _ in range(times)]


def test_ten_reads_answered_304_count_as_one_read(browser: Browsers, in_settings: Callable[..., Settings]) -> None:
    in_settings(rate_limits=True, management_reads_per_minute_user=60)
    mia = browser("mia")

    assert {answer.status_code for answer in unchanged(mia, 300)} == {304}


def test_a_person_without_a_whole_read_left_is_refused_unchanged_reads_too(
    browser: Browsers, in_settings: Callable[..., Settings]
) -> None:
    in_settings(rate_limits=True, management_reads_per_minute_user=2)
    mia = browser("mia")

    answers = unchanged(mia, 100)
    passed = [answer.status_code for answer in answers].index(429)

    assert {answer.status_code for answer in answers[:passed]} == {304} and passed >= 1
    assert 1 <= int(answers[passed].headers["Retry-After"]) <= 30
    assert answers[passed].json["scope"] == "reads"


@pytest.mark.parametrize("tag", [None, '"other"'])
def test_a_read_answered_in_full_counts_as_a_whole_read(
    tag: str | None, browser: Browsers, in_settings: Callable[..., Settings]
) -> None:
    in_settings(rate_limits=True, management_reads_per_minute_user=5)
    mia, headers = browser("mia"), {"If-None-Match": tag} if tag else {}

    answers = [mia.get("/v1/me", headers=headers) for _ in range(6)]

    assert [answer.status_code for answer in answers] == [200] * 5 + [429]


def test_an_unchanged_public_read_gives_nothing_back(
    browser: Browsers, anonymous: Browser, in_settings: Callable[..., Settings]
) -> None:
    in_settings(rate_limits=True, management_reads_per_minute_user=1)
    mia, tag = browser("mia"), anonymous.get("/v1/openapi.json").headers["ETag"]
    assert mia.get("/v1/me").status_code == 200

    for _ in range(3):
        assert mia.get("/v1/openapi.json", headers={"If-None-Match": tag}).status_code == 304

    assert mia.get("/v1/me").status_code == 429


def test_unchanged_reads_are_answered_while_redis_is_unreachable(
    browser: Browsers, in_settings: Callable[..., Settings]
) -> None:
    in_settings(rate_limits=True, management_reads_per_minute_user=1)
    mia, before = browser("mia"), queue.job_queues()
    queue.use(queue.JobQueues("redis://127.0.0.1:1/0"))

    answers = unchanged(mia, 3)
    queue.use(before)

    assert {answer.status_code for answer in answers} == {304}
