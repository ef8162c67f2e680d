"""Registry of the import kinds. Each package in this folder is one, and its `IMPORT` describes it."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping

from inbox.intake import importers
from inbox.intake.importers.import_kind import ImportKind


def _discovered() -> Iterator[ImportKind]:
    for found in pkgutil.iter_modules(importers.__path__):
        if found.ispkg:
            yield importlib.import_module(f"{importers.__name__}.{found.name}").IMPORT


KINDS: Mapping[str, ImportKind] = {
    each.kind: each for each in sorted(_discovered(), key=lambda kind: (kind.position, kind.kind))
}
