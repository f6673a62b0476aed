"""How often is the lowest minimum proven, and does any search find a point below a proven bound?

Each seed draws a problem of one to four parameters (cases/small.py), which is fitted with `--prove` and with `--prove=none`. A
proof is complete if it ends within the seconds that it is given. The independent check starts scipy 200 times on each problem:
every point at which scipy evaluates the loss counts, whether it is a minimum or not. None may be below the proven lower bound
by more than rounding (1e-12). Where a bound holds up to a radius only, points beyond it do not count.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import json
import tempfile
import warnings
from dataclasses import asdict, dataclass
from multiprocessing import Pool
from pathlib import Path

import numpy as np
from scipy.optimize import least_squares

import comparison
import program
from cases import small
from cases.activation import ALL
from cases.reference import MARGINS, Reference

# for each scale of the starts, from nearly zero to far beyond where every row is flat
SCALES = (0.1, 0.3, 1, 3, 10, 30, 100)
ROUNDING = 1e-12
SAME = 1e-6
MOST_EVALUATIONS = 200


@dataclass(frozen=True)
class Result:
    """The proof of a problem, and the loss without it."""
    seed: int
    activation: str
    parameters: int
    about: str
    why: str | None
    complete: bool
    gap: float | None
    radius: float | None
    lower_bound: float
    loss: float
    plain: float
    constant: float
    improved: bool
    certified: bool
    plain_certified: bool
    status: str
    at_infinity: bool
    seconds: float
    boxes: int

    @property
    def least(self):
        """The smallest loss that counts as larger than nothing: a proof compares with this one."""
        return 1e-10 * self.constant


def fitted(path, seed, seconds, flags):
    """The result of a seed."""
    problem = small.draw(seed)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "data.csv")
        problem.write(data)
        words = [*problem.flags(), "--threads", "2", *flags]
        proven = program.fit(path, data, "--prove", "--prove-seconds", str(seconds), *words)
        plain = program.fit(path, data, "--prove=none", *words)
    proof, (n, d) = proven["proof"] or {}, problem.X.shape
    constant = np.var(problem.y)
    if not problem.intercept:
        constant = np.mean((ALL[problem.activation].value(np.zeros(n)) - problem.y) ** 2)
    return Result(
        seed=seed,
        activation=problem.activation,
        parameters=d + problem.intercept,
        about=f"{n} × {d}, {problem.design}, {problem.labels}",
        why=None if "complete" in proof else json.dumps(proven["proof"]),
        complete=proof.get("complete", False),
        gap=proof.get("gap"),
        radius=proof.get("radius"),
        lower_bound=proof.get("lower_bound", 0.0),
        loss=comparison.lowest_told(proven),
        plain=comparison.lowest_told(plain),
        constant=float(constant),
        improved=proof.get("improved_from") is not None,
        certified=proven["certified"],
        plain_certified=plain["certified"],
        status=proven["status"],
        at_infinity=proven["status"] == "diverging" or proven["lower_at_infinity"] is not None,
        seconds=proof.get("seconds", 0.0),
        boxes=proof.get("boxes", 0),
    )


class Searched(Reference):
    """A problem that remembers the lowest loss at any point within a radius."""

    def __init__(self, problem, radius):
        super().__init__(problem)
        self.radius, self.lowest = np.inf if radius is None else radius, np.inf

    def residuals(self, theta):
        residuals, z = super().residuals(theta), self.predictor(theta)
        loss = residuals @ residuals
        if loss < self.lowest and np.isfinite(z).all() and self.roots @ (self.roots * z * z) <= self.radius**2:
            self.lowest = loss
        return residuals

    def end(self, start):
        """The loss at which MINPACK ends."""
        try:
            fit = least_squares(self.residuals, start, self.jacobian, method="lm", x_scale="jac", ftol=1e-12, xtol=1e-12,
                                gtol=1e-14, max_nfev=MOST_EVALUATIONS)
            return 2 * fit.cost
        except (ValueError, np.linalg.LinAlgError):
            return np.inf

    def starts(self, seed, count):
        """From zero, from linear least squares, and random directions with a threshold among the rows."""
        yield np.zeros(self.dim)
        yield from map(self.linear, MARGINS)
        random = np.random.default_rng([11, seed])
        for i in range(count - 1 - len(MARGINS)):
            theta = random.standard_normal(self.dim)
            if self.intercept and i % 2:
                z = self.A[:, :-1] @ theta[:-1]
                theta[-1] = -z[random.integers(len(z))]
            z = self.A @ theta
            yield theta * SCALES[i % len(SCALES)] / np.sqrt(np.mean(z * z) + 1e-300)


def checked(task):
    """The lowest loss of all ends, and the lowest at any point for which the bound holds."""
    result, count = task
    search = Searched(small.draw(result.seed), result.radius)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ends = [search.end(start) for start in search.starts(result.seed, count)]
    return min(ends), search.lowest


def share(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "–"


def line(name, found):
    """A line of the table."""
    complete, improved, infinite = (sum(getattr(r, key) for r in found) for key in ("complete", "improved", "at_infinity"))
    left = sum(not (r.complete or r.at_infinity) for r in found)
    above = sum(r.plain > r.loss * (1 + SAME) + r.least for r in found)
    seconds, boxes = ([getattr(r, key) for r in found] for key in ("seconds", "boxes"))
    return (name, len(found), complete, share(complete, len(found)), infinite, left, improved, above,
            f"{np.median(seconds):.3f} / {np.quantile(seconds, 0.95):.2f}",
            f"{np.median(boxes):.0f} / {np.quantile(boxes, 0.95):.0f}")


def table(found):
    kinds = {name: [r for r in found if r.activation == name] for name in sorted(ALL)}
    for count in range(1, small.MOST_PARAMETERS + 1):
        kinds[f"{count} parameter{'s' * (count > 1)}"] = [r for r in found if r.parameters == count]
    return (line(name, results) for name, results in (kinds | {"all": found}).items() if results)


def check(found, processes, starts):
    """Compares with scipy, and tells how often it is lower."""
    with Pool(processes) as pool:
        ends = pool.map(checked, [(result, starts) for result in found], chunksize=4)
    below = [(r, point) for r, (_, point) in zip(found, ends) if point < r.lower_bound * (1 - ROUNDING)]
    # a finite minimum is kept before a lower loss at infinity, which the fit tells of
    lower = [(r, end) for r, (end, _) in zip(found, ends) if end < r.loss * (1 - SAME) - r.least]
    higher = sum(end > r.loss * (1 + SAME) + r.least for r, (end, _) in zip(found, ends))
    print(f"\nscipy from {starts} starts each: below a lower bound {len(below)}; lower than the fit {len(lower)}, the same "
          f"{len(found) - len(lower) - higher}, higher {higher}")
    for result, loss in below:
        print(f"seed {result.seed} BELOW: {loss!r} < {result.lower_bound!r}")
    for result, loss in lower:
        print(f"seed {result.seed}: {result.activation}, {result.about}: scipy {loss:.6e}, fit {result.loss:.6e}, "
              f"{result.status}, {'complete' if result.complete else 'not complete'}")


def main():
    parser = comparison.options(__doc__, problems=500)
    parser.add_argument("--seconds", type=float, default=10, metavar="S", help="seconds for a proof (default: 10)")
    parser.add_argument("--starts", type=int, default=200, metavar="N", help="starts of scipy for each problem (default: 200)")
    parser.add_argument("--processes", type=int, default=2, metavar="N", help="processes of the check (default: 2)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all results")
    parser.add_argument("flags", nargs="*", help="further flags of `agglio fit`, after --")
    args = parser.parse_args()
    found = [fitted(args.agglio, seed, args.seconds, args.flags) for seed in range(args.first, args.first + args.seeds)]
    if args.json:
        args.json.write_text(json.dumps([asdict(result) for result in found]))
    head = ["problems      ", "fits", "complete", "share  ", "at infinity", "open", "improved", "higher without",
            "seconds       ", "regions          "]
    comparison.show(head, table(found))
    print("\nnot complete")
    for r in found:
        if not r.complete:
            gap = "–" if r.gap is None else f"{r.gap:.1e}"
            radius = "none" if r.radius is None else f"{r.radius:.3g}"
            print(f"seed {r.seed}: {r.activation}, {r.about}, {r.parameters} parameters: gap {gap}, radius {radius}, "
                  f"{r.boxes} regions, {r.seconds:.1f} s, {r.status}{'' if r.why is None else ', ' + r.why}")
    if args.starts:
        check(found, args.processes, args.starts)


if __name__ == "__main__":
    main()
