"""Average marginal effects of the fractional response model by statsmodels: effects.py K401K.csv > effects.json

A GLM with a binomial family, with robust errors (HC0) and with Pearson's dispersion; `weighted` is the average over the rows
with weights, which statsmodels does not have: its gradient is by statsmodels' differences.
"""
import json
import sys

import numpy as np
import statsmodels.api as sm
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
print(json.dumps(out, indent=1))
