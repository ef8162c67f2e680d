"""The versions of Python that `pyproject.toml` names as tested."""

from __future__ import annotations

import tomllib

from tests.house.documents import PROJECT

PYPROJECT = tomllib.loads((PROJECT / "pyproject.toml").read_text())
_CLASSIFIER = "Programming Language :: Python :: "

TESTED = tuple(text.removeprefix(_CLASSIFIER) for text in PYPROJECT["project"]["classifiers"])
OLDEST, NEWEST = TESTED[0], TESTED[-1]
NEWER = f"3.{int(NEWEST.removeprefix('3.')) + 1}"
"""The version after the newest tested one."""
