"""Average marginal effects of the fractional response model by statsmodels: effects.py K401K.csv > effects.json

A GLM with a binomial family, with robust errors (HC0) and with Pearson's dispersion; `weighted` is the average over the rows
with weights, which statsmodels does not have: its gradient is by statsmodels' differences. So is that of `four`, the effect of a
curve with four parameters, which scipy fits by least squares; its data are in the file.
"""
import json
import sys

import numpy as np
import statsmodels.api as sm
from scipy.optimize import least_squares
from scipy.special import expit
from statsmodels.tools.numdiff import approx_fprime

table = np.loadtxt(sys.argv[1], delimiter=",", skiprows=1)
X, y = np.column_stack([table[:, :4], np.ones(len(table))]), table[:, 4]
model = sm.GLM(y, X, family=sm.families.Binomial())
kwargs = dict(tol=1e-14, tol_criterion="params", maxiter=200)
out = {}
for name, fit in dict(hc0=model.fit(cov_type="HC0", **kwargs), classical=model.fit(scale="X2", **kwargs)).items():
    margins = fit.get_margeff(at="overall", method="dydx", dummy=False)
    out[name] = [np.asarray(margins.margeff).tolist(), np.asarray(margins.margeff_se).tolist()]
fit = model.fit(cov_type="HC0", **kwargs)
weights = 0.5 + np.arange(len(y)) % 4
effect = lambda b: b[:4] * np.average(expit(X @ b) * expit(-X @ b), weights=weights)
G = approx_fprime(fit.params, effect, centered=True)
out["weighted"] = [effect(fit.params).tolist(), np.sqrt(np.diag(G @ fit.cov_params() @ G.T)).tolist()]
x = 0.2 * np.arange(40) - 4
z = 3 + 5 * expit(0.9 * x + 0.3) + 0.1 * np.sin(11.9 * np.arange(40))
curve = lambda b: b[2] + (b[3] - b[2]) * expit(b[0] * x + b[1])
best = least_squares(lambda b: curve(b) - z, [1, 0, 3, 8], xtol=1e-15, ftol=1e-15, gtol=1e-15).x
J = approx_fprime(best, curve, centered=True)
cov = np.linalg.inv(J.T @ J) * np.sum((z - curve(best)) ** 2) / 36
effect = lambda b: np.array([np.mean((b[3] - b[2]) * b[0] * expit(b[0] * x + b[1]) * expit(-b[0] * x - b[1]))])
G = approx_fprime(best, effect, centered=True)
out["four"] = dict(x=x.tolist(), y=z.tolist(), effect=float(effect(best)[0]), error=float(np.sqrt(G @ cov @ G.T).squeeze()))
print(json.dumps(out, indent=1))
