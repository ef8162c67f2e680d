"""Lists: descriptions (`long_list`, `filters`, `facets`) and pages (`pages`, `pagination`, `index_scan`)."""
