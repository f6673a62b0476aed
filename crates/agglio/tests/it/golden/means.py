#!/usr/bin/env python3
"""Golden means E φ(z + ε), ε ~ N(0, σ²), by mpmath: run it here to write means.csv beside it.

    means.csv   name,deviation,z,mean,size   size is E |φ(z + ε)| to a few digits, which errors are measured by

The integral of φ times the density is taken by Gauss–Legendre on intervals that are short beside the deviation, beside
the distance to zero, and beside the distance to the poles of φ. No closed form is used. Two orders of the rule must agree
to 20 digits, or the script fails. k of the leaky softplus is the double that Rust parses.
"""
import csv
import pathlib

from mpmath import atan, erfc, exp, expm1, lambertw, log1p, mp, mpf, pi, sqrt, tanh
from mpmath.calculus.quadrature import GaussLegendre

HERE = pathlib.Path(__file__).parent
DIGITS = 32
DEVIATIONS = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 7.0, 8.0, 10.0, 30.0, 100.0]
HALF = [0.001, 0.1, 0.7, 1.3, 3.0, 5.5, 9.0, 16.0, 30.0, 55.0, 100.0, 200.0]
PLACES = sorted([-z for z in HALF] + [0.0] + HALF)
# of exp, and of 1 − expm1: logarithms of the means, which must not overflow
LOGARITHMS = [-600.0, -200.0, -30.0, -3.0, 0.0, 10.0, 200.0, 600.0]


NAMES = ["sigmoid", "softplus", "leaky-softplus:0", "leaky-softplus:0.01", "leaky-softplus:0.2"]
NAMES += ["silu", "gelu", "tanh", "probit", "identity", "arctan", "cloglog"]


def softplus(t):
    return max(t, mpf(0)) + log1p(exp(-abs(t)))


def activations(t):
    """The activations of NAMES at t."""
    e = exp(-abs(t))
    sigmoid = (e if t < 0 else 1) / (1 + e)
    normal = erfc(-t / sqrt(mpf(2))) / 2
    soft = softplus(t)
    leaky = [soft - softplus(-k * t) for k in (mpf(0), mpf(0.01), mpf(0.2))]
    return [sigmoid, soft, *leaky, t * sigmoid, t * normal, tanh(t), normal, t, atan(t), -expm1(-exp(t))]


def ends(z, deviation, centres):
    """Ends of the intervals: 14 deviations and more, to where a tail of φ takes the integrand; powers of two about zero."""
    reach = 14 + int(min(40, abs(z) * deviation / (1 + deviation**2)))
    own = [centre + step * deviation for centre in centres for step in range(-reach, reach + 2, 2)]
    about_zero = [sign * mpf(2) ** n for n in range(-1, 14) for sign in (-1, 1)] + [mpf(0)]
    return sorted({*own, *(t for t in about_zero if min(own) < t < max(own))})


def rule(degree):
    return GaussLegendre(mp).calc_nodes(degree, mp.prec)


def integrals(functions, z, deviation, centres, nodes):
    """The integrals of the functions times the density of N(z, σ²), and those of their sizes."""
    points = ends(z, deviation, centres)
    sums, sizes = (len(functions(z)) * [mpf(0)] for _ in range(2))
    for lo, hi in zip(points, points[1:]):
        middle, half = (lo + hi) / 2, (hi - lo) / 2
        for node, weight in nodes:
            t = middle + half * node
            x = (t - z) / deviation
            share = half * weight * exp(-x * x / 2) / (deviation * sqrt(2 * pi))
            terms = [share * value for value in functions(t)]
            sums = [total + term for total, term in zip(sums, terms)]
            sizes = [total + abs(term) for total, term in zip(sizes, terms)]
    return sums, sizes


def checked(functions, z, deviation, *centres):
    (coarse, _), (fine, sizes) = (integrals(functions, z, deviation, centres, nodes) for nodes in RULES)
    for a, b, size in zip(coarse, fine, sizes):
        assert abs(a - b) <= mpf(10) ** -20 * (size + mpf(10) ** -310), (z, deviation, a, b)
    return zip(fine, sizes)


def means():
    for deviation in map(mpf, DEVIATIONS):
        for z in map(mpf, PLACES):
            for name, numbers in zip(NAMES, checked(activations, z, deviation, z)):
                yield name, deviation, z, *numbers
            # (t − z)²/(2σ²) + e^{−t} is least at z + w, and its second derivative is (1 + w)/σ²
            w = lambertw(deviation**2 * exp(-z)).real
            count = 1 + int(min(12, sqrt(w)))
            peaks = [z + w + 2 * deviation * i / count for i in range(count)]
            for numbers in checked(lambda t: [exp(-exp(-t))], z, deviation, *peaks):
                yield "gompertz", deviation, z, *numbers
        for logarithm in LOGARITHMS:
            z = mpf(float(logarithm - deviation**2 / 2))
            for numbers in checked(lambda t: [exp(t)], z, deviation, z + deviation**2):
                yield "exp", deviation, z, *numbers
            z = -z
            for numbers in checked(lambda t: [-expm1(-t)], z, deviation, z, z - deviation**2):
                yield "expm1", deviation, z, *numbers


def shown(cell):
    return cell if isinstance(cell, str) else repr(float(cell))


if __name__ == "__main__":
    mp.dps = DIGITS
    RULES = [rule(4), rule(5)]
    with open(HERE / "means.csv", "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["name", "deviation", "z", "mean", "size"])
        writer.writerows([shown(cell) for cell in row] for row in means())
