"""Least-squares optima of noisy data by scipy, with their standard errors: noisy_fits.py AGGLIO > noisy_fits.json

AGGLIO is the program, which draws the data. scipy's trust-region solver starts at the true model and runs to
rounding; the standard errors are the classical ones, sqrt(diag((J'J)^-1) * RSS/(n - d)).
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
from scipy.optimize import least_squares
from scipy.special import expit

PHI = {
    "sigmoid": (expit, lambda z: expit(z) * expit(-z)),
    "softplus": (lambda z: np.logaddexp(0, z), expit),
    "leaky-softplus": (
        lambda z: np.logaddexp(0, z) - np.logaddexp(0, -0.2 * z),
        lambda z: expit(z) + 0.2 * expit(-0.2 * z),
    ),
    "silu": (lambda z: z * expit(z), lambda z: expit(z) * (1 + z * expit(-z))),
}


def case(program, activation, seed, folder):
    data, truth = os.path.join(folder, "data.csv"), os.path.join(folder, "truth.json")
    subprocess.run(
        [program, "simulate", "--rows", "1000", "--features", "20", "--activation", activation, "--noise", "post:0.05",
         "--seed", str(seed), "-o", data, "--truth", truth, "--force", "--quiet"], check=True)
    table = np.loadtxt(data, delimiter=",", skiprows=1)
    X, y = table[:, :-1], table[:, -1]
    start = np.array(list(json.load(open(truth))["coefficients"].values()))
    phi, slope = PHI[activation]
    fit = least_squares(lambda w: phi(X @ w) - y, start, lambda w: X * slope(X @ w)[:, None], method="trf",
                        xtol=1e-15, ftol=1e-15, gtol=1e-15)
    J = fit.jac
    errors = np.sqrt(np.diag(np.linalg.inv(J.T @ J)) * 2 * fit.cost / (len(y) - len(start)))
    return dict(activation=activation, seed=seed, label_sum=y.sum(), loss=2 * fit.cost / len(y),
                coefficients=list(fit.x), standard_errors=list(errors))


with tempfile.TemporaryDirectory() as folder:
    print(json.dumps([case(sys.argv[1], a, s, folder) for a in PHI for s in range(3)], indent=1))
