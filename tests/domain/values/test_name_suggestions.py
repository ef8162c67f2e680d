import pytest

from inbox.domain.events.field_names import ALIASES, NAMES, unknown_fields
from inbox.domain.values.name_suggestions import NameSuggestions


@pytest.mark.parametrize(
    ("sent", "intended"),
    [
        *((name.lower(), name) for name in NAMES),
        ("dedup_key", "dedupKey"),
        ("dedup-key", "dedupKey"),
        ("DEDUPKEY", "dedupKey"),
        ("dedupkye", "dedupKey"),
        ("dedupe_key", "dedupKey"),
        ("dedup", "dedupKey"),
        ("titel", "title"),
        ("titl", "title"),
        ("titlle", "title"),
        ("tutle", "title"),
        ("severty", "severity"),
        ("occurred", "occurredAt"),
        ("occured_at", "occurredAt"),
        ("tag", "tags"),
        ("message", "body"),
        ("foo", None),
        ("", None),
        ("x", None),
        ("t", None),
        ("environment", None),
        ("d" * 100_000, None),
    ],
)
def test_a_name_that_is_nearly_a_known_one_means_it(sent: str, intended: str | None) -> None:
    assert NameSuggestions(NAMES, ALIASES).closest(sent) == intended


def test_a_beginning_of_two_names_means_neither() -> None:
    assert NameSuggestions(["externalId", "externalUrl"]).closest("external") is None


def test_known_fields_are_no_unknown_ones() -> None:
    assert list(unknown_fields(dict.fromkeys([*NAMES, "events"]))) == []


def test_five_unknown_fields_are_named_each_cut_and_without_secrets() -> None:
    sent = ["whsec_" + "A" * 40, "n" * 100_000, "a\0b", "/x~", "plain", "sixth"]
    shown = [name for name, _ in unknown_fields(sent)]

    assert shown == ["whsec_[REDACTED]", "n" * 100, "a\ufffdb", "/x~", "plain"]
