"""Sends one order after another in one guarded process of Apprise: `python -I apprise_orders.py PROGRAM`.

`PROGRAM` is the program of the service, which sends one message and ends. To start it a thousand times would take long.
"""

from __future__ import annotations

import importlib.util
import sys

spec = importlib.util.spec_from_file_location("apprise_child", sys.argv[1])
assert spec is not None and spec.loader is not None
child = importlib.util.module_from_spec(spec)
spec.loader.exec_module(child)

parent = child.connected()
answers = child.prepare(parent)
while True:
    try:
        order = parent.read()
    except ValueError:  # the end of the input
        break
    answers.clear()
    parent.allowed.clear()
    parent.refused = False
    parent.write({"result": child.send(order, parent, answers)})
