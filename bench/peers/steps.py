"""Task `steps`: one step of AGGLIO-GD at a fresh τ, and so with fresh labels, ours and in plain numpy.

Both make few steps and many, and the difference in seconds is divided by the difference in steps, which leaves out what
a fit does once. The step length is too small for either to arrive, so that none stops early. Both begin at zero and
make the same steps; how far apart they end is in the table. Labels stay farther from 0 and 1 than the margin within
which agglio graduates them in its own way. numpy has all threads and then one, and the faster counts.
"""

from dataclasses import replace

import numpy as np
from scipy.special import logit

import clock
import comparison
import problem
import program
from peer import descend

ROWS, D = [1_000, 1_000_000], 50
FEW, TAU, BETA, ETA = 5, 0.01, 1.0001, 1.0
FLAGS = ["--no-intercept", "--solver", "gd", "--scaling", "none", "--tol", "0",
         "--tau0", str(TAU), "--beta", str(BETA), "--eta", str(ETA)]
RUNS = 5


def run(setting):
    """The records of the table."""
    print("\n### one step of AGGLIO-GD, d = 50\n", flush=True)
    head = ["rows   ", "agglio, ms", "numpy, ms ", "times ours", "‖w − w′‖"]
    records = []
    comparison.table(head, (row(setting, n, records) for n in sorted({min(n, setting.largest) for n in ROWS})))
    return records


def row(setting, n, records):
    """A line of the table, whose figures are put to the records."""
    data, task = setting.folder / "steps.csv", problem.drawn(n, D)
    task = replace(task, y=task.y.clip(0.02, 0.98))
    problem.save(data, task)
    many = FEW + max(20, 4_000_000 // n)
    check(setting, data, many)
    (ours, w), *both = paces(setting.program, data, task, many)
    theirs, w_theirs = min(both, key=lambda pace: pace[0])
    apart = np.linalg.norm(w - w_theirs)
    records.append({"rows": n, "features": D, "steps": many - FEW, "agglio_seconds": ours, "numpy_seconds": theirs,
                    "times_ours": theirs / ours, "apart": apart})
    return n, f"{1e3 * ours:.4f}", f"{1e3 * theirs:.4f}", clock.format_ratio(theirs / ours), f"{apart:.1e}"


def check(setting, data, steps):
    """An end unless the trace has so many steps, each at a τ of its own."""
    trace = setting.folder / "trace.csv"
    program.fit(setting.program, data, *FLAGS, "--epochs", str(steps), "--trace", str(trace), "--force")
    made = np.genfromtxt(trace, delimiter=",", names=True)
    if len(made) != steps or len(np.unique(made["tau"])) != steps:
        program.stop(f"agglio made {len(made)} steps at {len(np.unique(made['tau']))} temperatures, not {steps}")


def paces(path, data, task, many):
    """Seconds a step and the last w: of ours, of numpy, and of numpy with one thread."""
    calls = {}
    for steps in (FEW, many):
        calls["agglio", steps] = lambda steps=steps: ours(path, data, steps)
        calls["numpy", steps] = lambda steps=steps: plain(task, steps)
        calls["one thread", steps] = clock.single(calls["numpy", steps])
    times = clock.medians(calls, RUNS)
    for name in ("agglio", "numpy", "one thread"):
        seconds, w = times[name, many]
        yield (seconds - times[name, FEW][0]) / (many - FEW), w


def ours(path, data, steps):
    fit = program.fit(path, data, *FLAGS, "--epochs", str(steps))
    return fit["seconds"], np.array(list(fit["coefficients"].values()))


def plain(task, steps):
    """So many steps in numpy."""
    def descent(w=np.zeros(D), tau=TAU):
        preimages = logit(task.y)
        for _ in range(steps):
            w, _ = descend(task.X, w, preimages, tau, ETA)
            tau *= BETA
        return w

    return clock.timed(descent)
