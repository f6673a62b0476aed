"""Draws performance.svg from the figures of one machine, which stand beside it.

    agglio bench --json > docs/images/bench.json
    python3 bench/peers --json docs/images/peers.json
    pip install matplotlib
    python performance.py           writes performance.svg beside this file

Four panels: the roofline, the share of it by columns, fits beside those of peers, and how the time of a pass grows with
the rows.
"""

import json
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

HERE = Path(__file__).parent
INK, FAINT = "#24292f", "#6e7781"
COLOURS = ["#0969da", "#bc4c00", "#1a7f37", "#8250df", "#bf3989", "#9a6700", "#57606a", "#cf222e"]


def load(name):
    return json.loads((HERE / name).read_text(encoding="utf-8"))


def work(kernel):
    """Operations and bytes of a row. Of a curvature, the products of its lower half."""
    d = kernel["columns"]
    operations = 4 * d if kernel["kernel"] == "gradient" else d * (d + 1) + 6 * d
    return operations, d * (8 if kernel["storage"] == "f64" else 4)


def roofline(axes, kernels):
    """Operations a second by operations a byte, below what the memory and the processor allow."""
    for threads, style in zip(sorted({k["threads"] for k in kernels}), ("--", "-")):
        mine = [k for k in kernels if k["threads"] == threads and k["storage"] == "f64"]
        read = max(8 * k["columns"] * k["rows"] / k["bound_seconds"] for k in mine if k["bound"] == "sum")
        peak = max(k["columns"] * (k["columns"] + 1) * k["rows"] / k["bound_seconds"] for k in mine if k["bound"] == "gemm")
        intensities = [0.2, peak / read, 200]
        axes.plot(intensities, [1e-9 * min(peak, read * i) for i in intensities], style, color=FAINT, linewidth=1)
        for name, marker, colour in (("gradient", "o", COLOURS[0]), ("curvature", "s", COLOURS[1])):
            points = [k for k in mine if k["kernel"] == name]
            x = [work(k)[0] / work(k)[1] for k in points]
            y = [1e-9 * work(k)[0] * k["rows"] / k["seconds"] for k in points]
            label = f"{name}, {threads} thread{'s' if threads > 1 else ''}"
            face = colour if threads > 1 else "white"
            axes.plot(x, y, marker, color=colour, markerfacecolor=face, markersize=5, label=label)
    axes.set(xscale="log", yscale="log", xlabel="operations for each byte read", ylabel="10⁹ operations a second")
    axes.set_title("What memory and processor allow")
    axes.legend(fontsize=7, loc="lower right")


def shares(axes, kernels):
    """Each kernel's share of its bound, by the number of columns."""
    lines = [(name, threads) for name in ("gradient", "curvature") for threads in sorted({k["threads"] for k in kernels})]
    for name, threads in lines:
        mine = [k for k in kernels if (k["kernel"], k["threads"], k["storage"]) == (name, threads, "f64")]
        colour, style = COLOURS[name == "curvature"], "-" if threads > 1 else "--"
        label = f"{name} of {mine[0]['bound']}, {threads} thread{'s' if threads > 1 else ''}"
        axes.plot([k["columns"] for k in mine], [100 * k["fraction"] for k in mine], style, marker="o", markersize=4,
                  color=colour, label=label)
    axes.set(xscale="log", ylim=(0, 105), xlabel="columns", ylabel="% of the bound")
    axes.set_xticks([10, 50, 100, 500], ["10", "50", "100", "500"])
    axes.set_title("Kernels beside their bounds")
    axes.legend(fontsize=7, loc="lower right")


def fits(axes, contests):
    """Seconds of a fit by rows, of every system that reaches the optimum."""
    mine = [c for c in contests if (c["activation"], c["features"]) == ("sigmoid", 50) and c["noise"]]
    names = list(dict.fromkeys(s["system"] for c in mine for s in c["systems"] if s["reached"]))
    for name, colour in zip(names, COLOURS):
        points = [(c["rows"], s["seconds"]) for c in mine for s in c["systems"] if s["system"] == name and s["reached"]]
        axes.plot(*zip(*points), marker="o", markersize=4, color=colour, linewidth=2 if name == "agglio" else 1, label=name)
    axes.set(xscale="log", yscale="log", xlabel="rows", ylabel="seconds of a fit")
    axes.set_title("Sigmoid, noise 0.05, 50 columns")
    axes.legend(fontsize=7, loc="upper left")


def growth(axes, records):
    """Nanoseconds of a pass for each row."""
    axes.plot([r["rows"] for r in records], [1e9 * r["seconds_of_a_pass"] / r["rows"] for r in records], "o-",
              markersize=4, color=COLOURS[0])
    axes.set(xscale="log", xlabel="rows", ylabel="nanoseconds of a pass, each row")
    axes.set_ylim(0, 1.1 * max(axes.lines[0].get_ydata()))
    axes.set_title("Passes of gd, 50 columns")


def main():
    kernels, peers = load("bench.json")["kernels"], load("peers.json")
    plt.rcParams.update({"font.family": "sans-serif", "font.size": 9, "text.color": INK, "axes.edgecolor": FAINT,
                         "axes.titlesize": 10, "svg.hashsalt": "agglio", "legend.frameon": False})
    figure, axes = plt.subplots(2, 2, figsize=(9, 7), layout="constrained")
    roofline(axes[0][0], kernels)
    shares(axes[0][1], kernels)
    fits(axes[1][0], peers["fits"])
    growth(axes[1][1], peers["growth"])
    for panel in axes.flat:
        panel.grid(color="#eaeef2", linewidth=0.8)
        panel.set_axisbelow(True)
    figure.savefig(HERE / "performance.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
