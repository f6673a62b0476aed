"""The same tasks on agglio and on its peers, in one run, as tables of ratios with the losses that were reached.

See ../README.md. The peers live in a virtual environment under target/, which this makes when it is not there.
"""

import importlib
import json
import math
import signal
import sys
import tempfile
from argparse import ArgumentTypeError
from collections import namedtuple
from contextlib import contextmanager
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))

import environment
import program

TASKS = {
    "fits": "whole fits, ours and the peers'",
    "steps": "one step of AGGLIO-GD, ours and numpy's",
    "reading": "a CSV file, ours and pyarrow's",
    "start": "the whole process of a small fit",
    "growth": "time and memory of ours as rows grow",
}
Setting = namedtuple("Setting", "program largest start folder")


def options():
    parser = program.options(__doc__)
    parser.prog = "bench/peers"
    parser.add_argument("tasks", nargs="*", type=task, default=list(TASKS), metavar="TASK",
                        help="; ".join(f"{name}: {about}" for name, about in TASKS.items()) + " (default: all)")
    parser.add_argument("--largest", type=rows, default=4_000_000, metavar="N",
                        help="most rows of any task, 1000 or more")
    parser.add_argument("--start", choices=["random", "zero"], default="random",
                        help="where peers that need a start begin: 10·N(0, 1)/√d or zero (default: random)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there too")
    parser.add_argument("--force", action="store_true", help="replace FILE if it exists")
    return parser


def task(name):
    if name not in TASKS:
        raise ArgumentTypeError(f"{name} is none of {', '.join(TASKS)}")
    return name


def rows(text):
    """A number of rows, also as 1e6."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not (1000 <= number < math.inf and number == int(number)):
        raise ArgumentTypeError(f"{text} is not a number of rows from 1000 on")
    return int(number)


def check_json(path, force):
    """An end now rather than after hours, if the figures cannot be written."""
    if path and path.is_dir():
        program.stop(f"{path} is a folder; name a file")
    if path and path.exists() and not force:
        program.stop(f"{path} exists: --force replaces it")
    if path and not path.resolve().parent.is_dir():
        program.stop(f"{path} cannot be written: there is no such folder")


@contextmanager
def scratch():
    """A folder that is removed at the end, whatever ends this."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with tempfile.TemporaryDirectory(prefix="agglio-peers-") as folder:
        try:
            yield Path(folder)
        finally:
            for which in (signal.SIGINT, signal.SIGTERM):
                signal.signal(which, signal.SIG_IGN)


def measure(args):
    """Prints the figures of all tasks as they come, and writes those that there are."""
    import machine

    figures = {"machine": machine.described(args.agglio)}
    with scratch() as folder:
        for name in dict.fromkeys(args.tasks):
            figures[name] = perform(name, args, folder)
            if args.json:
                args.json.write_text(json.dumps(finite(figures), indent=2) + "\n")
    print("\n" + machine.sentence(figures["machine"]))


def perform(name, args, folder):
    """The figures of a task, whose files are gone before the next begins."""
    with tempfile.TemporaryDirectory(dir=folder) as own:
        return importlib.import_module(name).run(Setting(args.agglio, args.largest, args.start, Path(own)))


def finite(value):
    """The same with null for what is not finite, which JSON cannot say."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def main():
    args = options().parse_args()
    check_json(args.json, args.force)
    environment.enter()
    measure(args)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
