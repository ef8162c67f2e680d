"""Previews: the simulated result of rules for stored events, by the code of routing, without side effects.

Specification 6.9.
"""

from inbox.flow.preview.request import Question
from inbox.flow.preview.runner import PreviewRun

__all__ = ["PreviewRun", "Question"]
