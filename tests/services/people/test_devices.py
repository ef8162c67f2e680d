"""Pairing of devices over time, and many at the same moment (specification 11.10)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from inbox.domain.values.refusals import PairingInvalid
from inbox.models.people.accounts import Session, User
from inbox.models.people.devices import Device, DevicePairing
from inbox.services.people import pairings
from tests.cast import Cast
from tests.services.people.devices_steps import (
    MINUTE,
    NOW,
    at_once,
    claim,
    mia,  # noqa: F401
)
from tests.stand_ins.phone import code_of, session_of


def wrong(code: str) -> str:
    """Another code with the same first half."""
    return code[:-1] + ("0" if code[-1] != "0" else "1")


def test_a_code_is_good_for_five_minutes(mia: User) -> None:
    claim(code_of(mia, NOW), NOW + 5 * MINUTE - timedelta(milliseconds=1))

    with pytest.raises(PairingInvalid):
        claim(code_of(mia, NOW), NOW + 5 * MINUTE)


def test_a_code_is_good_once(mia: User) -> None:
    code = code_of(mia, NOW)
    claim(code)

    with pytest.raises(PairingInvalid):
        claim(code)
    assert Device.select().count() == 1


def test_a_pairing_code_sent_by_many_at_once_pairs_one_device(mia: User) -> None:
    code = code_of(mia, NOW)

    answers = at_once(lambda: claim(code), 8)

    assert sorted(type(answer).__name__ for answer in answers) == ["PairingInvalid"] * 7 + ["Tokens"]
    assert Device.select().count() == 1


@pytest.mark.parametrize(("tries", "good"), [(4, True), (5, False)])
def test_the_fifth_wrong_try_ends_a_code(mia: User, tries: int, good: bool) -> None:
    code = code_of(mia, NOW)
    for _ in range(tries):
        with pytest.raises(PairingInvalid):
            claim(wrong(code))

    if good:
        claim(code)
    else:
        with pytest.raises(PairingInvalid):
            claim(code)


def test_many_wrong_tries_at_once_are_all_counted(mia: User) -> None:
    code = code_of(mia, NOW)
    at_once(lambda: claim(wrong(code)), 5)

    assert DevicePairing.get().wrong_tries == 5
    assert pairings.status(DevicePairing.get(), NOW) == "expired"


def test_wrong_attempts_for_one_code_do_not_end_another(cast: Cast) -> None:
    own_one, other = code_of(cast.users["mia"], NOW), code_of(cast.users["vic"], NOW)
    while own_one[:4] == other[:4]:
        other = code_of(cast.users["vic"], NOW)
    for _ in range(5):
        with pytest.raises(PairingInvalid):
            claim(wrong(own_one))

    claim(other)


def test_a_new_code_ends_the_one_that_the_session_showed_before_and_no_other(mia: User) -> None:
    elsewhere = code_of(mia, NOW)
    session = session_of(mia).id
    _, before = pairings.start(mia.id, session, NOW)
    _, after = pairings.start(mia.id, session, NOW)

    with pytest.raises(PairingInvalid):
        claim(before)
    claim(after)
    claim(elsewhere)


@pytest.mark.parametrize("how", ["signed out", "disabled", "closed"])
def test_a_code_ends_with_the_session_and_the_person_that_show_it(mia: User, how: str) -> None:
    code = code_of(mia, NOW)
    if how == "signed out":
        Session.update(revoked_at=NOW).execute()
    else:
        User.update({"disabled_at" if how == "disabled" else "deleted_at": NOW}).where(User.id == mia.id).execute()

    with pytest.raises(PairingInvalid):
        claim(code)
