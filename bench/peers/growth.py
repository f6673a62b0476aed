"""Task `growth`: seconds of a pass over the rows, and the most memory held, as the number of rows grows.

Every fit makes the same steps of gradient descent, too short to arrive. The file grows with the rows, so that the
smaller data are the beginning of the larger.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path
from statistics import median

import numpy as np

import activation
import comparison
import problem
import program
from steps import FLAGS

ROWS, D = [100_000, 200_000, 500_000, 1_000_000, 2_000_000, 4_000_000], 50
STEPS, RUNS = 20, 3


def run(setting):
    """The records of the table."""
    print(f"\n### seconds of a pass and largest memory, d = {D}\n", flush=True)
    sizes = sorted({min(n, setting.largest) for n in ROWS})
    problem.check_room(setting.folder, sizes[-1], D)
    records = []
    head = ["rows   ", "seconds of a pass", "to linear", "data, MB", "memory, MB", "memory to data"]
    comparison.table(head, (row(setting, n, records) for n in sizes))
    return records


def row(setting, n, records):
    """A line of the table, whose figures are put to the records."""
    data = setting.folder / "growth.csv"
    extend(data, records[-1]["rows"] if records else 0, n)
    fits, peaks = zip(*(watched(setting.program, data) for _ in range(RUNS)))
    seconds, size = median(fit["seconds"] / fit["passes"] for fit in fits), n * (D + 1) * 8
    first = records[0] if records else {"rows": n, "seconds_of_a_pass": seconds}
    to_linear = seconds / n / (first["seconds_of_a_pass"] / first["rows"])
    records.append({"rows": n, "features": D, "seconds_of_a_pass": seconds, "to_linear": to_linear,
                    "data_bytes": size, "peak_bytes": max(peaks)})
    return (n, f"{seconds:.5f}", f"{to_linear:.3f}", f"{size / 1e6:.0f}", f"{max(peaks) / 1e6:.0f}",
            f"{max(peaks) / size:.2f}")


def extend(data, first, end):
    """Rows from the first on; a block depends on where it begins alone."""
    w = np.random.default_rng(problem.SEED).standard_normal(D)
    for begin in range(first, end, problem.BLOCK):
        rows = min(problem.BLOCK, end - begin)
        X = np.random.default_rng([problem.SEED, begin]).standard_normal((rows, D)) / np.sqrt(D)
        problem.append(data, X, activation.sigmoid(X @ w)[0])


def watched(path, data):
    """The JSON object of a fit and the most bytes of memory that it held."""
    words = program.command(path, data, *FLAGS, "--epochs", str(STEPS))
    through = [sys.executable, "-I", "-S", str(Path(__file__).with_name("peak.py")), *words]
    group = subprocess.Popen(through, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        printed, errors = group.communicate()
    except BaseException:
        os.killpg(group.pid, signal.SIGKILL)
        raise
    fit = program.result(words, subprocess.CompletedProcess(words, group.returncode, printed, errors))
    return fit, int(errors.splitlines()[-1])
