"""Matchers: the match expressions of rules, silences and previews, evaluated by one engine (specification 6.3).

A match is a tree: `{"all": [...]}`, `{"any": [...]}`, `{"not": ...}` or a clause `{"field", "op", "value"}`. `{"all":
[]}` at the top matches any event. Each tree has exactly one text, and that text parses to the same tree.
"""

from inbox.domain.matchers.fields import MatchSubject
from inbox.domain.matchers.match_record import recorder
from inbox.domain.matchers.text import from_text, to_text
from inbox.domain.matchers.trace import Trace, trace, tracer
from inbox.domain.matchers.tree import (
    TOTAL_LIMIT,
    BadMatch,
    canonical,
    check,
    compile_match,
    needs,
    pattern_cost,
    too_costly,
)

__all__ = [
    "TOTAL_LIMIT",
    "BadMatch",
    "MatchSubject",
    "Trace",
    "canonical",
    "check",
    "compile_match",
    "from_text",
    "needs",
    "pattern_cost",
    "recorder",
    "to_text",
    "too_costly",
    "trace",
    "tracer",
]
