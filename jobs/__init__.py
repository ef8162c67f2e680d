"""RQ entry points. Each job runs the loop of `flow` that processes due rows."""
