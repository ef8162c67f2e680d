"""Matchers: the match expressions of rules, silences and previews, evaluated by one engine (specification 6.3).

A match is a tree: `{"all": [...]}`, `{"any": [...]}`, `{"not": ...}` or a clause `{"field", "op", "value"}`. `{"all":
[]}` at the top matches any event. Each tree has exactly one text, and that text parses to the same tree.
"""

from inbox.domain.routing.matchers.fields import MatchSubject
from inbox.domain.routing.matchers.match_record import recorder
from inbox.domain.routing.matchers.size import BYTES_LIMIT, TEXT_LIMIT, json_bytes
from inbox.domain.routing.matchers.text import from_text, to_text
from inbox.domain.routing.matchers.trace import Trace, trace, tracer
from inbox.domain.routing.matchers.tree import (
    TOTAL_LIMIT,
    BadMatch,
    MatchCost,
    canonical,
    check,
    compile_match,
    cost,
    needs,
    stored_cost,
    total_fault,
)

__all__ = [
    "BYTES_LIMIT",
    "TEXT_LIMIT",
    "TOTAL_LIMIT",
    "BadMatch",
    "MatchCost",
    "MatchSubject",
    "Trace",
    "canonical",
    "check",
    "compile_match",
    "cost",
    "from_text",
    "json_bytes",
    "needs",
    "recorder",
    "stored_cost",
    "to_text",
    "total_fault",
    "trace",
    "tracer",
]
