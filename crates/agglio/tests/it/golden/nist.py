"""Data and certified values of nonlinear regression problems of NIST's Statistical Reference Datasets (StRD), which are in
the public domain.  The files `*.dat` are also in the source distribution of lmfit, folder NIST_STRD.
Run: python3 nist.py FOLDER > nist.json"""
import json
import re
import sys
from pathlib import Path

NAMES = ["Rat42", "Misra1a", "Misra1d", "DanWood", "Eckerle4", "BoxBOD"]


def problem(name):
    lines = (Path(sys.argv[1]) / f"{name}.dat").read_text().splitlines()
    parameters = []
    for line in lines:
        found = re.match(r"\s*b\d+ =\s+\S+\s+\S+\s+(\S+)\s+(\S+)\s*$", line)
        if found:
            parameters.append([float(found[1]), float(found[2])])
    text = "\n".join(lines)
    start = max(i for i, line in enumerate(lines) if re.match(r"\s*Data:\s+y\s+x", line))
    rows = [[float(v) for v in line.split()] for line in lines[start + 1 :] if line.split()]
    return {
        "y": [row[0] for row in rows],
        "x": [row[1] for row in rows],
        "certified": parameters,
        "residual_sum": float(re.search(r"Residual Sum of Squares:\s+(\S+)", text)[1]),
        "sigma": float(re.search(r"Residual Standard Deviation:\s+(\S+)", text)[1]),
    }


print(json.dumps({name: problem(name) for name in NAMES}))
