"""A workspace's rules, compiled: which of them an event meets, and what they say together (specification 6.2)."""

from inbox.domain.rules.memory import Memory, Said
from inbox.domain.rules.rule import MOST, OpenAfter, Rule, Then, contradictions
from inbox.domain.rules.ruleset import RuleSet
from inbox.domain.rules.verdict import Verdict

__all__ = ["MOST", "Memory", "OpenAfter", "Rule", "RuleSet", "Said", "Then", "Verdict", "contradictions"]
