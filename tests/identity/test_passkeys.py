"""Passkeys: creation, use, and refusal of invalid ones."""

from __future__ import annotations

import copy
from typing import Any
from uuid import UUID

import pytest

from inbox.identity import passkeys
from inbox.identity.passkeys import Assertion, KnownPasskey, PasskeyRefused, Registered, Site
from tests.identity.authenticators import PRESENT, Authenticator, bytes_of

SITE = Site.of("https://inbox.example.org", "Incident Inbox")
MIA = UUID("01939d0e-0000-7000-8000-000000000001")
CHALLENGE = b"c" * 32


def requested(has: tuple[KnownPasskey, ...] = ()) -> dict[str, Any]:
    return passkeys.registration_options(SITE, CHALLENGE, user_id=MIA, email="mia@example.org", name="Mia", has=has)


def made(authenticator: Authenticator, **change: Any) -> Registered:
    return passkeys.verify_registration(SITE, CHALLENGE, authenticator.make(requested(), **change))


def verified(authenticator: Authenticator, key: Registered, *, alone: bool = False, **change: Any) -> Assertion:
    options = passkeys.authentication_options(SITE, CHALLENGE, has=[KnownPasskey(key.credential_id)], alone=alone)
    return passkeys.verify_assertion(
        SITE,
        CHALLENGE,
        authenticator.show(options, **change),
        public_key=key.public_key,
        sign_count=key.sign_count,
        alone=alone,
    )


def test_a_passkey_that_was_made_is_shown_again_and_again() -> None:
    authenticator = Authenticator(user_handle=MIA.bytes)
    key = made(authenticator)

    first, second = verified(authenticator, key), verified(authenticator, key, alone=True)

    assert first.credential_id == key.credential_id == authenticator.credential_id
    assert (key.sign_count, first.sign_count, second.sign_count) == (0, 1, 2)
    assert key.transports == ("hybrid", "internal")
    assert second.user_verified


def test_passkey_options_name_only_the_site_of_the_service() -> None:
    options = requested(has=(KnownPasskey(b"old", ("usb", "no such")),))

    assert options["rp"] == {"id": "inbox.example.org", "name": "Incident Inbox"}
    assert bytes_of(options["user"]["id"]) == MIA.bytes
    assert (options["user"]["name"], options["user"]["displayName"]) == ("mia@example.org", "Mia")
    assert bytes_of(options["challenge"]) == CHALLENGE
    assert {each["alg"] for each in options["pubKeyCredParams"]} == {-7, -8, -257}
    assert options["attestation"] == "none"
    (excluded,) = options["excludeCredentials"]
    assert bytes_of(excluded["id"]) == b"old" and excluded["transports"] == ["usb"]


@pytest.mark.parametrize(("alone", "verification"), [(False, "preferred"), (True, "required")])
def test_a_passkey_that_is_the_only_factor_requires_user_verification(alone: bool, verification: str) -> None:
    options = passkeys.authentication_options(SITE, CHALLENGE, has=[], alone=alone)

    assert (options["rpId"], options["userVerification"]) == ("inbox.example.org", verification)
    assert not options.get("allowCredentials")


def test_a_passkey_without_unlocking_is_a_second_factor_but_nothing_alone() -> None:
    authenticator = Authenticator(flags=PRESENT)
    key = made(authenticator)

    assert not verified(authenticator, key).user_verified
    with pytest.raises(PasskeyRefused):
        verified(authenticator, key, alone=True)


def test_a_passkey_without_a_counter_is_accepted() -> None:
    authenticator = Authenticator(counts=False)
    key = made(authenticator)

    assert [verified(authenticator, key).sign_count for _ in range(2)] == [0, 0]


def test_a_copy_that_lags_behind_is_refused() -> None:
    authenticator = Authenticator(sign_count=10)
    key = made(authenticator)
    authenticator.sign_count = 5

    with pytest.raises(PasskeyRefused):
        verified(authenticator, key)


BAD: dict[str, dict[str, Any]] = {
    "another challenge": {"challenge": "eA"},
    "another site": {"origin": "https://evil.example"},
    "our site without TLS": {"origin": "http://inbox.example.org"},
    "another port": {"origin": "https://inbox.example.org:8443"},
    "a part of our site": {"origin": "https://a.inbox.example.org"},
    "another act": {"type": "payment.get"},
    "another id": {"id": "eA"},
}


@pytest.mark.parametrize("name", BAD)
def test_a_passkey_made_for_another_purpose_is_refused(name: str) -> None:
    authenticator = Authenticator()
    key = made(authenticator)

    with pytest.raises(PasskeyRefused):
        made(Authenticator(), **BAD[name])
    with pytest.raises(PasskeyRefused):
        verified(authenticator, key, **BAD[name])


def test_registration_and_assertion_of_a_passkey_are_not_interchangeable() -> None:
    authenticator = Authenticator()
    key = made(authenticator)

    with pytest.raises(PasskeyRefused):
        verified(authenticator, key, type="webauthn.create")
    with pytest.raises(PasskeyRefused):
        made(authenticator, type="webauthn.get")


def test_a_passkey_of_another_site_or_of_another_key_is_refused() -> None:
    authenticator, other = Authenticator(), Authenticator()
    key = made(authenticator)
    other.credential_id = authenticator.credential_id

    with pytest.raises(PasskeyRefused):
        verified(other, key)
    with pytest.raises(PasskeyRefused):
        verified(authenticator, key, signature=b"\x30\x00")
    authenticator.rp_id = "evil.example"
    with pytest.raises(PasskeyRefused):
        verified(authenticator, key)
    with pytest.raises(PasskeyRefused):
        made(authenticator)


def test_a_passkey_without_user_presence_is_refused() -> None:
    authenticator = Authenticator()
    key = made(authenticator)
    authenticator.flags = 0

    with pytest.raises(PasskeyRefused):
        verified(authenticator, key)
    with pytest.raises(PasskeyRefused):
        made(authenticator)


@pytest.mark.parametrize(
    "change", [{"alg": -65535}, {"fmt": "no such"}, {"fmt": "packed", "statement": {"alg": -7, "sig": b"x"}}]
)
def test_a_passkey_of_an_unknown_make_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(PasskeyRefused):
        made(Authenticator(), **change)


@pytest.mark.parametrize("transports", [None, "usb", [[]], [{}], [7, "usb", "no such"]])
def test_the_transports_reported_by_a_browser_are_not_trusted(transports: Any) -> None:
    assert set(made(Authenticator(), transports=transports).transports) <= {"usb"}


def answers() -> list[Any]:
    """A true answer with each of its parts replaced by each kind of nonsense, and no answer at all."""
    whole = Authenticator().make(requested()) | {}
    shows = Authenticator().show({"challenge": "eA"})
    nonsense: list[Any] = [None, 7, "", "é", "%%%", "AAAA", [], {}, "x" * 100_000, "[" * 5_000, True]
    found: list[Any] = [{}, {"id": 7}, {"response": []}]
    for true in (whole, shows):
        places = [(name,) for name in true] + [("response", name) for name in true["response"]]
        for place in places:
            for instead in nonsense:
                false: Any = copy.deepcopy(true)
                within = false if len(place) == 1 else false["response"]
                within[place[-1]] = instead
                found.append(false)
    return found


def test_malformed_passkey_answers_are_refused_without_another_error() -> None:
    key = made(Authenticator())
    refused = 0
    for answer in answers():
        for act in (
            lambda stated: passkeys.verify_registration(SITE, b"other", stated),
            lambda stated: passkeys.verify_assertion(SITE, b"other", stated, public_key=key.public_key, sign_count=0),
        ):
            with pytest.raises(PasskeyRefused):
                act(answer)
            refused += 1
        try:
            assert passkeys.credential_id(answer)
        except PasskeyRefused:
            refused += 1
        assert passkeys.user_id(answer) is None
    assert refused > 200


def test_a_passkey_names_its_person() -> None:
    stated = Authenticator(user_handle=MIA.bytes).show({"challenge": "eA"})

    assert passkeys.user_id(stated) == MIA
    assert passkeys.credential_id(stated) == bytes_of(stated["rawId"])


def test_passkey_challenges_are_unique() -> None:
    assert len({passkeys.new_challenge() for _ in range(100)}) == 100


@pytest.mark.parametrize(
    ("base_url", "rp_id", "origin", "can"),
    [
        ("https://Inbox.Example.org", "inbox.example.org", "https://inbox.example.org", True),
        ("https://inbox.example.org:443", "inbox.example.org", "https://inbox.example.org", True),
        ("https://inbox.example.org:8443/sub", "inbox.example.org", "https://inbox.example.org:8443", True),
        ("http://localhost:8080", "localhost", "http://localhost:8080", True),
        ("http://inbox.example.org", "inbox.example.org", "http://inbox.example.org", False),
        ("http://127.0.0.1:8080", "127.0.0.1", "http://127.0.0.1:8080", False),
        ("https://192.0.2.1", "192.0.2.1", "https://192.0.2.1", False),
        ("https://[2001:db8::1]:444", "2001:db8::1", "https://[2001:db8::1]:444", False),
    ],
)
def test_passkeys_are_for_the_host_of_our_address(base_url: str, rp_id: str, origin: str, can: bool) -> None:
    site = Site.of(base_url, "Inbox")

    assert (site.rp_id, site.origin, site.can_have_passkeys) == (rp_id, origin, can)
