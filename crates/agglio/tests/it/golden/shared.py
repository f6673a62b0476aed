"""Curves of several groups with shared parameters, fitted jointly by scipy from many starts: estimates, standard errors,
potencies and the F test against separate fits, for shared.rs.  Run: python3 shared.py > shared.json

y = lower + (upper - lower)·sigmoid(slope·log(dose) + intercept); a parallel-line assay has y = slope·log(dose) + intercept."""
import json
import numpy as np
from scipy.optimize import least_squares
from scipy.special import expit
from scipy.stats import f, t

NAMES = ["slope", "intercept", "lower", "upper"]


def best(x, y, weight, index, count, rng, starts):
    """The lowest minimum with lower < upper in every group, and its Jacobian; `index` has the entries of each row."""
    root = np.sqrt(weight)

    def parts(p):
        return p[index].T

    def residuals(p):
        a, b, lo, hi = parts(p)
        return root * (lo + (hi - lo) * expit(a * x + b) - y)

    def jacobian(p):
        a, b, lo, hi = parts(p)
        phi = expit(a * x + b)
        d = (hi - lo) * phi * (1 - phi)
        whole = np.zeros((len(y), count))
        for column, entries in zip([d * x, d, 1 - phi, phi], index.T):
            np.add.at(whole, (np.arange(len(y)), entries), root * column)
        return whole

    found = None
    span = np.ptp(y)
    for _ in range(starts):
        p = np.zeros(count)
        sign = rng.choice([-1, 1])
        for row in index:
            a = sign * rng.uniform(0.3, 3)
            p[row] = [a, a * rng.uniform(-3, 3), y.min() - span * rng.uniform(-0.1, 0.3), y.max() + span * rng.uniform(-0.1, 0.3)]
        end = least_squares(residuals, p, jacobian, x_scale="jac", xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=2000)
        _, _, lo, hi = parts(end.x)
        if (lo < hi).all() and (found is None or end.cost < found.cost):
            found = end
    return found.x, 2 * found.cost, jacobian(found.x)


def case(seed, groups, shared, partial=()):
    rng = np.random.default_rng(seed)
    sign = (-1) ** seed
    common = dict(slope=sign * rng.uniform(0.7, 2), intercept=rng.normal(), lower=rng.normal(10, 3), upper=rng.normal(90, 8))
    rows = []
    for group in range(groups):
        own = dict(slope=sign * rng.uniform(0.7, 2), intercept=rng.normal(0, 1.2), lower=rng.normal(10, 4), upper=rng.normal(90, 9))
        own.update({name: common[name] for name in shared})
        middle = -own["intercept"] / own["slope"]
        # a partial curve ends before its middle
        low, high = (-5, -1) if group in partial else (-4, 4)
        for log_dose in rng.uniform(middle + low, middle + high, 9 + group % 4):
            weight = round(rng.uniform(0.3, 3), 3)
            dose = float(f"{np.exp(log_dose):.6g}")
            mean = own["lower"] + (own["upper"] - own["lower"]) * expit(own["slope"] * np.log(dose) + own["intercept"])
            rows.append((group, dose, weight, round(mean + 2 * rng.standard_normal() / np.sqrt(weight), 6)))
    order = rng.permutation(len(rows))
    group, dose, weight, y = (np.array([rows[i][k] for i in order], float) for k in range(4))
    group, x = group.astype(int), np.log(dose)
    entries, count = np.zeros((groups, 4), int), 0
    for k, name in enumerate(NAMES):
        size = 1 if name in shared else groups
        entries[:, k] = count + (0 if name in shared else np.arange(groups))
        count += size
    p, rss, j = best(x, y, weight, entries[group], count, rng, 60)
    df = len(y) - count
    covariance = rss / df * np.linalg.inv(j.T @ j)
    fits = []
    for own in entries:
        a, b, lo, hi = p[own]
        half = np.exp(-b / a)
        gradient = np.array([half * b / a**2, -half / a])
        fit = dict(parameters=p[own].tolist(), standard_errors=np.sqrt(np.diag(covariance)[own]).tolist(),
                   ec50=[half, float(np.sqrt(gradient @ covariance[np.ix_(own[:2], own[:2])] @ gradient))])
        if set(shared) == {"slope", "lower", "upper"} and own[1] != entries[0][1]:
            first = entries[0][1]
            logarithm = (b - p[first]) / a
            gradient = np.zeros(count)
            gradient[[own[1], first, own[0]]] = 1 / a, -1 / a, -logarithm / a
            error = float(np.sqrt(gradient @ covariance @ gradient))
            ends = logarithm + error * t.ppf([0.05, 0.95], df)
            fit["potency"] = [np.exp(logarithm), np.exp(logarithm) * error, *np.exp(ends)]
        fits.append(fit)
    answer = dict(shared=shared, columns=dict(group=group.tolist(), dose=dose.tolist(), weight=weight.tolist(), y=y.tolist()),
                  fits=fits, loss=rss / weight.sum(), sigma=float(np.sqrt(rss / df)))
    if not partial:
        separate = sum(best(x[group == g], y[group == g], weight[group == g], np.tile(np.arange(4), (sum(group == g), 1)), 4, rng, 40)[1]
                       for g in range(groups))
        other = len(y) - 4 * groups
        statistic = (rss - separate) / (df - other) / (separate / other)
        answer["test"] = [statistic, df - other, other, float(f.sf(statistic, df - other, other)), rss, separate]
    return answer


def line():
    """A parallel-line assay by linear least squares."""
    rng = np.random.default_rng(3)
    group = np.repeat([0, 1, 2], 6)
    dose = np.tile([1.0, 2.0, 4.0], 6)
    x = np.log(dose)
    y = np.round(3 + 2 * (x + np.array([0, 0.4, -0.3])[group]) + 0.2 * rng.standard_normal(18), 4)
    design = np.column_stack([x] + [group == g for g in range(3)]).astype(float)
    p, rss = np.linalg.lstsq(design, y)[:2]
    covariance = rss[0] / 14 * np.linalg.inv(design.T @ design)
    potencies = []
    for g in (1, 2):
        logarithm = (p[1 + g] - p[1]) / p[0]
        gradient = np.zeros(4)
        gradient[[1 + g, 1, 0]] = 1 / p[0], -1 / p[0], -logarithm / p[0]
        error = float(np.sqrt(gradient @ covariance @ gradient))
        potencies.append([np.exp(logarithm), np.exp(logarithm) * error, *np.exp(logarithm + error * t.ppf([0.05, 0.95], 14))])
    return dict(columns=dict(group=group.tolist(), dose=dose.tolist(), y=y.tolist()), parameters=p.tolist(),
                standard_errors=np.sqrt(np.diag(covariance)).tolist(), potencies=potencies)


print(json.dumps(dict(cases=[
    case(1, 3, ["slope", "lower", "upper"]),
    case(2, 5, ["lower", "upper"]),
    case(3, 2, ["slope"]),
    case(4, 4, ["intercept", "upper"]),
    case(5, 20, ["slope", "lower", "upper"]),
    case(6, 3, ["slope", "upper"], partial=[2]),
    case(7, 3, ["slope", "lower", "upper"], partial=[1]),
    case(8, 2, ["slope", "intercept", "lower", "upper"]),
], line=line())))
