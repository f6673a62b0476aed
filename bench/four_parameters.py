"""Four-parameter dose-response curves without starting values, beside the best of 50 starts of scipy.

Each problem is a logistic curve with free asymptotes: 8 to 200 rows, increasing or decreasing, with noise of 1 to 20 % of
its range. `agglio` makes one fit; scipy's trust-region solver makes 50 from random starts. A fit is as good if its residual
sum of squares is at most 1e-6 above the lowest of these.

The dose is given as its logarithm, in molar and in nanomolar. The three fits must predict the same responses to 1e-8 of
their range.
"""

import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
from scipy.optimize import least_squares
from scipy.special import expit

import program

STARTS = 50
FREE = ["--range", "free,free"]


def curve(t, lower, slope, middle, upper):
    """The response at log10 dose t."""
    return lower + (upper - lower) * expit(slope * (t - middle))


def problem(random, index):
    """log10 dose and response."""
    n = int(np.exp(random.uniform(np.log(8), np.log(200))))
    t = np.sort(random.uniform(-9, -4, n)) if index % 2 else np.linspace(-9, -4, n)
    upper = 10 ** random.uniform(0, 4)
    lower = upper * random.uniform(0, 0.3)
    middle = random.uniform(-8, -5)
    slope = random.choice([-1, 1]) * 10 ** random.uniform(0, 0.8)
    noise = 10 ** random.uniform(-2, -0.7) * (upper - lower)
    return t, curve(t, lower, slope, middle, upper) + noise * random.standard_normal(n)


def best_of_starts(random, t, y):
    """The lowest residual sum of squares of scipy."""
    spread, best = np.ptp(y), np.inf
    for _ in range(STARTS):
        start = [
            y.min() - random.uniform(0, 0.3) * spread,
            random.choice([-1, 1]) * 10 ** random.uniform(-0.3, 1),
            random.uniform(-9, -4),
            y.max() + random.uniform(0, 0.3) * spread,
        ]
        try:
            run = least_squares(lambda p: curve(t, *p) - y, start, x_scale="jac", max_nfev=500)
        except ValueError:
            continue
        best = min(best, 2 * run.cost)
    return best


def predictions(fit, z):
    """The responses of a fit at values of its covariate."""
    (slope,) = fit["coefficients"].values()
    return fit["affine"]["offset"] + fit["affine"]["scale"] * expit(fit["intercept"] + slope * z)


def main():
    parser = program.options(__doc__)
    parser.add_argument("--problems", type=int, default=200, metavar="N", help="number of problems (default: 200)")
    args = parser.parse_args()
    good, endings, passes, apart = 0, Counter(), [], 0.0
    with tempfile.TemporaryDirectory() as folder:
        for index in range(args.problems):
            random = np.random.default_rng(index)
            t, y = problem(random, index)
            best = best_of_starts(random, t, y)
            file = Path(folder) / "data.csv"
            columns = np.c_[t, 10.0**t, 10.0 ** (t + 9), y]
            np.savetxt(file, columns, delimiter=",", header="t,molar,nanomolar,y", comments="", fmt="%.17g")
            terms = {"t": t, "log(molar)": np.log(10.0**t), "log(nanomolar)": np.log(10.0 ** (t + 9))}
            fits = {term: program.fit(args.agglio, file, "--features", term, *FREE) for term in terms}
            loss = fits["t"]["loss"] * len(y)
            good += loss <= best * (1 + 1e-6)
            endings[fits["t"]["status"]] += 1
            passes.append(fits["t"]["passes"])
            if all(fit["certified"] for fit in fits.values()):
                curves = [predictions(fit, terms[term]) for term, fit in fits.items()]
                apart = max(apart, *(np.abs(other - curves[0]).max() / np.ptp(y) for other in curves[1:]))
    print(f"{good} of {args.problems} at or below the best of {STARTS} starts of scipy")
    print("status: " + ", ".join(f"{count} {status}" for status, count in endings.most_common()))
    print(f"passes over the rows: {np.mean(passes):.0f} on average")
    print(f"largest difference between log, molar and nanomolar dose: {apart:.1e} of the range (certified fits)")


if __name__ == "__main__":
    main()
