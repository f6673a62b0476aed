"""Standard errors, tests and intervals by statsmodels, numpy and scipy: inference.py K401K.csv > inference.json

The coefficients are found by Newton's method in numpy, to rounding. A nonlinear fit is then handed to statsmodels as the
linear regression that it is at its end: of Jβ + r on J, whose coefficients are β and whose residuals are r. Covariances,
tests and likelihoods are those that statsmodels computes for this regression. Only `hessian` is computed here, with
second derivatives by statsmodels' differences of the gradient. Profile intervals are roots that scipy finds of refits by
scipy.

Problems: `plain` (the 401(k) data), `weighted` (with weights and offsets), and `pre`, the regression of the logit of a
response inside (0, 1), with weights and offsets, for noise before the sigmoid.
"""
import json
import sys

import numpy as np
import statsmodels.api as sm
from scipy.optimize import brentq, least_squares
from scipy.special import expit, logit
from scipy.stats import chi2, f, t
from statsmodels.discrete.discrete_margins import DiscreteMargins
from statsmodels.tools.numdiff import approx_fprime

table = np.loadtxt(sys.argv[1], delimiter=",", skiprows=1)
n = len(table)
X = np.column_stack([table[:, :4], np.ones(n)])
y = table[:, 4]
rows = np.arange(n)
weights = 0.5 + rows % 4
offsets = 0.1 * (rows % 3)
groups = table[:, 1].astype(int)
HYPOTHESES = {
    "match_rate = sole_plan": ([[1, 0, 0, -1, 0]], [0]),
    "match_rate = 0.5": ([[1, 0, 0, 0, 0]], [0.5]),
    "2*age - log_employment = 0.2, sole_plan = 0": ([[0, 2, -1, 0, 0], [0, 0, 0, 1, 0]], [0.2, 0]),
}


def newton(w, o):
    """The minimum of Σ w (expit(Xβ + o) − y)², in centred columns."""
    centre, scale = X[:, :4].mean(0), X[:, :4].std(0)
    Z = np.column_stack([(X[:, :4] - centre) / scale, np.ones(n)])
    b = least_squares(lambda b: np.sqrt(w) * (expit(Z @ b + o) - y), np.zeros(5)).x
    for _ in range(20):
        p = expit(Z @ b + o)
        d = p * (1 - p)
        r = p - y
        H = (Z * (w * (d * d + r * d * (1 - 2 * p)))[:, None]).T @ Z
        b = b - np.linalg.solve(H, Z.T @ (w * r * d))
    beta = b[:4] / scale
    return np.append(beta, b[4] - beta @ centre)


def results(fit):
    out = dict(covariance=fit.cov_params().tolist(), standard_errors=fit.bse.tolist(), t=fit.tvalues.tolist(),
               p=fit.pvalues.tolist(), intervals=fit.conf_int(0.05).tolist(), tests={})
    for text, (R, q) in HYPOTHESES.items():
        test = fit.f_test((np.array(R, float), np.array(q, float)))
        out["tests"][text] = [float(np.squeeze(test.fvalue)), float(test.pvalue)]
    return out


def covariances(target, J, w):
    model = sm.WLS(target, J, weights=w)
    out = dict(classical=results(model.fit()))
    for kind in ["HC0", "HC1", "HC2", "HC3"]:
        out[kind.lower()] = results(model.fit(cov_type=kind, use_t=True))
    out["cluster"] = results(model.fit(cov_type="cluster", cov_kwds=dict(groups=groups), use_t=True))
    return model.fit(), out


def goodness(fit, w, r_squared):
    k, llf = X.shape[1] + 1, fit.llf
    aic = 2 * k - 2 * llf
    return dict(log_likelihood=llf, sigma=float(np.sqrt(fit.scale)), residual_sum=float(fit.ssr), aic=aic,
                aicc=aic + 2 * k * (k + 1) / (n - k - 1), bic=k * np.log(n) - 2 * llf, r_squared=r_squared,
                adjusted_r_squared=1 - (1 - r_squared) * (n - 1) / (n - X.shape[1]))


def effects(beta, cov, w, o):
    """Average marginal effects: a function of β, differentiated by statsmodels."""
    def effect(b):
        p = expit(X @ b + o)
        return b[:4] * np.average(p * (1 - p), weights=w)
    G = approx_fprime(beta, effect, centered=True)
    return effect(beta).tolist(), np.sqrt(np.diag(G @ cov @ G.T)).tolist()


def statsmodels_effects(beta, cov):
    """The same by statsmodels' own code for a logit model, given these coefficients and this covariance."""
    fit = sm.Logit(y, X).fit(disp=0)
    fit._results.params = beta
    fit._results.cov_params_default = cov
    fit._results.cov_params = lambda *a, **k: cov
    margins = DiscreteMargins(fit._results, ("overall", "dydx", None, False, False))
    return np.asarray(margins.margeff).tolist(), np.asarray(margins.margeff_se).tolist()


def profile(beta, errors, w, o):
    scale = np.append(X[:, :4].std(0), 1)
    rss = np.sum(w * (expit(X @ beta + o) - y) ** 2)
    limit = np.sqrt(f.ppf(0.95, 1, n - 5))

    def statistic(j, psi):
        free = [k for k in range(5) if k != j]
        def residuals(b):
            return np.sqrt(w) * (expit(X[:, free] @ (b / scale[free]) + X[:, j] * psi + o) - y)
        def jacobian(b):
            p = expit(X[:, free] @ (b / scale[free]) + X[:, j] * psi + o)
            return X[:, free] / scale[free] * (np.sqrt(w) * p * (1 - p))[:, None]
        fit = least_squares(residuals, beta[free] * scale[free], jacobian, xtol=1e-15, ftol=1e-15, gtol=1e-15)
        return np.sqrt(max((2 * fit.cost - rss) / (rss / (n - 5)), 0)) - limit

    def end(j, side):
        return brentq(lambda d: statistic(j, beta[j] + side * d), 0, 6 * errors[j], xtol=1e-13 * errors[j], rtol=1e-13)

    return [[beta[j] - end(j, -1), beta[j] + end(j, 1)] for j in range(5)]


def problem(w, o):
    beta = newton(w, o)
    p = expit(X @ beta + o)
    d, r = p * (1 - p), y - p
    J = X * d[:, None]
    fit, kinds = covariances(J @ beta + r, J, w)
    assert np.allclose(fit.params, beta, rtol=1e-9), (fit.params, beta)
    gradient = lambda b: X.T @ (w * (expit(X @ b + o) - y) * expit(X @ b + o) * expit(-(X @ b + o)))
    H = approx_fprime(beta, gradient, epsilon=1e-5 / X.std(0).clip(0.1), centered=True)
    cov = np.linalg.inv((H + H.T) / 2) * fit.scale
    se = np.sqrt(np.diag(cov))
    kinds["hessian"] = dict(covariance=cov.tolist(), standard_errors=se.tolist(), t=(beta / se).tolist())
    mean = np.average(y, weights=w)
    base = np.sum(w * (y - mean) ** 2)
    if o.any():
        constant = least_squares(lambda b: np.sqrt(w) * (expit(b + o) - y), [1.0], xtol=1e-15, ftol=1e-15, gtol=1e-15)
        base = 2 * constant.cost
    classical = np.array(kinds["classical"]["covariance"])
    ratio = lambda b: np.array([-b[4] / b[0]])
    G = approx_fprime(beta, ratio, centered=True)
    out = dict(coefficients=beta.tolist(), kinds=kinds, goodness=goodness(fit, w, 1 - fit.ssr / base),
               effects=effects(beta, classical, w, o),
               ratio=[float(ratio(beta)[0]), float(np.sqrt(np.squeeze(G @ classical @ G.T)))],
               profile=profile(beta, kinds["classical"]["standard_errors"], w, o))
    if not o.any():
        out["statsmodels_effects"] = statsmodels_effects(beta, classical)
    return out


def pre():
    target = logit(0.02 + 0.96 * y) - offsets
    fit, kinds = covariances(target, X, weights)
    return dict(coefficients=fit.params.tolist(), kinds=kinds, goodness=goodness(fit, weights, float(fit.rsquared)))


nested = dict(f=[3.7, float(f.sf(3.7, 2, 18))], likelihood_ratio=[5.1, float(chi2.sf(5.1, 2))],
              t=[2.3, float(2 * t.sf(2.3, 17))])
out = dict(plain=problem(np.ones(n), np.zeros(n)), weighted=problem(weights, offsets), pre=pre(), nested=nested)
print(json.dumps(out, indent=1))
