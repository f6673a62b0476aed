"""Times `fit --by` on simulated dose-response curves, and compares the curves with the truth.

    python3 bench/many_curves.py [--curves 5000] [--points 30] [--threads N] [--agglio PROGRAM]

Every curve is y = lower + (upper - lower)·sigmoid(slope·log(dose) + intercept) plus normal noise, with its own four parameters.
It needs numpy only.
"""

import argparse
import csv
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

PROGRAM = Path(__file__).resolve().parent.parent / "target/release/agglio"


def write_curves(path, curves, points, seed):
    """Writes the table, and returns the true parameters by level."""
    random = np.random.default_rng(seed)
    truth = {}
    with open(path, "w", encoding="utf-8") as file:
        file.write("curve,dose,y\n")
        for index in range(curves):
            lower, upper = random.normal(0.1, 0.05), random.normal(1.0, 0.1)
            slope, centre = random.uniform(0.7, 2.0), random.normal(0.0, 0.7)
            log_dose = np.linspace(-4, 4, points)
            mean = lower + (upper - lower) / (1 + np.exp(-slope * (log_dose - centre)))
            y = mean + 0.03 * random.normal(size=points)
            truth[f"c{index:05}"] = (slope, -slope * centre, lower, upper)
            file.writelines(f"c{index:05},{np.exp(x):.9g},{v:.9g}\n" for x, v in zip(log_dose, y))
    return truth


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--curves", type=int, default=5000)
    parser.add_argument("--points", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--agglio", default=str(PROGRAM))
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "curves.csv"
        truth = write_curves(data, args.curves, args.points, args.seed)
        words = [args.agglio, "fit", str(data), "--formula", "y ~ log(dose)", "--range", "free,free", "--by", "curve"]
        words += ["--threads", str(args.threads)] if args.threads else []
        begun = time.perf_counter()
        run = subprocess.run(words, capture_output=True, text=True, check=False)
        seconds = time.perf_counter() - begun
    if run.returncode not in (0, 3):
        raise SystemExit(run.stderr)
    rows = list(csv.DictReader(run.stdout.splitlines()))
    certified = [row for row in rows if row["certified"] == "true" and row["lower_se"]]
    names = ["log(dose)", "(intercept)", "lower", "upper"]
    covered = {name: 0 for name in names}
    for row in certified:
        for name, true in zip(names, truth[row["curve"]]):
            # the quantile of t for 26 degrees of freedom
            covered[name] += abs(float(row[name]) - true) <= 2.0555 * float(row[f"{name}_se"])
    print(f"{len(rows)} curves of {args.points} points in {seconds:.2f} s, {1e3 * seconds / len(rows):.2f} ms a curve")
    print(f"certified: {len(certified)}")
    for name, count in covered.items():
        print(f"truth within the 95 % interval of {name}: {100 * count / max(len(certified), 1):.1f} %")


main()
