"""Random problems of many kinds: 8 activations, 12 designs, 18 kinds of labels, weights, offsets, 10 to 5000 rows.

A seed draws one problem. The numbers of a seed depend on the order of the draws, so the order must not change.
"""

import numpy as np
from scipy.special import expit

from .activation import ACTIVATIONS
from .problem import Problem

STREAM = 20240607
# `normal` is twice as likely as the others
DESIGNS = ["normal", "normal", "uniform", "t3", "lognormal", "binary", "rare", "collinear", "scaled", "shifted",
           "cauchyish", "grid"]
LABELS = ["none", "post_small", "post_med", "post_heavy", "pre_small", "pre_big", "hetero", "mult", "outliers",
          "bigoutliers", "bern", "fewones", "outside", "flip", "rounded", "clipped", "misspec", "random"]
# the deviation of the true predictor, and the true intercept
SPREADS = [0.2, 1, 1, 3, 8, 25]
INTERCEPTS = [0, 0, 1, -1, -2, 2, 4, -4]


def draw(seed):
    """The problem of a seed."""
    random = np.random.default_rng([STREAM, seed])
    name = list(ACTIVATIONS)[seed % len(ACTIVATIONS)]
    n, d = size(random)
    design, labels = DESIGNS[random.integers(len(DESIGNS))], LABELS[random.integers(len(LABELS))]
    X = covariates(random, design, n, d)
    Z, z, intercept, offset = predictor(random, name, X)
    y = responses(random, labels, name, Z, z)
    weights = row_weights(random, n, d)
    return Problem(name, X, np.asarray(y, float), weights, offset, intercept, design, labels)


def size(random):
    """Rows and covariates: sometimes nearly as many covariates as rows, mostly at most a third."""
    n = int(np.exp(random.uniform(np.log(10), np.log(5000))))
    d = int(random.integers(1, 21)) if random.random() < 0.7 else int(random.integers(1, 4))
    most = n - 3 if random.random() < 0.3 else max(1, n // 3)
    return n, max(1, min(d, most))


def covariates(random, design, n, d):
    """n × d numbers of this design."""
    match design:
        case "uniform":
            return random.uniform(-1.7, 1.7, (n, d))
        case "t3":
            return random.standard_t(3, (n, d))
        case "lognormal":
            return np.exp(random.standard_normal((n, d)))
        case "cauchyish":
            return np.exp(1.5 * random.standard_normal((n, d))) * np.sign(random.standard_normal((n, d)))
        case "binary":
            return (random.random((n, d)) < random.uniform(0.2, 0.8, d)).astype(float)
    X = random.standard_normal((n, d))
    match design:
        case "rare":
            half = max(1, d // 2)
            X[:, :half] = (random.random((n, half)) < max(3 / n, 0.01)).astype(float)
        case "collinear" if d > 1:
            X[:, 1:] = X[:, :1] + 10 ** random.uniform(-3, -1) * X[:, 1:]
        case "scaled":
            X = X * 10 ** random.uniform(-7, 7, d)
        case "shifted":
            X = X + 10 ** random.uniform(0, 4)
        case "grid":
            X = np.round(X * 2)
    return X


def predictor(random, name, X):
    """Standardised covariates, the true predictor, whether there is an intercept, and the offset or none."""
    centre, scale = X.mean(0), X.std(0)
    scale = np.where(scale > 0, scale, 1.0)
    spread = SPREADS[random.integers(len(SPREADS))]
    if name == "exp":
        spread = min(spread, 3)
    intercept = random.random() < 0.87
    w = random.standard_normal(X.shape[1])
    if random.random() < 0.3:
        w *= random.random(len(w)) < 0.4
    if not np.any(w):
        w[0] = 1
    Z = (X - centre) / scale if intercept else X / np.sqrt((X**2).mean(0) + 1e-300)
    z = Z @ w
    size = z.std() if intercept else np.sqrt((z**2).mean())
    w = w * spread / (size or 1.0)
    b = INTERCEPTS[random.integers(len(INTERCEPTS))] * (1 if intercept else 0)
    offset = None
    if random.random() < 0.2:
        offset = random.standard_normal(len(X)) * random.choice([0.5, 2])
    z = Z @ w + b + (0 if offset is None else offset)
    return Z, np.clip(z, -60, 40) if name == "exp" else z, bool(intercept), offset


def responses(random, labels, name, Z, z):
    """Labels of this kind around φ(z)."""
    phi = ACTIVATIONS[name]
    n, mean = len(z), phi.value(z)
    width = phi.highest - phi.lowest if phi.is_bounded else max(np.std(mean), 1e-3)
    noise = random.standard_normal(n)
    match labels:
        case "none":
            return mean
        case "post_small":
            return mean + 0.01 * width * noise
        case "post_med":
            return mean + 0.1 * width * noise
        case "post_heavy":
            return mean + 0.5 * width * noise
        case "pre_small":
            return phi.value(z + 0.2 * noise)
        case "pre_big":
            return phi.value(z + 1.0 * noise)
        case "hetero":
            return mean + width * noise * 0.2 * np.exp(random.standard_normal(n))
        case "mult":
            return mean * (1 + 0.3 * noise)
        case "outliers":
            return mean + 0.05 * width * noise + (random.random(n) < 0.05) * width * 3 * random.standard_normal(n)
        case "bigoutliers":
            return mean + 0.05 * width * noise + (random.random(n) < 0.03) * width * 50 * random.standard_normal(n)
        case "bern":
            return zeros_and_ones(random, name, z, mean)
        case "fewones":
            return few_ones(random, name, z)
        case "outside":
            return mean * 1.5 - 0.25 * width + 0.1 * width * noise
        case "flip":
            return flipped(random, phi, mean) + 0.02 * width * noise
        case "rounded":
            return np.round(mean + 0.05 * width * noise, 1)
        case "clipped":
            return np.clip(mean + 0.2 * width * noise, phi.lowest, phi.highest)
        case "misspec":
            return phi.value(Z[:, 0] ** 2 - 1 + 0.3 * z) + 0.05 * width * noise
    return unrelated(random, name, mean)


def zeros_and_ones(random, name, z, mean):
    """Labels 0 and 1 with the probability φ; for tanh sometimes −1 and 1."""
    probability = mean if np.isfinite(ACTIVATIONS[name].highest) else expit(z)
    if name == "tanh":
        probability = (mean + 1) / 2
    y = (random.random(len(z)) < probability) * 1.0
    return 2 * y - 1 if name == "tanh" and random.random() < 0.5 else y


def few_ones(random, name, z):
    """Zeros, and ones where a noisy predictor is greatest."""
    count = max(1, int(len(z) * random.choice([0.005, 0.02, 0.05])))
    noisy = z + random.logistic(size=len(z)) * random.choice([0.1, 1, 3])
    y = np.zeros(len(z))
    y[np.argsort(-noisy)[:count]] = 1.0
    return 2 * y - 1 if name == "tanh" else y


def flipped(random, phi, mean):
    """A tenth of the values mirrored in the middle of the range, or exchanged with each other."""
    y, chosen = mean.copy(), random.random(len(mean)) < 0.1
    y[chosen] = (phi.lowest + phi.highest) - y[chosen] if np.isfinite(phi.highest) else y[chosen][::-1]
    return y


def unrelated(random, name, mean):
    """Labels that the covariates say nothing about."""
    n = len(mean)
    if name == "tanh":
        return 2 * random.random(n) - 1
    if np.isfinite(ACTIVATIONS[name].highest):
        return random.random(n)
    return np.abs(random.standard_normal(n)) * max(1, np.std(mean))


def row_weights(random, n, d):
    """No weights for most problems; else exponential, small counts or weights over six orders of magnitude."""
    kind, weights = random.random(), None
    if kind < 0.15:
        weights = random.exponential(size=n)
    elif kind < 0.25:
        weights = random.integers(0, 4, n).astype(float)
    elif kind < 0.3:
        weights = 10 ** random.uniform(-4, 2, n)
    too_few = weights is not None and (weights > 0).sum() < d + 3
    return np.ones(n) if too_few else weights
