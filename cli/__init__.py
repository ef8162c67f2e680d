"""`bin/inbox`: the commands of an operator, beside a running `bin/up` or in the service's own environment."""
