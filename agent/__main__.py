"""`python -m agent`: as the file `inbox.py`."""

import sys

from agent.main import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
