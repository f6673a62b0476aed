#!/usr/bin/env python3
"""Golden numbers for the elementary functions, by mpmath: run it here to write elementary.csv beside it.

    elementary.csv   function,argument,value   at the double `argument`

It prints the polynomials that src/activation/normal.rs and elementary.rs hold.
"""
import csv
import pathlib
import random

import mpmath as mp

HERE = pathlib.Path(__file__).parent

mp.mp.dps = 60

# beyond so many deviations the density is under the smallest positive number
FAR = 39
# the middle of the scale on which the ratio below is a polynomial
MIDDLE = 5
DEGREE = 23


def ratio(x):
    """Mills' ratio, Φ(−x) over the density."""
    if x < 30:
        return mp.sqrt(mp.pi / 2) * mp.erfc(x / mp.sqrt(2)) * mp.exp(x * x / 2)
    return mp.quad(lambda u: mp.exp(-u - (u / x) ** 2 / 2), [0, 5, 20, 60, 150]) / x


def polynomial():
    """Coefficients, the lowest first, of (1 + x)·ratio(x) in u = −1 + x/(x + MIDDLE)·2(FAR + MIDDLE)/FAR, by Chebyshev."""
    count = DEGREE + 1
    angles = [mp.pi * (2 * i + 1) / (2 * count) for i in range(count)]

    def argument(u):
        share = (u + 1) / 2 * FAR / mp.mpf(FAR + MIDDLE)
        return MIDDLE * share / (1 - share)

    points = [argument(mp.cos(angle)) for angle in angles]
    values = [(1 + x) * ratio(x) for x in points]
    chebyshev = [
        (2 if j else 1) * sum(v * mp.cos(j * angle) for v, angle in zip(values, angles)) / count for j in range(count)
    ]
    powers = [mp.mpf(0)] * count
    before, here = [mp.mpf(1)], [mp.mpf(0), mp.mpf(1)]
    for j, c in enumerate(chebyshev):
        term = before if j == 0 else here
        for i, t in enumerate(term):
            powers[i] += c * t
        if j > 0:
            longer = [mp.mpf(0)] + [2 * t for t in here]
            before, here = here, [a - (before[i] if i < len(before) else 0) for i, a in enumerate(longer)]
    return powers


def arctangent(count=12):
    """Coefficients, the lowest first, of (arctan(r)/r − 1)/r² in r² up to tan²(π/8), by interpolation."""
    top = mp.tan(mp.pi / 8) ** 2 * mp.mpf("1.0001")
    squares = [top * (1 + mp.cos(mp.pi * (2 * i + 1) / (2 * count))) / 2 for i in range(count)]
    powers = mp.matrix([[s**j for j in range(count)] for s in squares])
    return mp.lu_solve(powers, mp.matrix([(mp.atan(mp.sqrt(s)) / mp.sqrt(s) - 1) / s for s in squares]))


def arguments(name):
    """Some on every scale, and random ones where the function is neither nothing nor a constant."""
    random.seed(name)
    spreads = {"exp": 709, "exp_m1": 709, "ln_1p": 1e6, "tanh": 20, "density": 38, "distribution": 38, "middle": 9}
    spread = {**spreads, "arctan": 50}[name]
    tiny = [sign * 10.0**-k for k in range(0, 20, 2) for sign in (1, -1)]
    near = [random.uniform(-2, 2) for _ in range(150)]
    far = [random.uniform(-spread, spread) for _ in range(150)]
    return [x for x in [0.0] + tiny + near + far if name != "ln_1p" or x >= -0.5]


FUNCTIONS = {
    "exp": mp.exp,
    "exp_m1": mp.expm1,
    "ln_1p": mp.log1p,
    "tanh": mp.tanh,
    "arctan": mp.atan,
    "density": lambda t: mp.exp(-t * t / 2) / mp.sqrt(2 * mp.pi),
    "distribution": lambda t: mp.erfc(-t / mp.sqrt(2)) / 2,
    "middle": lambda t: mp.erf(t / mp.sqrt(2)) / 2,
}

if __name__ == "__main__":
    with open(HERE / "elementary.csv", "w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["function", "argument", "value"])
        for name, function in FUNCTIONS.items():
            rows.writerows([name, repr(x), mp.nstr(function(mp.mpf(x)), 20)] for x in arguments(name))
    for c in [*polynomial(), *arctangent()]:
        print(float(c))
