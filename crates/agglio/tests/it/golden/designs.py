"""Writes designs.json: design matrices of formulas as patsy makes them (pip install patsy).

    python3 designs.py > designs.json

patsy writes log(x) as np.log(x) and x^2 as I(x ** 2). The columns are renamed; their order is not compared.
"""

import json
import re

import numpy as np
import patsy

FORMULAS = [
    ("y ~ a", "y ~ a"),
    ("y ~ log(dose)", "y ~ np.log(dose)"),
    ("y ~ a + sqrt(dose) + b^2", "y ~ a + np.sqrt(dose) + I(b ** 2)"),
    ("y ~ a:b", "y ~ a:b"),
    ("y ~ a*b - 1", "y ~ a*b - 1"),
    ("y ~ 0 + a*log(dose)*b", "y ~ 0 + a*np.log(dose)*b"),
    ("y ~ a*b*dose - a:b", "y ~ a*b*dose - a:b"),
    ("y ~ a + a*b", "y ~ a + a*b"),
    ("y ~ log(dose):a + dose^-1 + dose^0.5", "y ~ np.log(dose):a + I(dose ** -1) + I(dose ** 0.5)"),
    ("y ~ a + b + dose - b", "y ~ a + b + dose - b"),
    ("y ~ log(dose)^2 + dose^3:a", "y ~ I(np.log(dose) ** 2) + I(dose ** 3):a"),
]


def renamed(name):
    name = re.sub(r"I\((.*?) \*\* ([-0-9.]+)\)", r"\1^\2", name)
    return name.replace("np.", "")


def main():
    random = np.random.default_rng(5)
    columns = {
        "a": np.round(random.normal(size=12), 4),
        "b": np.round(random.normal(size=12), 4),
        "dose": np.round(np.exp(random.normal(size=12)), 4),
        "y": np.round(random.uniform(size=12), 4),
    }
    cases = []
    for ours, theirs in FORMULAS:
        matrix = patsy.dmatrices(theirs, columns)[1]
        names = matrix.design_info.column_names
        design = {renamed(name): np.asarray(matrix)[:, j].tolist() for j, name in enumerate(names)}
        intercept = design.pop("Intercept", None) is not None
        cases.append({"formula": ours, "intercept": intercept, "design": design})
    data = {name: column.tolist() for name, column in columns.items()}
    print(json.dumps({"columns": data, "cases": cases}, indent=1))


main()
