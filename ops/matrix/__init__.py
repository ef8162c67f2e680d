"""The test matrix: `bin/up` and `bin/test` on bare Debian systems, as root and as an ordinary user, and under other Pythons.

`mirror` finds the Debian mirror of this machine, `bare_root` makes a bare system from it and runs commands in it,
`registries` passes the settings of pip and npm on, `runs` holds the runs of the matrix. `first_start` runs inside.
"""
