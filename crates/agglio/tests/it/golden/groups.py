"""Dose-response curves of several groups in one table, each fitted alone by scipy: estimates, standard errors and EC50 of
y = lower + (upper - lower)·sigmoid(slope·log(dose) + intercept), for groups.rs.  Run: python3 groups.py > groups.json"""
import json
import numpy as np
from scipy.optimize import least_squares
from scipy.special import expit

rng = np.random.default_rng(11)
rows, fits = [], []
for group in range(12):
    n = 12 + group
    slope, centre = rng.uniform(0.7, 2.5) * (-1) ** group, rng.normal(0, 0.7)
    lower, upper = rng.normal(10, 3), rng.normal(90, 8)
    dose = np.round(np.exp(rng.uniform(-4, 4, n)), 6)
    weight = np.round(rng.uniform(0.3, 3.0, n), 3)
    mean = lower + (upper - lower) * expit(slope * (np.log(dose) - centre))
    y = np.round(mean + 2.0 * rng.standard_normal(n) / np.sqrt(weight), 6)
    root, x = np.sqrt(weight), np.log(dose)

    def residuals(p):
        return root * (p[2] + (p[3] - p[2]) * expit(p[0] * x + p[1]) - y)

    def jacobian(p):
        phi = expit(p[0] * x + p[1])
        d = (p[3] - p[2]) * phi * (1 - phi)
        return root[:, None] * np.stack([d * x, d, 1 - phi, phi], 1)

    found = least_squares(residuals, [slope, -slope * centre, lower, upper], jacobian, xtol=1e-15, ftol=1e-15, gtol=1e-15,
                          x_scale="jac", max_nfev=1000)
    p, j = found.x, jacobian(found.x)
    sigma2 = 2 * found.cost / (n - 4)
    covariance = sigma2 * np.linalg.inv(j.T @ j)
    ec50 = np.exp(-p[1] / p[0])
    gradient = np.array([ec50 * p[1] / p[0] ** 2, -ec50 / p[0], 0, 0])
    rows += [(group, d, w, v) for d, w, v in zip(dose, weight, y)]
    fits.append({
        "parameters": p.tolist(),
        "standard_errors": np.sqrt(np.diag(covariance)).tolist(),
        "ec50": [ec50, float(np.sqrt(gradient @ covariance @ gradient))],
        "loss": 2 * found.cost / weight.sum(),
        "sigma": float(np.sqrt(sigma2)),
        "r_squared": 1 - 2 * found.cost / float(weight @ (y - weight @ y / weight.sum()) ** 2),
    })
# rows of the groups stand between each other
order = rng.permutation(len(rows))
names = ["group", "dose", "weight", "y"]
columns = {name: [float(rows[i][k]) for i in order] for k, name in enumerate(names)}
print(json.dumps({"columns": columns, "fits": fits}))
