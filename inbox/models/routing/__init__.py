"""Tables and queries of rules, routing profiles, silences and previews."""
