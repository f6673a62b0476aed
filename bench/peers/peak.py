"""Runs a command, then prints its largest resident memory in bytes, as the last line on standard error.

A process of its own that loads nothing, since Linux counts for a process what its parent held as it started it. The
unit of ru_maxrss is a kilobyte there, and a byte on macOS.
"""

import os
import sys

process = os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(process, 0)
print(usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024), file=sys.stderr)
sys.exit(os.waitstatus_to_exitcode(status))
