"""A log that cannot be written stops nothing: on a full disk events are accepted all the same."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress

import pytest
import structlog

from inbox.runtime import logs


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Standard error is a file on a disk without space."""
    full = open("/dev/full", "w")  # noqa: SIM115
    monkeypatch.setattr(sys, "stderr", full)
    logs.start("INFO", application="inbox-test")
    yield
    monkeypatch.undo()
    logs.start("WARNING", application="inbox-test")
    with suppress(OSError):
        full.close()


@pytest.mark.usefixtures("full_disk")
def test_a_record_that_cannot_be_written_raises_nothing() -> None:
    structlog.get_logger("inbox.test").info("accepted", body="x" * 100_000)
