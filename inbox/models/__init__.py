"""Tables, and named queries with typed results. Decisions are made in other packages."""
