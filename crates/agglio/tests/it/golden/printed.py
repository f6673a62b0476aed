"""Fifty steps of the paper's algorithms in plain numpy: printed.py < printed-input.json > printed.json

The input has the data, the start and the minibatches; the test writes it if AGGLIO_BLESS is set. Everything else is done
here from the paper's formulas, for the loss divided by tau^2 (sigmoid): then a step is the paper's eta times tau^2.
"""
import json
import sys

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit

STEPS, R, BETA, DELTA = 50, 1.0, 1.1, 0.01
ROOT = np.sqrt(2 / np.pi)
MINIMUM = brentq(lambda z: expit(z) * (1 + z * (1 - expit(z))), -2, -1, xtol=1e-15)


def sigmoid(z, tau):
    """(phi(tau z) - phi(0))/tau and its derivative."""
    s = expit(tau * z)
    return np.tanh(tau * z / 2) / (2 * tau), s * (1 - s)


def silu(z, tau):
    s = expit(tau * z)
    return z * s, s + tau * z * s * (1 - s)


def gradient(phi, w, X, labels, tau):
    value, slope = phi(X @ w, tau)
    residual = value - labels
    return 2 / len(X) * X.T @ (residual * slope), np.mean(residual**2)


class Bounds:
    """lambda and Lambda of the sigmoid, noiseless: of a sample of n rows of d covariates, or as printed."""

    def __init__(self, n, d, printed):
        q = 0 if printed else np.sqrt(d / n) + 4 / np.sqrt(n)
        self.below, self.above, self.printed = (1 - q) ** 2, (1 + q) ** 2, printed

    def least(self, r, tau):
        return ROOT * np.exp(-3 * tau * (R + r)) / 8

    def both(self, r, tau):
        bent = ROOT * tau * r / 10
        most = ROOT * np.exp(-tau * (R + r) / 10) if self.printed else 1 / 8
        return self.below * self.least(r, tau) - self.above * bent, self.above * (most + bent)

    def temperature(self, r):
        """The largest tau at which the distance takes half of the convexity."""
        excess = lambda tau: self.above * ROOT * tau * r / 10 - self.below * self.least(r, tau) / 2
        return 1.0 if excess(1.0) <= 0 else brentq(excess, 1e-12, 1.0, xtol=1e-16, rtol=1e-15)


def one(X, y, w, batches, printed=False):
    bounds, r = Bounds(*X.shape, printed), 2 * R
    tau = bounds.temperature(r)
    for _ in range(STEPS):
        convexity, smoothness = bounds.both(r, tau)
        g, _ = gradient(sigmoid, w, X, sigmoid(logit(y), tau)[0], tau)
        w = w - g / smoothness
        yield w
        r *= np.exp(-convexity / smoothness / 2)
        tau = min(1, tau * np.exp(convexity / smoothness)) if printed else bounds.temperature(r)


def one_printed(*given):
    return one(*given, printed=True)


def two(X, y, w, batches, printed=False):
    (n, d), b = X.shape, len(batches[0])
    bounds, r, batches = Bounds(n, d, printed), 2 * R, iter(batches)
    tau, longest = bounds.temperature(r), max(np.sum(X**2, axis=1))
    while True:
        convexity, smoothness = bounds.both(r, tau)
        largest_loss = bounds.above * (r / 4) ** 2
        variance = 4 / 16 * longest * largest_loss / b
        eta = min((r * convexity) ** 2 / (2 * BETA**2 * smoothness * variance), 1 / smoothness)
        enough = eta * smoothness * variance / convexity
        most = 2 * np.log(STEPS / DELTA) * (1 + np.log(2 * largest_loss / enough) / (eta * convexity)) ** 2
        labels = sigmoid(logit(y), tau)[0]
        for _ in range(int(min(most, 1e5))):
            rows = next(batches, None)
            if rows is None:
                return
            _, loss = gradient(sigmoid, w, X, labels, tau)
            g, _ = gradient(sigmoid, w, X[rows], labels[rows], tau)
            w = w - eta * g
            yield w
            if loss <= enough:
                break
        r /= BETA
        tau = min(1, BETA * tau) if printed else bounds.temperature(r)


def two_printed(*given):
    return two(*given, printed=True)


def sgd_rising(X, y, w, batches, tau=0.5, beta=1.3, eta=3.0):
    """Algorithm 2 as the experiments run it: a constant step, and the temperature rises after each pass."""
    for t, rows in enumerate(batches, 1):
        g, _ = gradient(sigmoid, w, X[rows], sigmoid(logit(y[rows]), tau)[0], tau)
        w = w - eta * g
        yield w
        if t % (len(X) // len(rows)) == 0:
            tau = min(1, beta * tau)


def preimages(y):
    """Of z*expit(z) = y: left and right of the minimum, the same twice where there is one."""
    error = lambda z: z * expit(z) - y
    right = brentq(error, MINIMUM, 100, xtol=1e-15, rtol=1e-15)
    return (brentq(error, -700, MINIMUM, xtol=1e-15, rtol=1e-15) if y < 0 else right), right


def descend(X, y, w, choose, tau=0.1, beta=1.05, eta=0.5):
    left, right = np.array([preimages(y) for y in y]).T
    for _ in range(STEPS):
        near = silu(X @ w, tau)[0]
        g, _ = gradient(silu, w, X, choose(silu(left, tau)[0], silu(right, tau)[0], near), tau)
        w = w - eta * g
        yield w
        tau = min(1, beta * tau)


def silu_left(X, y, w, batches):
    return descend(X, y, w, lambda left, right, near: left)


def silu_right(X, y, w, batches):
    return descend(X, y, w, lambda left, right, near: right)


def silu_nearer(X, y, w, batches):
    return descend(X, y, w, lambda left, right, near: np.where(abs(left - near) < abs(right - near), left, right))


def thetas(run):
    y, w = np.array(run["labels"]), np.array(run["start"])
    X = np.array(run["values"]).reshape(len(y), len(w))
    return [w.tolist() for w in globals()[run["name"]](X, y, w, run["batches"])]


print(json.dumps({run["name"]: {"batches": run["batches"], "thetas": thetas(run)} for run in json.load(sys.stdin)}))
