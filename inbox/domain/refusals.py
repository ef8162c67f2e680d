"""What a caller may be refused: one small class a code; the HTTP face maps codes to statuses in one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True)
class Fault:
    """One bad field: `pointer` is a JSON pointer into the body (`/events/3/title`), `detail` says what is wanted."""

    pointer: str
    detail: str


class Refusal(Exception):
    """The caller asked for what will not be done. `extra` are further members of the problem, `retry_after` seconds."""

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
    """The body is not valid JSON, or not the expected shape."""

    code = "bad_request"


class Unauthenticated(Refusal):
    """The credential is missing, malformed, unknown, revoked or of the wrong type; never said which.

    Specification 11.1.
    """

    code = "unauthenticated"


class Forbidden(Refusal):
    """The caller's role does not allow it; `extra` holds `requiredRole`."""

    code = "forbidden"


class MfaRequired(Refusal):
    """The workspace wants a second factor of its members, and the caller's account has none (specification 12.3)."""

    code = "mfa_required"


class ReauthRequired(Refusal):
    """A recent proof of who the caller is is wanted; `extra` holds `factors` (specification 11.5)."""

    code = "reauth_required"


class TokenInvalid(Refusal):
    """A refused link, whatever the cause (specification 11.8)."""

    code = "token_invalid"


class InviteInvalid(Refusal):
    """A refused invitation, whatever the cause."""

    code = "invite_invalid"


class PairingInvalid(Refusal):
    """A refused pairing code, whatever the cause (specification 11.10)."""

    code = "pairing_invalid"


class NotFound(Refusal):
    """There is no such thing, or the caller may not see it: one answer for both (specification 1.4)."""

    code = "not_found"


class Conflict(Refusal):
    """It contradicts what is there."""

    code = "conflict"


class WorkspaceNeedsOwner(Refusal):
    """It would leave a workspace that has members without an owner; `extra` names it: `workspace {id, name}`.

    Specification 12.3.
    """

    code = "workspace_needs_owner"


class LastInstanceAdmin(Refusal):
    """It would leave the instance without an administrator (specification 13.3)."""

    code = "last_instance_admin"


class LastWorkspace(Refusal):
    """It is the account's only workspace (specification 12.5)."""

    code = "last_workspace"


class InvalidTransition(Refusal):
    """An act that the incident's state does not allow (specification 3.2)."""

    code = "invalid_transition"


class IdempotencyInProgress(Refusal):
    """The first request with this key is still running (specification 4.8)."""

    code = "idempotency_in_progress"


class RevMismatch(Refusal):
    """`If-Match` names an older revision (specification 2.7)."""

    code = "rev_mismatch"


def check_rev(current: int, expected: int | None) -> None:
    """Raise `RevMismatch` when somebody expects another revision than the current one; None expects none."""
    if expected is not None and expected != current:
        raise RevMismatch(extra={"rev": current})


class PayloadTooLarge(Refusal):
    """The body is over the route's cap."""

    code = "payload_too_large"


class RequestTimedOut(Refusal):
    """The body did not arrive in time."""

    code = "request_timeout"


class UnsupportedMediaType(Refusal):
    """Not JSON, or compressed."""

    code = "unsupported_media_type"


class ValidationFailed(Refusal):
    """One or more fields are invalid; `errors` has one entry each."""

    code = "validation_failed"


@contextmanager
def collect_faults(faults: list[Fault]) -> Iterator[None]:
    """Add what is refused as invalid within to `faults`, so that what else is wrong can be told beside it."""
    try:
        yield
    except ValidationFailed as refused:
        faults.extend(refused.errors)


def run_checks(*checks: Callable[[], object]) -> None:
    """Run all these checks, and raise `ValidationFailed` once for what each of them refuses as invalid."""
    faults: list[Fault] = []
    for check in checks:
        with collect_faults(faults):
            check()
    if faults:
        raise ValidationFailed(errors=faults)


class IdempotencyMismatch(Refusal):
    """An idempotency key that was used with a different content."""

    code = "idempotency_mismatch"


class RateLimited(Refusal):
    """Too many requests; `retry_after` says when the next one passes."""

    code = "rate_limited"


class Unavailable(Refusal):
    """A server that is needed does not answer; nothing is known to be stored, so try again."""

    code = "unavailable"
