"""Tables: data, constraints, indexes and named queries with typed results; they decide nothing."""
