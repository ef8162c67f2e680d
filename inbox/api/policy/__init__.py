"""Who may do what: one line for every endpoint, checked before the view and, for its records, by the view.

`columns` says what a line holds, `table` has the lines, and `checks` compares a request with its line.
"""

from inbox.api.policy.checks import barred, entry, permitted, permitted_in, spanned
from inbox.api.policy.columns import WINDOWS, Credential, Entry, FoundBy, StepUp
from inbox.api.policy.table import NONE, POLICY, SESSION, USER

__all__ = [
    "NONE",
    "POLICY",
    "SESSION",
    "USER",
    "WINDOWS",
    "Credential",
    "Entry",
    "FoundBy",
    "StepUp",
    "barred",
    "entry",
    "permitted",
    "permitted_in",
    "spanned",
]
