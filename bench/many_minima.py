"""How often the global minimum is found on least-squares problems with many local minima.

A sigmoid neuron without intercept, d = 10. Each row lies on one axis, m rows on each, so that the loss is a sum of ten
functions of one variable and a grid search finds the lowest value of each; a random rotation then hides this from the
solvers. With few rows on an axis, heavy noise and rows of very different length (`tail`, the deviation of the logarithm
of the length) each of the ten has several minima, and their combinations are minima of the whole (Auer, Herbster and
Warmuth, 1996).

A fit succeeds if its sum of squares is within 1e-4, relatively, of the lowest there is for coefficients up to 316 on
the axes. `agglio` with `--restarts auto` stands beside the best of ten runs of scipy's trust-region solver (TRF) from
random starts. Work is the number of row evaluations divided by n (see comparison.py), its mean and its median.
"""

import numpy as np
from scipy.special import expit

import comparison

D = 10
LARGEST = 10**2.5
PROBLEMS = [(6, 0.1, 1.0), (6, 0.3, 1.0), (6, 0.3, 2.0), (20, 0.3, 1.5), (100, 0.3, 1.5)]
FLAGS = ["--no-intercept", "--noise", "post", "--restarts", "auto"]


def problem(seed, m, noise, tail):
    """Rows, labels, and the lowest sum of squares."""
    random = np.random.default_rng(seed)
    truth = 2 * random.standard_normal(D)
    length = np.exp(tail * random.standard_normal((D, m)))
    x = length * np.sign(random.standard_normal((D, m)))
    y = expit(x * truth[:, None]) + noise * random.standard_normal((D, m))
    axes = np.linalg.qr(random.standard_normal((D, D)))[0].T
    X = (x[:, :, None] * axes[:, None, :]).reshape(D * m, D)
    return X, y.ravel(), sum(lowest(*axis) for axis in zip(x, y))


def lowest(x, y):
    """The lowest sum of squares on one axis: a grid of coefficients, dense near 0, then finer ones around its best."""
    high = np.arcsinh(1e3 * LARGEST)
    low = -high
    for points in (8001, 101, 101, 101):
        u = np.linspace(low, high, points)
        loss = ((expit(np.outer(1e-3 * np.sinh(u), x)) - y) ** 2).sum(1)
        i = loss.argmin()
        low, high = u[max(i - 1, 0)], u[min(i + 1, points - 1)]
    return loss[i]


def contest(program, seed, *kind):
    """Successes and row evaluations of both on one problem: scipy's, agglio's, its passes and the bound."""
    X, y, best = problem(seed, *kind)
    trf = [comparison.scipy_fit(X, y, start) for start in comparison.starts(seed, 10, D)]
    fit = comparison.agglio(program, X, y, *FLAGS)
    enough = best * (1 + 1e-4) / len(y)
    return (min(run.loss for run in trf) <= enough, sum(run.nfev + run.njev for run in trf),
            fit["loss"] <= enough, fit["passes"], comparison.most_evaluations(fit))


def row(program, seeds, *kind):
    """A line of the table: successes and work over the seeds."""
    trf, trf_work, ours, passes, most = np.transpose([contest(program, seed, *kind) for seed in seeds])
    return (*kind, f"{trf.sum():.0f} of {len(seeds)}", comparison.typical(trf_work),
            f"{ours.sum():.0f} of {len(seeds)}", comparison.typical(passes), "≤ " + comparison.typical(most))


def main():
    args = comparison.options(__doc__, problems=30).parse_args()
    seeds = range(args.first, args.first + args.seeds)
    head = ["  m", "noise", "tail", "TRF × 10  ", "evaluations", "agglio    ", "passes    ", "evaluations  "]
    comparison.show(head, (row(args.agglio, seeds, *kind) for kind in PROBLEMS))


if __name__ == "__main__":
    main()
