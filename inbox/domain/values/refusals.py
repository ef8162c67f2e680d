"""The refusals of the service: one class for each error code. `inbox/api/http/problems` maps codes to HTTP statuses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True)
class Fault:
    """One bad field: `pointer` is a JSON pointer into the body (`/events/3/title`), `detail` the expectation."""

    pointer: str
    detail: str


class Refusal(Exception):
    """A refused request. `extra` are further members of the problem document, `retry_after` is in seconds."""

    code: ClassVar[str] = "bad_request"

    def __init__(
        self,
        detail: str = "",
        *,
        errors: Sequence[Fault] = (),
        extra: Mapping[str, Any] | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(detail or self.code)
        self.detail = detail
        self.errors = tuple(errors)
        self.extra = dict(extra or {})
        self.retry_after = retry_after


class BadRequest(Refusal):
    """The body is not valid JSON or does not have the expected shape."""

    code = "bad_request"


class Unauthenticated(Refusal):
    """The credential is missing, malformed, unknown, revoked or of the wrong type. The response never says which.

    Specification 11.1.
    """

    code = "unauthenticated"


class Forbidden(Refusal):
    """The role of the caller is not sufficient; `extra` contains `requiredRole`."""

    code = "forbidden"


class MfaRequired(Refusal):
    """The workspace requires a second factor, and the account of the caller has none (specification 12.3)."""

    code = "mfa_required"


class ReauthRequired(Refusal):
    """The request requires a recent authentication; `extra` contains `factors` (specification 11.5)."""

    code = "reauth_required"


class TokenInvalid(Refusal):
    """An invalid link, for any cause (specification 11.8)."""

    code = "token_invalid"


class InviteInvalid(Refusal):
    """An invalid invite, for any cause."""

    code = "invite_invalid"


class PairingInvalid(Refusal):
    """An invalid pairing code, for any cause (specification 11.10)."""

    code = "pairing_invalid"


class NotFound(Refusal):
    """The object does not exist or the caller may not see it; both have the same response (specification 1.4)."""

    code = "not_found"


class Conflict(Refusal):
    """The request contradicts the stored state."""

    code = "conflict"


class WorkspaceNeedsOwner(Refusal):
    """The act would leave a workspace with members without an owner; `extra` has `workspace {id, name}`.

    Specification 12.3.
    """

    code = "workspace_needs_owner"


class LastInstanceAdmin(Refusal):
    """The act would leave the instance without an administrator (specification 13.3)."""

    code = "last_instance_admin"


class LastWorkspace(Refusal):
    """The workspace is the only one of the account (specification 12.5)."""

    code = "last_workspace"


class InvalidTransition(Refusal):
    """The state of the incident does not allow the act (specification 3.2)."""

    code = "invalid_transition"


class IdempotencyInProgress(Refusal):
    """The first request with this key is still running (specification 4.8)."""

    code = "idempotency_in_progress"


class RevMismatch(Refusal):
    """`If-Match` names an older revision (specification 2.7)."""

    code = "rev_mismatch"


def check_rev(current: int, expected: int | None) -> None:
    """Raises `RevMismatch` when `expected` is not the current revision; None accepts any revision."""
    if expected is not None and expected != current:
        raise RevMismatch(extra={"rev": current})


class PayloadTooLarge(Refusal):
    """The body exceeds the limit of the route."""

    code = "payload_too_large"
    limit = 0
    """The bytes that the route takes."""


class RequestTimedOut(Refusal):
    """The body did not arrive in time."""

    code = "request_timeout"


class UnsupportedMediaType(Refusal):
    """The body is not JSON or is compressed."""

    code = "unsupported_media_type"


class ValidationFailed(Refusal):
    """One or more fields are invalid; `errors` has one entry each."""

    code = "validation_failed"


@contextmanager
def collect_faults(faults: list[Fault]) -> Iterator[None]:
    """Adds the faults of a `ValidationFailed` to `faults`, so that one response reports all of them."""
    try:
        yield
    except ValidationFailed as refused:
        faults.extend(refused.errors)


def run_checks(*checks: Callable[[], object]) -> None:
    """Runs all checks, and raises `ValidationFailed` once with the faults of all of them."""
    faults: list[Fault] = []
    for check in checks:
        with collect_faults(faults):
            check()
    if faults:
        raise ValidationFailed(errors=faults)


class TooCostly(Refusal):
    """The request is valid, but needs more computing than one request may have (specification 2.10)."""

    code = "too_costly"


class IdempotencyMismatch(Refusal):
    """The idempotency key was used with other content."""

    code = "idempotency_mismatch"


class RateLimited(Refusal):
    """Too many requests; `retry_after` is the time until the next one is accepted."""

    code = "rate_limited"


class Unavailable(Refusal):
    """A required server does not respond. It is uncertain whether the request was stored, so the client retries."""

    code = "unavailable"
