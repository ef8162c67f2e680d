"""The house keeps its shape: small files, short functions, a sentence at every door."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent.parent
LONGEST_FILE, LONGEST_FUNCTION = 300, 40
ROOMS = ("inbox", "jobs", "ops", "cli", "bench")


def product() -> list[Path]:
    loose = [PROJECT / "app.py", PROJECT / "wsgi.py", PROJECT / "gunicorn.conf.py"]
    return sorted([*loose, *(path for room in ROOMS for path in (PROJECT / room).rglob("*.py"))])


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def named(path: Path) -> str:
    return str(path.relative_to(PROJECT))


@pytest.mark.parametrize("path", product(), ids=named)
def test_a_room_is_small_and_says_what_lives_in_it(path: Path) -> None:
    text = path.read_text()
    tree = ast.parse(text)

    assert len(text.splitlines()) <= LONGEST_FILE
    assert ast.get_docstring(tree), "the module has no docstring"
    long = [f.name for f in functions(tree) if (f.end_lineno or f.lineno) - f.lineno + 1 > LONGEST_FUNCTION]
    assert not long, f"functions over {LONGEST_FUNCTION} lines: {long}"


@pytest.mark.parametrize("path", product(), ids=named)
def test_what_a_room_offers_is_documented(path: Path) -> None:
    tree = ast.parse(path.read_text())
    offered = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_") and node.name != "main"
    ]

    assert not [node.name for node in offered if not ast.get_docstring(node)]


@pytest.mark.parametrize("path", product(), ids=named)
def test_names_say_what_a_thing_is_for(path: Path) -> None:
    vague = {"manager", "helper", "util", "utils", "common", "misc", "handler", "impl", "obj"}
    tree = ast.parse(path.read_text())
    names = {node.name for node in functions(tree)} | {
        node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
    }
    words = {word.lower() for name in [*names, path.stem] for word in name.strip("_").split("_")}

    assert not words & vague


def test_only_the_settings_read_the_environment() -> None:
    readers = [
        named(path)
        for path in (PROJECT / "inbox").rglob("*.py")
        if "os.environ" in path.read_text() or "getenv" in path.read_text()
    ]

    assert readers == ["inbox/settings.py"]


def test_nothing_outside_the_one_client_calls_the_world() -> None:
    clients = {"requests", "httpx", "urllib.request", "http.client", "aiohttp", "urllib3"}
    callers = set()
    for path in (PROJECT / "inbox").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if any(module in clients or module.split(".")[0] in clients for module in modules):
                callers.add(named(path.parent))

    assert callers <= {"inbox/destinations"}


def test_pickle_eval_and_unverified_tls_have_no_place_here() -> None:
    banned = re.compile(r"import pickle|(?<![\w.])(?:eval|exec)\(|verify=False|yaml\.load\(")
    found = [(named(path), banned.findall(path.read_text())) for path in product() if banned.search(path.read_text())]

    assert not found
