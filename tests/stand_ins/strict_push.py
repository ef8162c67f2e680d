"""A push service as strict as its documentation: RFC 8030 for requests, RFC 8188 for bodies, RFC 8292 for senders."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from datetime import timedelta

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

from inbox.destinations.web_push.push_encryption import decode
from tests.stand_ins.receivers import Answer, Request

LONGEST_TTL, LONGEST_TOPIC, LARGEST = 2_592_000, 32, 4_096
HEAD_BYTES, POINT_BYTES = 21, 65
_TOPIC = re.compile(rf"[A-Za-z0-9_-]{{1,{LONGEST_TOPIC}}}")
_CREDENTIAL = re.compile(r"vapid t=([A-Za-z0-9_.-]+), ?k=([A-Za-z0-9_-]+)")


def refusal(status: int, number: int = 0, **headers: str) -> Answer:
    """An answer in the form of Mozilla's service. `number` is its number of the fault."""
    body = {"code": status, "errno": number, "error": "refused", "message": "see errno"}
    return Answer(status, json.dumps(body).encode(), {"Content-Type": "application/json", **headers})


def busy(wait: timedelta, status: int = 429) -> Answer:
    """The answer of a service that takes no message for this time."""
    return refusal(status, 201, **{"Retry-After": str(math.ceil(wait.total_seconds()))})


class PushService:
    """Answers 201 to what it takes. `violations` are the requests that it refused, with the reason."""

    def __init__(self) -> None:
        self.violations: list[tuple[str, Request]] = []

    def __call__(self, request: Request) -> Answer:
        for what, is_right, answer in CHECKS:
            if not is_right(request):
                self.violations.append((what, request))
                return answer
        return Answer(201, b"", {"Location": f"https://push.example/m/{len(request.body)}"})


def _is_lifetime(request: Request) -> bool:
    text = request.headers.get("ttl", "")
    return text.isascii() and text.isdigit() and int(text) <= LONGEST_TTL


def _is_encrypted(request: Request) -> bool:
    """One record, whose key is a point of the curve (RFC 8188 2.1, RFC 8291 4)."""
    body = request.body
    if len(body) <= HEAD_BYTES + POINT_BYTES or body[20] != POINT_BYTES:
        return False
    size, point = int.from_bytes(body[16:20]), body[HEAD_BYTES : HEAD_BYTES + POINT_BYTES]
    return point[0] == 4 and len(body) - HEAD_BYTES - POINT_BYTES <= size


def _is_signed(request: Request) -> bool:
    """A token for this origin, with a contact, signed by the key beside it."""
    found = _CREDENTIAL.fullmatch(request.headers.get("authorization", ""))
    if found is None or found[1].count(".") != 2:
        return False
    head, claims, signature = found[1].split(".")
    fields, raw = json.loads(decode(claims)), decode(signature)
    pair = utils.encode_dss_signature(int.from_bytes(raw[:32]), int.from_bytes(raw[32:]))
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decode(found[2]))
    try:
        key.verify(pair, f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        return False
    is_contact = str(fields["sub"]).startswith(("mailto:", "https://", "http://"))
    return fields["aud"] == f"http://{request.headers['host']}" and is_contact and isinstance(fields["exp"], int)


CHECKS: tuple[tuple[str, Callable[[Request], bool], Answer], ...] = (
    ("method", lambda request: request.method == "POST", refusal(405)),
    ("credential", _is_signed, refusal(401, 109)),
    ("lifetime", _is_lifetime, refusal(400, 112)),
    ("topic", lambda request: bool(_TOPIC.fullmatch(request.headers.get("topic", "t"))), refusal(400, 113)),
    (
        "urgency",
        lambda request: request.headers.get("urgency", "normal") in ("very-low", "low", "normal", "high"),
        refusal(400, 110),
    ),
    ("encoding", lambda request: request.headers.get("content-encoding") == "aes128gcm", refusal(400, 110)),
    ("type", lambda request: request.headers.get("content-type") == "application/octet-stream", refusal(400, 110)),
    ("size", lambda request: len(request.body) <= LARGEST, refusal(413, 104)),
    ("body", _is_encrypted, refusal(400, 110)),
)
