"""Makes the one file `inbox.py` of the modules of this package."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from agent import MODULES

HEAD = '''#!/usr/bin/env python3
"""Incident Inbox agent: watches a host, sends events, and wraps jobs. Usage: python3 inbox.py --help

One file, standard library only, Python 3.8 and later. Credentials come from the environment or from a file.
"""

import sys

if sys.version_info < (3, 8):
    sys.exit("inbox.py needs Python 3.8 or later. This is Python " + sys.version.split()[0])
'''
TAIL = """
if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
"""


@lru_cache(maxsize=1)
def source() -> str:
    """Returns the text of the file: the imports of all modules once, then their bodies in the order of `MODULES`."""
    imports: set[str] = set()
    bodies = []
    for name in MODULES:
        text = Path(__file__).with_name(f"{name}.py").read_text(encoding="utf-8")
        found, body = _split(text)
        imports |= found
        bodies.append(f"\n# --- {name}: {_summary(text)}\n\n{body}")
    plain = sorted(each for each in imports - {"import sys"} if each.startswith("import "))
    named = sorted(imports - {"import sys", *plain})
    return "\n".join([HEAD, *plain, *named, *bodies, TAIL.rstrip()]) + "\n"


def checksum() -> str:
    """Returns the SHA-256 of the file in hex."""
    return hashlib.sha256(source().encode()).hexdigest()


def _split(text: str) -> tuple[set[str], str]:
    """Returns the imports of a module, without the imports of this package, and its text without its docstring."""
    lines, imports, dropped = text.splitlines(), set[str](), set[int]()
    for place, node in enumerate(ast.parse(text).body):
        is_import = isinstance(node, (ast.Import, ast.ImportFrom))
        if is_import and not _is_own(node):
            imports |= set(_single_imports(node))
        if is_import or place == 0:
            dropped |= set(range(node.lineno - 1, node.end_lineno or node.lineno))
    lines = _with_quoted_annotations(lines, text)
    body = "\n".join(line for number, line in enumerate(lines) if number not in dropped)
    return imports, body.strip() + "\n"


def _with_quoted_annotations(lines: list[str], text: str) -> list[str]:
    """Returns the lines with each annotation as a text, so that Python 3.6 can read the file as far as its first check."""
    quoted = list(lines)
    for node in sorted(_annotations(ast.parse(text)), key=lambda each: (each.lineno, -each.col_offset)):
        place = node.lineno - 1
        line = quoted[place].encode()
        start, end = node.col_offset, node.end_col_offset or 0
        assert node.end_lineno == node.lineno, f"an annotation on several lines: {line.decode()}"
        quoted[place] = (line[:start] + repr(line[start:end].decode()).encode() + line[end:]).decode()
    return quoted


def _annotations(tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.arg, ast.AnnAssign)) and node.annotation is not None:
            yield node.annotation
        if isinstance(node, ast.FunctionDef) and node.returns is not None:
            yield node.returns


def _is_own(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ("agent", "__future__")


def _single_imports(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [f"from {node.module} import {each.name}" for each in node.names]
    assert isinstance(node, ast.Import)
    return [f"import {each.name}" for each in node.names]


def _summary(text: str) -> str:
    return (ast.get_docstring(ast.parse(text)) or "").splitlines()[0]
