"""Random problems of one to four parameters, with every activation of the program. Each is drawn from its seed by numpy."""

import numpy as np

from . import mixed
from .activation import ALL
from .problem import Problem

STREAM = 20260711
DESIGNS = ["normal", "normal", "uniform", "t3", "binary", "grid"]
# the deviation of the true predictor, from flat to nearly a step
SPREADS = [0.2, 0.5, 1, 2, 5, 12, 25]
# exp and expm1 grow so fast that the largest response would be the only one that counts
STEEPEST = 2
NOISES = [0, 0.01, 0.05, 0.1, 0.2, 0.35, 0.5]
MOST_PARAMETERS = 4


def draw(seed):
    """The problem of a seed: activations and numbers of parameters take turns."""
    random = np.random.default_rng([STREAM, seed])
    name = list(ALL)[seed % len(ALL)]
    parameters = 1 + seed // len(ALL) % MOST_PARAMETERS
    intercept = parameters > 1 and random.random() < 0.75
    n = int(np.exp(random.uniform(np.log(14), np.log(1001))))
    design = DESIGNS[random.integers(len(DESIGNS))]
    X = covariates(random, design, n, parameters - intercept)
    spread = SPREADS[random.integers(len(SPREADS))]
    if name in ("exp", "expm1"):
        spread = min(spread, STEEPEST)
    w = random.standard_normal(X.shape[1])
    z = X @ w
    w *= spread / np.sqrt(np.mean((z - intercept * z.mean()) ** 2))
    z = X @ w
    if intercept:
        z += random.standard_normal() * max(1, spread / 2) - z.mean()
    phi, noise = ALL[name], NOISES[random.integers(len(NOISES))]
    mean = phi.value(z)
    width = phi.highest - phi.lowest if phi.is_bounded else max(np.std(mean), 1e-3)
    y = mean + noise * width * random.standard_normal(n)
    return Problem(name, X, y, None, None, bool(intercept), design, f"noise {noise}, spread {spread}")


def covariates(random, design, n, d):
    """n × d numbers of this design, no column of which is constant."""
    if design == "binary":
        X = (random.random((n, d)) < random.uniform(0.3, 0.7, d)).astype(float)
        X[:, 0] = random.standard_normal(n)
        return X
    return mixed.covariates(random, design, n, d)
