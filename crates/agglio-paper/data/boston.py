"""Makes boston.csv from the wheel of scikit-learn 1.1.3, the last version that has the data (see boston.md).

    pip download --no-deps --only-binary :all: --python-version 3.10 scikit-learn==1.1.3
    python boston.py scikit_learn-1.1.3-*.whl          writes boston.csv beside this file
"""

import csv
import io
import sys
import zipfile
from pathlib import Path


def main():
    with zipfile.ZipFile(sys.argv[1]) as wheel:
        text = wheel.read("sklearn/datasets/data/boston_house_prices.csv").decode("utf-8")
    # the first line counts rows and features
    count, *lines = csv.reader(io.StringIO(text))
    header, *rows = lines
    assert count[:2] == ["506", "13"] and len(rows) == 506, "the file is not the one that this script was written for"
    assert all(len(row) == 14 for row in rows) and header[-1] == "MEDV"
    table = [[name.lower() for name in header], *rows]
    out = Path(__file__).with_suffix(".csv")
    out.write_text("".join(",".join(row) + "\n" for row in table), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
