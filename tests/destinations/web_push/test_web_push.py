"""Web push: encryption and signature by the RFC examples, the call, and the allowed hosts."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

from inbox.config import settings as in_force
from inbox.config.settings import Settings
from inbox.destinations import KINDS, Config, Message, outbound_policy
from inbox.destinations.web_push import push_encryption
from inbox.destinations.web_push.push_encryption import BadSubscription, decode, encode
from inbox.domain.deliveries import notices, push
from inbox.domain.deliveries.delivery import FailureReason, Receipt
from inbox.domain.deliveries.notices import NoticeFields
from inbox.domain.deliveries.push import EndpointRefused, PushHosts
from inbox.domain.explaining import push_text
from inbox.domain.incidents.incident import Escalation
from inbox.domain.incidents.state_machine import Reason
from inbox.domain.values.refusals import ValidationFailed
from inbox.domain.values.severity import Severity
from tests.cast import NOW
from tests.stand_ins.push_service import (
    Subscription,
    decrypted,
    service,  # noqa: F401
)
from tests.stand_ins.receivers import Receiver

PRIVATE, PUBLIC = push_encryption.new_key()


def notice(reason: Reason = Reason.OPENED, severity: str = "CRITICAL", **fields: Any) -> dict[str, Any]:
    escalation = Escalation("severity", "ERROR", severity) if reason is Reason.ESCALATED else None
    about = NoticeFields(
        **{
            "title": "Disk full", "severity": severity, "state": "open", "source_name": "Backups",
            "workspace_name": "Home", "incident_id": "inc_01", "first_seen_at": NOW,
            "url": "https://inbox.example.org/w/home/incidents/inc_01", "resource": "db-1",
            "escalation": escalation, **fields,
        }
    )  # fmt: skip
    return notices.payload(reason, about, NOW)


def send(subscription: Subscription, body: dict[str, Any], *, hide: bool = False, at: Any = NOW) -> Receipt:
    secrets = {"endpoint": subscription.endpoint, **subscription.keys, "privateKey": PRIVATE}
    message = Message("dlv_01", json.dumps(body).encode(), at)
    return KINDS["web_push"].send(message, Config({"hideContent": hide}, secrets), outbound_policy.client())


def test_the_example_of_rfc_8291_is_reproduced() -> None:
    private = int.from_bytes(decode("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))

    encrypted = push_encryption.encrypt(
        b"When I grow up, I want to be a watermelon",
        p256dh="BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        auth="BTBZMqHH6r4Tts7J_aSIgg",
        salt=decode("DGv6ra1nlYgDCS1FRnbzlw"),
        sender=ec.derive_private_key(private, ec.SECP256R1()),
    )

    assert encode(encrypted) == (
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_"
        "yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )


def test_a_browser_decrypts_the_example_of_rfc_8291() -> None:
    browser = ec.derive_private_key(
        int.from_bytes(decode("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94")), ec.SECP256R1()
    )
    body = decode(
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_"
        "yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )

    plain = decrypted(body, browser, decode("BTBZMqHH6r4Tts7J_aSIgg"))

    assert plain == b"When I grow up, I want to be a watermelon"


@pytest.mark.parametrize("p256dh", ["", "x", "é", encode(bytes(65)), encode(b"\x04" + bytes(64)), encode(b"\x04" * 64)])
def test_a_key_that_is_no_point_of_the_curve_is_refused(p256dh: str) -> None:
    with pytest.raises(BadSubscription):
        push_encryption.encrypt(b"", p256dh=p256dh, auth=encode(bytes(16)))


def test_a_push_service_can_verify_who_sends(service: Receiver) -> None:
    send(Subscription(service), notice())

    authorization = service.requests[0].headers["authorization"]
    scheme, _, parameters = authorization.partition(" ")
    values = dict(part.strip().split("=", 1) for part in parameters.split(","))
    head, claims, signature = values["t"].split(".")
    found = json.loads(decode(claims))
    assert (scheme, json.loads(decode(head)), values["k"]) == ("vapid", {"typ": "JWT", "alg": "ES256"}, PUBLIC)
    assert (found["aud"], found["sub"]) == (f"http://127.0.0.1:{service.port}", "mailto:ops@example.org")
    assert timedelta(0) < timedelta(seconds=found["exp"] - NOW.timestamp()) <= timedelta(hours=24)
    raw = decode(signature)
    pair = utils.encode_dss_signature(int.from_bytes(raw[:32]), int.from_bytes(raw[32:]))
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decode(PUBLIC))
    key.verify(pair, f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))


def test_a_signature_is_used_again_for_some_hours(service: Receiver) -> None:
    phone = Subscription(service)
    start = NOW.replace(hour=8, minute=0)
    for at in (start, start + timedelta(hours=3), start + timedelta(hours=5)):
        send(phone, notice(), at=at)

    first, second, third = (request.headers["authorization"] for request in service.requests)
    assert first == second != third


def test_the_browser_decrypts_a_declarative_message_about_one_incident(service: Receiver) -> None:
    phone = Subscription(service)

    receipt = send(phone, notice())

    (request,) = service.requests
    assert receipt.status_code == 201
    shown = phone.message(request)
    assert (shown["web_push"], shown["notification"]["title"]) == (8030, "CRITICAL · Disk full")
    assert shown["notification"]["body"] == "db-1 · Backups · Home"
    assert shown["notification"]["navigate"] == "https://inbox.example.org/w/home/incidents/inc_01"
    assert shown["notification"]["tag"] == "inc_01"
    assert request.headers["content-encoding"] == "aes128gcm"
    assert (request.headers["ttl"], request.headers["urgency"]) == ("14400", "high")
    assert b"Disk" not in request.body


def test_messages_about_one_incident_replace_each_other(service: Receiver) -> None:
    phone = Subscription(service)
    for body in (notice(), notice(Reason.RESOLVED), notice(incident_id="inc_02")):
        send(phone, body)

    one, same, other = (request.headers["topic"] for request in service.requests)
    assert one == same != other
    assert len(one) == 32
    assert [each["tag"] for each in phone.notifications] == ["inc_01", "inc_01", "inc_02"]


@pytest.mark.parametrize(
    ("reason", "severity", "urgency", "silent"),
    [
        (Reason.OPENED, "CRITICAL", "high", False),
        (Reason.ESCALATED, "ERROR", "high", False),
        (Reason.OPENED, "WARNING", "normal", False),
        (Reason.RESOLVED, "CRITICAL", "normal", True),
        (Reason.ACKNOWLEDGED, "CRITICAL", "normal", True),
        (Reason.UPDATED, "CRITICAL", "low", True),
    ],
)
def test_the_severity_says_how_urgently_a_phone_is_woken(
    service: Receiver, reason: Reason, severity: str, urgency: str, silent: bool
) -> None:
    phone = Subscription(service)
    send(phone, notice(reason, severity))

    assert service.requests[0].headers["urgency"] == urgency
    assert phone.notifications[0]["silent"] is silent


def test_hidden_content_is_nothing_that_a_sender_wrote(service: Receiver) -> None:
    phone = Subscription(service)
    send(phone, notice(title="Salary of Mia", resource="payroll", source_name="HR"), hide=True)

    text = json.dumps(phone.notifications)
    assert phone.notifications[0]["title"] == "Critical incident"
    assert not [word for word in ("Salary", "payroll", "HR") if word in text]


@pytest.mark.parametrize("reason", list(Reason))
@pytest.mark.parametrize("severity", list(Severity))
def test_every_notice_fits_into_one_message(reason: Reason, severity: Severity) -> None:
    body = notice(reason, severity, title="\U0001f525" * 500, resource="é" * 200, source_name="\\" * 100)

    assert len(push_text.message(notices.body_bytes(body), hide_content=False)) <= push_text.MAX_PLAIN


@pytest.mark.parametrize(
    "url",
    [
        "https://fcm.googleapis.com/fcm/send/abc",
        "https://updates.push.services.mozilla.com/wpush/v2/abc",
        "https://web.push.apple.com/abc",
        "https://wns2-par02p.notify.windows.com/w/?token=abc",
        "https://fcm.googleapis.com:443/x",
    ],
)
def test_the_push_services_of_browsers_are_known(url: str) -> None:
    assert push.endpoint(url, PushHosts()).is_added is False


@pytest.mark.parametrize(
    "url",
    [
        "http://fcm.googleapis.com/x", "https://fcm.googleapis.com:8443/x", "https://example.org/x",
        "https://fcm.googleapis.com.example.org/x", "https://notfcm.googleapis.com/x", "https://push.apple.com/x",
        "https://user@fcm.googleapis.com/x", "https://127.0.0.1/x", "https://[::1]/x", "ftp://web.push.apple.com/x",
        "https://169.254.169.254/latest", "", "https://", "https://web.push.apple.com:x/", "https://web.push.apple.com/\n",
    ],
)  # fmt: skip
def test_any_other_endpoint_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(EndpointRefused) as refused:
        push.endpoint(url, PushHosts())

    assert not url or url not in str(refused.value)


def test_an_operator_adds_hosts() -> None:
    added = PushHosts.parse("push.example.org, *.example.net")

    assert push.endpoint("https://push.example.org:8443/x", added).is_added
    assert push.endpoint("https://a.example.net/x", added).is_added
    with pytest.raises(EndpointRefused):
        push.endpoint("https://example.net/x", added)
    with pytest.raises(ValueError, match="host names"):
        PushHosts.parse("https://push.example.org/")


def test_a_known_push_service_with_a_private_address_is_not_called(settings: Settings) -> None:
    assert settings.may_call_private
    receipt = outbound_policy.public_client().post("https://10.0.0.1/x", b"", {})

    assert receipt.failure is FailureReason.ADDRESS_REFUSED


def test_a_host_that_the_operator_removed_is_not_called(service: Receiver, settings: Settings) -> None:
    in_force.use(settings)

    assert send(Subscription(service), notice()).failure is FailureReason.UNSENDABLE
    assert service.requests == []


def test_a_person_cannot_create_a_phone() -> None:
    with pytest.raises(ValidationFailed):
        KINDS["web_push"].validate({"endpoint": "https://web.push.apple.com/x"}, lambda url: None)
