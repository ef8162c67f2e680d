"""Sentences for people use the words of the buttons and of the trade: no private word is in a text of the product."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent.parent

ROOMS = (
    *(
        "inbox/domain",
        "inbox/mail",
        "inbox/services",
        "inbox/flow",
        "inbox/destinations",
        "inbox/live",
        "inbox/runtime/queue.py",
    ),
    *(
        "inbox/api/http/problems.py",
        "inbox/api/instance/problem_pages.py",
        "inbox/api/instance/setup_pages.py",
        "inbox/api/http/errors.py",
    ),
    *(
        "inbox/database/migrate.py",
        "inbox/runtime/outages.py",
        "inbox/config/settings.py",
        "inbox/config/unknown.py",
        "ops",
        "cli",
        "jobs",
    ),
)
"""Where the texts of explanations, problems, mails, pages, commands and logs are written."""

PRIVATE = (
    *("told", "tells?", "telling", "hears?", "heard", "its? word", "last word", "next word", "the word", "has a say"),
    *("took it", "takes it", "taken back", "take back", "took (it )?over", "put it off", "put off", "gave it back"),
    *("give it back", "given back", "mended", "quiet while", "set aside", "going anew", "anew", "nobody can ring"),
    *(
        "bells?",
        "rung",
        "hush(ed)?",
        "deaf",
        "has its time",
        "had its time",
        "goes on",
        "lets? others",
        "stands? beside",
    ),
    *(
        "way too",
        "not good here",
        "is away",
        "said nothing",
        "no use in",
        "somebody else's",
        "come in",
        "looks? for work",
    ),
    *("by looking", "who one is", "who you are", "under way", "on (its|their) way", "ask about", "again and again"),
)
"""Words and phrases of ours, as regular expressions, where a button or the trade has a word of its own."""

ALLOWED: Mapping[str, str] = {}
"""Texts that may have such a word, each with the reason."""

_PRIVATE = re.compile(rf"(?<![\w-])(?:{'|'.join(PRIVATE)})(?![\w-])", re.IGNORECASE)
_SQL = re.compile(
    r"\b(SELECT|INSERT INTO|UPDATE \w|DELETE FROM|WHERE|ALTER|CREATE|RETURNING|VALUES|LIMIT|SET|NULL|CASE|FROM)\b"
    r"|%s|::\w|redis\.call"
)


def texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and text of all strings with a space, but for docstrings and SQL. A value in an f-string reads as `…`."""
    passed = {id(part) for each in ast.walk(tree) if isinstance(each, ast.JoinedStr) for part in each.values}
    for node in ast.walk(tree):
        for statement in getattr(node, "body", ()) if isinstance(getattr(node, "body", ()), list) else ():
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                passed.add(id(statement.value))
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in passed:
            text = node.value
        else:
            continue
        if " " in text.strip() and not _SQL.search(text):
            yield node.lineno, text


def private(text: str) -> list[str]:
    return [] if text in ALLOWED else [found[0].lower() for found in _PRIVATE.finditer(text)]


def files() -> list[Path]:
    roots = [PROJECT / room for room in ROOMS]
    return sorted(path for root in roots for path in (root.rglob("*.py") if root.is_dir() else [root]))


def named(path: Path) -> str:
    return str(path.relative_to(PROJECT))


@cache
def sentences() -> list[tuple[Path, int, str]]:
    """File, line and text of all of them."""
    return [(path, line, text) for path in files() for line, text in texts(ast.parse(path.read_text()))]


def test_a_text_for_people_has_no_private_word() -> None:
    found = {(named(path), line, text): words for path, line, text in sentences() if (words := private(text))}

    assert len(sentences()) > 1000
    assert found == {}


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ('say("D3 was not told.")', ["told"]),
        ('say(f"{name} took it.")', ["took it"]),
        ('say("It heard nothing, " "after a quiet while.")', ["heard", "quiet while"]),
        ('"""Who is told."""', []),
        ('def f():\n    """Who is told."""', []),
        ('sql("SELECT told_at FROM incidents WHERE told")', []),
        ('row["told"]', []),
        ('say("Mia acknowledged it; the destination was notified.")', []),
    ],
)
def test_a_private_word_is_found_in_a_text_and_not_in_docstrings_sql_and_keys(source: str, words: list[str]) -> None:
    assert [word for _, text in texts(ast.parse(source)) for word in private(text)] == words


def test_every_room_and_every_allowed_text_exists() -> None:
    assert all((PROJECT / room).exists() for room in ROOMS)
    assert not set(ALLOWED) - {text for _, _, text in sentences()}
