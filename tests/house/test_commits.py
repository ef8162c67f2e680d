"""Subjects of commits have a room and at most 60 characters: `flow/delivery: lock the destination before its results`."""

from __future__ import annotations

import re
import subprocess

import pytest

from tests.house.sources import PROJECT

LAST_UNCHECKED = "0b9bca22aa229e648b1b8761c7a70a53108ae1a5"
"""Commits up to this one are older than the rule."""

LONGEST = 60
_SUBJECT = re.compile(r"[a-z][a-z_]*(/[a-z_-]+)*(, [a-z][a-z_]*(/[a-z_-]+)*)*: \S.*[^.\s]")
_FOREIGN = re.compile(r"#\d|\b(?:WIP|fixup!|squash!)")


def faults(subject: str) -> list[str]:
    """The reasons why a subject is refused."""
    found = [f"has {len(subject)} characters"] if len(subject) > LONGEST else []
    found += [] if _SUBJECT.fullmatch(subject) else ["is not `room: text`, without a full stop"]
    return found + (["has a number or a mark of another place"] if _FOREIGN.search(subject) else [])


def subjects() -> list[str]:
    """The subjects of the later commits. Without their history the test is skipped."""
    command = ["git", "log", "--no-merges", "--format=%s", f"{LAST_UNCHECKED}..HEAD"]
    try:
        done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=60, check=False)
    except FileNotFoundError:
        pytest.skip("git is not installed")
    if done.returncode:
        pytest.skip("the history is not here")
    return done.stdout.splitlines()


def test_the_subject_of_a_commit_names_its_room_and_is_short() -> None:
    assert {subject: found for subject in subjects() if (found := faults(subject))} == {}


@pytest.mark.parametrize(
    ("subject", "count"),
    [
        ("flow/delivery: lock the destination", 0),
        ("services, api: revoke keys at once", 0),
        ("Lock the destination", 1),
        ("flow: lock the destination.", 1),
        ("flow:", 1),
        ("web: WIP", 1),
        ("api: answer 404 (#12)", 1),
        (f"flow: {'long ' * 12}text", 1),
    ],
)
def test_a_subject_of_another_form_is_found(subject: str, count: int) -> None:
    assert len(faults(subject)) == count
