"""The compiled rules of a workspace, and the verdict of the rules that match an event (specification 6.2)."""

from inbox.domain.routing.rules.rule import MAX_RULES, OpenAfter, Rule, RuleActions, conflicts
from inbox.domain.routing.rules.ruleset import RepeatCounter, RuleSet, VerdictCache
from inbox.domain.routing.rules.verdict import Verdict

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
