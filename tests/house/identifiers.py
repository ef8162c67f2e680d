"""Identifiers of Python files, and the private words that none of them may have; prints figures of the code.

`python -m tests.house.identifiers [TREE]` counts this tree, or the unpacked tree of another version.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median

PROJECT = Path(__file__).parent.parent.parent
PRODUCT = ("app.py", "wsgi.py", "gunicorn.conf.py", "inbox", "jobs", "ops", "cli", "agent")
TESTS = ("tests", "bench")

_METAPHORS: Mapping[str, str] = {
    "told tell tells telling untold": "notify, notified, report, publish",
    "hear hears heard hearer hearers hearing ear ears": "recipient, received, notified before",
    "deaf unheard": "unreachable, undelivered",
    "hush hushed hushing silence_refs unhush": "silence, silenced",
    "spoken": "text, result",
    "bell bells rung rungs": "wake-up, queue",
    "walk walks walked walking": "scan, page",
    "sieve sift sifted sifting dear": "prefilter, expensive",
    "court judge judged ledger desk seat seats": "context, evaluate, writer, client, pending request",
    "realm tally": "index, counts",
    "fate fates": "result",
    "errand errands debt debts owed": "task, due",
    "anew": "retry, again",
    "newcomer newcomers leaver leavers": "added, removed",
    "lively dealt parked": "active, processed, held",
}
"""Words of ours, with the words of the glossary (docs/glossary.md) in their place."""

_PARTICIPLES: Mapping[str, str] = {
    "said": "text, result",
    "wanted asked meant": "requested, expected",
    "known": "cached, existing, valid",
    "kept": "stored, remaining",
    "mine theirs": "own, other",
    "again": "retry, second, repeated",
}
"""Bare participles that do not name what a value is."""


FUNCTIONS: Mapping[str, str] = {
    "shown": "the noun of what it returns: `notices_of`, `audit_view`",
    "met": "match, find",
    "drafted": "build",
    "remembered condensed": "stored, coalesced",
}
"""Bare participles that do not name what a function does or answers. A local variable may have such a name."""


def _by_word(table: Mapping[str, str]) -> dict[str, str]:
    return {word: instead for words, instead in table.items() for word in words.split()}


FUNCTION_PARTICIPLES = _by_word(FUNCTIONS)

METAPHORS = _by_word(_METAPHORS)
"""The words that no name has, not even the name of a test, which is a sentence."""

PARTICIPLES = _by_word(_PARTICIPLES)
"""The words that are no name of their own. Beside a noun they may stand: `known_client`."""

ALLOWED = {
    ("inbox/api/incidents/schemas/incidents.py", "mine"),
    ("inbox/models/incidents/counts.py", "mine"),
}
"""Members of the API, which keep their names."""

_MAPPING = re.compile(r"\b(?:Mapping|dict)\[str, Any\]")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def identifiers(tree: ast.AST) -> Iterator[str]:
    """The names that a module defines: functions, classes, arguments, variables, attributes and aliases."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.alias(asname=str(name)) | ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                yield name


def private_words(name: str) -> dict[str, str]:
    """The private words of a name, each with its replacement."""
    words = [word.lower() for word in _WORD.findall(name)]
    found = {word: METAPHORS[word] for word in words if word in METAPHORS}
    return found | {word: PARTICIPLES[word] for word in words[:1] if len(words) == 1 and word in PARTICIPLES}


def participles(tree: ast.AST) -> set[str]:
    """The functions and classes whose name is a bare participle."""
    named = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, named) and node.name.strip("_").lower() in FUNCTION_PARTICIPLES
    }


def files(*rooms: str, tree: Path = PROJECT) -> list[Path]:
    """The Python files of these rooms, in order. A room that the tree lacks has none."""
    roots = [tree / room for room in rooms if (tree / room).exists()]
    return sorted(path for root in roots for path in (root.rglob("*.py") if root.is_dir() else [root]))


def faults(path: Path, tree: Path = PROJECT) -> dict[str, dict[str, str]]:
    """The names of a file that have a private word, with the words to use."""
    room = str(path.relative_to(tree))
    names = sorted(set(identifiers(ast.parse(path.read_text()))))
    return {name: found for name in names if (found := private_words(name)) and (room, name) not in ALLOWED}


def figures(rooms: tuple[str, ...], tree: Path = PROJECT) -> dict[str, object]:
    """Files, lines, lengths, private words and untyped values of this tree or of another version."""
    texts = [path.read_text() for path in files(*rooms, tree=tree)]
    nodes = [node for text in texts for node in ast.walk(ast.parse(text))]
    lines = [len(text.splitlines()) for text in texts]
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    lengths = [(node.end_lineno or node.lineno) - node.lineno + 1 for node in functions]
    return {
        "files, lines": (len(texts), sum(lines)),
        "median and longest file": (median(lines), max(lines)),
        "median and longest function": (median(lengths), max(lengths)),
        "names with a private word": sum(len(faults(path, tree)) for path in files(*rooms, tree=tree)),
        "Any": sum(isinstance(node, ast.Name) and node.id == "Any" for node in nodes),
        "Mapping[str, Any] and dict[str, Any]": sum(len(_MAPPING.findall(text)) for text in texts),
    }


if __name__ == "__main__":
    for chosen in (PRODUCT, TESTS):
        counted = figures(chosen, Path(sys.argv[1]) if sys.argv[1:] else PROJECT)
        print(*chosen, *(f"\n  {name}: {value}" for name, value in counted.items()))
