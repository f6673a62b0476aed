"""Are the ranges of activations right? φ, φ′, φ″ and zφ′(z) over random intervals, against mpmath and extended precision.

The program is `bench/examples/ranges.rs`, which prints the ranges that its turning points and limits give. The script shares
nothing with it:

- Turning points: a scan by mpmath for all changes of sign of a derivative, which it takes from φ alone by differences with
  hundreds of digits.
- Values at the ends and inside: formulas in numpy's longdouble, which has 64 bits here. They are first compared with mpmath,
  again by differences of φ.
- Limits: values far out.

A quarter of the intervals is around a turning point, and some are infinite on one side or on both. An end of a range may be
wrong by MARGIN of the size of f at the t where f is extreme: the largest |f| within distance one, times |t|/100 if this is
more than one, since kt is rounded. φ″ of the leaky softplus is a difference, and its size that of its terms. Numbers below
SMALLEST count as zero.
"""

import argparse
import shutil
import subprocess

import mpmath
import numpy as np
from mpmath import mp, mpf

import comparison
import program

MARGIN, SMALLEST = 1e-14, 1e-300
FUNCTIONS = ("φ", "φ′", "φ″", "zφ′")
INSIDE = 8

# The scan, and the size below which a number may be noise.
DIGITS, REACH, PER_UNIT, NOISE = 100, 128, 8, 1e-75

Long = np.longdouble


def double(x):
    """What a longdouble is as a double: it may be infinite."""
    with np.errstate(over="ignore"):
        return x.astype(float)


def long(x):
    """An mpmath number as a longdouble, or zero if it is too small."""
    return Long(mpmath.nstr(x, 25)) if abs(x) > mpf("1e-4900") else Long(0)


# Each activation twice: φ alone by mpmath, and its value with two derivatives in longdouble.

def logistic(t):
    e = np.exp(-abs(t))
    slope = e / (1 + e) ** 2
    return np.where(t < 0, e, 1) / (1 + e), slope, -np.tanh(t / 2) * slope


def softplus(t):
    return np.maximum(t, 0) + np.log1p(np.exp(-abs(t))), *logistic(t)[:2]


def leaky(k):
    def above_half(t):
        """softplus − ln 2."""
        near = np.log1p(np.expm1(np.minimum(t, 60)) / 2)
        return np.where(t < 60, near, t - np.log(Long(2)))

    def phi(t):
        near, far = logistic(t), logistic(k * t)
        return above_half(t) - above_half(-k * t), near[0] + k * logistic(-k * t)[0], near[1] - k * k * far[1]

    return phi


def tanh(t):
    _, slope, bend = logistic(2 * t)
    return np.tanh(t), 4 * slope, 8 * bend


def arctan(t):
    slope = 1 / (1 + t * t)
    return np.arctan(t), slope, -2 * t * slope**2


def exponential(t):
    return (np.exp(t),) * 3


def saturating(t):
    return -np.expm1(-t), np.exp(-t), -np.exp(-t)


def cloglog(t):
    slope = np.exp(t - np.exp(t))
    return -np.expm1(-np.exp(t)), slope, np.where(slope == 0, 0, -np.expm1(t) * slope)


def gompertz(t):
    _, slope, bend = cloglog(-t)
    return np.exp(-np.exp(-t)), slope, -bend


def identity(t):
    return t, np.ones_like(t), np.zeros_like(t)


class Normal:
    """The normal law: Taylor series of Φ(t)·e^{t²/2} for t ≤ 0 around points of a grid, with coefficients by mpmath."""
    FIRST, PER_UNIT, TERMS = -40, 8, 18

    def __init__(self):
        mp.dps = 60
        centres = [mpf(i) / self.PER_UNIT for i in range(self.FIRST * self.PER_UNIT, 1)]
        self.table = np.array([[long(c) for c in self.series(centre)] for centre in centres])

    def series(self, t):
        """f = Φ·e^{t²/2} solves f′ = tf + 1/√(2π)."""
        c = [mpmath.ncdf(t) * mpmath.exp(t * t / 2)]
        c.append(t * c[0] + 1 / mpmath.sqrt(2 * mpmath.pi))
        for n in range(1, self.TERMS - 1):
            c.append((t * c[n] + c[n - 1]) / (n + 1))
        return c

    def __call__(self, t):
        # beyond the grid all of it is below the smallest double
        x = np.maximum(-abs(t), self.FIRST)
        index = np.rint(x * self.PER_UNIT).astype(int)
        h, rows = x - index / Long(self.PER_UNIT), self.table[index - self.FIRST * self.PER_UNIT]
        bell = np.where(x > self.FIRST, np.exp(-x * x / 2), 0)
        tail = bell * sum(rows[:, n] * h**n for n in range(self.TERMS))
        density = bell / np.sqrt(2 * Long(np.pi) + 2 * Long("1.2246467991473531772e-16"))
        return np.where(t < 0, tail, 1 - tail), density, -np.clip(t, self.FIRST, -self.FIRST) * density


def times(law):
    """t·F(t)."""
    def phi(t):
        f, slope, bend = law(t)
        return t * f, f + t * slope, 2 * slope + t * bend

    return phi


def image(offset, scale, law):
    def phi(t):
        f, slope, bend = law(t)
        return offset + scale * f, scale * slope, scale * bend

    return phi


def sigma(t):
    return 1 / (1 + mpmath.exp(-t))


def ramp(t):
    return mpmath.log1p(mpmath.exp(t))


def activations():
    """By name: φ for mpmath, and φ with derivatives in longdouble."""
    normal = Normal()
    silu = times(logistic)
    yield "sigmoid", sigma, logistic
    yield "softplus", ramp, softplus
    for k in ("0", "1e-12", "0.05", "0.148", "0.2", "0.75", "0.999", "1"):
        yield f"leaky-softplus:{k}", lambda t, k=float(k): ramp(t) - ramp(-k * t), leaky(Long(float(k)))
    yield "silu", lambda t: t * sigma(t), silu
    yield "gelu", lambda t: t * mpmath.ncdf(t), times(normal)
    yield "tanh", mpmath.tanh, tanh
    yield "probit", mpmath.ncdf, normal
    yield "exp", mpmath.exp, exponential
    yield "identity", lambda t: t, identity
    yield "arctan", mpmath.atan, arctan
    yield "cloglog", lambda t: 1 - mpmath.exp(-mpmath.exp(t)), cloglog
    yield "gompertz", lambda t: mpmath.exp(-mpmath.exp(-t)), gompertz
    yield "expm1", lambda t: 1 - mpmath.exp(-t), saturating
    yield "3+-0.5*silu", lambda t: 3 - t * sigma(t) / 2, image(3, -0.5, silu)
    yield "-2+40*gompertz", lambda t: 40 * mpmath.exp(-mpmath.exp(-t)) - 2, image(-2, 40, gompertz)


def derivatives(phi, t, orders):
    return list(mpmath.diffs(phi, t, orders))


def slopes(phi, t):
    """The derivatives of φ, φ′, φ″ and zφ′ at t."""
    _, first, second, third = derivatives(phi, t, 3)
    return first, second, third, first + t * second


def turning_points(phi):
    """The points where each of the four derivatives changes its sign."""
    mp.dps = DIGITS
    found, last = [[], [], [], []], [None] * 4
    # the grid misses round numbers, where some of the points are
    for k in range(-REACH * PER_UNIT, REACH * PER_UNIT):
        t = (k + mpf(3) / 7) / PER_UNIT
        for n, slope in enumerate(slopes(phi, t)):
            if abs(slope) < NOISE:
                continue
            if last[n] and slope * last[n][1] < 0:
                found[n].append(halved(lambda s: slopes(phi, s)[n], last[n], (t, slope)))
            last[n] = (t, slope)
    return found


def halved(f, left, right):
    """The point between two where f changes its sign, to 75 bits."""
    (lo, below), hi = left, right[0]
    while hi - lo > mpf(2) ** -75:
        middle = (lo + hi) / 2
        lo, hi = (middle, hi) if f(middle) * below > 0 else (lo, middle)
    return long((lo + hi) / 2)


def four(law, t):
    """φ, φ′, φ″ and zφ′ at an array."""
    with np.errstate(all="ignore"):
        t = np.asarray(t, Long)
        f, slope, bend = law(t)
        # zφ′ is 0 where φ′ has vanished
        return np.array([f, slope, bend, np.where(slope == 0, 0, t * slope)])


def size(name, law, t):
    """The size of f at t, for its rounding errors."""
    near = np.array([four(law, t + h) for h in (-1, 0, 1)])
    if name.startswith("leaky"):
        first = [four(logistic, t + h)[1] for h in (-1, 0, 1)]
        near[:, 2] = np.maximum(abs(near[:, 2]), first)
    return abs(near).max(axis=0) * np.maximum(1, abs(t) / 100)


def formula_error(name, phi, law, rng):
    """The largest error of the longdouble formulas, relative to the size of f."""
    mp.dps = DIGITS
    t = rng.choice([-1, 1], 300) * 10 ** rng.uniform(-3, 2, 300)
    found, scale = four(law, t), size(name, law, t)
    exact = []
    for one in t:
        f, slope, bend = derivatives(phi, mpf(one), 2)
        exact.append([long(x) for x in (f, slope, bend, mpf(one) * slope)])
    exact = np.array(exact).T
    seen = abs(exact) > NOISE
    return (abs(found - exact) / np.where(seen, scale, 1))[seen].max()


def limits(law):
    """Values so far out that they are limits, or infinite as doubles."""
    far = four(law, np.array([Long("-1e400"), Long("1e400")]))
    assert not np.isnan(far).any(), far
    # 1/t and the like are zero
    return double(np.where(abs(far) < SMALLEST, 0, far))


def draw(rng, count, turns):
    """Random intervals: from, to."""
    width = 10 ** rng.uniform(-6, 3, count)
    start = rng.choice([-1, 1], count) * 10 ** rng.uniform(-3, 3, count)
    points = np.concatenate(turns).astype(float)
    if len(points):
        around = rng.random(count) < 0.25
        start = np.where(around, rng.choice(points, count) - rng.random(count) * width, start)
    end = start + width
    kind = rng.random(count)
    return np.where(kind < 0.1, -np.inf, start), np.where((kind > 0.05) & (kind < 0.15), np.inf, end)


def points_inside(rng, start, end):
    """Random points of each interval; a third near its start, and a third near its end."""
    size = (INSIDE, len(start))
    with np.errstate(invalid="ignore"):
        even = start + rng.random(size) * (end - start)
        near = 10 ** rng.uniform(-6, 3, size)
        kind = rng.integers(3, size=size)
        t = np.where(kind == 0, even, np.where(kind == 1, start + near, end - near))
        # intervals that are infinite on both sides
        t = np.where(np.isfinite(t), t, rng.choice([-1, 1], size) * near)
        return np.clip(t, start, end)


def true_ranges(name, law, turns, start, end):
    """The range of each function over each interval, the size of f at each of its ends, and whether these are at turning
    points."""
    edges, edge_sizes = [], []
    for side, limit in zip((start, end), limits(law).T):
        finite = np.isfinite(side)
        t = np.where(finite, side, 0)
        edges.append(np.where(finite, four(law, t), limit[:, None]))
        edge_sizes.append(np.where(finite, size(name, law, t), abs(limit)[:, None]))
    ranges, sizes, turned = [], [], []
    for n in range(4):
        # a turning point outside the interval counts for nothing
        inside = [np.where((start < at) & (at < end), four(law, np.array([at]))[n], np.nan) for at in turns[n]]
        near = [np.full(len(start), size(name, law, np.array([at]))[n, 0]) for at in turns[n]]
        values = np.array([edge[n] for edge in edges] + inside)
        which = np.array([np.nanargmin(values, axis=0), np.nanargmax(values, axis=0)])
        ranges.append(np.take_along_axis(values, which, axis=0))
        sizes.append(np.take_along_axis(np.array([edge[n] for edge in edge_sizes] + near), which, axis=0))
        turned.append(which > 1)
    return np.array(ranges), np.array(sizes), np.array(turned)


def printed(path, name, start, end):
    """The ranges that the program prints, in the form of `true_ranges`."""
    lines = "".join(f"{name} {a!r} {b!r}\n" for a, b in zip(start.tolist(), end.tolist()))
    run = subprocess.run([path], input=lines, capture_output=True, text=True)
    if run.returncode:
        program.stop(f"`{path}` failed on {name}: {run.stderr}")
    return np.array(run.stdout.split(), float).reshape(len(start), 4, 2).transpose(1, 2, 0)


def check(path, name, phi, law, count, rng):
    """A row of the table."""
    turns = turning_points(phi)
    formulas = formula_error(name, phi, law, rng)
    start, end = draw(rng, count, turns)
    true, sizes, turned = true_ranges(name, law, turns, start, end)
    found = printed(path, name, start, end)
    # how much lower the lower end is than it should be, and how much higher the upper one
    with np.errstate(invalid="ignore"):
        excess = np.where(found == double(true), 0, (found - true) * np.array([-1, 1])[:, None])
    excess = np.where(abs(excess) < SMALLEST, 0, excess)
    # where f is infinite as a double, so is its size
    error = double(excess / np.where(excess == 0, 1, sizes))
    assert np.isfinite(error).all(), name
    values = double(four(law, points_inside(rng, start, end).ravel())).reshape(4, INSIDE, count)
    slack = np.where(np.isfinite(found), MARGIN * double(sizes), 0) + SMALLEST
    lo, hi = ((found + slack * np.array([-1, 1])[:, None])[:, k, None] for k in (0, 1))
    outside = ~((lo <= values) & (values <= hi))
    narrow, wide = (error < -MARGIN).sum(), (error > MARGIN).sum()
    return (name, " ".join(str(len(points)) for points in turns), f"{100 * turned.mean():.0f} %", narrow, wide, outside.sum(),
            f"{abs(error).max():.1e}", f"{formulas:.0e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = program.ROOT / "target/release/examples/ranges"
    parser.add_argument("--ranges", default=str(default), metavar="PROGRAM", help="default: target/release/examples/ranges")
    parser.add_argument("--intervals", type=int, default=100_000, metavar="N", help="for each activation (default: 100000)")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    if shutil.which(args.ranges) is None:
        program.stop(f"{args.ranges} is not there: run `cargo build --release -p agglio-bench --example ranges`")
    if np.finfo(Long).eps > 2e-19:
        program.stop("numpy's longdouble is not longer than a double here")
    rng = np.random.default_rng(args.seed)
    rows = (check(args.ranges, name, phi, law, args.intervals, rng) for name, phi, law in activations())
    head = ["activation          ", "turning points", "there", "too narrow", "too wide", "outside", "largest error", "formulas"]
    comparison.table(head, rows)
    print(f"\nmpmath {mpmath.__version__}, numpy {np.__version__}")


if __name__ == "__main__":
    main()
