"""The best known minimum of a problem: scipy's trust-region solver from many starts, in standardised coordinates."""

import warnings

import numpy as np
from scipy.optimize import least_squares

from .activation import ALL, clip, preimage

MARGINS = (0.1, 0.01, 0.001, 1e-6)
RANDOM_STARTS = 20
LARGEST = 1e150


class Reference:
    """The weighted mean square of a problem, with starts for it."""

    def __init__(self, problem):
        self.name, self.phi = problem.activation, ALL[problem.activation]
        self.y, self.intercept = problem.y, problem.intercept
        weights = np.ones(len(self.y)) if problem.weights is None else problem.weights
        self.weights = weights / weights.sum()
        self.roots = np.sqrt(self.weights)
        self.offset = 0.0 if problem.offset is None else problem.offset
        self.centre = self.weights @ problem.X if self.intercept else np.zeros(problem.X.shape[1])
        centred = problem.X - self.centre
        scale = np.sqrt(self.weights @ centred**2)
        self.scale = np.where(scale > 0, scale, 1.0)
        A = centred / self.scale
        self.A = np.column_stack([A, np.ones(len(self.y))]) if self.intercept else A
        self.dim = self.A.shape[1]

    def standardised(self, coefficients, intercept):
        """θ of coefficients in the units of the covariates."""
        w = np.asarray(coefficients)
        theta = w * self.scale
        return np.append(theta, intercept + w @ self.centre) if self.intercept else theta

    def predictor(self, theta):
        return self.A @ theta + self.offset

    def residuals(self, theta):
        with np.errstate(all="ignore"):
            residuals = self.roots * (self.phi.value(self.predictor(theta)) - self.y)
        return np.nan_to_num(residuals, nan=LARGEST, posinf=LARGEST, neginf=-LARGEST)

    def jacobian(self, theta):
        slopes = np.clip(self.phi.derivative(self.predictor(theta)), -LARGEST, LARGEST)
        return (self.roots * slopes)[:, None] * self.A

    def descend(self, start):
        """The loss and the point where scipy ends; an infinite loss where it fails."""
        try:
            fit = least_squares(self.residuals, start, self.jacobian, method="trf", x_scale="jac", ftol=1e-10,
                                xtol=1e-10, gtol=1e-14, max_nfev=200)
            return 2 * fit.cost, fit.x
        except (ValueError, np.linalg.LinAlgError):
            return np.inf, np.asarray(start, float)

    def constant(self):
        """The best model without covariates on a grid."""
        theta = np.zeros(self.dim)
        if self.intercept:
            mean = clip(self.name, np.array([self.weights @ self.y]), 0.01)
            grid = np.append(np.linspace(-6, 6, 49), preimage(self.name, mean))
            grid = grid[np.isfinite(grid)]
            theta[-1] = min(grid, key=lambda b: self.weights @ (self.phi.value(b + self.offset) - self.y) ** 2)
        return theta

    def linear(self, margin):
        """Least squares on the preimages of labels that are clipped by this margin."""
        z = np.clip(np.nan_to_num(preimage(self.name, clip(self.name, self.y, margin)) - self.offset), -1e6, 1e6)
        return np.linalg.lstsq(self.A * self.roots[:, None], self.roots * z, rcond=None)[0]

    def random_starts(self, seed):
        """Normal draws on four scales."""
        random = np.random.default_rng([7, seed])
        for i in range(RANDOM_STARTS):
            scale = (0.3, 1, 3, 10)[i % 4]
            theta = random.standard_normal(self.dim) * scale / np.sqrt(self.dim)
            if self.intercept:
                theta[-1] = random.standard_normal() * max(1, scale / 2)
            yield theta

    def lowest_finite(self, seed, *further):
        """The lowest loss of all starts and of `further` ones whose end is not on its way to infinity."""
        starts = [np.zeros(self.dim), self.constant(), *map(self.linear, MARGINS), *self.random_starts(seed), *further]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ends = [self.descend(start) for start in starts]
        return min((loss for loss, theta in ends if self.is_finite(theta)), default=np.inf)

    def is_finite(self, theta):
        return np.abs(self.predictor(theta)).max() < 200 and np.linalg.norm(theta) < 1e4
