"""Fifty steps of each competitor in plain numpy: competitors.py < competitors-input.json > competitors.json

The input has the data, the start and the minibatches (rows of each step, and for GradOpt how far from the iterate the
gradient is asked); the test writes it if AGGLIO_BLESS is set. Everything else is done here, from the competitors' papers.
"""
import json
import sys

import numpy as np
from scipy.special import expit

given = json.load(sys.stdin)
y, start = np.array(given["labels"]), np.array(given["start"])
X = np.array(given["values"]).reshape(len(y), len(start))
STEPS, ROWS, BATCHES = 50, len(y), 3


def gradient(w, rows=slice(None)):
    s = expit(X[rows] @ w)
    return 2 / len(s) * X[rows].T @ ((s - y[rows]) * s * (1 - s))


def loss(w, rows=slice(None)):
    return np.mean((expit(X[rows] @ w) - y[rows]) ** 2)


def adaptive(batches, second, alpha=0.05, beta1=0.8, beta2=0.95, epsilon=1e-5, first=False):
    w, m, v = start.copy(), np.zeros_like(start), np.zeros_like(start)
    for t, rows in enumerate(batches, 1):
        g = gradient(w, rows)
        if first and t == 1:
            v = g * g
        m = beta1 * m + (1 - beta1) * g
        v = second(v, g * g, beta2)
        corrected = v if first else v / (1 - beta2**t)
        w = w - alpha * (m / (1 - beta1**t)) / (np.sqrt(corrected) + epsilon)
        yield w


def adam(batches, nearby, **given):
    return adaptive(batches, lambda v, square, beta: beta * v + (1 - beta) * square, **given)


def yogi(batches, nearby, **given):
    return adaptive(batches, lambda v, square, beta: v - (1 - beta) * np.sign(v - square) * square, **given)


def floor(alpha=0.05):
    """alpha times the expected smoothness of a batch of b of n rows, the steepest slope of the sigmoid being 1/4."""
    n, b = ROWS, ROWS // BATCHES
    every = np.linalg.eigvalsh(X.T @ X / n)[-1] / 8
    single = max(np.sum(X**2, axis=1)) / 8
    return alpha * (n * (b - 1) / (b * (n - 1)) * every + (n - b) / (b * (n - 1)) * single)


def adam_constant(batches, nearby):
    return adam(batches, nearby, epsilon=floor())


def yogi_constant(batches, nearby):
    return yogi(batches, nearby, epsilon=floor())


def yogi_gradient(batches, nearby):
    """Its second moment begins as the square of the first gradient, and is not corrected for a beginning at zero."""
    return yogi(batches, nearby, first=True)


def sgd_constant(batches, nearby, eta=3.0):
    w = start.copy()
    for rows in batches:
        w = w - eta * gradient(w, rows)
        yield w


def sgd(batches, nearby, eta=3.0):
    """The step is eta/(1 + k/5), k the passes since the mean loss of one was no lower than that of all before."""
    w, lowest, decay, losses = start.copy(), np.inf, 0, []
    for t, rows in enumerate(batches, 1):
        losses.append(loss(w, rows))
        w = w - eta / (1 + decay / 5) * gradient(w, rows)
        yield w
        if t % BATCHES == 0:
            mean, losses = np.mean(losses), []
            decay += decay > 0 or mean >= lowest
            lowest = min(lowest, mean)


def svrg(batches, nearby, eta=3.0):
    w = start.copy()
    for t, rows in enumerate(batches):
        if t % BATCHES == 0:
            anchor, full = w.copy(), gradient(w)
        w = w - eta * (gradient(w, rows) - gradient(anchor, rows) + full)
        yield w


def ngd(batches, nearby, eta=0.1):
    w = start.copy()
    for _ in range(STEPS):
        g = gradient(w)
        w = w - eta * g / np.linalg.norm(g)
        yield w


def sngd(batches, nearby, eta=0.1):
    w = start.copy()
    for rows in batches:
        g = gradient(w, rows)
        w = w - eta * g / np.linalg.norm(g)
        yield w


def sngd_constant(batches, nearby):
    return sngd(batches, nearby)


def gradopt(batches, nearby, alpha=4.0, delta=2.0, passes=10):
    w = start.copy()
    for t, (rows, away) in enumerate(zip(batches, nearby)):
        stage, i = divmod(t, passes * BATCHES)
        if i == 0:
            begun, suffix, reach = w.copy(), [], 1.5 * delta / 2**stage
        w = w - alpha / (i + 1) * gradient(w + np.array(away), rows)
        distance = np.linalg.norm(w - begun)
        if distance > reach:
            w = begun + (w - begun) * reach / distance
        if 2 * (i + 1) > passes * BATCHES:
            suffix.append(w)
        if i + 1 == passes * BATCHES:
            w = np.mean(suffix, axis=0)
        yield w


def gradopt_passes(batches, nearby):
    return gradopt(batches, nearby, passes=3)


def glmtron(batches, nearby, eta=1.0):
    w = start.copy()
    for _ in range(STEPS):
        w = w - eta * 2 / ROWS * X.T @ (expit(X @ w) - y)
        yield w


def irls(batches, nearby):
    """From zero; each round a weighted least-squares fit of the working response, before Levenberg-Marquardt begins."""
    w = np.zeros_like(start)
    for _ in range(8):
        s = expit(X @ w)
        weight = s * (1 - s)
        response = X @ w + (y - s) / weight
        root = np.sqrt(weight)
        w = np.linalg.lstsq(root[:, None] * X, root * response, rcond=None)[0]
        yield w


def lm(batches, nearby):
    """Damping by the diagonal; its inverse grows and shrinks by how well the model predicts. Gauss-Newton, then Newton."""
    w, size, growth, full = start.copy(), np.inf, 10.0, False

    def curvature(w):
        s = expit(X @ w)
        slope = s * (1 - s)
        weight = slope**2 + full * (s - y) * slope * (1 - 2 * s)
        return 2 / ROWS * (X * weight[:, None]).T @ X

    H = curvature(w)
    for _ in range(STEPS):
        g = gradient(w)
        p = np.linalg.solve(H + np.diag(np.abs(np.diag(H)) / size), -g)
        predicted = -g @ p - p @ H @ p / 2
        if predicted < 1e-12 * loss(w):
            return
        full = full or predicted <= 1e-3 * loss(w)
        there = curvature(w + p)
        ratio = (loss(w) - loss(w + p)) / predicted
        if ratio > 0.75:
            size *= growth
            growth = min(10.0, 3 * growth)
            size = np.inf if size > 1e8 else size
        elif ratio < 0.25:
            size = 100.0 if np.isinf(size) else size / (4 if ratio > 0 else 10)
            growth = 3.0
        if ratio > 1e-4:
            w, H = w + p, there
        yield w


def lbfgs(batches, nearby):
    """The last ten pairs of positive curvature; from a step of one, halves until the loss falls enough.

    Half of the steps: each pair is a difference, so that rounding grows from one to the next.
    """
    w, size, pairs, last = start.copy(), 1.0, [], None
    for _ in range(STEPS // 2):
        g = gradient(w)
        if last is not None and np.any(w != last[0]):
            move, change = w - last[0], g - last[1]
            if move @ change > np.finfo(float).eps * np.linalg.norm(change) * np.linalg.norm(move):
                pairs = (pairs + [(move, change)])[-10:]
        last = (w, g)
        q, alphas = g.copy(), []
        for move, change in reversed(pairs):
            alphas.append(move @ q / (change @ move))
            q -= alphas[-1] * change
        if pairs:
            q *= pairs[-1][0] @ pairs[-1][1] / (pairs[-1][1] @ pairs[-1][1])
        for (move, change), alpha in zip(pairs, reversed(alphas)):
            q += move * (alpha - change @ q / (change @ move))
        p = -size * q
        predicted = -g @ p
        if predicted < 1e-12 * loss(w):
            return
        accepted = loss(w + p) <= loss(w) - 1e-4 * predicted
        size = min(1.0, 2 * size) if accepted else size / 2
        w = w + p if accepted else w
        yield w


print(json.dumps({
    run["name"]: {
        "batches": run["batches"],
        "thetas": [w.tolist() for w in globals()[run["name"]](run["batches"], run["nearby"])],
    }
    for run in given["runs"]
}))
