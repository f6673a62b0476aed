"""Is an optimum at infinity ever certified on real data that a plane separates, and how low does the default get on digits?

- breast cancer: 569 tumours, 30 covariates. Malignant and benign ones are separable, so the loss falls to zero as the
  coefficients grow without end. No solver may certify a fit, and those that close in on a minimum must say `diverging`.
- digits: 1797 pictures of 64 grey values, the label is whether the digit is an 8. The default must reach a loss of 0.01113.

The data comes from scikit-learn's wheel. The exit code is 1 if one of these does not hold.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
from sklearn import datasets

import comparison
import program

# solvers that close in on a minimum
MUST_DIVERGE = ["auto", "lm", "newton", "lbfgs", "irls", "multistart"]
# the theorems have a bound on the true w, and neither intercept nor scaling
THEORY = ["--solver", "theory:radius=10", "--no-intercept", "--scaling", "none"]
LARGEST_LOSS = 0.01113


def write(path, X, y):
    """A CSV file of covariates x1, x2, … and labels y."""
    names = [f"x{j + 1}" for j in range(X.shape[1])] + ["y"]
    np.savetxt(path, np.column_stack([X, y]), "%.17g", ",", header=",".join(names), comments="")


def solvers(path, data):
    """Every solver there is, as the program names them where it is asked for another; those that must diverge first."""
    refusal = program.attempt(path, data, "--solver", "unknown")
    _, found, names = refusal.partition("the solvers are ")
    if not found:
        program.stop(f"the program does not list its solvers: {refusal}")
    return MUST_DIVERGE + [name for name in names.split(", ") if name not in MUST_DIVERGE]


def breast_cancer(path, data):
    """A line for each solver: how it ended, and whether that is honest."""
    X, y = datasets.load_breast_cancer(return_X_y=True)
    write(data, X, y)
    for solver in solvers(path, data):
        fit = program.attempt(path, data, *(THEORY if solver == "theory" else ["--solver", solver]))
        if isinstance(fit, str):
            yield (solver, "refused", "no", "–", solver not in MUST_DIVERGE)
            continue
        honest = not fit["certified"] and (solver not in MUST_DIVERGE or fit["status"] == "diverging")
        loss = "–" if fit["loss"] is None else f"{fit['loss']:.3e}"
        yield (solver, fit["status"], "yes" if fit["certified"] else "no", loss, honest)


def digits(path, data):
    """The fit of 8 against the rest by the default."""
    X, digit = datasets.load_digits(return_X_y=True)
    write(data, X, digit == 8)
    return program.fit(path, data)


def main():
    args = program.options(__doc__).parse_args()
    head = ["solver    ", "status         ", "certified", "loss     ", "as it should"]
    with tempfile.TemporaryDirectory() as folder:
        lines = list(breast_cancer(args.agglio, Path(folder, "breast_cancer.csv")))
        fit = digits(args.agglio, Path(folder, "digits.csv"))
    comparison.table(head, ((*line[:-1], "yes" if line[-1] else "NO") for line in lines))
    low = fit["loss"] <= LARGEST_LOSS
    print(f"\ndigits, 8 against the rest: {fit['status']}, {'' if fit['certified'] else 'not '}certified, loss "
          f"{fit['loss']:.6f}, at most {LARGEST_LOSS}: {'yes' if low else 'NO'}")
    sys.exit(0 if low and all(line[-1] for line in lines) else 1)


if __name__ == "__main__":
    main()
