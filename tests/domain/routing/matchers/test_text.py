"""A match can be written on one line and read back as the same tree. A fault names its position and its reason."""

from __future__ import annotations

from typing import Any

import pytest

from inbox.domain.routing import matchers
from tests.domain.routing.matchers.matching import NO, YES, clause

TYPE = clause("type", "eq", "x")


WRITTEN = [
    (
        'severity >= ERROR and resource matches "^host:db" and metadata.team != "qa"',
        {
            "all": [
                clause("severity", "gte", "ERROR"),
                clause("resource", "matches", "^host:db"),
                clause("metadata.team", "ne", "qa"),
            ]
        },
    ),
    ("any event", {"all": []}),
    ("title exists", YES),
    ("title missing", NO),
    ("all (title exists)", {"all": [YES]}),
    ("any (title exists)", {"any": [YES]}),
    ("not title exists", {"not": YES}),
    ("not not title exists", {"not": {"not": YES}}),
    ('title exists or type = "x" and title missing', {"any": [YES, {"all": [TYPE, NO]}]}),
    ('(title exists or type = "x") and title missing', {"all": [{"any": [YES, TYPE]}, NO]}),
    ("(title exists and title missing) and title exists", {"all": [{"all": [YES, NO]}, YES]}),
    ("(title exists or title missing) or title exists", {"any": [{"any": [YES, NO]}, YES]}),
    ("not (title exists or title missing)", {"not": {"any": [YES, NO]}}),
    ("not all (title exists) and title exists", {"all": [{"not": {"all": [YES]}}, YES]}),
    ("severity in (WARNING, CRITICAL)", clause("severity", "in", ["WARNING", "CRITICAL"])),
    ("action = resolve", clause("action", "eq", "resolve")),
    ('type not in ("a", "b")', clause("type", "notIn", ["a", "b"])),
    (
        "metadata.x in (1, 1.5, -2, 1e+16, true, false)",
        clause("metadata.x", "in", [1, 1.5, -2, 1e16, True, False]),
    ),
    ('metadata."a.b".c <= 5', clause('metadata."a.b".c', "lte", 5)),
    (r'title matches "^\d+\.\w \"x\" \\\\n\\\\"', clause("title", "matches", r'^\d+\.\w "x" \\n' + "\\\\")),
    (r'body contains "\n\r\t\u{202e}\u{e0001}é\\u{41}"', clause("body", "contains", "\n\r\t\u202e\U000e0001é\\u{41}")),
    ('tags startsWith "team:"', clause("tags", "startsWith", "team:")),
    ('url endsWith "/x"', clause("url", "endsWith", "/x")),
]


@pytest.mark.parametrize(("text", "tree"), WRITTEN)
def test_a_tree_has_one_text_and_the_text_that_tree(text: str, tree: Any) -> None:
    assert matchers.to_text(tree) == text
    assert matchers.from_text(text) == tree


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("  title   exists ", "title exists"),
        ("title EXISTS AND title Missing", "title exists and title missing"),
        ('type == "x"', 'type = "x"'),
        ('type NOT IN ("x")', 'type not in ("x")'),
        ('type startswith "x"', 'type startsWith "x"'),
        ("((title exists))", "title exists"),
        ('severity >= "ERROR"', "severity >= ERROR"),
        ("severity >= error", "severity >= ERROR"),
        ("severity in (Crit, err, FATAL, CRITICAL)", "severity in (CRITICAL, ERROR)"),
        ('not (severity = warn or title = "warn")', 'not (severity = WARNING or title = "warn")'),
        ("title exists\nor\ttitle missing", "title exists or title missing"),
        ('title exists or (type = "x" and title missing)', 'title exists or type = "x" and title missing'),
        ("metadata.x=1", "metadata.x = 1"),
        ("ALL (title exists)", "all (title exists)"),
        ("Any Event", "any event"),
        ('title contains "\u00fc\n"', 'title contains "\u00fc\\n"'),
    ],
)
def test_a_text_may_be_written_more_freely_than_it_is_shown(text: str, canonical: str) -> None:
    assert matchers.to_text(matchers.from_text(text)) == canonical


FIELD = "`not`, `(` or a field: severity, type"


BAD = [
    ("", 1, FIELD, "the end"),
    ("   ", 4, FIELD, "the end"),
    ("nope = 1", 1, FIELD, "`nope`"),
    ("Heading exists", 1, FIELD, "`Heading`"),
    ("metadata exists", 1, FIELD, "`metadata`"),
    ("title exists and", 17, FIELD, "the end"),
    ("title exists or or", 17, FIELD, "`or`"),
    ("not", 4, FIELD, "the end"),
    ("()", 2, FIELD, "`)`"),
    ("title exists title", 14, "`and`, `or` or the end", "`title`"),
    ("title exists)", 13, "`and`, `or` or the end", "`)`"),
    ("(title exists", 14, "`and`, `or` or `)`", "the end"),
    ("any", 4, "`(` after `any`", "the end"),
    ("any event or title exists", 5, "`(` after `any`", "`event`"),
    ("all title exists", 5, "`(` after `all`", "`title`"),
    ("title", 6, "one of `=`, `!=`, `in`, `not in`, `contains`", "the end"),
    ("title § 5", 7, "`exists`, `missing` after title", "`§`"),
    ('title >= "a"', 7, "one of `=`", "`>=`"),
    ('severity contains "a"', 10, "one of `=`, `!=`, `>=`, `<=`, `in`, `not in`, `exists`", "`contains`"),
    ('title not "a"', 7, "one of `=`", "`not`"),
    ("title = ", 9, "text in double quotes", "the end"),
    ("title = x", 9, "text in double quotes", "`x`"),
    ("title = 'x'", 9, "text in double quotes", "`'`"),
    ('title = "x', 9, "text in double quotes", "text without its closing quote"),
    (r'title = "x\"', 9, "text in double quotes", "text without its closing quote"),
    (r'title = "\u{110000}"', 9, r"text whose `\u{…}` are characters", r'`"\u{110000}"`'),
    ("severity >= 5x", 13, "a severity", "`5x`"),
    ("action = (", 10, "`trigger` or `resolve`", "`(`"),
    ("metadata.x >= 1.2.3", 15, "text in double quotes, a number, `true` or `false`", "`1.2.3`"),
    ("metadata.x >= ٣", 15, "a number", "`٣`"),
    ("metadata.x >= -", 15, "a number", "`-`"),
    ('type in "x"', 9, "`(` and a list of values", '`"x"`'),
    ('type in ("x" "y")', 14, "`,` or `)`", '`"y"`'),
    ('type in ("x",)', 14, "text in double quotes", "`)`"),
    ("type in ()", 10, "text in double quotes", "`)`"),
    ("(" * 21 + "title exists" + ")" * 21, 21, "no more than 20", "`(`"),
    ("(" * 100_000, 21, "no more than 20", "`(`"),
    ("not " * 25_000, 81, "no more than 20", "`not`"),
]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ('severity >= ERROR && title = "x"', 'found `&`; write "and" instead of "&&"'),
        ('title = "a" & title = "b"', 'write "and" instead of "&"'),
        ('severity >= ERROR || title = "x"', 'write "or" instead of "||"'),
        ("severity > ERROR", 'write ">=" instead of ">"'),
        ('title ~ "x"', 'write "matches" instead of "~"'),
        ("! title exists", 'write "not" instead of "!"'),
        ("title == db", 'write "db" in double quotes'),
        ("metadata.team = qa", 'write "qa" in double quotes'),
        ("resource = host:db-1 and title exists", 'write "host:db-1" in double quotes'),
        ("title = 'disk full'", 'write "disk full" in double quotes'),
        ("title = “disk full”", 'write "disk full" in double quotes'),
        ('title =~ "x"', 'write "matches" instead of "=~"'),
        ('title !~ "x"', 'write "not" before the field and "matches" after it'),
        ('title not contains "x"', 'write "not" before the field and "contains" after it'),
        ("title not exists", 'write "missing" instead of "not exists"'),
        ('title <> "x"', 'write "!=" instead of "<>"'),
        ('title === "x"', 'write "=" instead of "==="'),
        ("severity => ERROR", 'write ">=" instead of "=>"'),
        ('tags in ["a", "b"]', 'write "(" instead of "["'),
        ("metadata.n >= 1.2.3", "found `1.2.3`"),
        (f"title = {'x' * 61}", "x`"),
        ("title ? 1", ""),
    ],
)
def test_operators_of_other_languages_are_answered_with_the_right_spelling(text: str, hint: str) -> None:
    with pytest.raises(matchers.BadMatch) as refused:
        matchers.from_text(text)

    assert refused.value.faults[0].detail.endswith(hint)


@pytest.mark.parametrize(("text", "position", "expected", "found"), BAD)
def test_an_unreadable_match_text_is_refused_with_its_position_and_the_expected_token(
    text: str, position: int, expected: str, found: str
) -> None:
    (fault,) = refused(text)
    assert fault.startswith(f"at character {position}: expected ")
    assert expected in fault
    assert fault.partition("; write ")[0].endswith(f", found {found}")


@pytest.mark.parametrize(
    ("text", "position", "stated"),
    [
        ("severity >= bad", 13, "must be one of DEBUG"),
        ("title exists and severity in (warn, foo)", 37, "must be one of DEBUG"),
        ("action = close", 10, "must be one of trigger, resolve"),
        ("title contains 5", 16, "must be text of 1"),
        ('title = ""', 9, "must be text of 1"),
        ('not (title exists or title = "' + "x" * 1_025 + '")', 30, "must be text of 1"),
        ('body matches "("', 14, "RE2 syntax, without look-around and back-references: missing )"),
        ("metadata.x >= 99999999999999999999999", 15, "64 bits"),
        ("metadata.x = 1e999", 14, "64 bits"),
        ("metadata.x >= " + "9" * 5_000, 15, "64 bits"),
        ("metadata.x >= true", 15, "must be a number"),
        (r'title = "\u{d800}"', 9, "must be text of 1"),
        ("type in (" + ", ".join(['"x"'] * 101) + ")", 9, "1 to 100 values"),
        (" or ".join(["title exists"] * 51), 801, "at most 50 clauses"),
        ("type in (" + ", ".join(['"x"'] * 10_000) + ' "', 9, "1 to 100 values"),
        (" or ".join(["title exists"] * 5_000) + ' "', 801, "at most 50 clauses"),
        ("not not not not not title exists", 17, "4 deep"),
        ("any (all (any (all (not title exists))))", 21, "4 deep"),
        ('title matches "(xy){1000}"', 1, "must be simpler"),
    ],
)
def test_an_invalid_match_text_is_refused_with_its_position(text: str, position: int, stated: str) -> None:
    (fault,) = refused(text)
    assert fault.startswith(f"at character {position}: must")
    assert stated in fault


def test_every_fault_of_a_text_that_can_be_read_is_notified_at_once() -> None:
    first, second = refused('severity = x or title matches "("')
    assert first.startswith("at character 12:")
    assert second.startswith("at character 31:")


@pytest.mark.parametrize(
    ("text", "position"),
    [("metadata.a b = 1", 12), ("metadata.a#b = 1", 11), ("metadata. = 1", 1), ('metadata."a = 1', 1)],
)
def test_a_key_that_needs_quotes_is_notified_so(text: str, position: int) -> None:
    (fault,) = refused(text)
    assert fault.startswith(f"at character {position}: expected ")
    assert 'is in double quotes (`metadata."a b"`)' in fault


def refused(text: str) -> list[str]:
    with pytest.raises(matchers.BadMatch) as bad:
        matchers.from_text(text)
    assert {fault.pointer for fault in bad.value.faults} == {""}
    return [fault.detail for fault in bad.value.faults]


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("severty >= ERROR", "at character 1: unknown field `severty`. Did you mean `severity`?"),
        ('title = "x" and Tag has "y"', "at character 17: unknown field `Tag`. Did you mean `tags`?"),
        ('dedup_key = "x"', "at character 1: unknown field `dedup_key`. Did you mean `dedupKey`?"),
    ],
)
def test_a_misspelt_field_is_answered_with_the_one_that_is_meant(text: str, detail: str) -> None:
    assert refused(text) == [detail]
