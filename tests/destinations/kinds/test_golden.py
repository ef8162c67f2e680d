"""The exact requests of each kind, kept in files: run with `REWRITE_GOLDEN=1` after a change of a form, and read the diff."""

from __future__ import annotations

import json
import os
from typing import Any
from urllib.parse import parse_qs

from tests.destinations.kinds.cases import CASES, EDITING
from tests.destinations.kinds.notice_bodies import REASONS
from tests.destinations.kinds.stand_in import Stage
from tests.stand_ins.receivers import Request

FORMS = [(reason, "usual") for reason in REASONS] + [
    (reason, text) for reason in ("opened", "escalated", "resolved") for text in ("long", "hostile")
]
"""A text of a sender has the same form whatever the reason: a loud one, a quiet one, and the first are enough."""

HEADERS = ("authorization", "content-type", "x-gotify-key")


def as_stored(method: str, url: str, request: Request) -> dict[str, Any]:
    """A call as the file has it."""
    is_form = request.headers["content-type"].startswith("application/x-www-form-urlencoded")
    return {
        "method": method,
        "url": url,
        "headers": {name: request.headers[name] for name in HEADERS if name in request.headers},
        "body": parse_qs(request.body.decode()) if is_form else request.json,
    }


def requests_of(stage: Stage) -> dict[str, list[dict[str, Any]]]:
    """The calls for each reason and text: of a first notice, and for kinds that change a message of a later one."""
    found = {}
    turns = ("first", "later") if stage.case.name in EDITING else ("first",)
    for turn in turns:
        for reason, text in FORMS:
            stage.reference = {}
            stage.sent = 0
            if turn == "later":
                stage.send()
            before = len(stage.calls())
            stage.send(reason, text)
            found[f"{turn} {reason} {text}"] = [as_stored(*each) for each in stage.calls()[before:]]
    return found


def test_the_requests_match_the_golden_file(stage: Stage) -> None:
    found = requests_of(stage)
    file = stage.case.folder / f"{stage.case.name}.json"
    if os.environ.get("REWRITE_GOLDEN"):
        file.write_text(json.dumps(found, ensure_ascii=False, indent=1, sort_keys=True) + "\n")

    assert found == json.loads(file.read_text())


def test_each_golden_file_belongs_to_a_case() -> None:
    found = {file for case in CASES.values() for file in case.folder.glob("*.json")}
    ends = ("_digest", "_forms", "buttons")

    assert {file.stem for file in found if not file.stem.endswith(ends)} == set(CASES)
