"""The best least-squares fit of the 401(k) data with squares that scipy finds: participation.py K401K.csv > participation.json

Standardised features, a hundred random starts of scipy's trust-region solver run to rounding, the lowest kept. The
count of starts that end there is printed beside it, for the raw features too.
"""
import json
import sys

import numpy as np
from scipy.optimize import least_squares
from scipy.special import expit

table = np.loadtxt(sys.argv[1], delimiter=",", skiprows=1)
x, y = table[:, :4], table[:, 4]
x = np.column_stack([x, x[:, :3] ** 2])
raw = np.column_stack([np.ones(len(y)), x])
scaled = np.column_stack([np.ones(len(y)), (x - x.mean(0)) / x.std(0)])


def fits(X):
    random = np.random.default_rng(0)
    for _ in range(100):
        start = random.standard_normal(X.shape[1])
        yield least_squares(lambda w: expit(X @ w) - y, start, lambda w: X * (expit(X @ w) * expit(-(X @ w)))[:, None],
                            method="trf", xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=500)


losses = {name: [2 * fit.cost / len(y) for fit in fits(X)] for name, X in [("scaled", scaled), ("raw", raw)]}
best = min(losses["scaled"])
found = {name: int(sum(abs(loss / best - 1) < 1e-6 for loss in all)) for name, all in losses.items()}
print(json.dumps(dict(loss=best, found=found), indent=1))
