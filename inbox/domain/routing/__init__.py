"""Rules that route events: matches, rules, profiles, silences, and their previews."""
