"""How many problems with a known minimum does the default solve, and how many wrong fits does it certify?

- proven: 560 small sigmoid problems, near steps or under heavy noise. Branch and bound has proven the global minimum.
- hard: 148 problems of random_problems.py on which an early version was certified above the best known minimum. For 46 of
  them the lowest loss is reached only as coefficients grow without end ("at infinity").

A fit is right if its loss, or `lower_at_infinity` where that is lower, is at most lowest·(1 + 1e-6) + 1e-14. It is silent if it
is not right and yet certified (exit code 0). `--write FOLDER` writes each problem as a CSV file, with the command that fits it.
"""

import csv
import shlex
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import comparison
import program
from cases import mixed, noisy_steps
from cases.problem import Problem

FOLDER = Path(__file__).resolve().parent / "cases"


@dataclass(frozen=True)
class Case:
    """A problem and the lowest loss that is known for it."""
    name: str
    group: str
    kind: str
    problem: Problem
    lowest: float


def rows(name):
    with open(FOLDER / name, newline="") as file:
        yield from csv.DictReader(file)


def proven():
    for row in rows("proven.csv"):
        n, d, norm, noise, seed = (row[key] for key in ("rows", "covariates", "norm", "noise", "seed"))
        problem = noisy_steps.draw(int(n), int(d), float(norm), float(noise), int(seed))
        kind = f"{n} × {d}, norm {norm}, noise {noise}"
        yield Case(f"proven_{n}x{d}_{norm}_{seed}", "proven", kind, problem, float(row["lowest"]))


def hard():
    for row in rows("hard.csv"):
        problem, mean = mixed.draw(int(row["seed"])), float(row["mean_label"])
        if not np.isclose(problem.y.mean(), mean, rtol=1e-6):
            program.stop(f"seed {row['seed']} draws other labels than those that its lowest loss is for: use another numpy")
        group = "hard, at infinity" if row["at_infinity"] == "yes" else "hard"
        yield Case(f"hard_{row['seed']}", group, row["activation"], problem, float(row["lowest"]))


def fitted(path, case, flags):
    """Whether the fit is right, whether it is certified, and its passes."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "data.csv")
        case.problem.write(data)
        fit = program.fit(path, data, *case.problem.flags(), *flags)
    return comparison.reached(fit, case.lowest), fit["certified"], fit["passes"]


def write(folder, cases):
    """The problems as CSV files, and a script with the command for each."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "commands.sh", "w") as script:
        for case in cases:
            case.problem.write(folder / f"{case.name}.csv")
            words = ["agglio", "fit", f"{case.name}.csv", "--target", "y", *case.problem.flags()]
            print(shlex.join(words), f"  # lowest loss {case.lowest!r}", file=script)
    print(f"{folder / 'commands.sh'} has the commands")


def table(results):
    """A line for each kind, and one for each group."""
    for name, fits in results.items():
        right, certified, passes = np.transpose(fits)
        silent = (1 - right) * certified
        yield (name, len(fits), f"{right.sum():.0f}", f"{silent.sum():.0f}", f"{100 * right.mean():.1f} %",
               f"{100 * (1 - silent.mean()):.1f} %", comparison.typical(passes))


def main():
    parser = program.options(__doc__)
    parser.add_argument("--group", choices=["proven", "hard"], help="only these problems (default: both)")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write the problems as CSV files and fit none")
    parser.add_argument("--list", action="store_true", help="name each problem whose fit is not right")
    parser.add_argument("flags", nargs="*", help="further flags of `agglio fit`, after --")
    args = parser.parse_args()
    cases = [case for group in (proven, hard) if args.group in (None, group.__name__) for case in group()]
    if args.write:
        return write(args.write, cases)
    kinds, groups = defaultdict(list), defaultdict(list)
    for case in cases:
        result = fitted(args.agglio, case, args.flags)
        kinds[f"{case.group}: {case.kind}"].append(result)
        groups[f"{case.group}: all"].append(result)
        if args.list and not result[0]:
            print(case.name, "certified" if result[1] else "not certified")
    head = ["problems" + 28 * " ", "fits", "right", "silent", "right    ", "not silent", "passes     "]
    comparison.show(head, table(dict(sorted(kinds.items())) | groups))


if __name__ == "__main__":
    main()
