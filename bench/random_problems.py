"""How often does a fit end, certified, above the best known minimum? Random problems of many kinds.

Each seed draws a problem (cases/mixed.py). The best known loss is the lowest of scipy's trust-region solver from zero, from the
model without covariates, from least squares on the clipped preimages (four margins), from twenty random starts and from the
program's own point, all in standardised coordinates. A run of scipy that ends at infinity does not count: where some |z| is 200 or
more, or ‖θ‖ is 1e4 or more.

The program's loss is the smaller of `loss` and `lower_at_infinity`, so a fit that tells of a lower loss at infinity is not blamed
for keeping a finite minimum. A fit is right if this is at most best·(1 + 1e-6) + 1e-14. A fit that is not right and yet certified
(exit code 0) is "certified above". Where scipy finds no finite minimum, the fit is right, and the problem is not among those with
a finite best.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import itertools
import subprocess
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from multiprocessing import Pool
from pathlib import Path

import numpy as np

import comparison
import program
from cases import mixed
from cases.reference import Reference

SECONDS = 120
AGREEMENTS = ["none were made", "all", "half or more", "a quarter to a half", "fewer"]


@dataclass(frozen=True)
class Result:
    """What became of a problem."""
    seed: int
    kinds: tuple
    about: str
    status: str
    agreement: str
    certified: bool
    right: bool
    best: float
    loss: float
    passes: float

    @property
    def above(self):
        return self.certified and not self.right

    @property
    def has_finite_best(self):
        return np.isfinite(self.best)


def agreement(certificate):
    """How many challengers ended as low as the fit that was kept."""
    made, agreed = certificate["restarts"], certificate["agreed"]
    if not made:
        return AGREEMENTS[0]
    share = agreed / made
    return AGREEMENTS[1 if share >= 1 else 2 if share >= 0.5 else 3 if share >= 0.25 else 4]


def measured(path, flags, seed):
    """The result of a seed, or a sentence where the program failed."""
    problem = mixed.draw(seed)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "data.csv")
        problem.write(data)
        # several problems run at once, and the result does not depend on the number of threads
        words = program.command(path, data, *problem.flags(), "--threads", "1", *flags)
        try:
            run = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return f"seed {seed}: no end after {SECONDS} s"
    if run.returncode not in (0, 3):
        return f"seed {seed}: exit code {run.returncode}: {run.stderr[-200:]}"
    fit = program.result(words, run)
    reference = Reference(problem)
    best = reference.lowest_finite(seed, reference.standardised([*fit["coefficients"].values()], fit["intercept"]))
    n, d = problem.X.shape
    return Result(seed, (problem.activation, f"labels {problem.labels}", "all"),
                  f"{problem.activation}, {problem.design}, {problem.labels}, {n} × {d}", fit["status"],
                  agreement(fit["certificate"]), run.returncode == 0, comparison.reached(fit, best), best,
                  comparison.lowest_told(fit), fit["passes"])


def parameters(problem):
    return problem.X.shape[1] + problem.intercept


def results(args):
    """The results of all seeds; failures and fits that are certified above the best known are named at once."""
    found = []
    seeds = range(args.first, args.first + args.seeds)
    if args.parameters is not None:
        seeds = [seed for seed in seeds if parameters(mixed.draw(seed)) <= args.parameters]
    with Pool(args.processes) as pool:
        for result in pool.imap(partial(measured, args.agglio, args.flags), seeds, chunksize=4):
            if isinstance(result, str):
                print(result)
                continue
            found.append(result)
            if args.list and result.above:
                print(f"seed {result.seed}: {result.about}: {result.loss:.6e} above {result.best:.6e}", flush=True)
    return found


def share(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "–"


def line(name, found):
    """A line of the first table."""
    finite = [result for result in found if result.has_finite_best]
    above, reached = sum(result.above for result in found), sum(result.right for result in finite)
    passes = [result.passes for result in found]
    return (name, len(found), above, share(above, len(found)), f"{reached} of {len(finite)}", share(reached, len(finite)),
            f"{np.median(passes):.0f}", f"{np.mean(passes):.0f}")


def by_kind(found):
    kinds = defaultdict(list)
    for result in found:
        for kind in result.kinds:
            kinds[kind].append(result)
    return (line(kind, kinds[kind]) for kind in sorted(kinds, key=lambda kind: (kind == "all", kind)))


def by_status(found):
    """Fits above the best known, certified or not, by status and agreement."""
    statuses = sorted({(result.certified, result.status) for result in found}, reverse=True)
    for (certified, status), agreed in itertools.product(statuses, AGREEMENTS):
        cell = [r for r in found if (r.certified, r.status, r.agreement) == (certified, status, agreed)]
        if cell:
            wrong = sum(not result.right for result in cell)
            yield (status, "yes" if certified else "no", agreed, len(cell), wrong, share(wrong, len(cell)))


def main():
    parser = comparison.options(__doc__, problems=200)
    parser.add_argument("--processes", type=int, default=2, metavar="N", help="problems at once (default: 2)")
    parser.add_argument("--parameters", type=int, metavar="N", help="only problems of at most N parameters (default: all)")
    parser.add_argument("--list", action="store_true", help="name each problem that is certified above the best known")
    parser.add_argument("flags", nargs="*", help="further flags of `agglio fit`, after --")
    found = results(parser.parse_args())
    if not found:
        program.stop("no problem was fitted")
    head = ["kind                 ", "problems", "certified above", "share ", "finite best reached", "share  ",
            "median passes", "mean passes"]
    comparison.table(head, by_kind(found))
    print()
    head = ["status         ", "certified", "challengers that agreed", "fits", "above the best known", "share  "]
    comparison.show(head, by_status(found))
    _, count, _, above, _, reached, median, mean = line("all", found)
    print(f"\n{count} problems: certified above the best known {above}, finite best reached {reached}, "
          f"passes {median} median, {mean} mean")


if __name__ == "__main__":
    main()
