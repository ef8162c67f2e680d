"""Which of the known names somebody meant who wrote another one."""

from collections.abc import Iterable, Iterator, Mapping

LONGEST = 40
"""Characters of a name that are compared: no known name is nearly as long."""

_SHORTEST_BEGINNING = 4


class NameSuggestions:
    """Known names, found by what is nearly one of them: `dedup_key`, `dedupkye`, `dedup` are all `dedupKey`.

    Case and punctuation do not count; one letter may be missing, added, wrong or exchanged with its neighbour. A
    beginning of four letters is enough where it is of one name only. `meant` are other words for a known name. A look-up
    takes a few dozen steps, so that a sender cannot make it slow.
    """

    def __init__(self, known: Iterable[str], meant: Mapping[str, str] | None = None) -> None:
        self._known = {_letters(name): name for name in known}
        self._meant = meant or {}
        self._near: dict[str, str] = {}
        for letters, name in self._known.items():
            for near in _shortened(letters):
                self._near.setdefault(near, name)

    def closest(self, name: str) -> str | None:
        """The known name that is meant; None when none is near."""
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
    """The letters, and the letters without one of them: two texts that share one of these are one mistake apart."""
    yield letters
    for place in range(len(letters)):
        yield letters[:place] + letters[place + 1 :]
