"""`bin/inbox`: the commands of an operator. They use a running `bin/up` or the service's own environment."""
