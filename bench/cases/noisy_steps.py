"""Small sigmoid problems without intercept, near steps or under heavy noise, whose global minimum is proven.

x ~ N(0, I), a true w of some length in a random direction, y = φ(xᵀw) + noise. The generator of random numbers is ours: a
linear congruential one with mixed output, and normal draws by the transform of Box and Muller. So the problems do not
depend on the version of numpy.
"""

import math

import numpy as np
from scipy.special import expit

from .problem import Problem

BITS = (1 << 64) - 1


class Random:
    def __init__(self, seed):
        self.state = (seed * 7919 + 12345) & BITS
        for _ in range(10):
            self.uniform()

    def uniform(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) & BITS
        x = self.state ^ self.state >> 33
        x = x * 0xFF51AFD7ED558CCD & BITS
        return ((x ^ x >> 33) >> 11) / 2.0**53

    def normal(self):
        radius = math.sqrt(-2 * math.log(max(self.uniform(), 1e-300)))
        return radius * math.cos(2 * math.pi * self.uniform())


def draw(rows, covariates, norm, noise, seed):
    """The problem of a seed: first w, then each row followed by its noise."""
    random = Random(seed)
    w = np.array([random.normal() for _ in range(covariates)])
    w *= norm / math.sqrt(sum(w * w))
    table = np.array([[random.normal() for _ in range(covariates + 1)] for _ in range(rows)])
    X = table[:, :-1]
    return Problem("sigmoid", X, expit(X @ w) + noise * table[:, -1], intercept=False)
