#!/usr/bin/env python3
"""Golden numbers for the activations, by mpmath: run it here to write the four CSV files beside it.

    activations.csv   name,tau,z,value,graduated,slope,bend,third
                      φ(τz), (φ(τz) − φ(0))/τ, φ′(τz), τφ″(τz) and φ‴(τz) at the doubles tau and z; `value` and
                      `third` serve the tests as they are, without a factor τ
    preimages.csv     name,y,left,right   the solutions of φ(z) = y at the double y; `left` is empty if there is one
    constants.csv     name,what,number    largest slopes; minima and the series that src/activation/{silu,gelu}.rs hold
    shapes.csv        name,function,at,value   the turning points of φ, φ′, φ″ and zφ′(z): every zero of their derivatives
                      between −REACH and REACH at which these change sign, and the function there

The formulas are the naive ones. DIGITS is large enough for what cancels in them (1 − σ(1000) is 1e-434, the rise at
t = 1e-300 another 300 digits) to leave 60 good ones and more. k of the leaky softplus is the double that Rust parses.
"""
import csv
import pathlib

from mpmath import atan, erfc, exp, findroot, lambertw, log, mp, mpf, pi, polyval, sign, sqrt, tan, taylor

DIGITS = 1000
HERE = pathlib.Path(__file__).parent


def sigmoid(t):
    """σ, σ′, σ″, σ‴."""
    s = 1 / (1 + exp(-t))
    d = s * (1 - s)
    return s, d, d * (1 - 2 * s), d * (1 - 6 * s + 6 * s * s)


def normal(t):
    """Φ, Φ′, Φ″, Φ‴."""
    p = exp(-t * t / 2) / sqrt(2 * pi)
    return erfc(-t / sqrt(mpf(2))) / 2, p, -t * p, (t * t - 1) * p


def softplus(t):
    return (log(1 + exp(t)), *sigmoid(t)[:3])


def leaky(k):
    def phi(t):
        a, b = softplus(t), softplus(-k * t)
        return a[0] - b[0], a[1] + k * b[1], a[2] - k**2 * b[2], a[3] + k**3 * b[3]

    return phi


def times(law):
    """t·F(t) and its derivatives."""

    def phi(t):
        f0, f1, f2, f3 = law(t)
        return t * f0, f0 + t * f1, 2 * f1 + t * f2, 3 * f2 + t * f3

    return phi


def tanh(t):
    s0, s1, s2, s3 = sigmoid(2 * t)
    return 2 * s0 - 1, 4 * s1, 8 * s2, 16 * s3


def arctan(t):
    s = 1 / (1 + t * t)
    return atan(t), s, -2 * t * s**2, (6 * t * t - 2) * s**3


def cloglog(t):
    u = exp(t)
    return 1 - exp(-u), u * exp(-u), u * (1 - u) * exp(-u), u * (1 - 3 * u + u * u) * exp(-u)


def gompertz(t):
    """1 − cloglog(−t)."""
    c0, c1, c2, c3 = cloglog(-t)
    return exp(-exp(-t)), c1, -c2, c3


ACTIVATIONS = {
    "sigmoid": sigmoid,
    "softplus": softplus,
    "leaky-softplus:0": leaky(mpf(0)),
    "leaky-softplus:0.2": leaky(mpf(0.2)),
    "leaky-softplus:0.75": leaky(mpf(0.75)),
    "leaky-softplus:1": leaky(mpf(1)),
    "silu": times(sigmoid),
    "gelu": times(normal),
    "tanh": tanh,
    "arctan": arctan,
    "probit": normal,
    "cloglog": cloglog,
    "gompertz": gompertz,
    "exp": lambda t: (exp(t),) * 4,
    "expm1": lambda t: (1 - exp(-t), exp(-t), -exp(-t), exp(-t)),
    "identity": lambda t: (t, mpf(1), mpf(0), mpf(0)),
}

# Where slope or bend is zero, at τ = 1.
ZEROS = {"silu": (-1.2784645427610737, 2.3993572805154675), "gelu": (-0.7517915246935645, 1.4142135623730951)}
ZEROS["leaky-softplus:0.2"] = (4.8121182505960345,)
ZEROS["leaky-softplus:0.75"] = (2.7609968713092545,)

HOT = [1e-300, 1e-12, 1e-8, 1e-5, 1e-3, 0.01, 0.1, 0.3, 0.5, 0.7, 1.0, 1.3, 2.0, 2.4, 3.0, 5.0, 7.0, 10.0, 15.0]
HOT += [20.0, 25.0, 30.0, 36.0, 37.0, 38.0, 39.9, 40.1, 50.0, 100.0, 200.0, 345.6, 500.0, 700.0, 1000.0]
COLD = [1e-6, 1e-2, 0.5, 1.0, 3.0, 10.0, 36.0, 100.0, 333.3, 1000.0]


def both(points):
    return sorted([-p for p in points] + list(points))


def points(name, tau):
    if tau < 1:
        return both(COLD)
    near = [z + h for z in ZEROS.get(name, ()) for h in (-1e-3, -1e-9, 0.0, 2e-16, 1e-12, 1e-6)]
    if name.startswith("leaky"):
        near += [-z for z in near]
    return [0.0] + both(HOT) + near


def graduations():
    for name, phi in ACTIVATIONS.items():
        zero = phi(mpf(0))
        for tau in (0.0, 1e-8, 1e-4, 0.01, 0.3, 1.0):
            for z in points(name, tau):
                value, slope, bend, third = phi(mpf(tau) * mpf(z))
                rise = (value - zero[0]) / mpf(tau) if tau else zero[1] * mpf(z)
                yield name, tau, z, value, rise, slope, mpf(tau) * bend, third


def root(f, slope, lo, hi):
    """The root of an increasing f: halving until Newton's method is sure, then Newton's method."""
    lo, hi = mpf(lo), mpf(hi)
    for _ in range(60):
        middle = (lo + hi) / 2
        lo, hi = (middle, hi) if f(middle) < 0 else (lo, middle)
    z = (lo + hi) / 2
    for _ in range(8):
        z -= f(z) / slope(z)
    return z


def solve(phi, y, lo, hi):
    """φ(z) = y on a monotone branch, in logarithms so that tiny labels are as good as others."""
    sign = 1 if y > 0 else -1
    turn = 1 if phi(mpf(hi))[0] * sign > phi(mpf(lo))[0] * sign else -1
    ratio = lambda z: turn * log(phi(z)[0] / y)
    return root(ratio, lambda z: turn * phi(z)[1] / phi(z)[0], lo, hi)


SPREAD = [1e-300, 1e-100, 1e-20, 1e-8, 1e-3, 0.03, 0.1, 0.2, 0.3, 0.45, 0.49999]
UNIT = SPREAD + [0.5] + [1 - y for y in SPREAD if y > 1e-12] + [1 - 2.0**-53]
HALF_LINE = SPREAD + [0.6931471805599453, 0.7, 1.0, 2.0, 5.0, 20.0, 39.9, 40.1, 300.0, 1e10, 1e100, 1e308]


def inside(low):
    """Labels between a minimum `low` and zero, thick near both ends."""
    near = [float(low + mpf(d)) for d in (3e-17, 1e-16, 1e-15, 1e-13, 1e-10, 1e-7, 1e-5, 9e-5, 1.1e-4, 1e-3, 0.02)]
    return sorted({y for y in near if y > low} | {-1e-300, -1e-200, -1e-50, -1e-16, -1e-5, -0.01, -0.05, -0.09, -0.14})


def inverses():
    for y in UNIT:
        exact = mpf(y)
        yield "sigmoid", y, None, log(exact / (1 - exact))
        yield "cloglog", y, None, log(-log(1 - exact))
        yield "gompertz", y, None, -log(-log(exact))
        if y == 0.5:
            yield "probit", y, None, mpf(0)
        elif y < 0.5:
            yield "probit", y, None, solve(normal, exact, -40, 0)
        else:
            yield "probit", y, None, -solve(normal, 1 - exact, -40, 0)
    for y in both(UNIT):
        yield "tanh", y, None, log((1 + mpf(y)) / (1 - mpf(y))) / 2
    for y in both(UNIT + [1.2, 1.5, 1.57, 1.5707963, 1.5707963267948963]):
        yield "arctan", y, None, tan(mpf(y))
    for y in UNIT + [-y for y in HALF_LINE]:
        yield "expm1", y, None, -log(1 - mpf(y))
    for y in HALF_LINE:
        exact = mpf(y)
        yield "softplus", y, None, (log(exp(exact) - 1) if y < 1e4 else exact)
        yield "exp", y, None, log(exact)
    for y in both(HALF_LINE):
        yield "leaky-softplus:1", y, None, mpf(y)
        yield "identity", y, None, mpf(y)
        if y > -0.693:
            yield "leaky-softplus:0", y, None, (log(2 * exp(mpf(y)) - 1) if y < 1e4 else mpf(y) + log(mpf(2)))
        for k in ("0.2", "0.75"):
            phi, exact = leaky(mpf(float(k))), mpf(y)
            if abs(y) > 1e4:
                yield f"leaky-softplus:{k}", y, None, (exact if y > 0 else exact / mpf(float(k)))
            else:
                lo, hi = (exact / 2, 3 * exact) if y > 0 else (7 * exact, exact / 3)
                yield f"leaky-softplus:{k}", y, None, solve(phi, exact, lo, hi)
    silu, gelu = ACTIVATIONS["silu"], ACTIVATIONS["gelu"]
    for y in HALF_LINE:
        exact = mpf(y)
        yield "silu", y, None, (exact + lambertw(exact * exp(-exact)).real if y < 1e4 else exact)
        yield "gelu", y, None, (solve(gelu, exact, exact, exact * 3) if y < 40 else exact)
    for y in inside(silu(minimum("silu"))[0]):
        w = mpf(y) * exp(-mpf(y))
        yield "silu", y, mpf(y) + lambertw(w, -1).real, mpf(y) + lambertw(w, 0).real
    at = minimum("gelu")
    for y in inside(gelu(at)[0]):
        yield "gelu", y, solve(gelu, mpf(y), -40, at), solve(gelu, mpf(y), max(at, mpf(y) * 4.5), mpf(y) * 1.5)


def minimum(name):
    return findroot(lambda z: ACTIVATIONS[name](z)[1], ZEROS[name][0])


def constants():
    for name in ("silu", "gelu"):
        phi, at = ACTIVATIONS[name], minimum(name)
        low = phi(at)[0]
        yield name, "minimum at", at
        yield name, "minimum", low
        yield name, "minimum less its double", low - mpf(float(low))
        yield name, "largest slope", phi(findroot(lambda z: phi(z)[2], ZEROS[name][1]))[1]
        for n, c in enumerate(reverted(lambda z: phi(z)[0], at), 1):
            yield name, f"series {n}", c
    for k in (1e-12, 1e-3, 0.1, 0.2, 0.5, 0.75, 0.9, 0.999):
        phi = leaky(mpf(k))
        top = root(lambda t: -phi(t)[2], lambda t: -phi(t)[3], 1, 2 * (log(mpf(2)) - log(mpf(k))) / (1 - mpf(k)))
        yield f"leaky-softplus:{k!r}", "largest slope", phi(top)[1]
    yield "probit", "largest slope", 1 / sqrt(2 * pi)
    yield "cloglog", "largest slope", exp(-1)
    yield "gompertz", "largest slope", exp(-1)


# Turning points are looked for up to here, between points of a grid that misses the round numbers where some are.
REACH, STEP, SHIFT = 128, mpf(1) / 8, mpf(1) / 67
# zφ′ of the leaky softplus turns twice up to k = 0.1488, and never beyond.
LEAKS = (1e-12, 1e-3, 0.05, 0.1, 0.14, 0.148, 0.149, 0.5, 0.9, 0.999, 1 - 1e-9)


def changes(f):
    """The zeros of f at which its sign changes."""
    last = None
    for k in range(int(2 * REACH / STEP)):
        z = k * STEP + SHIFT - REACH
        now = sign(f(z))
        if last and now != last:
            at = findroot(f, (z - STEP, z), solver="anderson", tol=mpf(10) ** -500, maxsteps=200, verify=False)
            yield at if abs(at) > 1e-50 else mpf(0)
        last = now


def turns():
    shaped = {f"leaky-softplus:{k!r}": leaky(mpf(k)) for k in LEAKS} | ACTIVATIONS
    # at k = 1 nothing but rounding errors changes sign
    del shaped["leaky-softplus:1"]
    for name, phi in shaped.items():
        for n, function in enumerate(("value", "derivative", "second derivative")):
            for at in changes(lambda z: phi(z)[n + 1]):
                yield name, function, at, phi(at)[n]
        for at in changes(lambda z: phi(z)[1] + z * phi(z)[2]):
            yield name, "radial derivative", at, at * phi(at)[1]


def reverted(f, at, terms=7):
    """z − at as a series in s = √(f(z) − f(at)), by Lagrange: c_n = [h^{n−1}] (h/s(h))ⁿ / n."""
    tail = taylor(f, at, terms + 2)[2:]
    ratio = lambda h: polyval(tail[::-1], h)
    for n in range(1, terms + 1):
        yield taylor(lambda h: ratio(h) ** (-mpf(n) / 2), 0, n - 1)[n - 1] / n


def shown(cell):
    return cell if isinstance(cell, str) else "" if cell is None else repr(float(cell))


def write(file, header, rows):
    with open(HERE / file, "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(header.split(","))
        writer.writerows([shown(cell) for cell in row] for row in rows)


if __name__ == "__main__":
    mp.dps = DIGITS
    write("activations.csv", "name,tau,z,value,graduated,slope,bend,third", graduations())
    mp.dps = 400
    write("preimages.csv", "name,y,left,right", inverses())
    mp.dps = 120
    write("constants.csv", "name,what,number", constants())
    mp.dps = 300
    write("shapes.csv", "name,function,at,value", turns())
