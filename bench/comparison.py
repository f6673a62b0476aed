"""What the comparisons share: the program called on a table, scipy started at random points, and a table on the screen.

Work is counted in row evaluations divided by the number of rows: one for the residuals of all rows, one for all rows
of the Jacobian. Linear algebra and the preparation of labels are not counted.
"""

import tempfile
from pathlib import Path

import numpy as np
import scipy
from scipy.optimize import least_squares
from scipy.special import expit

import program


def options(about, problems=None):
    """The parser of the flags that all comparisons have; `problems` is the default number of random ones, if any."""
    parser = program.options(about)
    if problems:
        parser.add_argument("--seeds", type=int, default=problems, metavar="N", help=f"problems (default: {problems})")
        parser.add_argument("--first", type=int, default=0, metavar="SEED", help="the first seed (default: 0)")
    return parser


def agglio(path, X, y, *flags):
    """The JSON object of `agglio fit` for sigmoid, with a loss of null, which is not finite, as infinity."""
    names = [f"x{j + 1}" for j in range(X.shape[1])] + ["y"]
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "data.csv")
        np.savetxt(data, np.column_stack([X, y]), "%.17g", ",", header=",".join(names), comments="")
        fit = program.fit(path, data, *flags)
    return {**fit, "loss": np.inf if fit["loss"] is None else fit["loss"]}


def lowest_told(fit):
    """The loss of a fit, or the lower one at infinity that it tells of; infinite where it is not finite."""
    told = (fit["loss"], fit["lower_at_infinity"])
    return min((loss for loss in told if loss is not None), default=np.inf)


def reached(fit, best):
    """Whether a fit is as low as the best known loss."""
    return bool(lowest_told(fit) <= best * (1 + 1e-6) + 1e-14)


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


def table(head, rows):
    """Prints a table as wide as its head, each row as soon as it is there."""
    print("| " + " | ".join(head) + " |")
    print("|" + "|".join("-" * (len(name) + 2) for name in head) + "|", flush=True)
    for row in rows:
        print("| " + " | ".join(str(cell).rjust(len(name)) for cell, name in zip(row, head)) + " |", flush=True)


def show(head, rows):
    """Prints a table and the versions that it was made with."""
    table(head, rows)
    print(f"\nscipy {scipy.__version__}, numpy {np.__version__}")
