"""`bin/inbox`: what an operator does from a shell, beside a running `bin/up` or in the service's own environment."""
