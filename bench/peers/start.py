"""Task `start`: the whole process of a small fit, from before it is started until it has ended."""

from statistics import median

import clock
import comparison
import problem
import program

ROWS, D, RUNS = 1_000, 50, 15


def run(setting):
    """The record of the table."""
    print(f"\n### the process `agglio fit`, n = {ROWS}, d = {D}, {RUNS} times\n", flush=True)
    data = setting.folder / "start.csv"
    problem.save(data, problem.drawn(ROWS, D))
    ends = [clock.timed(lambda: program.fit(setting.program, data, "--no-intercept")) for _ in range(RUNS)]
    wall, fits = zip(*ends)
    record = {"rows": ROWS, "features": D, "runs": RUNS, "median": median(wall), "maximum": max(wall),
              "fit": median(fit["seconds"] for fit in fits), "read": median(fit["read_seconds"] for fit in fits)}
    head = ["median, ms", "maximum, ms", "of it reading, ms", "fitting, ms"]
    comparison.table(head, [[f"{1e3 * record[key]:.2f}" for key in ("median", "maximum", "read", "fit")]])
    return record
