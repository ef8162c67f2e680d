"""Suggestions of the intended name for an unknown one."""

from collections.abc import Iterable, Iterator, Mapping

MAX_LENGTH = 40
"""The number of characters compared. All valid names are much shorter."""

_SHORTEST_BEGINNING = 4


class NameSuggestions:
    """Finds the valid name that resembles an unknown one: `dedup_key`, `dedupkye` and `dedup` give `dedupKey`.

    Case and punctuation are ignored. One letter may be missing, added, wrong or swapped with its neighbour. A prefix of
    four letters is enough when only one name has it. `aliases` are aliases of valid names. A look-up takes a few dozen
    steps, so that a sender cannot slow it down.
    """

    def __init__(self, valid_names: Iterable[str], aliases: Mapping[str, str] | None = None) -> None:
        self._valid = {_letters(name): name for name in valid_names}
        self._aliases = aliases or {}
        self._similar: dict[str, str] = {}
        for letters, name in self._valid.items():
            for near in _deletions(letters):
                self._similar.setdefault(near, name)

    def closest(self, name: str) -> str | None:
        """Returns the valid name that was probably intended; None when none is similar."""
        if len(name) > MAX_LENGTH:
            return None
        letters = _letters(name)
        exact = self._valid.get(letters) or self._aliases.get(letters)
        if exact is not None:
            return exact
        prefix_matches = [valid_names for each, valid_names in self._valid.items() if each.startswith(letters)]
        if len(letters) >= _SHORTEST_BEGINNING and len(prefix_matches) == 1:
            return prefix_matches[0]
        near = (self._similar.get(each) for each in _deletions(letters))
        return next(filter(None, near), None) if len(letters) > 2 else None


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name)).lower()


def _deletions(letters: str) -> Iterator[str]:
    """Yields the letters, and all variants with one letter removed. Two texts with a common variant are one mistake apart."""
    yield letters
    for place in range(len(letters)):
        yield letters[:place] + letters[place + 1 :]
