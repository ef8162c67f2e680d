"""A slow identity provider is asked once for all sign-ins that wait for it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from inbox.domain.deliveries.delivery import FailureReason, Receipt
from inbox.identity.faults import Fault, OidcRefused
from inbox.identity.provider_metadata import Metadata, ProviderMetadata
from tests.cast import NOW

ISSUER = "https://id.example.org"
DOCUMENT = {
    "issuer": ISSUER,
    "authorization_endpoint": f"{ISSUER}/authorize",
    "token_endpoint": f"{ISSUER}/token",
    "jwks_uri": f"{ISSUER}/keys",
}
KEYS = {"keys": [{"kty": "oct", "k": "c2VjcmV0LXNlY3JldC1zZWNyZXQ", "kid": "k1"}]}
SECONDS = 30


@dataclass
class Answer:
    receipt: Receipt
    body: bytes


@dataclass
class SlowProvider:
    """Answers when it may. Without an answer the call has failed."""

    may_answer: threading.Event = field(default_factory=threading.Event)
    requests: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    calls: list[str] = field(default_factory=list)
    works: bool = True

    def exchange(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> Answer:
        self.calls.append(url)
        self.requests.release()
        assert self.may_answer.wait(SECONDS)
        document = KEYS if url.endswith("/keys") else DOCUMENT
        receipt = Receipt(status_code=200) if self.works else Receipt(failure=FailureReason.TIMEOUT)
        return Answer(receipt, json.dumps(document).encode())


@pytest.fixture
def provider() -> Iterator[SlowProvider]:
    slow = SlowProvider()
    yield slow
    slow.may_answer.set()


@pytest.fixture
def threads(provider: SlowProvider) -> Iterator[ThreadPoolExecutor]:
    pool = ThreadPoolExecutor(8)
    yield pool
    provider.may_answer.set()
    pool.shutdown()


def waiting(threads: ThreadPoolExecutor, directory: ProviderMetadata, provider: SlowProvider) -> list[Future[Metadata]]:
    """Sign-ins that wait for the provider: the first one asks it, and the others come later."""
    first = threads.submit(directory.metadata, NOW)
    assert provider.requests.acquire(timeout=SECONDS)
    return [first, *(threads.submit(directory.metadata, NOW) for _ in range(4))]


def test_sign_ins_that_wait_for_a_slow_provider_share_one_answer(
    provider: SlowProvider, threads: ThreadPoolExecutor
) -> None:
    sign_ins = waiting(threads, ProviderMetadata(ISSUER, provider), provider)
    provider.may_answer.set()

    assert {sign_in.result(SECONDS).issuer for sign_in in sign_ins} == {ISSUER}
    assert len(provider.calls) == 1


def test_sign_ins_that_wait_for_a_failing_provider_fail_together(
    provider: SlowProvider, threads: ThreadPoolExecutor
) -> None:
    provider.works = False
    directory = ProviderMetadata(ISSUER, provider)
    sign_ins = waiting(threads, directory, provider)
    provider.may_answer.set()

    for sign_in in sign_ins:
        with pytest.raises(OidcRefused) as refused:
            sign_in.result(SECONDS)
        assert refused.value.fault is Fault.UNAVAILABLE


def test_a_call_that_failed_is_made_again_for_the_next_sign_in(provider: SlowProvider) -> None:
    directory = ProviderMetadata(ISSUER, provider)
    provider.works = False
    provider.may_answer.set()
    with pytest.raises(OidcRefused):
        directory.metadata(NOW)
    provider.works = True

    assert directory.metadata(NOW).issuer == ISSUER


def test_other_sign_ins_use_cached_metadata_while_one_waits(
    provider: SlowProvider, threads: ThreadPoolExecutor
) -> None:
    directory = ProviderMetadata(ISSUER, provider)
    provider.may_answer.set()
    metadata, keys = directory.metadata(NOW), directory.keys("k1", f"{ISSUER}/keys", NOW)
    provider.may_answer.clear()
    provider.requests = threading.Semaphore(0)
    later = NOW + timedelta(minutes=61)

    refreshed = [
        threads.submit(directory.metadata, later),
        threads.submit(directory.keys, "k1", f"{ISSUER}/keys", later),
    ]
    assert all(provider.requests.acquire(timeout=SECONDS) for _ in refreshed)

    assert threads.submit(directory.metadata, later).result(SECONDS) is metadata
    assert threads.submit(directory.keys, "k1", f"{ISSUER}/keys", later).result(SECONDS) == keys
    assert len(provider.calls) == 4


def test_provider_metadata_cached_for_two_hours_is_not_used(
    provider: SlowProvider, threads: ThreadPoolExecutor
) -> None:
    directory = ProviderMetadata(ISSUER, provider)
    provider.may_answer.set()
    metadata = directory.metadata(NOW)
    provider.may_answer.clear()
    provider.requests = threading.Semaphore(0)
    refreshed = threads.submit(directory.metadata, NOW + timedelta(hours=2))
    assert provider.requests.acquire(timeout=SECONDS)
    another = threads.submit(directory.metadata, NOW + timedelta(hours=2))
    provider.may_answer.set()

    assert another.result(SECONDS) == refreshed.result(SECONDS) == metadata
    assert another.result(SECONDS) is not metadata
