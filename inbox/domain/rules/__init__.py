"""A workspace's rules, compiled: which of them an event meets, and what they say together (specification 6.2)."""

from inbox.domain.rules.rule import MAX_RULES, OpenAfter, Rule, RuleActions, conflicts
from inbox.domain.rules.ruleset import RuleSet
from inbox.domain.rules.verdict import Verdict
from inbox.domain.rules.verdict_cache import CachedVerdict, VerdictCache

__all__ = [
    "MAX_RULES",
    "CachedVerdict",
    "OpenAfter",
    "Rule",
    "RuleActions",
    "RuleSet",
    "Verdict",
    "VerdictCache",
    "conflicts",
]
