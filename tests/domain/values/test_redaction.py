import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inbox.domain.senders.keys import KeyKind, mint
from inbox.domain.values.redaction import cut, redact, redact_tree

SOURCE_KEY = mint(KeyKind.SOURCE, bytes(range(32)))
HEARTBEAT_KEY = mint(KeyKind.HEARTBEAT, bytes(range(32)))
WEBHOOK_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw+/=="
PIECES = ["svc_", "src_", "hb_", "whsec_", "://", ":\\/\\/", ":", "@", "/", "a", "A9", "_", "-", " ", "\n", "[REDACTED]",
          "user", "https", "?", "#", '"', "é", "\U0001f600", "x" * 20]  # fmt: skip
CRAFTED = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        (SOURCE_KEY, "svc_[REDACTED]"),
        (HEARTBEAT_KEY, "svc_[REDACTED]"),
        ("svc_pat_abc", "svc_[REDACTED]"),
        ("svc_src_x", "svc_[REDACTED]"),
        (f"key={SOURCE_KEY}, and {HEARTBEAT_KEY}!", "key=svc_[REDACTED], and svc_[REDACTED]!"),
        (f"before{SOURCE_KEY}\nafter", "beforesvc_[REDACTED]\nafter"),
        ("svc_new9_0123456789abcdef", "svc_[REDACTED]"),
        (WEBHOOK_SECRET, "whsec_[REDACTED]"),
        (f'{{"secret":"{WEBHOOK_SECRET}"}}', '{"secret":"whsec_[REDACTED]"}'),
        ("whsec_svc_src_abc", "whsec_[REDACTED]"),
        ("https://u:p@host/x", "https://[REDACTED]@host/x"),
        ("https://:p@host", "https://[REDACTED]@host"),
        ("postgres://app:pa:ss@db:5432/x", "postgres://[REDACTED]@db:5432/x"),
        ("HTTPS://u:p@host and ftp://a:b@c", "HTTPS://[REDACTED]@host and ftp://[REDACTED]@c"),
        ("https://u:p@ss@host", "https://[REDACTED]@host"),
        ("https://me@corp.example:p@host", "https://[REDACTED]@host"),
        ("https://u:" + "p" * 5000 + "@host", "https://[REDACTED]@host"),
        ("https://" + "u" * 5000 + ":p@host", "https://[REDACTED]@host"),
        (f"https://u:{SOURCE_KEY}@host", "https://[REDACTED]@host"),
        ("https:\\/\\/u:p@host", "https:\\/\\/[REDACTED]@host"),
        ("https://x/?next=https://u:p@host", "https://x/?next=https://[REDACTED]@host"),
    ],
)
def test_secrets_become_marks(text: str, clean: str) -> None:
    assert redact(text) == clean


@pytest.mark.parametrize(
    "text",
    [
        "", "disk full", "svc_", "svc_src_", "svc_backup_eu: login failed", "my_svc_account", "whsec_", "SVC_SRC_ABC",
        "https://host:8080/path@home", "https://git@host/x", "ssh://git@host:22/x", "mail me@host.example",
        "https://host:80 ask me@host", '{"url":"https://host:80","mail":"me@host.example"}', "https://user:@host",
        "a://b:c", "12:30 @home", "svc_[REDACTED]", "whsec_[REDACTED]", "https://[REDACTED]@host:80",
    ],
)  # fmt: skip
def test_text_without_secrets_stays_unchanged(text: str) -> None:
    assert redact(text) == text


def test_clean_text_is_not_even_copied() -> None:
    text = "disk 91 % on db1:/var, see https://host/x or ask ops@host"

    assert redact(text) is text


@settings(max_examples=300, deadline=None)
@given(CRAFTED | st.text())
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    assert redact(redact(text)) == redact(text)


@given(CRAFTED, CRAFTED)
def test_no_key_survives_redaction_between_any_characters(before: str, after: str) -> None:
    clean = redact(f"{before}{SOURCE_KEY}{after}")

    assert SOURCE_KEY[8:20] not in clean


@given(st.text(), st.sampled_from([SOURCE_KEY, WEBHOOK_SECRET, "https://u:" + SOURCE_KEY[8:] + "@host"]))
def test_json_escapes_do_not_hide_a_secret_because_parsing_comes_first(text: str, secret: str) -> None:
    escaped = "".join(f"\\u{ord(character):04x}" for character in secret)
    parsed = json.loads(json.dumps([text, ""])[:-2] + escaped + '"]')

    clean, changed = redact_tree(parsed)

    assert changed
    assert secret[-12:] not in clean[1]


def test_a_tree_is_redacted_in_keys_and_values_at_every_depth() -> None:
    tree = {"a": [{"b": {SOURCE_KEY: [1, None, True, 2.5, WEBHOOK_SECRET]}}], "https://u:p@h": "x", "plain": "y"}

    assert redact_tree(tree) == (
        {
            "a": [{"b": {"svc_[REDACTED]": [1, None, True, 2.5, "whsec_[REDACTED]"]}}],
            "https://[REDACTED]@h": "x",
            "plain": "y",
        },
        True,
    )


def test_keys_that_become_one_lose_no_value() -> None:
    tree = {"svc_src_a": 1, "svc_src_b": 2, "svc_[REDACTED]": 3, "svc_src_c": 4}

    clean, _ = redact_tree(tree)

    assert sorted(clean.values()) == [1, 2, 3, 4]
    assert sorted(clean) == ["svc_[REDACTED]", "svc_[REDACTED] (2)", "svc_[REDACTED] (3)", "svc_[REDACTED] (4)"]


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text("ab ", max_size=5),
                    lambda inner: st.lists(inner) | st.dictionaries(st.text("ab "), inner)))  # fmt: skip
def test_a_clean_tree_is_unchanged(tree: Any) -> None:
    assert redact_tree(tree) == (tree, False)


@pytest.mark.parametrize("secret", [SOURCE_KEY, HEARTBEAT_KEY, WEBHOOK_SECRET, f"https://u:{SOURCE_KEY[8:]}@host"])
def test_redact_then_cut_leaves_no_head_of_a_secret_at_any_place(secret: str) -> None:
    limit = 100
    for before in range(limit + 5):
        clean = cut(redact("." * before + secret + "tail" * 50), limit)

        assert len(clean) <= limit
        assert secret[8:12] not in clean
        assert clean.count("[") == clean.count("]"), "a mark was cut in two"


@given(CRAFTED, st.integers(0, 200))
def test_a_cut_text_is_a_beginning_within_the_limit_and_still_clean(text: str, limit: int) -> None:
    clean = redact(text)
    short = cut(clean, limit)

    assert clean.startswith(short)
    assert len(short) <= limit
    assert len(clean) > limit or short == clean
    assert redact(short) == short


def test_texts_crafted_to_be_slow_are_read_in_bounded_work() -> None:
    """A pattern with more than linear cost needs minutes for these; a linear one passes in a second or so."""
    dice = random.Random(7)
    runs = [
        piece * (16_384 // len(piece)) for piece in PIECES + ["://:", "://a:", ":@", "://a:b", "svc_a_", "whsec_svc_"]
    ]
    mixed = ["".join(dice.choices(dice.sample(PIECES, 3), k=6_000))[:16_384] for _ in range(600)]
    tailed = [
        head * (16_000 // len(head)) + tail for head in ("a", ":", "://", "svc_") for tail in ("://a:b@", "@", "://:")
    ]

    for text in [*runs, *mixed, *tailed]:
        assert redact(redact(text)) == redact(text)
