"""Runs the blocks of R and Python of docs/coming-from.md in docs/data, and prints their output.

    python3 docs/examples/coming_from.py

It needs R (with its package MASS), numpy, scipy, pandas and statsmodels. Blocks that use drc are left out. A block that
fails ends it.
"""

import re
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent
INTERPRETERS = {"r": ["Rscript", "-"], "python": [sys.executable, "-"]}


def main():
    page = (DOCS / "coming-from.md").read_text(encoding="utf-8")
    for language, code in re.findall(r"^```(r|python)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        if "library(drc)" in code:
            print("left out: a block that uses drc", end="\n\n")
            continue
        run = subprocess.run(INTERPRETERS[language], input=code, cwd=DOCS / "data", capture_output=True, text=True)
        if run.returncode != 0:
            raise SystemExit(f"{code}\n{run.stderr}")
        print(run.stdout)


if __name__ == "__main__":
    main()
