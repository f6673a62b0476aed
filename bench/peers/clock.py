"""The clock: how long systems take, by turns, so that what else the machine does falls on all of them alike."""

import time
from statistics import median

from threadpoolctl import ThreadpoolController


def timed(work):
    """Seconds, and what the work returned."""
    began = time.perf_counter()
    returned = work()
    return time.perf_counter() - began, returned


def medians(systems, runs):
    """For each name the median of the seconds, and the last of what was returned, of calls that give both.

    A pause before each lets the idle threads of the one before fall asleep.
    """
    seconds, returned = {name: [] for name in systems}, {}
    for _ in range(runs):
        for name, measure in systems.items():
            time.sleep(0.1)
            taken, returned[name] = measure()
            seconds[name].append(taken)
    return {name: (median(seconds[name]), returned[name]) for name in systems}


def single(measure):
    """The same with one thread for linear algebra."""
    controller = ThreadpoolController()

    def with_one():
        with controller.limit(limits=1):
            return measure()

    return with_one


def format_ratio(ratio):
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}"
