"""Which events a rule or a silence means (specification 6.3): the one engine behind routing, silences and previews.

A match is a tree: `{"all": [...]}`, `{"any": [...]}`, `{"not": ...}` or a clause `{"field", "op", "value"}`;
`{"all": []}` at the top means any event. Each tree has one text and each such text that tree.
"""

from inbox.domain.matchers.fields import Subject
from inbox.domain.matchers.record import recorder
from inbox.domain.matchers.spelling import canonical
from inbox.domain.matchers.text import from_text, to_text
from inbox.domain.matchers.trace import Trace, trace, tracer
from inbox.domain.matchers.tree import TOGETHER_LIMIT, BadMatch, check, compile, effort, needs, too_costly

__all__ = [
    "TOGETHER_LIMIT",
    "BadMatch",
    "Subject",
    "Trace",
    "canonical",
    "check",
    "compile",
    "effort",
    "from_text",
    "needs",
    "recorder",
    "to_text",
    "too_costly",
    "trace",
    "tracer",
]
