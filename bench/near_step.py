"""How near the lowest loss two kinds of restarts come on a neuron that is nearly a step, under heavy noise.

A sigmoid neuron without intercept, n = 1000 and d = 20: x ~ N(0, I), a true w of norm 60 in a random direction, labels
φ(xᵀw) + 0.3·N(0, 1). At the truth nine rows in ten are saturated, and the loss has several minima, some of them at
infinity.

`agglio` with ten restarts stands beside ten runs of scipy's trust-region solver (TRF) from random starts. The excess of
a fit is its mean square less the lowest that any run of either found on the same data; with `--more`, forty further
runs of TRF count there too and nowhere else. Work is the number of row evaluations divided by n (see comparison.py),
its mean and its median.
"""

from collections import Counter

import numpy as np
from scipy.special import expit

import comparison

N, D, NORM, NOISE = 1000, 20, 60.0, 0.3
FLAGS = ["--no-intercept", "--noise", "post", "--restarts", "10"]


def problem(seed):
    """Rows and labels, from a stream of numbers apart from that of the starts."""
    random = np.random.default_rng([seed, 1])
    X = random.standard_normal((N, D))
    w = random.standard_normal(D)
    return X, expit(X @ (NORM * w / np.linalg.norm(w))) + NOISE * random.standard_normal(N)


def contest(program, seed, more):
    """On one problem: the ten runs of scipy, the fit by agglio, and the lowest loss known."""
    X, y = problem(seed)
    runs = [comparison.scipy_fit(X, y, start) for start in comparison.starts(seed, 10 + more, D)]
    fit = comparison.agglio(program, X, y, *FLAGS)
    return runs[:10], fit, min(fit["loss"], *(run.loss for run in runs))


def row(name, excess, *work):
    """A line of the table; an excess below 1e-7 is none."""
    lowest = f"{sum(e < 1e-7 for e in excess)} of {len(excess)}"
    return name, f"{np.mean(excess):.6f}", f"{max(excess):.6f}", lowest, *work


def rows(contests):
    """The two lines of the table."""
    trf = [min(run.loss for run in runs) - best for runs, _, best in contests]
    work = [sum(run.nfev + run.njev for run in runs) for runs, _, _ in contests]
    yield row("TRF × 10", trf, "", comparison.typical(work))
    ours = [fit["loss"] - best for _, fit, best in contests]
    passes = [fit["passes"] for _, fit, _ in contests]
    most = [comparison.most_evaluations(fit) for _, fit, _ in contests]
    yield row("agglio", ours, comparison.typical(passes), "≤ " + comparison.typical(most))


def ends(contests):
    """How the fits ended, in two sentences."""
    limit = sum(run.status == 0 for runs, _, _ in contests for run in runs)
    words = Counter(f"{fit['status']}, {'' if fit['certified'] else 'not '}certified" for _, fit, _ in contests)
    return (f"TRF stopped at its limit of evaluations in {limit} of {10 * len(contests)} runs.\n"
            f"agglio ended as {'; '.join(f'{word}: {count}' for word, count in words.most_common())}.")


def main():
    parser = comparison.options(__doc__, problems=20)
    parser.add_argument("--more", action="store_const", const=40, default=0,
                        help="forty more runs of TRF look for the lowest loss")
    args = parser.parse_args()
    contests = [contest(args.agglio, seed, args.more) for seed in range(args.first, args.first + args.seeds)]
    head = ["fit     ", "mean excess", "largest ", "lowest known", "passes    ", "evaluations  "]
    comparison.show(head, rows(contests))
    print(ends(contests))


if __name__ == "__main__":
    main()
