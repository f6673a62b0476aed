"""Models a + b·φ(z) with a free response scale as plain nonlinear least squares: estimates, covariances and profile
intervals by scipy and numpy, for response.rs.  Run: python3 response.py > response.json"""
import json
import numpy as np
from scipy import stats
from scipy.optimize import brentq, least_squares
from scipy.special import expit, ndtr

PHI = {
    "sigmoid": (expit, lambda z: expit(z) * expit(-z)),
    "probit": (ndtr, stats.norm.pdf),
    "gompertz": (lambda z: np.exp(-np.exp(-z)), lambda z: np.exp(-z - np.exp(-z))),
    "softplus": (lambda z: np.logaddexp(0, z), expit),
}


def case(name, affine, seed, n=80):
    rng = np.random.default_rng(seed)
    phi, slope = PHI[name]
    x = rng.standard_normal((n, 2)) * [1.0, 3.0]
    weights = rng.uniform(0.2, 3.0, n)
    clusters = rng.integers(0, 12, n)
    fixed = [None if entry == "free" else float(entry) for entry in affine.split(",")]
    truth = np.array([1.2, -0.3, 0.4])
    a, b = (4.0 if fixed[0] is None else fixed[0]), (6.0 if fixed[1] is None else fixed[1])
    y = a + b * phi(x @ truth[:2] + truth[2]) + 0.25 * rng.standard_normal(n) / np.sqrt(weights)
    free = [k for k in range(2) if fixed[k] is None]

    def split(p):
        scale = list(fixed)
        for k, value in zip(free, p[3:]):
            scale[k] = value
        return x @ p[:2] + p[2], scale

    def mean(p):
        z, (a, b) = split(p)
        return a + b * phi(z)

    def jacobian(p):
        z, (a, b) = split(p)
        columns = [b * slope(z) * x[:, 0], b * slope(z) * x[:, 1], b * slope(z), np.ones(n), phi(z)]
        return np.stack([columns[k] for k in [0, 1, 2] + [3 + k for k in free]], 1)

    root = np.sqrt(weights)

    def fit(start, pin=None):
        keep = [j for j in range(len(start)) if pin is None or j != pin[0]]

        def full(q):
            p = np.array(start, float)
            p[keep] = q
            if pin is not None:
                p[pin[0]] = pin[1]
            return p

        found = least_squares(
            lambda q: root * (mean(full(q)) - y), np.asarray(start)[keep],
            lambda q: (root[:, None] * jacobian(full(q)))[:, keep],
            xtol=1e-15, ftol=1e-15, gtol=1e-15, x_scale="jac", max_nfev=1000)
        return full(found.x), 2 * found.cost

    start = np.r_[truth, [[4.0, 6.0][k] for k in free]]
    p, rss = fit(start)
    J, r, count = jacobian(p), mean(p) - y, len(p)
    bread = np.linalg.inv(J.T @ (weights[:, None] * J))
    sigma2 = rss / (n - count)
    leverage = weights * np.einsum("ij,jk,ik->i", J, bread, J)
    score = (weights * r)[:, None] * J

    def sandwich(meat):
        return bread @ meat @ bread

    def hc(power):
        return sandwich(score.T @ (score / (1 - leverage)[:, None] ** power))

    groups = np.stack([score[clusters == g].sum(0) for g in np.unique(clusters)])
    G = len(groups)
    step = 1e-5
    hessian = np.zeros((count, count))
    for j in range(count):
        moved = np.zeros(count)
        moved[j] = step
        gradient = [jacobian(q).T @ (weights * (mean(q) - y)) for q in (p + moved, p - moved)]
        hessian[:, j] = (gradient[0] - gradient[1]) / (2 * step)
    covariances = {
        "classical": sigma2 * bread,
        "hessian": sigma2 * np.linalg.inv((hessian + hessian.T) / 2),
        "hc0": hc(0),
        "hc1": hc(0) * n / (n - count),
        "hc2": hc(1),
        "hc3": hc(2),
        "cluster": sandwich(groups.T @ groups) * G / (G - 1) * (n - 1) / (n - count),
    }
    critical = stats.f.ppf(0.95, 1, n - count) * sigma2
    profile = []
    for j in range(count):
        error = np.sqrt(covariances["classical"][j, j])
        ends = []
        for side in (-1, 1):
            excess = lambda d: fit(p, (j, p[j] + side * d))[1] - rss - critical
            far = 2 * error
            while excess(far) < 0:
                far *= 1.5
            ends.append(p[j] + side * brentq(excess, 0.5 * error, far, xtol=1e-13 * abs(p[j]), rtol=1e-12))
        profile.append(ends)

    def effects(p):
        z, (a, b) = split(p)
        return p[:2] * np.average(b * slope(z), weights=weights)

    gradient = np.zeros((2, count))
    for j in range(count):
        moved = np.zeros(count)
        moved[j] = 1e-6
        gradient[:, j] = (effects(p + moved) - effects(p - moved)) / 2e-6
    return {
        "activation": name, "affine": affine, "x": x.ravel().tolist(), "y": y.tolist(), "weights": weights.tolist(),
        "clusters": clusters.tolist(), "estimates": p.tolist(),
        "errors": {kind: np.sqrt(np.diag(cov)).tolist() for kind, cov in covariances.items()},
        "profile": profile, "effects": effects(p).tolist(),
        "effect_errors": np.sqrt(np.diag(gradient @ covariances["classical"] @ gradient.T)).tolist(),
    }


cases = [("sigmoid", "free,free", 1), ("probit", "free,6", 2), ("gompertz", "4,free", 3), ("softplus", "free,free", 4)]
print(json.dumps([case(*c) for c in cases]))
