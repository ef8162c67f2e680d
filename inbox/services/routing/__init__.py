"""Use cases of rules, routing profiles and silences, and previews of rules."""
