"""What the comparisons share: the program called on a table, scipy started at random points, and a table on the screen.

Work is counted in row evaluations divided by the number of rows: one for the residuals of all rows, one for all rows
of the Jacobian. Linear algebra and the preparation of labels are not counted.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import scipy
from scipy.optimize import least_squares
from scipy.special import expit

ROOT = Path(__file__).resolve().parent.parent


def options(about, problems=None):
    """The parser of the flags that all comparisons have; `problems` is the default number of random ones, if any."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--agglio", default=str(ROOT / "target/release/agglio"), type=found, metavar="PROGRAM",
                        help="the program to measure (default: target/release/agglio)")
    if problems:
        parser.add_argument("--seeds", type=int, default=problems, metavar="N", help=f"problems (default: {problems})")
        parser.add_argument("--first", type=int, default=0, metavar="SEED", help="the first seed (default: 0)")
    return parser


def found(program):
    """Where the program is, or an end with a word on how to get it."""
    path = shutil.which(program)
    if path is None:
        sys.exit(f"{program} is not there: run `cargo build --release`, or give the path with --agglio")
    return path


def agglio(program, X, y, *flags):
    """The JSON object of `agglio fit` for sigmoid, with a loss of null, which is not finite, as infinity."""
    names = [f"x{j + 1}" for j in range(X.shape[1])] + ["y"]
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "data.csv")
        np.savetxt(data, np.column_stack([X, y]), "%.17g", ",", header=",".join(names), comments="")
        command = [program, "fit", str(data), "--target", "y", "--format", "json", "--quiet", *flags]
        run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode not in (0, 3):  # 3 is an ordinary end: fitted, not certified
        sys.exit(f"`{' '.join(command)}` failed:\n{run.stderr}")
    fit = json.loads(run.stdout)
    return {**fit, "loss": np.inf if fit["loss"] is None else fit["loss"]}


def most_evaluations(fit):
    """An upper bound on the row evaluations of a fit by `auto`: each visit of a row as a residual and a Jacobian row.

    A visit that compares the starts of four label margins makes four residuals, two more than that; there is one on all
    rows and one on half of them for every other restart.
    """
    halves = ((fit["certificate"]["restarts"] or 0) + 1) // 2
    return 2 * fit["passes"] + 2 + halves


def typical(work):
    """Mean and median, since a few runs along a flat valley can carry the mean far away."""
    return f"{np.mean(work):.0f} / {np.median(work):.0f}"


def starts(seed, count, d):
    """So many draws of 10·N(0, I)/√d."""
    return 10 * np.random.default_rng(seed).standard_normal((count, d)) / np.sqrt(d)


def scipy_fit(X, y, start, method="trf"):
    """scipy's `least_squares` for sigmoid with its own defaults and the exact Jacobian; `loss` is the mean square."""
    def jacobian(w):
        z = X @ w
        return X * (expit(z) * expit(-z))[:, None]

    fit = least_squares(lambda w: expit(X @ w) - y, start, jacobian, method=method)
    fit.loss = 2 * fit.cost / len(y)
    return fit


def show(head, rows):
    """Prints a table, each row as soon as it is there."""
    print("| " + " | ".join(head) + " |")
    print("|" + "|".join("-" * (len(name) + 2) for name in head) + "|")
    for row in rows:
        print("| " + " | ".join(str(cell).rjust(len(name)) for cell, name in zip(row, head)) + " |", flush=True)
    print(f"\nscipy {scipy.__version__}, numpy {np.__version__}")
