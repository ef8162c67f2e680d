"""What rules would have made of stored events: the same rules, judged by the same code, with no side effect.

Specification 6.9.
"""

from inbox.flow.preview.request import Question
from inbox.flow.preview.runner import PreviewRun

__all__ = ["PreviewRun", "Question"]
