"""Tokens of the built-in receiver (specification 9.12)."""

from __future__ import annotations

from uuid import UUID

import pytest

from inbox.domain.deliveries.built_in_receiver import token, workspace_of

KEY = "a signing key of at least 32 characters"
HOME, OTHER = UUID(int=1), UUID(int=2)


def test_a_token_leads_to_its_workspace_and_no_other() -> None:
    assert workspace_of(KEY, token(KEY, HOME)) == HOME
    assert token(KEY, HOME) != token(KEY, OTHER)
    assert workspace_of("another signing key of 32 characters", token(KEY, HOME)) is None


@pytest.mark.parametrize("text", ["", "x", "é" * 43, "A" * 43, "A" * 1_000, "a b", "=" * 43])
def test_any_other_text_leads_nowhere(text: str) -> None:
    assert workspace_of(KEY, text) is None


def test_a_token_has_one_spelling() -> None:
    existing = token(KEY, HOME)
    others = {existing[:-1] + sign for sign in "ABCDEFGHabcdefgh0123-_"} | {
        existing + "=",
        existing + "A",
        f" {existing}",
    }

    assert [each for each in others - {existing} if workspace_of(KEY, each)] == []
