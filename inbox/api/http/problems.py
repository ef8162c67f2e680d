"""Problem details: the only table of codes with their statuses, and the rendering of every error (specification 15)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from inbox.domain.values.redaction import cut, redact
from inbox.domain.values.refusals import Refusal

CONTENT_TYPE = "application/problem+json"

MAX_ERRORS = 50
MAX_BYTES = 64 * 1024
MAX_TEXT = 1_000
"""The most entries of `errors`, bytes of a problem, and characters of each text in it (decision 0008)."""

ALWAYS = ("type", "title", "status", "detail", "code", "requestId")
"""The members of every problem (specification 15.1)."""


@dataclass(frozen=True, slots=True)
class ProblemType:
    """The meaning of a code: its HTTP status, its short title, and the text of its page."""

    status: int
    title: str
    meaning: str
    remedy: str
    retry_after: int | None = None


KINDS: Mapping[str, ProblemType] = {
    "bad_request": ProblemType(
        400,
        "Bad request",
        "The request could not be read: the body is empty, is not valid JSON, is not a JSON object, is nested deeper than 32 "
        "levels, or holds more than 20,000 values (`POST /v1/events` and webhooks of tools: 200,000).",
        "Send one JSON object in UTF-8. `NaN`, `Infinity` and lone surrogates are not JSON. `detail` names the line and the "
        "column where the JSON breaks.",
    ),
    "unauthenticated": ProblemType(
        401,
        "Not authenticated",
        "The credential is missing, malformed, unknown, revoked, expired, or of a type that this address does not accept.",
        "Sign in again, or send the right key in the `Authorization` header. The answer does not "
        "reveal whether a key is unknown, revoked or expired.",
    ),
    "forbidden": ProblemType(
        403,
        "Forbidden",
        "The credential is valid, but does not allow this: your role in the workspace is too low (`requiredRole` names the "
        "required one), or a browser sent the request from another site.",
        "Ask an owner of the workspace for the role, or use the dashboard at its own address.",
    ),
    "mfa_required": ProblemType(
        403,
        "Second factor required",
        "This workspace requires a second factor, and your account has none.",
        "Add an authenticator app or a passkey to your account, then repeat the request.",
    ),
    "reauth_required": ProblemType(
        403,
        "Re-authentication required",
        "This action requires a recent re-authentication (step-up).",
        "Send one of the `factors` to `POST /v1/auth/step-up` and repeat the request. An empty list means that this "
        "credential cannot re-authenticate.",
    ),
    "token_invalid": ProblemType(
        403,
        "Invalid link",
        "The link is wrong, expired or used, or a newer link has replaced it. The answer does not reveal which.",
        "Request a new link.",
    ),
    "invite_invalid": ProblemType(
        403,
        "Invalid invitation",
        "The invitation is wrong, expired, used or withdrawn, or was sent to another address.",
        "Ask an owner of the workspace for a new invitation.",
    ),
    "pairing_invalid": ProblemType(
        403,
        "Invalid pairing code",
        "The code is wrong, expired or used, or was tried too often. The answer does not reveal which.",
        "Show a new code in the dashboard, under Account, Devices.",
    ),
    "not_found": ProblemType(
        404,
        "Not found",
        "The resource does not exist, or you may not see it: the answer is the same in both cases.",
        "Check the address and the id, and that you are a member of the workspace.",
    ),
    "method_not_allowed": ProblemType(
        405,
        "Method not allowed",
        "The address exists, but not with this method.",
        "The `Allow` header lists the supported methods.",
    ),
    "not_acceptable": ProblemType(
        406,
        "Not acceptable",
        "The response is not available in a format that the `Accept` header allows.",
        "Send `Accept: application/json`.",
    ),
    "request_timeout": ProblemType(
        408,
        "Request timed out",
        "The body did not arrive in time: within 10 seconds, and no slower than 1 KiB a second.",
        "Send the request again; nothing was stored.",
    ),
    "conflict": ProblemType(
        409,
        "Conflict",
        "The request conflicts with the current state of the record.",
        "Read the record again; `detail` names the conflict.",
    ),
    "workspace_needs_owner": ProblemType(
        409,
        "Workspace needs an owner",
        "The request would leave a workspace that has members without an owner. `workspace` names the workspace.",
        "Make another member an owner first, or delete the workspace.",
    ),
    "last_instance_admin": ProblemType(
        409,
        "Last instance administrator",
        "The request would leave the instance without an administrator.",
        "Make another user an instance administrator first.",
    ),
    "last_workspace": ProblemType(
        409,
        "Only workspace",
        "The workspace is the only one of the account.",
        "Create or join another workspace first, or close the account.",
    ),
    "invalid_transition": ProblemType(
        409,
        "Not possible in this state",
        "The state of the incident does not allow this action.",
        "Read the incident again: a person or an event has changed its state.",
    ),
    "idempotency_in_progress": ProblemType(
        409,
        "Request in progress",
        "A request with the same `Idempotency-Key` is still running.",
        "Wait for the seconds in `Retry-After` and send the same request again.",
        retry_after=1,
    ),
    "rev_mismatch": ProblemType(
        412,
        "Revision mismatch",
        "The record has changed: `If-Match`, or `rev` in the body, names an old revision.",
        "Read the record again, apply the change to it, and send its new revision.",
    ),
    "payload_too_large": ProblemType(
        413,
        "Payload too large",
        "The body is larger than this address accepts: 16 MiB for webhooks, 2 MiB for `POST /v1/events`, 16 KiB where no credential is needed, 1 MiB "
        "elsewhere.",
        "Send smaller batches.",
    ),
    "uri_too_long": ProblemType(
        414,
        "Address too long",
        "The address of the request, including its query, has more than 32,768 bytes.",
        "Use fewer or shorter filters.",
    ),
    "unsupported_media_type": ProblemType(
        415,
        "Unsupported media type",
        "The body is not `application/json`, or is compressed.",
        "Send uncompressed JSON with `Content-Type: application/json`.",
    ),
    "validation_failed": ProblemType(
        422,
        "Validation failed",
        "One or more fields are invalid. Nothing was stored.",
        "`errors` has one entry per field: `pointer` names the field, `detail` describes what is expected.",
    ),
    "too_costly": ProblemType(
        422,
        "Too costly",
        "The request is valid, but needs more computing time than one request may use. Nothing was stored.",
        "Send less: `detail` names the limit. Several smaller requests are accepted.",
    ),
    "idempotency_mismatch": ProblemType(
        422,
        "Idempotency key reused",
        "The idempotency key was used before with different content.",
        "Use a new key for new content; repeat a request with the same bytes.",
    ),
    "rate_limited": ProblemType(
        429,
        "Too many requests",
        "Requests arrive faster than the rate limit allows.",
        "Wait for the seconds in `Retry-After`, then send more slowly.",
        retry_after=1,
    ),
    "internal_error": ProblemType(
        500,
        "Internal error",
        "The server failed. The request did not cause this.",
        "Give the `requestId` to the operator: the server log has an entry with it.",
    ),
    "unavailable": ProblemType(
        503,
        "Unavailable",
        "A required server, such as the database, is not responding. The request may have been stored.",
        "Send the same request again after the seconds in `Retry-After`, with the same `Idempotency-Key` if it had one.",
        retry_after=2,
    ),
}


def problem_bytes(
    problem: Refusal | str, request_id: str, problems_url: str, *, detail: str = ""
) -> tuple[int, list[tuple[str, str]], bytes]:
    """Returns status, headers and body of a refusal or of a bare code. Needs no request context and raises nothing.

    The headers are those that belong to the problem itself: type, length, `Retry-After`, never to be cached.
    """
    refusal = problem if isinstance(problem, Refusal) else None
    code = refusal.code if refusal is not None else str(problem)
    kind = KINDS[code]
    body: dict[str, Any] = {
        "type": f"{problems_url}/{code}",
        "title": kind.title,
        "status": kind.status,
        "detail": _safe_text((refusal.detail if refusal is not None else detail) or kind.meaning),
        "code": code,
        "requestId": request_id,
    }
    if refusal is not None and (refusal.errors or code == "validation_failed"):
        body["errors"] = [
            {"pointer": _safe_text(fault.pointer), "detail": _safe_text(fault.detail)}
            for fault in refusal.errors[:MAX_ERRORS]
        ]
        if len(refusal.errors) > MAX_ERRORS:
            body["detail"] += f" The first {MAX_ERRORS} are listed."
    if refusal is not None:
        body.update(refusal.extra)
    rendered = _rendered(body)
    headers = [
        ("Content-Type", CONTENT_TYPE),
        ("Content-Length", str(len(rendered))),
        ("Cache-Control", "no-store"),
    ]
    wait = refusal.retry_after if refusal is not None and refusal.retry_after is not None else kind.retry_after
    if wait is not None:
        headers.append(("Retry-After", str(max(1, wait))))
    if code == "unauthenticated":
        headers.append(("WWW-Authenticate", "Bearer"))
    return kind.status, headers, rendered


def _safe_text(text: str) -> str:
    """Returns a text of the problem, cut and without secrets.

    A pointer contains sent names, and one of them may be a key.
    """
    return cut(redact(text[: 4 * MAX_TEXT]), MAX_TEXT)


def _rendered(body: dict[str, Any]) -> bytes:
    """Returns the document. One that is too large gets fewer errors, and finally only the members of every problem."""
    rendered = orjson.dumps(body)
    while len(rendered) > MAX_BYTES and body.get("errors"):
        body["errors"] = body["errors"][: len(body["errors"]) // 2]
        rendered = orjson.dumps(body)
    if len(rendered) > MAX_BYTES:
        rendered = orjson.dumps({name: body[name] for name in ALWAYS})
    return rendered
