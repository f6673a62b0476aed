"""Quasi-likelihood fits of shares and events by statsmodels: bernoulli.py K401K.csv > bernoulli.json

GLM with the family Binomial and the links logit, probit and cloglog. Weights are var_weights for shares and freq_weights
for events, which have the same coefficients. After convergence, IRLS runs on until the coefficients no longer change.
`loss` is the weighted mean of −[y ln μ + (1 − y) ln(1 − μ)], and `baseline` that of the model without covariates.
"""
import json
import sys
import warnings

import numpy as np
import statsmodels.api as sm
from scipy.special import xlogy

warnings.simplefilter("ignore")
links = sm.families.links
LINKS = {"sigmoid": links.Logit(), "probit": links.Probit(), "cloglog": links.CLogLog()}


def shares(random):
    x = random.standard_normal((80, 3)).round(6)
    mean = 1 / (1 + np.exp(-(x @ [0.8, -0.5, 0.2] + 0.4)))
    y = random.beta(3 * mean, 3 * (1 - mean)).round(6)
    y[:6], y[6:14] = 0.0, 1.0
    return x, y, random.uniform(0.2, 3, 80).round(6), random.normal(0, 0.7, 80).round(6), "var_weights"


def events(random):
    x = random.standard_normal((120, 2)).round(6)
    y = (random.uniform(size=120) < 1 / (1 + np.exp(-(x @ [1.5, -1.0] - 1)))).astype(float)
    return x, y, random.integers(1, 5, 120).astype(float), random.normal(0, 0.5, 120).round(6), "freq_weights"


def fit(design, y, link, weights, offset, kind):
    options = {kind: weights, "offset": offset} if kind else {}
    model = sm.GLM(y, design, family=sm.families.Binomial(link), **options)
    first = model.fit(tol=1e-12, maxiter=200)
    mu = (last := model.fit(start_params=first.params, tol=0, tol_criterion="params", maxiter=60)).mu
    loss = -np.average(xlogy(y, mu) + xlogy(1 - y, 1 - mu), weights=weights if kind else None)
    return last.params, loss


def cases(name, x, y, weights, offset, kind):
    ones = np.ones((len(y), 1))
    for activation, link in LINKS.items():
        for kind in [None, kind] if kind else [None]:
            params, loss = fit(np.hstack([ones, x]), y, link, weights, offset, kind)
            _, baseline = fit(ones, y, link, weights, offset, kind)
            yield dict(data=name, activation=activation, weighted=kind is not None, intercept=params[0],
                       coefficients=list(params[1:]), loss=loss, baseline=baseline)


table = np.loadtxt(sys.argv[1], delimiter=",", skiprows=1)
random = np.random.default_rng(0)
simulated = {"shares": shares(random), "events": events(random)}
found = list(cases("participation", table[:, :4], table[:, 4], None, None, None))
data = {}
for name, (x, y, weights, offset, kind) in simulated.items():
    found += cases(name, x, y, weights, offset, kind)
    data[name] = dict(x=x.ravel().tolist(), y=y.tolist(), weights=weights.tolist(), offset=offset.tolist())
print(json.dumps(dict(data=data, cases=found)))
