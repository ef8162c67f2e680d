"""Which events a rule or a silence means (decision 8): the one engine behind routing, silences and previews.

A match is a tree: `{"all": [...]}`, `{"any": [...]}`, `{"not": ...}` or a clause `{"field", "op", "value"}`;
`{"all": []}` at the top means any event. Each tree has one text and each such text that tree.
"""

from inbox.domain.matcher_fields import Subject
from inbox.domain.matcher_text import from_text, to_text
from inbox.domain.matcher_trace import Trace, trace, tracer
from inbox.domain.matcher_tree import TOGETHER_LIMIT, BadMatch, check, compile, effort, needs, too_costly

__all__ = [
    "TOGETHER_LIMIT",
    "BadMatch",
    "Subject",
    "Trace",
    "check",
    "compile",
    "effort",
    "from_text",
    "needs",
    "to_text",
    "too_costly",
    "trace",
    "tracer",
]
