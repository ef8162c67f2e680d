"""Use cases of sources: keys, signing secrets, samples, imports."""
