"""How long the program takes to end after a signal: a fit of a million rows, ended at random moments.

Prints a line for each solver: the longest and the mean wait, in seconds. See README.md.
"""

import argparse
import json
import random
import signal
import subprocess
import tempfile
import time
from pathlib import Path

SOLVERS = ["auto", "gd", "svrg", "adam", "lbfgs", "newton", "newton-cg", "lm", "multistart"]


def start(program, folder, solver):
    words = ["fit", "data.csv", "--target", "y", "--solver", solver, "--format", "json", "--trace", "trace.csv", "--force"]
    return subprocess.Popen([program, *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def wait_for_fit(process, folder):
    """The draft of the trace is there from the moment that reading is over; before, it is only tried out."""
    time.sleep(0.5)
    while process.poll() is None and not list(folder.glob(".agglio*")):
        time.sleep(0.005)


def interrupt(program, folder, solver, delay, which):
    """Seconds from the signal to the end."""
    process = start(program, folder, solver)
    wait_for_fit(process, folder)
    time.sleep(delay)
    sent = time.monotonic()
    process.send_signal(which)
    printed, _ = process.communicate()
    waited = time.monotonic() - sent
    if process.returncode in (0, 3):
        return None  # it was over before
    assert process.returncode == 128 + which, process.returncode
    assert json.loads(printed)["status"] == "interrupted"
    return waited


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = Path(__file__).resolve().parent.parent
    parser.add_argument("--agglio", default=root / "target/release/agglio", type=Path)
    parser.add_argument("--rows", default=1_000_000, type=int)
    parser.add_argument("--features", default=50, type=int)
    parser.add_argument("--times", default=5, type=int)
    args = parser.parse_args()
    draw = random.Random(0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shape = ["--rows", str(args.rows), "--features", str(args.features)]
        made = ["simulate", *shape, "--activation", "sigmoid", "--noise", "post:0.05", "-o", "data.csv"]
        subprocess.run([args.agglio.resolve(), *made], cwd=folder, check=True)
        for solver in SOLVERS:
            signals = [signal.SIGINT, signal.SIGTERM] * args.times
            waits = [interrupt(args.agglio.resolve(), folder, solver, draw.uniform(0, 1), s) for s in signals[: args.times]]
            waits = [wait for wait in waits if wait is not None]
            mean = sum(waits) / max(len(waits), 1)
            print(f"{solver:11} longest {max(waits, default=0):.2f}  mean {mean:.2f}  of {len(waits)}", flush=True)


if __name__ == "__main__":
    main()
