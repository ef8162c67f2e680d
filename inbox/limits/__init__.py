"""Token buckets that limit the rate of calls."""
