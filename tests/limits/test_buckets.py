"""Token buckets in Redis that return a part of a request's tokens (specification 2.8)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest

from inbox.limits.buckets import RedisBuckets

HOUR = 3_600.0
"""A capacity that no test refills noticeably."""

pytestmark = pytest.mark.usefixtures("ground")


@pytest.fixture
def bucket() -> str:
    return f"inbox:rate:test:{uuid4().hex}"


@pytest.fixture
def buckets() -> RedisBuckets:
    return RedisBuckets(HOUR)


def passes(buckets: RedisBuckets, bucket: str, share: float) -> bool:
    return buckets.consume([bucket], [share]) == [0]


def test_refunded_tokens_can_be_taken_again(buckets: RedisBuckets, bucket: str) -> None:
    assert passes(buckets, bucket, HOUR)
    assert not passes(buckets, bucket, 1_000)

    buckets.consume([bucket], [-1_000])

    assert passes(buckets, bucket, 1_000)
    assert not passes(buckets, bucket, 1_000)


def test_returning_tokens_to_a_full_bucket_stores_nothing(buckets: RedisBuckets, bucket: str) -> None:
    assert passes(buckets, bucket, 60)

    buckets.consume([bucket], [-HOUR])

    assert passes(buckets, bucket, HOUR)
    assert not passes(buckets, bucket, 1_000)


def test_takers_at_once_never_hold_more_than_the_bucket(buckets: RedisBuckets, bucket: str) -> None:
    share = HOUR / 10

    def take_and_give_back(_: int) -> bool:
        is_taken = passes(buckets, bucket, share)
        if is_taken:
            buckets.consume([bucket], [-0.9 * share])
        return is_taken

    with ThreadPoolExecutor(8) as pool:
        taken = sum(pool.map(take_and_give_back, range(60)))

    assert passes(buckets, bucket, HOUR - taken * 0.1 * share)
    assert not passes(buckets, bucket, 0.1 * share)
