"""Plain values and their rules: ids, texts, times, addresses, refusals."""
