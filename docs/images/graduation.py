"""Draws graduation.svg: one small least-squares problem at temperature 1, and the way round its local minima.

    pip install numpy matplotlib
    python graduation.py            writes graduation.svg beside this file, prints what the picture shows
    python graduation.py --tally    also counts how often both methods succeed on 1000 draws (minutes)

The problem has one parameter w, the midpoint of a steep response curve seen through heavy noise:

    y_i ≈ φ(z_i),   z_i = 4(u_i − w),   φ(z) = 1/(1 + e^(−z)),   i = 1 … 14

In the terms of agglio that is one feature with the constant value −4 and an offset of 4u_i. The data are drawn
below, with a seed picked for a landscape in which plain descent goes wrong in plain sight; the tally over other
draws is there so that one picture is not taken for a rate.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np

SEED = 5824
STEEPNESS, MIDPOINT, NOISE, ROWS = 4.0, 6.0, 0.3, 14
START, TAU0, BETA, STEPS = 0.0, 0.01, 1.05, 3000
DRAWS = 1000
WINDOW = np.linspace(-2.0, 12.0, 1401)

INK, FAINT, CURVE, PLAIN, GRADUATED = "#24292f", "#6e7781", "#0969da", "#bc4c00", "#1a7f37"


def rise(t):
    """φ(t) − φ(0) of the sigmoid, without cancellation."""
    return np.tanh(t / 2) / 2


def slope(t):
    """φ′(t)."""
    return 0.25 / np.cosh(np.clip(t / 2, -300, 300)) ** 2


@dataclass
class Problem:
    """Rows z = offset + x·w with labels y, and the preimages of the clipped labels."""

    x: np.ndarray
    offset: np.ndarray
    y: np.ndarray
    clip: float = 0.01

    @classmethod
    def draw(cls, seed, clip=0.01):
        random = np.random.default_rng(seed)
        u = np.sort(np.round(random.uniform(0, 10, ROWS), 2))
        response = 0.5 + rise(STEEPNESS * (u - MIDPOINT))
        y = np.round(response + NOISE * random.standard_normal(ROWS), 2)
        return cls(np.full(ROWS, -STEEPNESS), STEEPNESS * u, y, clip)

    def residuals(self, w, tau):
        """φ̂_τ(z) − [φ̂_τ(φ⁻¹(c)) + τ(y − c)] with c the clipped label: φ(z) − y at τ = 1."""
        c = np.clip(self.y, self.clip, 1 - self.clip)
        z = np.multiply.outer(w, self.x) + self.offset
        preimage = np.log(c / (1 - c))
        return (rise(tau * z) - rise(tau * preimage)) / tau - tau * (self.y - c)

    def loss(self, w, tau):
        return (self.residuals(w, tau) ** 2).mean(-1)

    def gradient(self, w, tau):
        z = w * self.x + self.offset
        return (2 * self.residuals(w, tau) * slope(tau * z) * self.x).mean()

    def descend(self, tau0, start=START):
        """Gradient descent with the step 1/Λ, one step a temperature: rows (τ, w)."""
        step = 1 / (2 * 0.25**2 * (self.x**2).mean())
        path, w, tau = [], start, tau0
        for _ in range(STEPS):
            path.append((tau, w))
            move = step * self.gradient(w, tau)
            if tau == 1 and abs(move) < 1e-10:
                break
            w, tau = w - move, min(1.0, BETA * tau)
        return np.array([*path, (tau, w)])

    def best(self):
        """The global minimiser at τ = 1: the best point of a fine grid, which then slides to the bottom."""
        grid = np.linspace(-2, 12, 14001)
        return self.descend(1.0, grid[self.loss(grid, 1.0).argmin()])[-1, 1]


def tally(draws):
    """How many of the first draws plain and graduated descent bring to the global minimum."""
    count = {"plain": 0, "graduated": 0}
    for seed in range(draws):
        problem = Problem.draw(seed)
        floor = problem.loss(problem.best(), 1.0)
        for name, tau0 in [("plain", 1.0), ("graduated", TAU0)]:
            count[name] += int(problem.loss(problem.descend(tau0)[-1, 1], 1.0) <= floor + 1e-6)
    return count


def draw_plain(axes, problem, path, best):
    on_curve = lambda w: (w, problem.loss(w, 1.0))
    w = path[:, 1]
    axes.plot(*on_curve(WINDOW), color=CURVE, lw=2)
    axes.plot(*on_curve(w), "o-", color=PLAIN, ms=3, lw=1.2, markevery=[0, *range(4, len(w), 4)])
    axes.plot(*on_curve(w[-1]), "o", color=PLAIN, ms=8, zorder=4)
    axes.plot(*on_curve(best), "*", color=GRADUATED, ms=14, mec="white", zorder=4)
    note(axes, "start", on_curve(w[0]), (0.7, 0.455), PLAIN)
    note(axes, "stuck in a local\nminimum", on_curve(w[-1]), (-1.6, 0.29), PLAIN)
    note(axes, "global minimum", on_curve(best), (7.5, 0.18), GRADUATED)
    axes.text(-1.6, 0.152, "y ≈ σ(4(u − w)), 14 noisy rows", color=FAINT, fontsize=8)
    axes.set_ylabel("mean squared error", color=INK)
    axes.set_ylim(0.14, 0.48)
    title(axes, "Plain descent: the loss itself, τ = 1")


def height(tau):
    """Where the curve of a temperature stands in the right panel: even in log τ, 0 at τ = .01, 4 at τ = 1."""
    return 2 * np.log10(tau / TAU0)


def lifted(problem, w, tau, floor):
    """The loss at τ, shifted to its lowest point and scaled to its highest one in the window, on its shelf."""
    span = problem.loss(WINDOW, tau)
    return height(tau) + 0.92 * (problem.loss(w, tau) - floor(tau)) / (span.max() - floor(tau))


def draw_graduated(axes, problem, path):
    floor = lambda tau: problem.loss(WINDOW, tau).min()
    shelves = [0.01, 10**-1.5, 0.1, 10**-0.5, 1.0]
    for tau, shade in zip(shelves, [0.35, 0.45, 0.6, 0.75, 1.0]):
        axes.plot(WINDOW, lifted(problem, WINDOW, tau, floor), color=CURVE, alpha=shade, lw=2 if tau == 1 else 1.5)
        axes.axhline(height(tau), color=FAINT, lw=0.4, alpha=0.5)
    at = np.array([lifted(problem, w, tau, floor) for tau, w in path])
    axes.plot(path[:, 1], at, "o-", color=GRADUATED, ms=3, lw=1.2, markevery=[0, *range(1, len(at), 4)])
    axes.plot(path[-1, 1], at[-1], "*", color=GRADUATED, ms=14, mec="white", zorder=4)
    note(axes, "same start", (path[0, 1], at[0]), (-1.6, -0.3), GRADUATED)
    note(axes, "nearly a parabola:\none step gets close", (path[1, 1], at[1]), (7.0, -0.38), GRADUATED)
    note(axes, "the minimum is\nfollowed as τ rises", (path[60, 1], at[60]), (1.35, 2.72), GRADUATED)
    note(axes, "global minimum", (path[-1, 1], at[-1]), (7.5, 4.13), GRADUATED)
    axes.set_yticks([height(tau) for tau in shelves], [f"τ = {tau:.2g}" for tau in shelves])
    axes.set_ylim(-0.7, 5.05)
    axes.set_ylabel("loss at τ, each to its own scale", color=INK)
    title(axes, "Graduated descent: τ rises from 0.01 to 1")


def title(axes, text):
    axes.set_title(text, loc="left", fontsize=10, color=INK)


def note(axes, text, point, place, colour):
    arrow = dict(arrowstyle="-", color=colour, lw=0.8, shrinkA=1, shrinkB=4)
    axes.annotate(text, point, place, color=colour, fontsize=8.5, arrowprops=arrow, va="center", ha="left")


def dress(axes):
    axes.set_xlim(-2, 12)
    axes.set_xlabel("w", color=INK)
    axes.tick_params(colors=INK, labelsize=8, length=3)
    for side in ["top", "right"]:
        axes.spines[side].set_visible(False)
    for side in ["left", "bottom"]:
        axes.spines[side].set_color(FAINT)


def main():
    problem = Problem.draw(SEED)
    best, plain, graduated = problem.best(), problem.descend(1.0), problem.descend(TAU0)
    for clip in [0.1, 0.01, 0.001, 1e-6]:
        end = Problem.draw(SEED, clip).descend(TAU0)[-1, 1]
        assert abs(end - best) < 1e-6, f"with labels clipped at {clip} graduation ends at {end}, not at {best}"
    plt.rcParams.update({"svg.fonttype": "path", "svg.hashsalt": "graduation", "font.family": "DejaVu Sans"})
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.4, 4.2), facecolor="white", layout="constrained")
    draw_plain(left, problem, plain, best)
    draw_graduated(right, problem, graduated)
    dress(left)
    dress(right)
    figure.savefig(Path(__file__).with_suffix(".svg"), metadata={"Date": None, "Creator": None})
    for name, path in [("plain", plain), ("graduated", graduated)]:
        print(f"{name:9} from w = {START:g} ends at w = {path[-1, 1]:.4f}, loss {problem.loss(path[-1, 1], 1.0):.4f}")
    print(f"global minimum          at w = {best:.4f}, loss {problem.loss(best, 1.0):.4f}")
    if "--tally" in sys.argv:
        print(f"global minimum reached in the first {DRAWS} draws:", tally(DRAWS))


if __name__ == "__main__":
    main()
