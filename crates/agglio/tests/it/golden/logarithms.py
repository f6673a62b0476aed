#!/usr/bin/env python3
"""Golden logarithms of the activations whose values are probabilities, by mpmath: run it here to write logarithms.csv.

    name,t,left,right,left1,right1,left2,right2    ln φ(t) and ln(1 − φ(t)) at the double t, then their first and second
                                                   derivatives
"""
from mpmath import erfc, exp, expm1, log, mp, mpf, pi, sqrt

from activations import HOT, both, write


def sigmoid(t):
    """ln φ and its derivatives."""
    s = 1 / (1 + exp(t))
    return -log(1 + exp(-t)), s, -s * (1 - s)


def normal(t):
    h = exp(-t * t / 2) / sqrt(2 * pi) / (erfc(-t / sqrt(mpf(2))) / 2)
    return log(erfc(-t / sqrt(mpf(2))) / 2), h, -h * (t + h)


def gumbel(t):
    u = exp(t)
    # beyond, 1 − exp(−u) has too many digits, and the next term is exp(−2u)
    if u > 1000:
        return -exp(-u), u * exp(-u), u * (1 - u) * exp(-u)
    f = u / expm1(u)
    return log(-expm1(-u)), f, f * (1 - u - f)


def mirrored(side):
    def right(t):
        value, first, second = side(-t)
        return value, -first, second

    return right


SIDES = {
    "sigmoid": (sigmoid, mirrored(sigmoid)),
    "probit": (normal, mirrored(normal)),
    "cloglog": (gumbel, lambda t: (-exp(t),) * 3),
}


def rows():
    for name, (left, right) in SIDES.items():
        for t in [0.0] + both(HOT + [0.04, 2.9, 3.1, 38.9, 39.1, 60.0]):
            if name == "cloglog" and t > 700:
                continue
            a, b = left(mpf(t)), right(mpf(t))
            yield (name, t, *(cell for pair in zip(a, b) for cell in pair))


if __name__ == "__main__":
    mp.dps = 1000
    write("logarithms.csv", "name,t,left,right,left1,right1,left2,right2", rows())
