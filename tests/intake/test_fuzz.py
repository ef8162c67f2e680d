"""The targets of `bin/fuzz` hold for well-formed payloads, and a short run of Atheris where it is installed."""

from __future__ import annotations

import pytest

from tests.intake import fuzz
from tests.intake.fuzz_targets import TARGETS, Found, FuzzTarget


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_each_target_reads_its_seeds(name: str) -> None:
    target = TARGETS[name]

    for seed in target.seeds:
        found = target.read(seed)
        assert found.events or found.reports
        target.run(seed)


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"7", b"\xff\x00", b'{"alerts": [{}]}', b"a: b\n\n"])
def test_no_target_raises_or_stays_silent_for_an_odd_input(data: bytes) -> None:
    for target in TARGETS.values():
        target.run(data)


def test_a_reader_that_gives_nothing_is_a_finding() -> None:
    with pytest.raises(AssertionError, match="no event, no problem and no warning"):
        FuzzTarget(lambda data: Found([]), []).run(b"{}")


def test_a_reader_that_raises_another_error_is_a_finding() -> None:
    with pytest.raises(KeyError):
        FuzzTarget(lambda data: {}[data], []).run(b"{}")


def test_an_event_that_cannot_be_stored_is_a_finding() -> None:
    with pytest.raises(Exception, match="fields are invalid"):
        FuzzTarget(lambda data: Found([{"title": 7}]), []).run(b"{}")


def test_a_short_run_of_atheris_finds_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    if not fuzz.is_installed():
        pytest.skip("Atheris is not installed; bin/fuzz installs it where it has a wheel")

    assert fuzz.main(["alertmanager", "mail", "--runs", "200"]) == 0
    assert "2 of 2 readers without a finding." in capsys.readouterr().out
