"""The program that the scripts measure: where it is, and how it is called. Needs nothing but Python itself."""

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def options(about):
    """The parser of the flag that all comparisons have."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--agglio", default=str(ROOT / "target/release/agglio"), type=found, metavar="PROGRAM",
                        help="the program to measure (default: target/release/agglio)")
    return parser


def found(program):
    """Where the program is, or an end with a word on how to get it."""
    path = shutil.which(program)
    if path is None:
        stop(f"{program} is not there: run `cargo build --release`, or give the path with --agglio")
    return path


def stop(sentence):
    """An end for a reason that the user can mend: one sentence and exit code 2."""
    print(sentence, file=sys.stderr)
    sys.exit(2)


def command(program, data, *flags):
    """The words that fit a CSV file with labels in column y and print the result as JSON."""
    return [program, "fit", str(data), "--target", "y", "--format", "json", "--quiet", *flags]


def fit(program, data, *flags):
    """The JSON object of `agglio fit`."""
    words = command(program, data, *flags)
    return result(words, subprocess.run(words, capture_output=True, text=True))


def attempt(program, data, *flags):
    """The JSON object of `agglio fit`, or its error where it refuses with exit code 2."""
    words = command(program, data, *flags)
    run = subprocess.run(words, capture_output=True, text=True)
    return run.stderr.strip() if run.returncode == 2 else result(words, run)


def result(words, run):
    """What a run of these words printed, or an end if it failed; 3 is an ordinary end: fitted, not certified."""
    if run.returncode not in (0, 3):
        stop(f"`{' '.join(words)}` failed:\n{run.stderr}")
    return json.loads(run.stdout)
