"""Counts the changes of metrics in this test process."""

from __future__ import annotations

from inbox.runtime.metrics import REGISTRY


class Counted:
    """Takes the present values; `of` is what was added to a sample since then."""

    def __init__(self) -> None:
        self._before = _values()

    def of(self, name: str, **labels: str) -> float:
        key = (name, tuple(sorted(labels.items())))
        return _values().get(key, 0.0) - self._before.get(key, 0.0)


def _values() -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in REGISTRY.collect()
        for sample in family.samples
    }
