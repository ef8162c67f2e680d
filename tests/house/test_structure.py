"""The house keeps its shape: small files, short functions, a sentence at every door."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PROJECT = Path(__file__).parent.parent.parent
LONGEST_FILE, LONGEST_FUNCTION, LONGEST_LINE_OF_DOCSTRING = 300, 40, 130
ROOMS = ("inbox", "jobs", "ops", "cli", "agent", "bench")

DOCUMENTED_NAMES = {"os._exit"}
"""Names with an underscore that the standard library documents."""


def product() -> list[Path]:
    loose = [PROJECT / "app.py", PROJECT / "wsgi.py", PROJECT / "gunicorn.conf.py"]
    return sorted([*loose, *(path for room in ROOMS for path in (PROJECT / room).rglob("*.py"))])


def named(path: Path) -> str:
    return str(path.relative_to(PROJECT))


@dataclass(frozen=True)
class Facts:
    """What the rules need of one file. It is parsed once for all of them."""

    lines: int
    documented: bool
    long: list[str]
    undocumented: list[str]
    wide: list[int]
    names: frozenset[str]
    modules: frozenset[str]
    foreign: list[str]


@cache
def facts() -> dict[Path, Facts]:
    return {path: facts_of(path.read_text()) for path in product()}


def facts_of(text: str) -> Facts:
    tree = ast.parse(text)
    nodes = list(ast.walk(tree))
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    offered = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_") and node.name != "main"
    ]
    return Facts(
        lines=len(text.splitlines()),
        documented=bool(ast.get_docstring(tree)),
        long=long_functions(nodes),
        undocumented=[node.name for node in offered if not ast.get_docstring(node)],
        wide=wide_docstring_lines(text, nodes),
        names=frozenset(node.name for node in [*functions, *classes]),
        modules=frozenset(
            [
                *(alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names),
                *(node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)),
            ]
        ),
        foreign=private_names_of_modules(nodes),
    )


def private_names_of_modules(nodes: list[ast.AST]) -> list[str]:
    """Names with an underscore of modules that are imported whole, also in annotations: they may change at any release."""
    imported = {alias.asname or alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return [
        f"{node.value.id}.{node.attr}"
        for node in nodes
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in imported
        if node.attr.startswith("_") and not node.attr.startswith("__")
    ]


def wide_docstring_lines(text: str, nodes: list[ast.AST]) -> list[int]:
    """The numbers of the lines of docstrings, and of texts that follow a constant, that are too long."""
    lines = text.splitlines()
    texts = [
        node
        for node in nodes
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]
    numbers = [number for node in texts for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)]
    return [number for number in numbers if len(lines[number - 1]) > LONGEST_LINE_OF_DOCSTRING]


def test_a_module_is_small_and_has_a_docstring() -> None:
    assert len(facts()) > 500
    assert {named(path): each.lines for path, each in facts().items() if each.lines > LONGEST_FILE} == {}
    assert [named(path) for path, each in facts().items() if not each.documented] == []
    assert {named(path): each.long for path, each in facts().items() if each.long} == {}


def test_no_function_of_a_test_is_long() -> None:
    found = {}
    for path in (path for room in ("tests", "migrations") for path in (PROJECT / room).rglob("*.py")):
        text = path.read_text()
        if len(text.splitlines()) > LONGEST_FUNCTION and (long := long_functions(ast.walk(ast.parse(text)))):
            found[named(path)] = long

    assert found == {}


def long_functions(nodes: Iterable[ast.AST]) -> list[str]:
    """The names of functions above the limit."""
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [f.name for f in functions if (f.end_lineno or f.lineno) - f.lineno + 1 > LONGEST_FUNCTION]


def test_public_functions_and_modules_are_documented() -> None:
    assert {named(path): each.undocumented for path, each in facts().items() if each.undocumented} == {}
    assert {named(path): each.wide for path, each in facts().items() if each.wide} == {}


def test_names_contain_no_vague_words() -> None:
    found = {named(path): vague_words({*each.names, path.stem}) for path, each in facts().items()}

    assert {path: words for path, words in found.items() if words} == {}


def test_no_private_name_of_a_library_is_used() -> None:
    found = {named(path): set(each.foreign) - DOCUMENTED_NAMES for path, each in facts().items()}

    assert {path: names for path, names in found.items() if names} == {}


def vague_words(names: set[str]) -> set[str]:
    vague = {"manager", "helper", "util", "utils", "common", "misc", "handler", "impl", "obj"}
    return vague & {word.lower() for name in names for word in name.strip("_").split("_")}


def test_the_structure_rules_find_their_violations() -> None:
    long = "\n".join(["def act():", *["    pass"] * LONGEST_FUNCTION])
    found = facts_of(f"import requests\nfrom http.client import HTTPException\n\nclass Util:\n    pass\n\n{long}\n")

    assert (found.documented, found.long, found.undocumented) == (False, ["act"], ["Util", "act"])
    assert found.modules == {"requests", "http.client"}
    assert vague_words({"Util", "act"}) == {"util"}
    assert found.lines == LONGEST_FUNCTION + 7
    assert facts_of("import re2\n\ndef f() -> re2._Regexp: ...\n").foreign == ["re2._Regexp"]
    assert facts_of(f'"""{"word " * 30}"""\nNAME = "{"word " * 30}"\n').wide == [1]


def test_only_the_settings_read_the_environment() -> None:
    readers = [
        named(path)
        for path in (PROJECT / "inbox").rglob("*.py")
        if "os.environ" in path.read_text() or "getenv" in path.read_text()
    ]

    assert readers == ["inbox/config/settings.py"]


def test_only_the_outgoing_client_calls_the_internet() -> None:
    clients = {"requests", "httpx", "urllib.request", "http.client", "aiohttp", "urllib3"}
    callers = {
        named(path.parent)
        for path, each in facts().items()
        if path.is_relative_to(PROJECT / "inbox")
        and any(module in clients or module.split(".")[0] in clients for module in each.modules)
    }

    # The child process of Apprise asks its parent before each connection.
    assert callers <= {"inbox/destinations", "inbox/destinations/apprise"}


def test_pickle_eval_and_unverified_tls_are_not_used() -> None:
    banned = re.compile(r"import pickle|(?<![\w.])(?:eval|exec)\(|verify=False|yaml\.load\(")
    found = [(named(path), words) for path in product() if (words := banned.findall(path.read_text()))]

    assert not found
