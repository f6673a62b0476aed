"""Compares `fit --by --share` with scipy on simulated dose-response curves that share parameters.

    python3 bench/shared_curves.py [--sets 700] [--starts 60] [--agglio PROGRAM]

A set has 2 to 20 groups. Every curve is y = lower + (upper - lower)·sigmoid(slope·log(dose) + intercept) plus normal noise, and
some of the four parameters are the same in all groups. Some curves are partial: their doses end near the middle. scipy takes the
best of many random starts, without the groups that agglio leaves out, and with lower < upper in each group. It needs numpy and
scipy.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from scipy.optimize import least_squares
from scipy.special import expit

PROGRAM = Path(__file__).resolve().parent.parent / "target/release/agglio"
NAMES = ["slope", "(intercept)", "lower", "upper"]
SHARED = [
    ("slope", "lower", "upper"), ("lower", "upper"), ("lower",), ("upper",), ("slope",), ("slope", "lower"),
    ("slope", "upper"), ("(intercept)", "lower", "upper"), ("(intercept)",),
]


def simulate(random):
    """The number of groups, the shared parameters, and rows of group, log(dose) and response."""
    groups = int(random.choice([2, 3, 5, 20], p=[0.4, 0.25, 0.25, 0.1]))
    shared = SHARED[random.integers(len(SHARED))]
    slope = random.uniform(0.6, 2.5) * random.choice([-1, 1])
    common = [slope, random.normal(0, 0.8) * abs(slope), random.normal(10, 4), random.normal(90, 10)]
    noise = random.choice([0.5, 2, 6])
    rows = []
    for group in range(groups):
        own = [slope * random.uniform(0.5, 1.8), 0, random.normal(10, 6), random.normal(90, 12)]
        a, b, low, high = [common[k] if name in shared else own[k] for k, name in enumerate(NAMES)]
        if "(intercept)" not in shared:
            b = -a * random.normal(0, 1.2)
        ends = (-4, 4)
        if random.random() < 0.3 and len(shared) >= 2 and "(intercept)" not in shared:
            end = random.uniform(-0.5, 0.8)
            ends = (-b / a - 4, -b / a + end) if random.random() < 0.5 else (-b / a - end, -b / a + 4)
        for x in np.linspace(*ends, int(random.integers(7, 16))):
            rows.append((group, x, low + (high - low) * expit(a * x + b) + noise * random.normal()))
    return groups, shared, rows


def best_of(groups, shared, rows, starts, random):
    """The lowest minimum of scipy: the parameters of each group, their standard errors and the residual sum of squares."""
    group, x, y = np.array([row[0] for row in rows]), *np.array([row[1:] for row in rows]).T
    entries, count = np.zeros((groups, 4), int), 0
    for k, name in enumerate(NAMES):
        entries[:, k] = count + (0 if name in shared else np.arange(groups))
        count += 1 if name in shared else groups
    index = entries[group]

    def residuals(p):
        a, b, low, high = p[index].T
        return low + (high - low) * expit(a * x + b) - y

    def jacobian(p):
        a, b, low, high = p[index].T
        phi = expit(a * x + b)
        d = (high - low) * phi * (1 - phi)
        whole = np.zeros((len(y), count))
        for column, places in zip([d * x, d, 1 - phi, phi], index.T):
            np.add.at(whole, (np.arange(len(y)), places), column)
        return whole

    found, span = None, np.ptp(y)
    for _ in range(starts):
        slope, start = random.uniform(0.3, 3) * random.choice([-1, 1]), np.zeros(count)
        for own in entries:
            a = slope if "slope" in shared else slope * random.uniform(0.5, 2)
            low, high = y.min() - span * random.uniform(-0.1, 0.3), y.max() + span * random.uniform(-0.1, 0.3)
            start[own] = [a, a * random.uniform(-3, 3), low, high]
        end = least_squares(residuals, start, jacobian, x_scale="jac", max_nfev=400, xtol=1e-12, ftol=1e-12, gtol=1e-12)
        _, _, low, high = end.x[entries].T
        if (low < high).all() and (found is None or end.cost < found.cost):
            found = end
    if found is None:
        return None
    j = jacobian(found.x)
    try:
        inverse = np.linalg.inv(j.T @ j)
    except np.linalg.LinAlgError:
        return found.x[entries], None, 2 * found.cost
    errors = np.sqrt(np.abs(np.diag(2 * found.cost / (len(y) - count) * inverse)))
    return found.x[entries], errors[entries], 2 * found.cost


def fit(program, shared, rows, folder):
    path = Path(folder) / "curves.csv"
    lines = [f"g{group:02},{float(np.exp(x))!r},{float(y)!r}\n" for group, x, y in rows]
    path.write_text("g,dose,y\n" + "".join(lines), encoding="utf-8")
    words = ["--formula", "y ~ log(dose)", "--range", "free,free", "--by", "g", "--share", ",".join(shared)]
    run = subprocess.run([program, "fit", path, *words, "--format", "json"], capture_output=True, text=True, check=False)
    return json.loads(run.stdout)["groups"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=700)
    parser.add_argument("--starts", type=int, default=60)
    parser.add_argument("--agglio", type=Path, default=PROGRAM)
    options = parser.parse_args()
    reached, certified, left_out, compared, worst = 0, 0, 0, 0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.sets):
            groups, shared, rows = simulate(np.random.default_rng(seed))
            fits = fit(options.agglio, shared, rows, folder)
            kept = [group for group in range(groups) if fits[group]["loss"] is not None]
            left_out += groups - len(kept)
            rows = [(kept.index(row[0]), *row[1:]) for row in rows if row[0] in kept]
            fits = [fits[group] for group in kept]
            certified += all(own["certified"] for own in fits)
            scipy = best_of(len(kept), shared, rows, max(10, options.starts // max(1, groups // 3)), np.random.default_rng(1000 + seed))
            rss = fits[0]["loss"] * len(rows)
            if scipy is None or rss <= scipy[2] * (1 + 1e-6):
                reached += 1
            else:
                print(f"set {seed}: {shared} of {len(kept)} groups: {rss:g}, scipy {scipy[2]:g}")
            if scipy is None or scipy[1] is None or abs(rss / scipy[2] - 1) > 1e-6:
                continue
            compared += 1
            for own, values, errors in zip(fits, scipy[0], scipy[1]):
                for name, value, error in zip(["log(dose)", *NAMES[1:]], values, errors):
                    worst = max(worst, abs(own[name] - value) / error, abs(own[f"{name}_se"] / error - 1))
    print(f"{options.sets} sets: {certified} certified; {reached} at most the residual sum of squares of scipy; {left_out} groups left out")
    print(f"{compared} sets with the same minimum: largest difference {worst:.1e} (of a standard error, or relative for the errors)")


if __name__ == "__main__":
    main()
