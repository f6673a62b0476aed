"""Task `fits`: the same problems fitted by ours and by the peers, with the loss that each ends at.

A system reaches the optimum if its loss is within 1e-9, relatively, of the lowest in the table. Without noise the
lowest is zero, and losses are those of rounding; there a system reaches it if its ‖w − w*‖ is within 1e-8 of ours.
"""

import sys
import warnings

import numpy as np

import clock
import comparison
import problem
import program
from peer import PEERS

SIZES = [(1_000, 50), (100_000, 50), (1_000_000, 50), (20_000, 500)]
LARGEST_OF_OTHERS = 100_000
HEAD = ["system".ljust(17), "seconds  ", "times ours", "loss       ", "excess ", "error  ", "reached"]


def run(setting):
    """The records of all tables."""
    return [contest(setting, *kind) for kind in kinds(setting.largest)]


def kinds(largest):
    """Size, activation and noise of each problem."""
    for name in ("sigmoid", "softplus", "silu"):
        most = largest if name == "sigmoid" else min(largest, LARGEST_OF_OTHERS)
        for noise in (0, problem.NOISE):
            yield from ((n, d, name, noise) for n, d in SIZES if n <= most)


def contest(setting, *kind):
    """One table, as a record too."""
    task = problem.drawn(*kind, setting.start)
    print(f"\n### {task.title}\n", flush=True)
    contenders = [peer for peer in PEERS if peer.takes(task)]
    systems = judged(task, measured(setting, task, [peer for peer in contenders if peer.bears(task)]))
    left_out = [peer.name for peer in contenders if not peer.bears(task)]
    comparison.table(HEAD, map(row, systems))
    print("\n" + summary(systems, left_out), flush=True)
    return {"activation": task.activation, "noise": task.noise, "rows": len(task.y), "features": len(task.truth),
            "start": setting.start, "runs": runs(task), "systems": systems, "left_out": left_out}


def measured(setting, task, peers):
    """Name, seconds, coefficients and the number of threads of each system, ours first."""
    data = setting.folder / "fits.csv"
    problem.save(data, task)
    calls = {("agglio", "all"): lambda: ours(setting.program, data, task)}
    for peer in peers:
        fit = peer.prepare(task)
        calls[peer.name, "all"] = lambda peer=peer, fit=fit: clock.timed(lambda: attempt(peer, fit, task))
        if is_small(task):
            calls[peer.name, "one"] = clock.single(calls[peer.name, "all"])
    times = clock.medians(calls, runs(task))
    fastest = {name: min((times[key][0], key) for key in times if key[0] == name)[1] for name, _ in times}
    return [(name, *times[key], key[1]) for name, key in fastest.items()]


def runs(task):
    return 1 if task.X.size >= 1e7 else 3 if task.X.size > 1e6 else 7


def is_small(task):
    """Whether threads may cost a peer more than they bring; it is then timed with one too, and the faster counts."""
    return task.X.size <= 1e6


def ours(path, data, task):
    fit = program.fit(path, data, "--no-intercept", "--activation", task.activation)
    return fit["seconds"], np.array(list(fit["coefficients"].values()))


def attempt(peer, fit, task):
    """What the peer fitted, or NaN if it gave up with an error, which is no reason for the others to stop."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return fit()
    except Exception as reason:
        print(f"{peer.name}: {reason}", file=sys.stderr)
        return np.full_like(task.truth, np.nan)


def judged(task, systems):
    """The record of each system."""
    losses, errors = zip(*((task.loss(w), task.error(w)) for _, _, w, _ in systems))
    lowest = np.nanmin(losses)
    reached = np.less_equal(losses, lowest * (1 + 1e-9)) if task.noise else np.less_equal(errors, errors[0] + 1e-8)
    excess = [loss / lowest - 1 if task.noise else None for loss in losses]
    return [{"system": name, "seconds": seconds, "times_ours": seconds / systems[0][1], "threads": threads,
             "loss": loss, "excess": above, "error": error, "reached": bool(is_there)}
            for (name, seconds, _, threads), loss, above, error, is_there
            in zip(systems, losses, excess, errors, reached)]


def row(system):
    """A line of the table; without noise there is no excess, since the lowest loss is rounding."""
    excess = "" if system["excess"] is None else f"{system['excess']:.1e}"
    name = system["system"] + (" ¹" if system["threads"] == "one" else "")
    return (name.ljust(len(HEAD[0])), f"{system['seconds']:.5f}", clock.format_ratio(system["times_ours"]),
            f"{system['loss']:.5e}", excess, f"{system['error']:.1e}", "yes" if system["reached"] else "no")


def summary(systems, left_out):
    """The fastest peer that is right, and what else the table needs to be read."""
    right = [system for system in systems[1:] if system["reached"]]
    text = "No peer reaches the optimum."
    if right:
        best = min(right, key=lambda system: system["seconds"])
        text = f"Fastest peer that reaches: {best['system']}, {clock.format_ratio(best['times_ours'])} times ours."
    if any(system["threads"] == "one" for system in systems):
        text += " ¹ With one thread, which was faster."
    return text + (f" Left out, for the memory of their Jacobians: {', '.join(left_out)}." if left_out else "")
