"""The exact requests of messages with buttons, and that each service takes them whatever their text.

Run with `REWRITE_GOLDEN=1` after a change of a form, and read the diff.
"""

from __future__ import annotations

import json
import os

import pytest

from inbox.destinations import KINDS
from tests.destinations.kinds.notice_bodies import LINKS, REASONS, TEXTS
from tests.destinations.kinds.stand_in import folder_of, outcome, staged
from tests.destinations.kinds.test_golden import as_stored
from tests.stand_ins.chat_buttons import CALLBACK, SERVICES

TURNS = (("test", ()), ("opened", LINKS), ("acknowledged", LINKS[1:]), ("escalated", LINKS), ("resolved", ()))
"""The notices of an incident, and the acts that are possible then."""


@pytest.mark.parametrize("kind", list(SERVICES))
def test_the_requests_with_buttons_match_the_golden_file(kind: str) -> None:
    with staged(SERVICES[kind].case) as stage:
        stage.callback = CALLBACK
        found = {}
        for reason, links in TURNS:
            stage.action_links, before = links, len(stage.calls())
            if reason == "opened":
                stage.reference = {}
            stage.send(reason)
            found[reason] = [as_stored(*each) for each in stage.calls()[before:]]
    file = folder_of(kind) / "buttons.json"
    if os.environ.get("REWRITE_GOLDEN"):
        file.write_text(json.dumps(found, ensure_ascii=False, indent=1, sort_keys=True) + "\n")

    assert found == json.loads(file.read_text())
    assert all(link.url not in json.dumps(found) for link in LINKS)


@pytest.mark.parametrize("kind", list(SERVICES))
@pytest.mark.parametrize("text", TEXTS)
def test_a_service_takes_each_message_with_buttons(kind: str, text: str) -> None:
    with staged(SERVICES[kind].case) as stage:
        stage.callback = CALLBACK
        for reason in REASONS:
            stage.reference, stage.action_links = {}, () if reason in ("test", "informational") else LINKS
            assert outcome(stage.send(reason, text)) == "sent", reason


def test_each_golden_file_belongs_to_a_service() -> None:
    assert {each.case.kind for each in SERVICES.values()} == {
        kind for kind in KINDS if (folder_of(kind) / "buttons.json").exists()
    }
