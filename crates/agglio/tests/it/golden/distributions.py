#!/usr/bin/env python3
"""Golden tails and quantiles of the distributions of test statistics: run it here to write distributions.csv beside it.

    distributions.csv   law,a,b,x,lower,upper   P(X ≤ x) and P(X > x) by mpmath, with 40 digits in the integrals

The x are quantiles of scipy at many p, rounded to doubles. They only say where to look: scipy itself is off by up to 4e-8
there. Tails below 1e-300 are left out. A quantile is checked by asking for the x of a tail again.
"""
import csv
import pathlib

import numpy as np
from mpmath import betainc, erfc, gammainc, mp, mpf, sqrt
from scipy import stats

mp.dps = 40
HERE = pathlib.Path(__file__).parent
DEGREES = [1, 2, 3, 5, 10, 29.5, 100, 1e3, 1e4, 1e5, 1e6]
TAILS = [1e-300, 1e-200, 1e-100, 1e-50, 1e-20, 1e-10, 1e-5, 1e-3, 0.025, 0.1, 0.3, 0.5]


def laws():
    yield "normal", 0, 0, stats.norm()
    for df in DEGREES:
        yield "t", df, 0, stats.t(df)
        yield "chi2", df, 0, stats.chi2(df)
        for numerator in [1, 2, 5, 50]:
            yield "f", numerator, df, stats.f(numerator, df)


def tails(law, a, b, x):
    """Both tails, each as an integral of its own."""
    a, b, x = mpf(a), mpf(b), mpf(x)
    if law == "normal":
        return erfc(-x / sqrt(2)) / 2, erfc(x / sqrt(2)) / 2
    if law == "chi2":
        return tuple(gammainc(a / 2, *ends, regularized=True) for ends in [(0, x / 2), (x / 2, mp.inf)])
    if law == "f":
        share = a * x / (a * x + b)
        return tuple(betainc(a / 2, b / 2, *ends, regularized=True) for ends in [(0, share), (share, 1)])
    outer = betainc(a / 2, mpf(1) / 2, 0, a / (a + x * x), regularized=True) / 2
    return (outer, 1 - outer) if x < 0 else (1 - outer, outer)


with open(HERE / "distributions.csv", "w") as file:
    out = csv.writer(file, lineterminator="\n")
    out.writerow("law a b x lower upper".split())
    for law, a, b, scipys in laws():
        places = {float(x) for p in TAILS for x in (scipys.ppf(p), scipys.isf(p)) if np.isfinite(x)}
        # beyond, the square of x overflows or x is not a normal number
        for x in sorted(x for x in places if x == 0 or 1e-150 < abs(x) < 1e150):
            lower, upper = tails(law, a, b, x)
            if min(lower, upper) >= mpf("0.99e-300"):
                out.writerow([law, a, b, repr(x), mp.nstr(lower, 17), mp.nstr(upper, 17)])
