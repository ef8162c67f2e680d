"""Each message has the form that its service publishes: TypeScript checks the golden files against the published types.

Slack, Mattermost, PagerDuty, Microsoft and Google publish their own types. Those of Discord and Telegram are of the libraries that most
clients use. Packages of npm have them; they are installed once. Opsgenie, Twilio, Pushover, ntfy and Gotify publish no such package, and Matrix none
without its whole client. The stand-ins check what they document, and `test_stand_ins` checks that they do.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.client.generated import installed, node
from tests.destinations.kinds.cases import CASES, rows, with_table
from tests.destinations.kinds.defects import defects
from tests.destinations.kinds.notice_bodies import LINKS
from tests.destinations.kinds.stand_in import Case, staged
from tests.destinations.kinds.test_golden import as_stored
from tests.stand_ins.chat_buttons import CALLBACK, SERVICES

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
PUBLISHED = HERE / "published"
FREE = dict.fromkeys(("MattermostWebhook", "MattermostBot"), frozenset({"value"}))
"""Members that may hold anything by the published types."""

UNPUBLISHED = {name for name, case in CASES.items() if not case.published}


class Typed(NamedTuple):
    """The body of a request, and the type that it must have."""

    form: str
    body: Any


def form_of(name: str, call: Any) -> str:
    """The type of a call of a kind."""
    published = CASES[name].published
    return published if isinstance(published, str) else published(call)


def golden() -> Iterator[Typed]:
    """The messages of the golden files."""
    for name, case in CASES.items():
        if name in UNPUBLISHED:
            continue
        for file in (case.folder / f"{name}.json", case.folder / f"{name}_digest.json"):
            parts = json.loads(file.read_text()).values() if file.exists() else ()
            calls = [call for part in parts for call in (part if isinstance(part, list) else [part])]
            yield from (Typed(form_of(name, call), call["body"]) for call in calls)


def sent(case: Case, mention: str = "") -> Iterator[Typed]:
    """The messages of a kind that have links or buttons, and a mention of the settings if the service reads one."""
    with staged(case) as stage:
        stage.service.mention = mention
        stage.callback = CALLBACK
        for reason, links in (("test", ()), ("opened", LINKS), ("escalated", LINKS), ("resolved", ())):
            stage.action_links = links
            stage.send(reason)
        yield from (
            Typed(form_of(case.name, call), call["body"]) for call in (as_stored(*each) for each in stage.calls())
        )


def with_mention(name: str, mention: str) -> Case:
    """The case with a mention, as the published types have it."""
    case = CASES[name]
    return replace(case, settings={**case.settings, "mention": mention})


def messages() -> list[Typed]:
    """All messages of kinds with published types."""
    cases = [
        *(case for name, case in CASES.items() if name not in UNPUBLISHED),
        *(each.case for each in SERVICES.values()),
    ]
    mentioning = [
        typed
        for name, setting, mention in rows("MENTIONS")
        if name not in UNPUBLISHED
        for typed in sent(with_mention(name, setting), mention)
    ]
    return [*golden(), *(typed for case in cases for typed in sent(case)), *mentioning]


def declared(number: int, typed: Typed) -> str:
    """A constant of the type in TypeScript, on one line."""
    return f"export const m{number}: forms.{typed.form} = {json.dumps(typed.body)};"


def compiled(folder: Path, packages: Path, lines: list[str]) -> None:
    """Compile the lines. It fails with what the compiler complains of."""
    for name in ("forms.ts", "tsconfig.json"):
        shutil.copy(PUBLISHED / name, folder / name)
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "node_modules").symlink_to(packages / "node_modules", target_is_directory=True)
    (folder / "messages.ts").write_text("\n".join(["import type * as forms from './forms.js';", *lines, ""]))
    node("node_modules/typescript/bin/tsc", cwd=folder)


@pytest.fixture(scope="module")
def packages(request: pytest.FixtureRequest) -> Path:
    return installed(request.config.cache.mkdir("published-types"), PUBLISHED)


def test_each_message_has_the_published_form(packages: Path, tmp_path: Path) -> None:
    found = messages()

    of_services = set(
        re.findall(r"^export (?:type|interface) (\w+)", (PUBLISHED / "forms.ts").read_text(), re.MULTILINE)
    )
    assert {each.form for each in found} == of_services
    compiled(tmp_path, packages, [declared(number, each) for number, each in enumerate(found)])


def test_the_published_forms_refuse_defects(packages: Path, tmp_path: Path) -> None:
    first = {each.form: each for each in reversed(messages())}
    wrong = [
        Typed(form, changed)
        for form, each in first.items()
        for changed in defects(each.body, FREE.get(form, frozenset()))
    ]
    lines = [line for number, each in enumerate(wrong) for line in ("// @ts-expect-error", declared(number, each))]

    compiled(tmp_path, packages, lines)


def test_every_kind_is_checked_or_has_no_published_form() -> None:
    documented = {case.name for module in with_table("DOCUMENTED") for case in module.CASES}

    assert documented == UNPUBLISHED
