"""Tables and queries of sources: keys, samples, warnings, and alerts that are pushed again."""
