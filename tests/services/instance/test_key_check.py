"""A database recognises the keys that sealed its secrets."""

from __future__ import annotations

import base64
from collections.abc import Iterator

import peewee
import pytest

from inbox.config.settings import Settings
from inbox.models.instance.sealed import KeyCheck
from inbox.runtime import sealing
from inbox.services.instance import key_check
from inbox.services.instance.key_check import KeyMismatch
from inbox.services.instance.resealing import reseal
from tests.cast import NOW

OURS, NEWER, FOREIGN = (
    f"{name}:" + base64.b64encode(byte * 32).decode() for name, byte in (("a", b"a"), ("b", b"b"), ("a", b"x"))
)


def hold(*keys: str) -> None:
    sealing.bind(sealing.KeyRing.parse(",".join(keys)))


@pytest.fixture(autouse=True)
def ours(ground: peewee.Database, settings: Settings) -> Iterator[None]:
    hold(OURS)
    yield
    hold(settings.secret_keys)


def test_the_keys_of_the_first_start_fit_from_then_on_and_others_do_not() -> None:
    key_check.check(NOW)
    key_check.check(NOW)
    for keys in ([FOREIGN], [NEWER]):
        hold(*keys)
        with pytest.raises(KeyMismatch):
            key_check.check(NOW)

    assert KeyCheck.select().count() == 1


def test_a_ring_with_both_keys_fits_and_after_resealing_the_new_key_suffices() -> None:
    key_check.check(NOW)
    hold(NEWER, OURS)
    key_check.check(NOW)
    assert reseal(NOW).is_complete

    hold(NEWER)
    key_check.check(NOW)


def test_new_keys_are_used_on_request() -> None:
    key_check.check(NOW)
    assert not key_check.renew(NOW)
    hold(FOREIGN)

    assert key_check.renew(NOW)
    key_check.check(NOW)
