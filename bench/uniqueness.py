"""Is the radius of uniqueness computed right, and how much smaller is it than with exact minima?

Sigmoid fits with an intercept, whose radius is computed again with numpy and scipy, without any code of the program. The
exit code is 1 if a radius or the size of a 95 % ellipsoid differs by more than a relative 1e-6.

The other columns are the radius by the exact minimum of each f″, which is a polynomial in φ, and the radius if the
intervals are cut into 1, 8 and 16 parts instead of 4.
"""

import csv
import sys
import tempfile
from pathlib import Path

import numpy as np
from scipy.optimize import brentq, least_squares
from scipy.special import expit
from scipy.stats import chi2

import program

# rows, coefficients, size of the true ones, noise
SETTINGS = [
    (200, 5, 3, 0.1),
    (1000, 20, 3, 0.1),
    (1000, 20, 3, 0.3),
    (1000, 50, 7, 0.05),
    (2000, 50, 7, 0.05),
    (2000, 20, 3, 0.1),
    (1000, 5, 8, 0.3),
    (30, 2, 3, 0.1),
]
PARTS = 4
TURN = np.log(2 + np.sqrt(3))  # where the third derivative of the sigmoid is zero


def slope(z):
    return expit(z) * expit(-z)


def bend(z):
    return slope(z) * (expit(-z) - expit(z))


def lowest(function, a, b, turns):
    """The smallest value of a function between a and b, which is monotone between its turns."""
    least = np.minimum(function(a), function(b))
    for turn in turns:
        least = np.where((a < turn) & (turn < b), np.minimum(least, function(turn)), least)
    return least


def by_parts(z, reach, y, parts):
    """A lower bound of φ′² + (φ − y)φ″ from the ranges of the factors in each part of [z − reach, z + reach]."""
    least = np.full_like(z, np.inf)
    for part in range(parts):
        a, b = z + reach * (2 * part / parts - 1), z + reach * (2 * (part + 1) / parts - 1)
        residuals = expit(a) - y, expit(b) - y
        bends = lowest(bend, a, b, [TURN]), -lowest(lambda t: -bend(t), a, b, [-TURN])
        product = np.min([r * c for r in residuals for c in bends], axis=0)
        least = np.minimum(least, np.minimum(slope(a), slope(b)) ** 2 + product)
    return least


def exact(z, reach, y):
    """The smallest φ′² + (φ − y)φ″ over [z − reach, z + reach]: a polynomial in φ, whose extrema are roots of a cubic."""
    a, b = expit(z - reach), expit(z + reach)
    value = lambda s, y: s * (1 - s) * (s * (1 - s) + (s - y) * (1 - 2 * s))
    least = np.minimum(value(a, y), value(b, y))
    for i, own in enumerate(y):
        # s(1 − s)(−3s² + 2(1 + y)s − y), differentiated
        roots = np.roots([12, -3 * (5 + 2 * own), 2 * (2 + 3 * own), -own])
        for s in roots[np.abs(roots.imag) < 1e-9].real:
            if a[i] < s < b[i]:
                least[i] = min(least[i], value(s, own))
    return least


def radius(least, x, gauss_newton):
    """The radius at which the smallest eigenvalue becomes zero."""
    root = np.linalg.inv(np.linalg.cholesky(gauss_newton))
    share = lambda s: np.linalg.eigvalsh(root @ (x.T * least(s)) @ x @ root.T)[0]
    if share(0) <= 0:
        return 0.0
    high = 1.0
    while share(high) > 0:
        high *= 2
    return brentq(share, 0, high, xtol=1e-12, rtol=1e-12)


def by_numpy(x, y, start):
    x = np.column_stack([x, np.ones(len(y))])
    residual = lambda w: expit(x @ w) - y
    jacobian = lambda w: x * slope(x @ w)[:, None]
    w = least_squares(residual, start, jac=jacobian, xtol=1e-15, ftol=1e-15, gtol=1e-15).x
    for _ in range(5):  # to the last digits
        own = jacobian(w)
        hessian = (x.T * (slope(x @ w) ** 2 + residual(w) * bend(x @ w))) @ x
        w = w - np.linalg.solve(hessian, own.T @ residual(w))
    z, own = x @ w, jacobian(w)
    gauss_newton = own.T @ own
    variance = np.sum(residual(w) ** 2) / (len(y) - len(w))
    reach = np.sqrt(variance * np.einsum("ij,jk,ik->i", x, np.linalg.inv(gauss_newton), x))
    of = lambda least: radius(lambda s: least(z, s * reach, y), x, gauss_newton)
    parts = {parts: of(lambda *row: by_parts(*row, parts)) for parts in (1, PARTS, 8, 16)}
    return parts, of(exact), np.sqrt(chi2.ppf(0.95, len(w)))


def main():
    path = program.options(__doc__).parse_args().agglio
    worst = 0.0
    print("| rows, coefficients, size, noise | agglio | numpy | difference | exact | 1, 8, 16 parts | 95 % |")
    print("|---|---|---|---|---|---|---|")
    for n, d, size, noise in SETTINGS:
        random = np.random.default_rng(1)
        w = random.standard_normal(d)
        w *= size / np.linalg.norm(w)
        x = random.standard_normal((n, d))
        y = expit(x @ w) + noise * random.standard_normal(n)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "data.csv"
            with file.open("w", newline="") as out:
                table = csv.writer(out)
                table.writerow([*(f"x{j}" for j in range(d)), "y"])
                table.writerows([*map(repr, map(float, row)), repr(float(label))] for row, label in zip(x, y))
            fit = program.fit(path, file, "--activation", "sigmoid", "--tol", "1e-12")
        start = np.array([*fit["coefficients"].values(), fit["intercept"]])
        parts, least, ellipsoid = by_numpy(x, y, start)
        found = fit["unique_within"]
        difference = abs(found / parts[PARTS] - 1)
        worst = max(worst, difference, abs(fit["ellipsoid_95"] / ellipsoid - 1))
        others = ", ".join(f"{parts[p]:.3f}" for p in (1, 8, 16))
        print(
            f"| {n}, {d}, {size}, {noise} | {found:.4f} | {parts[PARTS]:.4f} | {difference:.0e} | {least:.4f} "
            f"| {others} | {ellipsoid:.2f} |",
            flush=True,
        )
    print(f"\nlargest relative difference: {worst:.1e}")
    sys.exit(worst > 1e-6)


if __name__ == "__main__":
    main()
