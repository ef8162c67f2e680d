"""The fenced blocks of all documents, and what accounts for each: the tests that run it, or the reason why none does."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from textwrap import dedent

from tests.house.documents import DOCUMENTS, PROJECT, named

FENCE = re.compile(
    r"^(?P<indent> *)(?P<fence>```|~~~)(?P<language>[\w-]*)[^\n]*\n(?P<text>.*?)^(?P=indent)(?P=fence)[ ]*$",
    re.MULTILINE | re.DOTALL,
)

Key = tuple[str, str]
"""A document and the first line of a block, as patterns of `fnmatch`."""

_SNIPPETS = "tests/docs/test_snippets.py"

RUN: Mapping[Key, tuple[str, ...]] = {
    ("README.md", "export INBOX=*"): (
        "tests/journeys/test_readme.py::test_the_readme_from_the_first_command_to_the_verified_webhook_and_pasted_once_more",
    ),
    ("docs/users/*", "*"): (
        "tests/docs/test_users.py::test_every_block_of_a_page_is_executed_or_listed_with_its_reason",
    ),
    ("docs/operators/*", "*"): (
        "tests/docs/test_operators.py::test_every_command_block_is_executed_or_listed_with_its_reason",
        "tests/docs/test_operators.py::test_every_other_block_is_a_setting",
    ),
    ("docs/senders/*", "*"): (
        "tests/intake/test_snippets.py::test_the_sender_pages_match_the_snippets",
        "tests/intake/test_snippets.py::test_every_text_is_run_by_a_test",
    ),
    ("docs/destinations/README.md", "ask *"): (f"{_SNIPPETS}::test_the_commands_of_destinations_are_accepted",),
    ("docs/destinations/[!w]*.md", "*Disk full*"): (
        f"{_SNIPPETS}::test_the_message_of_a_page_has_the_texts_of_the_request",
    ),
    ("docs/destinations/webhook.md", "*"): (
        "tests/docs/test_destinations.py::test_the_webhook_of_the_page_is_one_that_receivers_verify",
    ),
    ("docs/destinations/web_push.md", "*"): (
        "tests/docs/test_destinations.py::test_the_documented_notifications_equal_the_ones_of_a_phone",
    ),
    ("docs/configuration.md", "INBOX_OIDC_PROVIDERS=*"): (f"{_SNIPPETS}::test_the_providers_of_the_page_are_accepted",),
    ("docs/specification/04-events.md", '{"events": *'): (f"{_SNIPPETS}::test_the_answer_to_an_event_has_this_form",),
    ("docs/engineers/patterns.md", "@blp.route*"): (
        f"{_SNIPPETS}::test_the_endpoint_of_the_page_is_one_of_the_service",
    ),
    ("web/README.md", "import *"): (f"{_SNIPPETS}::test_the_screen_of_the_page_has_no_fault_of_types",),
}
"""The tests that run a block."""

NOT_RUN: Mapping[Key, str] = {
    ("README.md", "bin/up *"): (
        "tests/up.py starts `bin/up` with its own port and data directory; `bin/test` is what runs this test"
    ),
    ("docs/destinations/discord.md", "curl https://discord.com/*"): (
        "it calls Discord with a token of the reader; "
        "tests/destinations/kinds/test_recorded_requests.py compares the requests of the service"
    ),
    ("docs/engineers/contributing.md", "git clone *"): (
        "it clones the repository; tests/ops/test_setup.py sets up a copy, and tests/up.py starts `bin/up`"
    ),
    (
        "docs/map.md",
        "*app.py *",
    ): "it is a drawing; the contracts of import-linter in pyproject.toml have the same floors",
    ("docs/map.md", "flowchart *"): "it is a picture of the processes",
}
"""The reasons why a block is run by no test."""


@dataclass(frozen=True)
class Fence:
    """One fenced block of a document, without its indentation."""

    document: str
    line: int
    language: str
    text: str

    @property
    def first_line(self) -> str:
        return self.text.partition("\n")[0]

    def matches(self, key: Key) -> bool:
        """Whether the entry of a table is about this block."""
        return fnmatchcase(self.document, key[0]) and fnmatchcase(self.first_line, key[1])

    def __str__(self) -> str:
        return f"{self.document}:{self.line} {self.first_line}"


def fences_of(document: str, text: str) -> Iterator[Fence]:
    """The blocks of a text in order."""
    for found in FENCE.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        yield Fence(document, line, found["language"], dedent(found["text"]))


@cache
def fences() -> tuple[Fence, ...]:
    """The blocks of all documents."""
    return tuple(fence for path in DOCUMENTS for fence in fences_of(named(path), path.read_text()))


def fence(document: str, first_line: str = "*") -> Fence:
    """The one block of a document that begins so."""
    [found] = [each for each in fences() if each.matches((document, first_line))]
    return found


def exists(test: str) -> bool:
    """Whether a name such as `tests/x/test_y.py::test_z` names a test."""
    file, _, name = test.partition("::")
    path = Path(PROJECT / file)
    return path.exists() and name in {
        node.name for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)
    }
