"""Writes constant.json: models without covariates, y ~ 1 + offset(log(x)), fitted by scipy.

    python3 constant.py > constant.json

Each is the best of several starts of scipy.optimize.least_squares at tolerances of rounding.
"""

import json

import numpy as np
from scipy.optimize import least_squares
from scipy.special import erf, expit

ACTIVATIONS = {
    "sigmoid": expit,
    "softplus": lambda z: np.logaddexp(0, z),
    "tanh": np.tanh,
    "probit": lambda z: 0.5 * (1 + erf(z / np.sqrt(2))),
    "exp": np.exp,
    "identity": lambda z: z,
}


def main():
    random = np.random.default_rng(3)
    cases = []
    for name, phi in ACTIVATIONS.items():
        x = np.round(np.exp(random.normal(size=60)), 6)
        y = np.round(phi(0.4 + np.log(x)) + 0.05 * random.normal(size=60), 6)
        offset = np.log(x)
        fits = [
            least_squares(lambda b: phi(b[0] + offset) - y, [start], xtol=1e-15, ftol=1e-15, gtol=1e-15)
            for start in (-2.0, -0.5, 0.0, 1.0, 3.0)
        ]
        best = min(fits, key=lambda fit: fit.cost)
        b = float(best.x[0])
        cases.append(
            {
                "activation": name,
                "x": x.tolist(),
                "y": y.tolist(),
                "intercept": b,
                "loss": float(np.mean((phi(b + offset) - y) ** 2)),
                "prediction": float(phi(b + offset)[7]),
            }
        )
    print(json.dumps(cases, indent=1))


main()
