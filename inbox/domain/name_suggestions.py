"""Suggestions of the intended name for an unknown one."""

from collections.abc import Iterable, Iterator, Mapping

LONGEST = 40
"""The number of characters compared. All valid names are much shorter."""

_SHORTEST_BEGINNING = 4


class NameSuggestions:
    """Finds the valid name that resembles an unknown one: `dedup_key`, `dedupkye` and `dedup` give `dedupKey`.

    Case and punctuation are ignored. One letter may be missing, added, wrong or swapped with its neighbour. A prefix of
    four letters is enough when only one name has it. `meant` are aliases of valid names. A look-up takes a few dozen
    steps, so that a sender cannot slow it down.
    """

    def __init__(self, known: Iterable[str], meant: Mapping[str, str] | None = None) -> None:
        self._known = {_letters(name): name for name in known}
        self._meant = meant or {}
        self._near: dict[str, str] = {}
        for letters, name in self._known.items():
            for near in _shortened(letters):
                self._near.setdefault(near, name)

    def closest(self, name: str) -> str | None:
        """The valid name that was probably intended; None when none is similar."""
        if len(name) > LONGEST:
            return None
        letters = _letters(name)
        exact = self._known.get(letters) or self._meant.get(letters)
        if exact is not None:
            return exact
        begun = [known for each, known in self._known.items() if each.startswith(letters)]
        if len(letters) >= _SHORTEST_BEGINNING and len(begun) == 1:
            return begun[0]
        near = (self._near.get(each) for each in _shortened(letters))
        return next(filter(None, near), None) if len(letters) > 2 else None


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name)).lower()


def _shortened(letters: str) -> Iterator[str]:
    """The letters, and all variants with one letter removed. Two texts with a common variant are one mistake apart."""
    yield letters
    for place in range(len(letters)):
        yield letters[:place] + letters[place + 1 :]
