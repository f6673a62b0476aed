"""What random start values and raw columns do to solvers that need a start, on published data.

Participation in 1534 company pension plans (the data of `agglio demo`): a sigmoid of an intercept, match rate, age, log
employment and sole plan, and of the squares of the first three, in the units in which they come. Age runs to 51 and its
square to 2601, so that from most random starts nearly all rows are saturated.

scipy's `least_squares` by MINPACK (`lm`) and by its trust region (`trf`), with their own stop rules and the exact
Jacobian, and the `lm` of agglio on unscaled columns each begin at a hundred draws of S·N(0, I), S = 10/√d unless
`--spread` is given; `agglio fit` with nothing but data needs no start. A fit is right if its loss is within 1e-6,
relatively, of the lowest of all. What matters is the column of fits that report success and are wrong.
"""

import numpy as np

import comparison
import program

DATA = program.ROOT / "crates/agglio-cli/data/k401k.csv"
PLAIN = ["--solver", "lm", "--scaling", "none"]


def columns():
    """The four features, three squares, and the labels."""
    table = np.loadtxt(DATA, delimiter=",", skiprows=1)
    x, y = table[:, :4], table[:, 4]
    return np.column_stack([x, x[:, :3] ** 2]), y


def by_scipy(X, y, method, count, spread):
    """Loss and reported success from each start; the last column is for the intercept."""
    with_constant = np.column_stack([X, np.ones(len(y))])
    for start in spread * np.random.default_rng(0).standard_normal((count, with_constant.shape[1])):
        fit = comparison.scipy_fit(with_constant, y, start, method)
        yield fit.loss, fit.success


def by_agglio(program, X, y, flags):
    """Loss and reported success for each list of flags."""
    for some in flags:
        fit = comparison.agglio(program, X, y, *some)
        yield fit["loss"], fit["status"] == "converged"


def rows(results):
    """The lines of the table."""
    enough = (1 + 1e-6) * min(loss for fits in results.values() for loss, _ in fits)
    for name, fits in results.items():
        right = sum(loss <= enough for loss, _ in fits)
        success = [loss for loss, success in fits if success]
        wrong = sum(loss > enough for loss in success)
        yield name.ljust(24), len(fits), right, len(success), wrong, f"{max(success, default=np.nan):.4f}"


def main():
    parser = comparison.options(__doc__)
    parser.add_argument("--starts", type=int, default=100, help="starts of each solver (default: 100)")
    parser.add_argument("--spread", type=float, metavar="S", help="size of the starts (default: 10/√d)")
    args = parser.parse_args()
    X, y = columns()
    spread = args.spread or 10 / np.sqrt(X.shape[1])
    seeds = [[*PLAIN, "--init", f"random:{spread}", "--seed", str(seed)] for seed in range(args.starts)]
    results = {f"scipy {method}": list(by_scipy(X, y, method, args.starts, spread)) for method in ("lm", "trf")}
    results["agglio lm, random start"] = list(by_agglio(args.agglio, X, y, seeds))
    results["agglio fit"] = list(by_agglio(args.agglio, X, y, [[]]))
    head = ["fit".ljust(24), "fits", "right", "success", "success, but wrong", "highest loss with success"]
    comparison.show(head, rows(results))


if __name__ == "__main__":
    main()
