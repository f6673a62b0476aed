"""The activations in numpy: value, two derivatives, range and one preimage of each label."""

from dataclasses import dataclass
from typing import Callable

import numpy as np
from scipy.special import expit, ndtr, ndtri

LEAK = 0.2


@dataclass(frozen=True)
class Activation:
    """φ with its derivatives, and the bounds of its values. `argmin` is where φ turns, for SiLU and GELU."""
    value: Callable
    derivative: Callable
    second_derivative: Callable
    lowest: float = -np.inf
    highest: float = np.inf
    argmin: float | None = None

    @property
    def is_bounded(self):
        return np.isfinite(self.lowest) and np.isfinite(self.highest)


def normal_density(z):
    return np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)


def softplus(z):
    return np.logaddexp(0, z)


def logistic_density(z):
    p = expit(z)
    return p * expit(-z)


def sech_squared(z):
    return 1 / np.cosh(np.clip(z, -300, 300)) ** 2


def silu_second_derivative(z):
    p = expit(z)
    s = p * expit(-z)
    return 2 * s + z * s * (1 - 2 * p)


def bounded_exp(z):
    """exp without overflow."""
    return np.exp(np.minimum(z, 700))


def cauchy(z):
    """The derivative of arctan, without overflow."""
    return 1 / (1 + np.clip(z, -1e150, 1e150) ** 2)


def gumbel_density(z):
    """exp(z − exp(z)), without overflow."""
    return np.exp(np.minimum(z, 700) - bounded_exp(z))


# the order is part of the random problems: a seed chooses its activation by position
ACTIVATIONS = {
    "sigmoid": Activation(expit, logistic_density, lambda z: logistic_density(z) * (1 - 2 * expit(z)), 0, 1),
    "tanh": Activation(np.tanh, sech_squared, lambda z: -2 * np.tanh(z) * sech_squared(z), -1, 1),
    "probit": Activation(ndtr, normal_density, lambda z: -z * normal_density(z), 0, 1),
    "softplus": Activation(softplus, expit, logistic_density, 0),
    "leaky-softplus": Activation(
        lambda z: softplus(z) - softplus(-LEAK * z),
        lambda z: expit(z) + LEAK * expit(-LEAK * z),
        lambda z: logistic_density(z) - LEAK * LEAK * logistic_density(LEAK * z)),
    "silu": Activation(
        lambda z: z * expit(z),
        lambda z: expit(z) + z * logistic_density(z),
        silu_second_derivative,
        -0.27846454276107374, argmin=-1.2784645427610738),
    "gelu": Activation(
        lambda z: z * ndtr(z),
        lambda z: ndtr(z) + z * normal_density(z),
        lambda z: 2 * normal_density(z) - z * z * normal_density(z),
        -0.16997120747990369, argmin=-0.7517915246935645),
    "exp": Activation(bounded_exp, bounded_exp, bounded_exp, 0),
}
# and all others of the program
ALL = ACTIVATIONS | {
    "identity": Activation(lambda z: z, np.ones_like, np.zeros_like),
    "arctan": Activation(np.arctan, cauchy, lambda z: -2 * z * cauchy(z) ** 2, -np.pi / 2, np.pi / 2),
    "cloglog": Activation(
        lambda z: -np.expm1(-bounded_exp(z)), gumbel_density, lambda z: (1 - bounded_exp(z)) * gumbel_density(z), 0, 1),
    "gompertz": Activation(
        lambda z: np.exp(-bounded_exp(-z)),
        lambda z: gumbel_density(-z),
        lambda z: (bounded_exp(-z) - 1) * gumbel_density(-z), 0, 1),
    "expm1": Activation(
        lambda z: -np.expm1(np.minimum(-z, 700)), lambda z: bounded_exp(-z), lambda z: -bounded_exp(-z), highest=1),
}


def preimage(name, c):
    """φ⁻¹(c) for labels inside the range; of two preimages the right one."""
    c = np.asarray(c, float)
    closed_forms = {
        "sigmoid": lambda: np.log(c) - np.log1p(-c),
        "tanh": lambda: np.arctanh(c),
        "probit": lambda: ndtri(c),
        "softplus": lambda: np.where(c > 30, c, np.log(np.expm1(np.minimum(c, 30)))),
        "exp": lambda: np.log(c),
        "identity": lambda: c,
        "arctan": lambda: np.tan(c),
        "cloglog": lambda: np.log(-np.log1p(-c)),
        "gompertz": lambda: -np.log(-np.log(c)),
        "expm1": lambda: -np.log1p(-c),
    }
    return closed_forms[name]() if name in closed_forms else bisect(name, c)


def bisect(name, c):
    """The preimage of an activation without a closed form, right of where it turns."""
    phi = ALL[name]
    low = -np.abs(c) / LEAK - 50 if phi.argmin is None else np.full(c.shape, phi.argmin)
    high = np.maximum(np.abs(c) + 10, 10.0)
    for _ in range(200):
        middle = 0.5 * (low + high)
        above = phi.value(middle) > c
        high, low = np.where(above, middle, high), np.where(above, low, middle)
    return 0.5 * (low + high)


def clip(name, y, margin):
    """Labels kept off the bounds of φ, by a share of the range or, where it has one bound, of the labels' deviation."""
    phi = ALL[name]
    if phi.argmin is not None:
        return np.maximum(y, phi.lowest)
    if phi.is_bounded:
        epsilon = margin * (phi.highest - phi.lowest)
        return np.clip(y, phi.lowest + epsilon, phi.highest - epsilon)
    if np.isfinite(phi.lowest):
        deviation = np.std(y)
        return np.maximum(y, phi.lowest + margin * (deviation if deviation > 0 else 1.0))
    if np.isfinite(phi.highest):
        deviation = np.std(y)
        return np.minimum(y, phi.highest - margin * (deviation if deviation > 0 else 1.0))
    return y
