"""Standard errors of a wild bootstrap by numpy and scipy, with random signs: wild.py K401K.csv > wild.json

The model is least squares through the sigmoid, and the data are every fifth plan.
"""
import json
import sys

import numpy as np
from scipy.optimize import least_squares
from scipy.special import expit

table = np.loadtxt(sys.argv[1], delimiter=",", skiprows=1)[::5]
X, y = np.column_stack([table[:, :4], np.ones(len(table))]), table[:, 4]
scale = np.append(X[:, :4].std(0), 1)
Z = X / scale


def fit(target, start, tol=1e-10):
    def jacobian(b):
        p = expit(Z @ b)
        return Z * (p * (1 - p))[:, None]
    return least_squares(lambda b: expit(Z @ b) - target, start, jacobian, xtol=tol, ftol=tol, gtol=tol).x


best = fit(y, fit(y, np.zeros(5)), 1e-15)
means = expit(Z @ best)
rng = np.random.default_rng(1)
refits = [fit(means + rng.choice([-1, 1], len(y)) * (y - means), best) / scale for _ in range(4000)]
out = dict(estimates=(best / scale).tolist(), standard_errors=np.std(refits, axis=0, ddof=1).tolist(), refits=len(refits))
print(json.dumps(out, indent=1))
