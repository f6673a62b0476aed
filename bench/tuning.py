"""How long a search takes beside the same loops in plain numpy: the paper's grid of AGGLIO-GD.

200 settings of 100 steps each on n = 1000, d = 50, sigmoid labels without noise, a fifth of the rows held out. Both make
the same steps and score them on the same rows; the script fails if a score is not the same to 1e-8, relatively, or its
root to 1e-13, which is what rounding at low temperatures does to residuals in numpy: (φ(τz) − φ(τz′))/τ loses digits.
The program's time is that of its search, which leaves out reading, and beside it that of the whole process; numpy's is
that of its loops. Both by turns, medians. numpy has one thread for linear algebra, which suits tables of this size best,
and the program has all cores unless `--threads` says otherwise.
"""

import os

# before numpy looks at it
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import itertools
import json
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np

import program

N, D, STEPS, SHARE = 1000, 50, 100, 0.2
ROUNDING = 1e-13
ETAS, TAUS, BETAS = np.linspace(1, 500, 10), [0.1, 0.01, 0.001, 0.0001], np.linspace(1.01, 2, 5)


def call(path, folder, *words):
    """What the program printed, or an end if it failed."""
    words = [path, *map(str, words)]
    run = subprocess.run(words, capture_output=True, text=True, cwd=folder)
    if run.returncode != 0:
        program.stop(f"`{' '.join(words)}` failed:\n{run.stderr}")
    return run.stdout


def tune(path, folder, data, *flags):
    """The JSON object of a search."""
    words = ["tune", data, "--target", "y", "--no-intercept", "--quiet", "--format", "json", "--holdout", SHARE, *flags]
    return json.loads(call(path, folder, *words))


def held_out(path, folder):
    """Which rows the program holds out, by what a model of zero loses on labels that are powers of two."""
    held, count, digits = np.zeros(N, bool), round(SHARE * N), 20
    for first in range(0, N, digits):
        label = np.zeros(N)
        label[first:first + digits] = 2.0 ** np.arange(len(label[first:first + digits]))
        table = np.column_stack([np.ones(N), label])
        np.savetxt(Path(folder, "probe.csv"), table, "%.17g", ",", header="x,y", comments="")
        flags = ["--activation", "identity", "--solver", "gd", "--epochs", 0, "--grid", "eta=1"]
        digits_sum = round(tune(path, folder, "probe.csv", *flags)["best"]["loss"] * count)
        held[first:first + digits] = [digits_sum >> 2 * i & 1 for i in range(len(held[first:first + digits]))]
    assert held.sum() == count, held.sum()
    return held


def sigmoid(t):
    return 1 / (1 + np.exp(-t))


def loss(X, y, w):
    return np.mean((sigmoid(X @ w) - y) ** 2)


def descend(X, y, preimages, eta, tau, beta):
    """AGGLIO-GD from zero; none if it ends above where it began, at its last temperature."""
    w = np.zeros(D)
    for _ in range(STEPS):
        s, label = sigmoid(tau * (X @ w)), sigmoid(tau * preimages)
        w = w - eta * (2 / (tau * len(y))) * (((s - label) * s * (1 - s)) @ X)
        last, tau = tau, min(beta * tau, 1)
    begun, ended = (np.mean((sigmoid(last * z) - sigmoid(last * preimages)) ** 2) for z in (0 * y, X @ w))
    return w if ended <= begun * (1 + 1e-9) else None


def by_numpy(X, y, held):
    """The held-out loss of every setting, in the grid's order."""
    (X_fit, y_fit), (X_held, y_held) = (X[~held], y[~held]), (X[held], y[held])
    preimages = np.log(y_fit / (1 - y_fit))
    ends = (descend(X_fit, y_fit, preimages, *setting) for setting in itertools.product(ETAS, TAUS, BETAS))
    return [np.inf if w is None else loss(X_held, y_held, w) for w in ends]


def compare(ours, theirs):
    """An end unless all losses are the same; how many are infinite, how many the same to rounding alone, and how far apart
    the roots of these are at most."""
    ours, theirs = np.array([np.inf if loss is None else loss for loss in ours]), np.array(theirs)
    assert len(ours) == len(theirs) == 200, len(ours)
    finite = np.isfinite(ours)
    assert (finite == np.isfinite(theirs)).all(), "one is finite and the other is not"
    rest = np.abs(ours - theirs)[finite] > 1e-8 * theirs[finite]
    apart = np.abs(np.sqrt(ours[finite]) - np.sqrt(theirs[finite]))[rest]
    assert apart.max(initial=0) <= ROUNDING, f"roots of losses are {apart.max():.1e} apart"
    return (~finite).sum(), rest.sum(), apart.max(initial=0)


def timed(work):
    began = time.perf_counter()
    return work(), time.perf_counter() - began


def main():
    parser = program.options(__doc__)
    parser.add_argument("--runs", type=int, default=5, help="times that each is measured (default: 5)")
    parser.add_argument("--threads", type=int, help="threads of the program (default: all cores)")
    args = parser.parse_args()
    threads = ["--threads", args.threads] if args.threads else []
    with tempfile.TemporaryDirectory() as folder:
        shape = ["--rows", N, "--features", D, "--activation", "sigmoid", "--seed", 1]
        call(args.agglio, folder, "simulate", *shape, "-o", "data.csv")
        table = np.loadtxt(Path(folder, "data.csv"), delimiter=",", skiprows=1)
        X, y, held = np.ascontiguousarray(table[:, :-1]), table[:, -1], held_out(args.agglio, folder)
        flags = ["--solver", "gd", "--grid", "paper", "--epochs", STEPS, "--tol", 0, *threads]
        searches, processes, loops = [], [], []
        for _ in range(args.runs):
            found, process = timed(lambda: tune(args.agglio, folder, "data.csv", *flags))
            losses, loop = timed(lambda: by_numpy(X, y, held))
            searches.append(found["seconds"])
            processes.append(process)
            loops.append(loop)
    ours = [one["loss"] for one in found["candidates"]]
    overshot, rounding, apart = compare(ours, losses)
    print(f"200 settings of {STEPS} steps, {N} × {D}: {overshot} led uphill in both, {200 - overshot - rounding} losses are the same "
          f"to 1e-8, the roots of {rounding} to {apart:.0e}")
    search, process, loop = map(median, (searches, processes, loops))
    print(f"search {search:.3f} s, whole process {process:.3f} s, numpy {loop:.3f} s")
    print(f"numpy takes {loop / search:.1f} times as long as the search, {loop / process:.1f} times as long as the process")


if __name__ == "__main__":
    main()
