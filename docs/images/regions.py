"""Draws regions.svg: the loss of a problem with two minima, and the regions that the proof of the lower one excluded.

    pip install numpy matplotlib
    python docs/images/regions.py            writes regions.svg beside this file, prints what the picture shows

The data is docs/data/two_minima.csv: twelve rows, y ≈ φ(w₁x₁ + w₂x₂) with the sigmoid, without an intercept. The regions
come from the example `regions` in bench/examples, which this script builds and runs with cargo.
"""

import subprocess
from collections import Counter
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Patch, Polygon, Rectangle

HERE = Path(__file__).resolve().parent
DATA = HERE.parent / "data/two_minima.csv"
EXAMPLE = ["cargo", "run", "--quiet", "--release", "-p", "agglio-bench", "--example", "regions", "sigmoid"]

INK, FAINT = "#24292f", "#6e7781"
# the colours of Okabe and Ito, which do not depend on telling red from green
TESTS = {
    "cut-off": ("#8ecdf0", "(a) the loss is too high everywhere"),
    "monotone": ("#e69f00", "(b) a derivative is nowhere zero"),
    "minorant": ("#41b491", "(d) a quadratic bound is too high"),
    "Newton": ("#cc79a7", "(n) no Newton step stays inside"),
    "convex": ("#f0e442", "(e) convex, and the fit is inside"),
}
WINDOWS = [(-34, 34, -32, 32), (-7, -1, -1.6, 4.13)]
LEVELS = [1.003, 1.01, 1.02, 1.05, 1.1, 1.2, 1.4, 1.7, 2, 3, 4, 6]


class Region:
    """A region in the plane of w₁ and w₂."""

    def __init__(self, line):
        self.ended, stretch, *numbers = line.split(",")
        centre, *axes = np.array(list(map(float, numbers))).reshape(-1, 2)
        if len(axes) == 2:
            a, b = axes
            self.corners = [centre - a - b, centre + a - b, centre + a + b, centre - a + b]
        elif axes:
            # a part of a cone; where it ends at infinity it is drawn far beyond the picture
            far = min(float(stretch), 20)
            self.corners = [centre - axes[0], centre + axes[0], far * (centre + axes[0]), far * (centre - axes[0])]
        self.centre = centre


def regions():
    rows = "".join(f"{line}\n" for line in DATA.read_text().splitlines()[1:])
    run = subprocess.run(EXAMPLE, input=rows, capture_output=True, text=True, check=True, cwd=HERE.parent.parent)
    *found, fit = map(Region, run.stdout.splitlines())
    return found, fit.centre


class Problem:
    """The rows and their loss."""

    def __init__(self):
        table = np.loadtxt(DATA, delimiter=",", skiprows=1)
        self.x, self.y = table[:, :2], table[:, 2]

    def loss(self, w):
        return ((1 / (1 + np.exp(-(w @ self.x.T))) - self.y) ** 2).mean(-1)

    def descend(self, w):
        """The minimum near w, by Newton steps on differences of the loss."""
        steps, h = np.eye(2), 1e-4
        for _ in range(50):
            at = lambda *moves: self.loss(w + h * sum(moves))
            slope = np.array([at(a) - at(-a) for a in steps]) / (2 * h)
            bend = np.array([[at(a, b) - at(a, -b) - at(-a, b) + at(-a, -b) for a in steps] for b in steps])
            w = w - np.linalg.solve(bend / (4 * h * h), slope)
        return w


def draw(axes, window, problem, found, lowest):
    for region in found:
        if region.ended != "open":
            axes.add_patch(Polygon(region.corners, fc=TESTS[region.ended][0], ec="white", lw=0.7))
    grids = np.meshgrid(np.linspace(*window[:2], 500), np.linspace(*window[2:], 500))
    loss = problem.loss(np.stack(grids, -1))
    axes.contour(*grids, loss, levels=[lowest * level for level in LEVELS], colors=INK, linewidths=0.5, alpha=0.75)
    axes.set_xlim(window[:2])
    axes.set_ylim(window[2:])
    axes.set_aspect("equal")
    axes.set_xlabel("w₁", color=INK)
    axes.set_ylabel("w₂", color=INK, rotation=0)
    axes.tick_params(colors=INK, labelsize=8, length=3)
    for side in axes.spines.values():
        side.set_color(FAINT)


def note(axes, text, point, place):
    arrow = dict(arrowstyle="-", color=INK, lw=0.8, shrinkA=0, shrinkB=4)
    box = dict(boxstyle="round,pad=0.25", fc="white", ec="none", alpha=0.85)
    axes.annotate(text, point, place, color=INK, fontsize=9, arrowprops=arrow, bbox=box, va="center", ha="center")


def main():
    problem, (found, fit) = Problem(), regions()
    lowest, other = problem.loss(fit), problem.descend(np.array([-3.2, 0.4]))
    plt.rcParams.update({"svg.fonttype": "path", "svg.hashsalt": "regions", "font.family": "DejaVu Sans"})
    figure, (whole, near) = plt.subplots(1, 2, figsize=(9.4, 5.0), facecolor="white", layout="constrained")
    for axes, window in zip((whole, near), WINDOWS):
        draw(axes, window, problem, found, lowest)
        axes.plot(*fit, "*", color=INK, ms=13, mec="white", zorder=4)
        axes.plot(*other, "o", color=INK, ms=6, mec="white", zorder=4)
    whole.set_title("The first box (dashed), and cones to infinity", loc="left", fontsize=10, color=INK)
    near.set_title("Around both minima", loc="left", fontsize=10, color=INK)
    whole.add_patch(Polygon(found[0].corners, fill=False, ec=INK, lw=1.3, ls=(0, (4, 3)), zorder=3))
    x, right, y, top = WINDOWS[1]
    whole.add_patch(Rectangle((x, y), right - x, top - y, fill=False, ec=INK, lw=1.1, zorder=3))
    note(near, f"the fit, loss {lowest:.5f}:\nnowhere lower", fit, (-2.9, 3.6))
    note(near, f"another minimum,\nloss {problem.loss(other):.5f}", other, (-5.6, -0.9))
    count = Counter(region.ended for region in found)
    boxes = [Patch(fc=colour, label=f"{words} ({count[test]})") for test, (colour, words) in TESTS.items()]
    figure.legend(handles=boxes, loc="outside lower center", ncols=3, fontsize=8.5, frameon=False, labelcolor=INK)
    figure.savefig(Path(__file__).with_suffix(".svg"), metadata={"Date": None, "Creator": None})
    print(f"{len(found)} regions: {dict(count)}")
    print(f"fit {fit}, loss {lowest:.6f}; other minimum {other}, loss {problem.loss(other):.6f}")


if __name__ == "__main__":
    main()
