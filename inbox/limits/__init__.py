"""Token buckets that limit how often somebody may call."""
