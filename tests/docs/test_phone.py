"""The page about phones names labels and messages that the dashboard has, and limits that the service has."""

from __future__ import annotations

import re

from inbox.domain.people import pairing
from tests.house.documents import PROJECT

PAGE = (PROJECT / "docs" / "users" / "phone.md").read_text()


def sources() -> str:
    """The texts of the dashboard without its unit tests, each line break as a space."""
    files = (
        path
        for path in (PROJECT / "web" / "src").rglob("*.ts*")
        if ".test." not in path.name and "api" not in path.parts
    )
    return re.sub(r"\s+", " ", "\n".join(path.read_text() for path in files))


def test_every_label_and_message_of_the_page_is_one_of_the_dashboard() -> None:
    texts = sources()
    labels = re.findall(r"\*\*([^*]+)\*\*", PAGE)
    messages = re.findall(r'"([^"]+)"', PAGE)
    steps = re.findall(r"“([^”]+)”", PAGE)

    assert len(labels) > 12 and len(messages) > 4 and len(steps) > 4
    assert [each for each in {*labels, *messages} if each not in texts] == []
    assert [each for each in steps if f"“{each}”" not in texts] == []


def test_the_documented_limits_of_a_pairing_code_are_the_ones_in_force() -> None:
    assert pairing.LIFETIME.total_seconds() == 5 * 60
    assert pairing.MAX_WRONG_ATTEMPTS == 5
    assert "for five minutes, and until the fifth wrong attempt" in PAGE
