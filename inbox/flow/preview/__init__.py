"""What rules would have made of stored events: the same rules, judged by the same code, with no side effect.

Specification 6.9.
"""

from inbox.flow.preview.preview import Preview
from inbox.flow.preview.question import Question

__all__ = ["Preview", "Question"]
