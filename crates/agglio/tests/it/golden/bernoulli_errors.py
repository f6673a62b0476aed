"""Standard errors of the fractional response model by statsmodels, for inference.rs.
Run: python3 bernoulli_errors.py K401K.csv > bernoulli_errors.json"""
import json
import sys
import numpy as np
import statsmodels.api as sm
from scipy import stats

LINKS = {"sigmoid": sm.families.links.Logit(), "probit": sm.families.links.Probit(), "cloglog": sm.families.links.CLogLog()}
CDF = {"sigmoid": lambda z: 1 / (1 + np.exp(-z)), "probit": stats.norm.cdf, "cloglog": lambda z: 1 - np.exp(-np.exp(z))}


def simulated(name, seed, n=150):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, 2))
    mean = CDF[name](x @ [0.7, -0.4] + 0.2)
    y = rng.beta(4 * mean, 4 * (1 - mean))
    y[:10] = np.round(y[:10])
    return x, y


def case(name, x, y):
    n = len(y)
    model = sm.GLM(y, np.c_[x, np.ones(n)], family=sm.families.Binomial(LINKS[name]))
    robust = model.fit(cov_type="HC0", tol=1e-14, tol_criterion="params", maxiter=200)
    scaled = model.fit(scale="X2", tol=1e-14, tol_criterion="params", maxiter=200)
    X, mu, slope = model.exog, robust.mu, model.family.link.inverse_deriv(model.exog @ robust.params)
    variance = mu * (1 - mu)
    bread = np.linalg.inv(X.T @ ((slope**2 / variance)[:, None] * X))
    score = ((y - mu) * slope / variance)[:, None] * X
    hc0 = np.sqrt(np.diag(bread @ (score.T @ score) @ bread))
    # for other links statsmodels takes the observed information as the bread
    assert name != "sigmoid" or np.allclose(hc0, robust.bse, rtol=1e-10)
    return {
        "activation": name, "estimates": robust.params.tolist(),
        "hc0": hc0.tolist(), "classical": scaled.bse.tolist(), "dispersion": float(scaled.scale),
        "log_likelihood": float(np.sum(y * np.log(robust.mu) + (1 - y) * np.log(1 - robust.mu))),
    }


# the 401(k) data is beside the program, the others are in the file
plans = np.loadtxt(sys.argv[1], delimiter=",", skiprows=1)
cases = [case(name, plans[:, :4], plans[:, 4]) for name in LINKS]
for seed, name in enumerate(LINKS):
    x, y = simulated(name, seed)
    cases.append({"x": x.ravel().tolist(), "y": y.tolist(), **case(name, x, y)})
print(json.dumps(cases))
