"""Python files of the product and of the tests; prints figures of the code.

`python -m tests.house.sources [TREE]` counts this tree, or the unpacked tree of another version.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from statistics import median

PROJECT = Path(__file__).parent.parent.parent
PRODUCT = ("app.py", "wsgi.py", "gunicorn.conf.py", "inbox", "jobs", "ops", "cli", "agent")
TESTS = ("tests", "bench")

_MAPPING = re.compile(r"\b(?:Mapping|dict)\[str, Any\]")


def files(*rooms: str, tree: Path = PROJECT) -> list[Path]:
    """The Python files of these rooms, in order. A room that the tree lacks has none."""
    roots = [tree / room for room in rooms if (tree / room).exists()]
    return sorted(path for root in roots for path in (root.rglob("*.py") if root.is_dir() else [root]))


def figures(rooms: tuple[str, ...], tree: Path = PROJECT) -> dict[str, object]:
    """Files, lines, lengths and untyped values of this tree or of another version."""
    texts = [path.read_text() for path in files(*rooms, tree=tree)]
    nodes = [node for text in texts for node in ast.walk(ast.parse(text))]
    lines = [len(text.splitlines()) for text in texts]
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    lengths = [(node.end_lineno or node.lineno) - node.lineno + 1 for node in functions]
    return {
        "files, lines": (len(texts), sum(lines)),
        "median and longest file": (median(lines), max(lines)),
        "median and longest function": (median(lengths), max(lengths)),
        "Any": sum(isinstance(node, ast.Name) and node.id == "Any" for node in nodes),
        "Mapping[str, Any] and dict[str, Any]": sum(len(_MAPPING.findall(text)) for text in texts),
    }


if __name__ == "__main__":
    for chosen in (PRODUCT, TESTS):
        counted = figures(chosen, Path(sys.argv[1]) if sys.argv[1:] else PROJECT)
        print(*chosen, *(f"\n  {name}: {value}" for name, value in counted.items()))
