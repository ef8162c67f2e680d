"""Who may do what: one line for every endpoint, checked before the view and, for its records, by the view.

`columns` says what a line holds, `table` has the lines, and `checks` compares a request with its line.
"""

from inbox.api.policy.checks import (
    authorize,
    authorize_deleted,
    authorize_in,
    check_role,
    entry,
    readable_workspaces,
    require_step_up,
    without_required_mfa,
)
from inbox.api.policy.columns import WINDOWS, Credential, EndpointPolicy, StepUp, WorkspaceFrom
from inbox.api.policy.table import NONE, POLICY, SESSION, USER

__all__ = [
    "NONE",
    "POLICY",
    "SESSION",
    "USER",
    "WINDOWS",
    "Credential",
    "EndpointPolicy",
    "StepUp",
    "WorkspaceFrom",
    "authorize",
    "authorize_deleted",
    "authorize_in",
    "check_role",
    "entry",
    "readable_workspaces",
    "require_step_up",
    "without_required_mfa",
]
