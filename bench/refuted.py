"""Which starts would have found the lower minimum, where a proof refuted a fit? Cheap starts, each tried on all of them.

The problems are those of known_minima.py (group proven) and of the bank of the tests (tests/it/golden/proven.json) whose fit with
`--prove=none` is above the proven loss. From the ends of each kind of start, scipy's Levenberg–Marquardt descends in standardised
coordinates. A start repairs a fit if it ends at the proven loss (to a relative 1e-6). Passes are its visits of all rows, a
residual or a Jacobian being half of one, and the losses that choose the start included.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import itertools
import json
import tempfile
import warnings
from multiprocessing import Pool
from pathlib import Path

import numpy as np
from scipy.optimize import least_squares

import comparison
import known_minima
import program
from cases.activation import ALL, clip, preimage
from cases.problem import Problem
from cases.reference import Reference

BANK = program.ROOT / "crates/agglio/tests/it/golden/proven.json"
SAME = 1e-6
MOST_EVALUATIONS = 100
LIMIT = 300


class Search(Reference):
    """A problem, the fit that was refuted, and a count of the visits of rows."""

    def __init__(self, problem, theta):
        super().__init__(problem)
        self.theta, self.work, self.problem = theta, 0.0, problem

    def residuals(self, theta):
        self.work += 0.5
        return super().residuals(theta)

    def jacobian(self, theta):
        self.work += 0.5
        return super().jacobian(theta)

    def loss(self, theta):
        residuals = self.residuals(theta)
        return residuals @ residuals

    def end(self, start, rows=None):
        """Where Levenberg–Marquardt ends, on all rows or on some of them."""
        share = np.ones(len(self.y)) if rows is None else rows
        try:
            fit = least_squares(lambda theta: share * self.residuals(theta), start,
                                lambda theta: share[:, None] * self.jacobian(theta), method="lm", x_scale="jac",
                                ftol=1e-12, xtol=1e-12, gtol=1e-14, max_nfev=MOST_EVALUATIONS)
            return fit.x
        except (ValueError, np.linalg.LinAlgError):
            return start

    def lowest(self, points, count):
        """The lowest of these points."""
        return sorted(points, key=self.loss)[:count]

    def rms(self, direction):
        z = self.A @ direction
        return np.sqrt(z @ z / len(z)) + 1e-300

    def widths(self):
        """Rows by their residuals at the refuted fit, largest first."""
        return np.argsort(-np.abs(super().residuals(self.theta)))


def flipped(search):
    """All coefficients with the other sign."""
    return [np.append(-search.theta[:-1], search.theta[-1]) if search.intercept else -search.theta]


def flipped_one(search):
    """One coefficient with the other sign, each in turn."""
    for j in range(search.dim):
        theta = search.theta.copy()
        theta[j] = -theta[j]
        yield theta


def scaled(search, factors=(0.1, 0.3, 3, 10)):
    """The same direction, shorter and longer."""
    return [factor * search.theta for factor in factors]


def without_largest(search, count, weight=0.0):
    """The minimum without the largest residuals, reached from the refuted fit."""
    rows = np.ones(len(search.y))
    rows[search.widths()[:count]] = weight
    return [search.end(search.theta, rows)]


def without_one(search, most):
    """The minimum without one of the largest residuals, each in turn."""
    for i in search.widths()[:most]:
        rows = np.ones(len(search.y))
        rows[i] = 0
        yield search.end(search.theta, rows)


def exact_on_largest(search, count):
    """The minimum where the rows with the largest residuals count ten times as much."""
    rows = np.ones(len(search.y))
    rows[search.widths()[:count]] = 10
    return [search.end(search.theta, rows)]


def absolute(search, rounds=10):
    """Towards least absolute residuals, by reweighting."""
    theta = search.theta
    for _ in range(rounds):
        r = np.abs(search.residuals(theta))
        rows = np.sqrt(1 / np.maximum(r, 0.05 * np.median(r) + 1e-12))
        step = np.linalg.lstsq(rows[:, None] * search.jacobian(theta), -rows * search.residuals(theta), rcond=None)[0]
        theta = theta + step / max(1, search.rms(step))
    return [theta]


def subsets(search, size, random, most=LIMIT):
    """All choices of this number of rows, or at most a fixed number of random ones."""
    n = len(search.y)
    every = list(itertools.islice(itertools.combinations(range(n), size), most + 1))
    return every if len(every) <= most else [random.choice(n, size, replace=False) for _ in range(most)]


def preimages(search, margin=0.05):
    z = preimage(search.name, clip(search.name, search.y, margin))
    return np.clip(np.nan_to_num(z), -30, 30)


def through_rows(search, size, count, most=LIMIT, margin=0.05):
    """The smallest θ that fits these rows exactly, responses kept off the bounds by a margin: the lowest of all choices."""
    random, z = np.random.default_rng(3), preimages(search, margin)
    points = []
    for rows in map(list, subsets(search, size, random, most)):
        points.append(np.linalg.lstsq(search.A[rows], z[rows], rcond=None)[0])
    return search.lowest(points, count)


def through_rows_beside(search, size, count):
    """The point nearest to the refuted fit that fits these rows exactly."""
    random, z = np.random.default_rng(3), preimages(search)
    points = []
    for rows in map(list, subsets(search, size, random)):
        A = search.A[rows]
        points.append(search.theta + np.linalg.lstsq(A, z[rows] - A @ search.theta, rcond=None)[0])
    return search.lowest(points, count)


def steps_between(search, count, scales=(3, 10)):
    """A step across the middle of two rows, along their difference; the lowest of all pairs, or of 300."""
    random, points, k = np.random.default_rng(5), [], search.dim - search.intercept
    for i, j in subsets(search, 2, random):
        w = search.A[i, :k] - search.A[j, :k]
        middle = 0.5 * (search.A[i, :k] + search.A[j, :k])
        theta = np.append(w, -w @ middle) if search.intercept else w
        points += [sign * scale / search.rms(theta) * theta for scale in scales for sign in (1, -1)]
    return search.lowest(points, count)


def directions(search, count, tried, scales=(0.5, 1.5, 5, 15, 50)):
    """The lowest of random directions, at five scales and with thresholds among the rows."""
    random, points = np.random.default_rng(13), []
    for _ in range(tried):
        theta = random.standard_normal(search.dim)
        if search.intercept:
            z = search.A[:, :-1] @ theta[:-1]
            theta[-1] = -z[random.integers(len(z))]
        points += [scale / search.rms(theta) * theta for scale in scales]
    return search.lowest(points, count)


def valleys(search, lines, count):
    """The lowest points of further valleys on lines through the refuted fit."""
    found = []
    for line in lines:
        unit = line / search.rms(line)
        for side in (1, -1):
            steps = side * 0.1 * 600 ** (np.arange(24) / 23)
            losses = [search.loss(search.theta + step * unit) for step in steps]
            for k in range(1, 23):
                if losses[k] <= losses[k - 1] and losses[k] <= losses[k + 1]:
                    found.append((losses[k], search.theta + steps[k] * unit))
    return [theta for _, theta in sorted(found, key=lambda pair: pair[0])[:count]]


def axes(search):
    return np.eye(search.dim)


def own_axes(search):
    """The singular vectors of the Jacobian."""
    return np.linalg.svd(search.jacobian(search.theta), full_matrices=False)[2]


def towards_rows(search, most):
    """The directions of the rows with the largest residuals."""
    return search.A[search.widths()[:most]]


def random_lines(search, count):
    return np.random.default_rng(17).standard_normal((count, search.dim))


def weighted(search, count):
    """Minima under random weights, each reached from the refuted fit."""
    random = np.random.default_rng(19)
    return [search.end(search.theta, np.sqrt(random.exponential(size=len(search.y)))) for _ in range(count)]


def halves(search, count):
    """Minima of random halves of the rows, each from linear least squares on the preimages."""
    random, start = np.random.default_rng(23), search.linear(0.1)
    return [search.end(start, (random.random(len(search.y)) < 0.5) * 1.0) for _ in range(count)]


KINDS = {
    "all signs turned": flipped,
    "one sign turned": flipped_one,
    "shorter and longer": scaled,
    "linear, four margins": lambda s: [s.linear(margin) for margin in (0.1, 0.01, 0.001, 1e-6)],
    "without the largest residual": lambda s: without_largest(s, 1),
    "without the 2 largest": lambda s: without_largest(s, 2),
    "without a tenth": lambda s: without_largest(s, max(1, len(s.y) // 10)),
    "without a quarter": lambda s: without_largest(s, len(s.y) // 4),
    "without one of the 3 largest": lambda s: without_one(s, 3),
    "without one of the 6 largest": lambda s: without_one(s, 6),
    "largest ten times": lambda s: exact_on_largest(s, 1),
    "2 largest ten times": lambda s: exact_on_largest(s, 2),
    "least absolute residuals": absolute,
    "through 1 row": lambda s: through_rows(s, 1, 3),
    "through 2 rows": lambda s: through_rows(s, 2, 3),
    "through as many as parameters": lambda s: through_rows(s, s.dim, 3),
    "the same, the best one": lambda s: through_rows(s, s.dim, 1),
    "the best one of 40": lambda s: through_rows(s, s.dim, 1, 40),
    "the same, margin 0.001": lambda s: through_rows(s, s.dim, 1, 40, 0.001),
    "the best one of 10": lambda s: through_rows(s, s.dim, 1, 10),
    "through 1 row, beside the fit": lambda s: through_rows_beside(s, 1, 3),
    "through 2 rows, beside the fit": lambda s: through_rows_beside(s, 2, 3),
    "steps between two rows": lambda s: steps_between(s, 3),
    "20 random directions": lambda s: directions(s, 3, 20),
    "100 random directions": lambda s: directions(s, 3, 100),
    "valleys along axes": lambda s: valleys(s, axes(s), 3),
    "valleys along axes of the fit": lambda s: valleys(s, own_axes(s), 3),
    "valleys towards 5 rows": lambda s: valleys(s, towards_rows(s, 5), 3),
    "valleys on 20 random lines": lambda s: valleys(s, random_lines(s, 20), 3),
    "3 random weights": lambda s: weighted(s, 3),
    "6 random weights": lambda s: weighted(s, 6),
    "3 random halves": lambda s: halves(s, 3),
    "6 random halves": lambda s: halves(s, 6),
}
# what the program itself can be asked for
FLAGS = {"--restarts 4": ["--restarts", "4"], "--restarts 12": ["--restarts", "12"], "--restarts auto": ["--restarts", "auto"]}


def bank():
    for own in json.loads(BANK.read_text()):
        if own["range"] is None:
            problem = Problem(own["activation"], np.array(own["x"]), np.array(own["y"]), intercept=own["intercept"])
            yield known_minima.Case(own["name"], "bank", own["activation"], problem, own["loss"])


def fit(path, case, *flags):
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "data.csv")
        case.problem.write(data)
        return program.fit(path, data, *case.problem.flags(), "--prove=none", "--threads", "1", *flags)


def tried(task):
    """Whether each kind of start repairs a fit, and its passes; none where the fit is right."""
    path, case = task
    first = fit(path, case)
    if comparison.reached(first, case.lowest):
        return None
    own = Reference(case.problem)
    theta = own.standardised([*first["coefficients"].values()], first["intercept"])
    results = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, kind in KINDS.items():
            search = Search(case.problem, theta)
            ends = [search.end(start) for start in kind(search)]
            results[name] = (min(map(search.loss, ends), default=np.inf) <= case.lowest * (1 + SAME), search.work)
    for name, flags in FLAGS.items():
        again = fit(path, case, *flags)
        results[name] = (comparison.reached(again, case.lowest), again["passes"] - first["passes"])
    return case, first["certified"], results


def table(found):
    for name in [*KINDS, *FLAGS]:
        both = [results[name] for _, _, results in found]
        repaired = sum(is_repaired for is_repaired, _ in both)
        silent = sum(results[name][0] for _, certified, results in found if certified)
        yield name, repaired, f"{100 * repaired / len(found):.0f} %", silent, comparison.typical([work for _, work in both])


def main():
    parser = program.options(__doc__)
    parser.add_argument("--processes", type=int, default=2, metavar="N", help="problems at once (default: 2)")
    args = parser.parse_args()
    cases = [*known_minima.proven(), *bank()]
    with Pool(args.processes) as pool:
        found = [result for result in pool.imap(tried, [(args.agglio, case) for case in cases], chunksize=4) if result]
    certified = sum(certified for _, certified, _ in found)
    print(f"{len(found)} refuted fits, {certified} of them certified\n")
    comparison.show(["start                         ", "repaired", "share", "certified", "passes     "], table(found))


if __name__ == "__main__":
    main()
