import pytest

from inbox.domain.values import severity
from inbox.domain.values.severity import Severity


@pytest.mark.parametrize(
    ("name", "rank"), [("DEBUG", 1), ("INFO", 2), ("SUCCESS", 2), ("WARNING", 3), ("ERROR", 4), ("CRITICAL", 5)]
)
def test_severities_rank_as_specified(name: str, rank: int) -> None:
    assert severity.rank(Severity(name)) == rank
    assert Severity(name).rank == rank


@pytest.mark.parametrize(
    ("word", "canonical"),
    [
        ("warn", "WARNING"),
        ("err", "ERROR"),
        ("crit", "CRITICAL"),
        ("fatal", "CRITICAL"),
        ("debug", "DEBUG"),
        ("info", "INFO"),
        ("success", "SUCCESS"),
        ("warning", "WARNING"),
        ("error", "ERROR"),
        ("critical", "CRITICAL"),
    ],
)
def test_names_and_aliases_count_in_any_case(word: str, canonical: str) -> None:
    for spelling in (word, word.upper(), word.title()):
        assert severity.parse(spelling) is Severity(canonical)


@pytest.mark.parametrize("word", ["", " warn", "warn ", "emergency", "notice", "5", "ok", "INFO\n", "ınfo"])
def test_an_unknown_word_is_no_severity(word: str) -> None:
    assert severity.parse(word) is None
