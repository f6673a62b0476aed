"""The peers: other systems that fit the same problem, each in its own best way.

All compute with float64, exact derivatives and all cores. What is no part of a fit, such as data in the layout that a
system likes best and compilation, is done beforehand: a peer prepares a call without arguments that returns w.
"""

from dataclasses import dataclass
from typing import Callable

import numpy as np
from scipy.optimize import least_squares, minimize
from scipy.special import expit, logit


@dataclass(frozen=True)
class Peer:
    """`prepare` makes the call from a problem; `most` is the largest n·d whose Jacobians it can be trusted with."""

    name: str
    prepare: Callable
    most: float = np.inf
    only_sigmoid: bool = False

    def takes(self, problem):
        return problem.activation == "sigmoid" or not self.only_sigmoid

    def bears(self, problem):
        return problem.X.size <= self.most


def descend(X, w, preimages, tau, eta):
    """A step of AGGLIO-GD at τ, whose labels are φ(τ·φ⁻¹(y)); also the gradient in units that do not depend on τ."""
    s = expit(tau * (X @ w))
    gradient = X.T @ ((s - expit(tau * preimages)) * s * (1 - s)) * (2 / (tau * len(preimages)))
    return w - eta * gradient, gradient


def numpy_gd(problem):
    """AGGLIO-GD as in the paper, τ from 0.01 by 5 % a step, then at τ = 1 until the gradient is nothing."""
    def fit(eta=4 * len(problem.start), beta=1.05, tau=0.01):
        w, preimages = problem.start, logit(problem.y)
        for _ in range(5000):
            w, gradient = descend(problem.X, w, preimages, tau, eta)
            if tau == 1 and np.abs(gradient).max() <= 1e-12:
                break
            tau = min(beta * tau, 1)
        return w

    return fit


def scipy_lbfgs(problem):
    """Its tolerance is one of the gradient, which for a given error in w is smaller the more features share a row."""
    X, y, phi = problem.X, problem.y, problem.phi

    def loss_and_gradient(w):
        value, slope = phi(X @ w)
        r = value - y
        return r @ r / len(y), X.T @ (r * slope) * (2 / len(y))

    limits = {"ftol": 0, "gtol": 5e-11 / len(problem.start), "maxiter": 5000}
    return lambda: minimize(loss_and_gradient, problem.start, jac=True, method="L-BFGS-B", options=limits).x


def scipy_squares(method):
    """`least_squares` by one of its methods."""
    def prepare(problem):
        X, y, phi = problem.X, problem.y, problem.phi
        residuals = lambda w: phi(X @ w)[0] - y
        jacobian = lambda w: X * phi(X @ w)[1][:, None]
        tight = {"xtol": 1e-14, "ftol": 1e-14, "gtol": 1e-14}
        return lambda: least_squares(residuals, problem.start, jacobian, method=method, **tight).x

    return prepare


def glum(problem):
    """The likelihood of a binomial share: another loss, and convex, so that it needs no start."""
    from glum import GeneralizedLinearRegressor

    X = np.asfortranarray(problem.X)
    model = GeneralizedLinearRegressor(family="binomial", alpha=0, fit_intercept=False, gradient_tol=1e-10)
    return lambda: model.fit(X, problem.y).coef_


def statsmodels(problem):
    """The same likelihood as glum's."""
    from statsmodels.api import GLM, families

    return lambda: GLM(problem.y, problem.X, family=families.Binomial()).fit().params


def optimistix(problem):
    import jax
    import optimistix

    jax.config.update("jax_enable_x64", True)
    solver = optimistix.LevenbergMarquardt(rtol=1e-12, atol=1e-12)
    residuals = lambda w, data: jax.nn.sigmoid(data[0] @ w) - data[1]
    solve = lambda w, data: optimistix.least_squares(residuals, solver, w, data, max_steps=500, throw=False).value
    given = jax.numpy.array(problem.start), (jax.numpy.array(problem.X), jax.numpy.array(problem.y))
    compiled = jax.jit(solve).lower(*given).compile()
    return lambda: np.asarray(compiled(*given))


PEERS = [
    Peer("numpy AGGLIO-GD", numpy_gd, only_sigmoid=True),
    Peer("scipy L-BFGS-B", scipy_lbfgs),
    Peer("scipy TRF", scipy_squares("trf"), most=2e7),
    Peer("scipy LM", scipy_squares("lm"), most=2e7),
    Peer("glum", glum, only_sigmoid=True),
    Peer("statsmodels GLM", statsmodels, only_sigmoid=True),
    Peer("optimistix LM", optimistix, most=6e7, only_sigmoid=True),
]
