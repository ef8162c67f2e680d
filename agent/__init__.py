"""The agent `inbox.py`: watches a host, sends events, and wraps jobs. Standard library only, Python 3.8 and later.

`bundle` makes one file of the modules `MODULES`, in this order. Therefore each top-level name exists once in them, and they
import each other by name only: `from agent.client import Client`.
"""

MODULES = (
    "options",
    "deadline",
    "client",
    "spool",
    "delivery",
    "retry",
    "commands",
    "checks",
    "watch",
    "send",
    "earlier",
    "wrap",
    "main",
)
"""The modules of the file, in the order in which they use each other."""
