"""How often does `--noise auto` take noise to be before the activation, where it is and where it is not?

Shares that are beta distributed, counted or clipped have no such noise, whatever their mean; labels φ(xᵀw + b + ε) have.
Each line of the tables counts random sets of 500 to 2000 rows: one to eight covariates, of three designs, with weak and
strong effects and several intercepts.
"""

import numpy as np
from scipy import special

import comparison

MEANS = {"sigmoid": special.expit, "probit": special.ndtr, "cloglog": lambda z: -np.expm1(-np.exp(np.minimum(z, 3)))}
CURVES = {
    "sigmoid": special.expit,
    "softplus": lambda z: np.logaddexp(0, z),
    "exp": np.exp,
    "leaky-softplus": lambda z: np.logaddexp(0, z) - np.logaddexp(0, -0.2 * z),
    "silu": lambda z: z * special.expit(z),
}
PRECISIONS, TRIALS, SPREADS, DEVIATIONS = (2, 5, 20, 80, 300), (5, 20, 100, 500), (0.03, 0.1, 0.25), (0.1, 0.3, 0.5, 1)
ROWS, FEATURES, NORMS, INTERCEPTS = (500, 1000, 2000), (1, 3, 8), (0.3, 0.7, 1.5, 3), (0, -1, 1.5, -2.5)


def beta(random, mean, precision):
    """Beta distributed shares, which rounding may put at 0 or 1, and nothing else."""
    return random.beta(mean * precision, (1 - mean) * precision).clip(1e-12, 1 - 1e-12)


def binomial(random, mean, trials):
    """Counted shares, moved off 0 and 1 in one of the two usual ways."""
    count, n = random.binomial(trials, mean), len(mean)
    return (count + 0.5) / (trials + 1) if random.random() < 0.5 else (count / trials * (n - 1) + 0.5) / n


def clipped(random, mean, spread):
    """Shares with noise after the mean, clipped to just inside (0, 1)."""
    edge = random.choice([0.01, 1e-3, 1e-4])
    return (mean + spread * random.standard_normal(len(mean))).clip(edge, 1 - edge)


def design(random):
    """Covariates and the predictor xᵀw + b."""
    n, d = random.choice(ROWS), random.choice(FEATURES)
    X = [random.standard_normal, lambda size: random.uniform(-1.7, 1.7, size)][random.integers(2)]((n, d))
    if random.random() < 1 / 3:
        X[:, 0] = random.random(n) < 0.5
    w = random.standard_normal(d)
    return X, X @ w * (random.choice(NORMS) / np.linalg.norm(w)) + random.choice(INTERCEPTS)


def share(kind, setting, seed):
    """A set of shares without noise before any activation."""
    random = np.random.default_rng([seed, setting_key(setting)])
    X, z = design(random)
    mean = MEANS[random.choice(list(MEANS))](z).clip(1e-6, 1 - 1e-6)
    return X, kind(random, mean, setting)


def before(curve, deviation, seed):
    """A set with noise before the activation."""
    random = np.random.default_rng([seed, setting_key(deviation)])
    X, z = design(random)
    return X, CURVES[curve](z + deviation * random.standard_normal(len(z)))


def setting_key(setting):
    return round(1000 * setting)


def taken(args, activation, draw):
    """How many sets of those that are drawn are taken to have noise before this activation."""
    flags = "--activation", activation, "--noise", "auto"
    seeds = range(args.first, args.first + args.seeds)
    return sum(comparison.agglio(args.agglio, *draw(seed), *flags)["noise"] == "pre" for seed in seeds)


def shares(args, totals):
    """The lines of sets without noise before φ."""
    for kind, settings in ((beta, PRECISIONS), (binomial, TRIALS), (clipped, SPREADS)):
        for setting in settings:
            counts = [taken(args, name, lambda seed: share(kind, setting, seed)) for name in ("sigmoid", "probit")]
            totals.setdefault(kind.__name__, []).extend(counts)
            yield kind.__name__, setting, *counts


def truths(args, totals):
    """The lines of sets with noise before φ."""
    for curve in CURVES:
        counts = [taken(args, curve, lambda seed: before(curve, deviation, seed)) for deviation in DEVIATIONS]
        totals.setdefault("noise before φ", []).extend(counts)
        yield curve, *counts


def main():
    args = comparison.options(__doc__, problems=40).parse_args()
    totals = {}
    print(f"`pre` of {args.seeds} sets that have no noise before φ, by the activation that is fitted:\n")
    comparison.table(["shares  ", "precision, trials or spread", "sigmoid", "probit"], shares(args, totals))
    print(f"\n`pre` of {args.seeds} sets that have noise before φ, by its deviation:\n")
    comparison.show(["activation    ", *(f"σ = {deviation:<4g}" for deviation in DEVIATIONS)], truths(args, totals))
    print()
    for kind, counts in totals.items():
        print(f"{kind}: {100 * np.sum(counts) / (args.seeds * len(counts)):.1f} % taken for `pre`")


if __name__ == "__main__":
    main()
