"""The test matrix: `bin/up` and `bin/test` on bare Debian systems and under other Pythons.

Each runs as root and as an ordinary user. `mirror` finds the Debian mirror of this machine. `bare_root` makes a bare
system from it and runs commands in it. `registries` passes on the settings of pip and npm. `runs` holds the runs of the
matrix. `first_start` runs inside.
"""
