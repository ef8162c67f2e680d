"""The compiled rules of a workspace, and the verdict of the rules that match an event (specification 6.2)."""

from inbox.domain.rules.rule import MAX_RULES, OpenAfter, Rule, RuleActions, conflicts
from inbox.domain.rules.ruleset import RuleSet
from inbox.domain.rules.verdict import Verdict
from inbox.domain.rules.verdict_cache import RepeatCounter, VerdictCache

__all__ = [
    "MAX_RULES",
    "OpenAfter",
    "RepeatCounter",
    "Rule",
    "RuleActions",
    "RuleSet",
    "Verdict",
    "VerdictCache",
    "conflicts",
]
