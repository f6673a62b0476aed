"""Small problems whose lowest minimum is proven, for proven.rs: by `agglio fit --prove` itself, since no other program proves
it.  Run: cargo build --release && python3 proven.py > proven.json

Each problem is a few rows, of few digits, drawn from its seed. Most of CASES were chosen because the fit without a proof is not
the lowest, or because it met other minima on its way; the names of the kinds say how the responses were made hard. Only
`random()` of the standard library is used, whose numbers are the same in every version. Losses have ten digits; the lower
bounds are rounded down."""
import json
import math
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[5]
GAP = 1e-9

# activation, range, kind, covariates, whether there is an intercept, seed
CASES = [
    ("sigmoid", None, "flipped", 2, True, 20),
    ("sigmoid", None, "steps", 2, True, 28),
    ("sigmoid", None, "flipped", 3, True, 18),
    ("sigmoid", None, "outliers", 3, False, 20),
    ("sigmoid", None, "noise", 3, False, 25),
    ("sigmoid", None, "outliers", 1, True, 40),
    ("sigmoid", None, "easy", 1, True, 0),
    ("sigmoid", None, "easy", 2, True, 0),
    ("softplus", None, "noise", 3, False, 21),
    ("softplus", None, "flipped", 3, True, 25),
    ("softplus", None, "flipped", 3, True, 19),
    ("softplus", None, "flipped", 1, True, 7),
    ("softplus", None, "outliers", 3, False, 0),
    ("softplus", None, "easy", 1, True, 0),
    ("softplus", None, "easy", 2, True, 0),
    ("leaky-softplus", None, "easy", 1, True, 0),
    ("leaky-softplus", None, "easy", 2, True, 0),
    ("silu", None, "noise", 3, False, 21),
    ("silu", None, "steps", 3, True, 19),
    ("silu", None, "steps", 3, True, 17),
    ("silu", None, "flipped", 2, True, 18),
    ("silu", None, "flipped", 3, True, 3),
    ("silu", None, "outliers", 2, False, 33),
    ("silu", None, "easy", 1, True, 0),
    ("silu", None, "easy", 2, True, 0),
    ("gelu", None, "noise", 2, True, 20),
    ("gelu", None, "flipped", 2, True, 18),
    ("gelu", None, "steps", 3, True, 4),
    ("gelu", None, "steps", 3, True, 5),
    ("gelu", None, "flipped", 3, True, 30),
    ("gelu", None, "flipped", 2, False, 1),
    ("gelu", None, "easy", 1, True, 0),
    ("gelu", None, "easy", 2, True, 0),
    ("tanh", None, "flipped", 2, True, 37),
    ("tanh", None, "noise", 3, False, 14),
    ("tanh", None, "steps", 3, False, 3),
    ("tanh", None, "flipped", 3, True, 18),
    ("tanh", None, "steps", 3, False, 15),
    ("tanh", None, "flipped", 2, False, 38),
    ("tanh", None, "easy", 1, True, 0),
    ("tanh", None, "easy", 2, True, 0),
    ("probit", None, "steps", 2, False, 14),
    ("probit", None, "noise", 3, False, 14),
    ("probit", None, "noise", 3, True, 22),
    ("probit", None, "flipped", 3, True, 18),
    ("probit", None, "steps", 3, False, 15),
    ("probit", None, "outliers", 1, True, 39),
    ("probit", None, "easy", 1, True, 0),
    ("probit", None, "easy", 2, True, 0),
    ("exp", None, "noise", 3, False, 21),
    ("exp", None, "steps", 3, False, 3),
    ("exp", None, "outliers", 2, True, 23),
    ("exp", None, "easy", 1, True, 0),
    ("exp", None, "easy", 2, True, 0),
    ("identity", None, "easy", 1, True, 0),
    ("identity", None, "easy", 2, True, 0),
    ("arctan", None, "flipped", 3, True, 18),
    ("arctan", None, "steps", 2, False, 2),
    ("arctan", None, "noise", 1, True, 39),
    ("arctan", None, "outliers", 1, True, 40),
    ("arctan", None, "flipped", 1, True, 27),
    ("arctan", None, "easy", 1, True, 0),
    ("arctan", None, "easy", 2, True, 0),
    ("cloglog", None, "flipped", 3, False, 30),
    ("cloglog", None, "noise", 3, False, 27),
    ("cloglog", None, "outliers", 3, False, 36),
    ("cloglog", None, "flipped", 3, True, 18),
    ("cloglog", None, "steps", 3, True, 11),
    ("cloglog", None, "outliers", 1, True, 3),
    ("cloglog", None, "easy", 1, True, 0),
    ("cloglog", None, "easy", 2, True, 0),
    ("gompertz", None, "steps", 2, False, 34),
    ("gompertz", None, "steps", 3, False, 15),
    ("gompertz", None, "flipped", 3, True, 18),
    ("gompertz", None, "steps", 2, False, 36),
    ("gompertz", None, "easy", 1, True, 0),
    ("gompertz", None, "easy", 2, True, 0),
    ("expm1", None, "outliers", 1, True, 12),
    ("expm1", None, "outliers", 3, True, 21),
    ("expm1", None, "flipped", 1, True, 23),
    ("expm1", None, "noise", 3, False, 32),
    ("expm1", None, "steps", 3, True, 19),
    ("expm1", None, "easy", 1, True, 0),
    ("expm1", None, "easy", 2, True, 0),
    ("sigmoid", "0,free", "easy", 1, True, 0),
    ("tanh", "0,free", "easy", 1, True, 2),
    ("probit", "0,free", "steps", 1, True, 2),
    ("cloglog", "0,free", "steps", 1, True, 2),
    ("gompertz", "0,free", "easy", 1, True, 2),
    ("sigmoid", "free,free", "steps", 1, True, 0),
    ("tanh", "free,free", "steps", 1, True, 0),
]


def sigmoid(z):
    return 1 / (1 + math.exp(-z)) if z > -700 else 0.0


def normal_distribution(z):
    return 0.5 * math.erfc(-z / math.sqrt(2))


def softplus(z):
    return max(z, 0) + math.log1p(math.exp(-abs(z)))


def exp(z):
    return math.exp(min(z, 60))


# φ, and where it is bounded on both sides the width of its range
ACTIVATIONS = {
    "sigmoid": (sigmoid, 1),
    "softplus": (softplus, None),
    "leaky-softplus": (lambda z: softplus(z) - softplus(-0.2 * z), None),
    "silu": (lambda z: z * sigmoid(z), None),
    "gelu": (lambda z: z * normal_distribution(z), None),
    "tanh": (math.tanh, 2),
    "probit": (normal_distribution, 1),
    "exp": (exp, None),
    "identity": (lambda z: z, None),
    "arctan": (math.atan, math.pi),
    "cloglog": (lambda z: -math.expm1(-exp(z)), 1),
    "gompertz": (lambda z: math.exp(-exp(-z)), 1),
    "expm1": (lambda z: -math.expm1(min(-z, 60)), None),
}
# rows, deviation of the true predictor, deviation of the noise in units of the range or of the true means
KINDS = {"easy": (16, 1.5, 0.1), "steps": (16, 12, 0.3), "noise": (12, 2, 0.7), "outliers": (18, 3, 0.05), "flipped": (20, 4, 0.1)}
# exp and expm1 grow so fast that the largest response would be the only one that counts
STEEPEST = 1.5


def draw(activation, kind, covariates, intercept, seed):
    """Covariates and responses."""
    numbers = random.Random(seed * 8 + covariates)

    def normal():
        radius = math.sqrt(-2 * math.log(1 - numbers.random()))
        return radius * math.cos(2 * math.pi * numbers.random())

    (phi, width), (n, spread, noise) = ACTIVATIONS[activation], KINDS[kind]
    if activation in ("exp", "expm1"):
        spread = min(spread, STEEPEST)
    w = [normal() for _ in range(covariates)]
    length = math.sqrt(sum(v * v for v in w))
    b = normal() if intercept else 0
    x = [[round(normal(), 2) for _ in w] for _ in range(n)]
    means = [phi(b + spread / length * sum(v * entry for v, entry in zip(w, row))) for row in x]
    middle = sum(means) / n
    if width is None:
        width = math.sqrt(sum((mean - middle) ** 2 for mean in means) / n)
    y = [mean + noise * width * normal() for mean in means]
    if kind == "outliers":
        for i in range(2):
            y[i] += width * 2.5 * normal()
    if kind == "flipped":
        for i in range(0, n, 4):
            y[i] = 2 * middle - y[i]
    return x, [round(v, 3) for v in y]


def flags(activation, response, intercept):
    return ["--activation", activation, "--noise", "post"] + (["--range", response] if response else []) + (
        [] if intercept else ["--no-intercept"])


def fit(x, y, words):
    """The JSON object of a fit."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "data.csv")
        names = [f"x{j + 1}" for j in range(len(x[0]))] + ["y"]
        data.write_text("\n".join([",".join(names)] + [",".join(map(str, [*row, v])) for row, v in zip(x, y)]) + "\n")
        run = subprocess.run([ROOT / "target/release/agglio", "fit", data, "--target", "y", "--format", "json", "--quiet", *words],
                             capture_output=True, text=True)
    if run.returncode not in (0, 3):
        sys.exit(run.stderr)
    return json.loads(run.stdout)


def rounded_down(value, digits=12):
    """The largest number with this number of digits that is not above."""
    unit = 10.0 ** (math.floor(math.log10(value)) + 1 - digits)
    return float(f"{math.floor(value / unit) * unit:.{digits - 1}e}")


def problem(activation, response, kind, covariates, intercept, seed):
    x, y = draw(activation, kind, covariates, intercept, seed)
    words = flags(activation, response, intercept)
    best = fit(x, y, [*words, f"--prove={GAP}"])
    proof = best["proof"]
    assert proof["complete"] and proof["radius"] is None and best["certified"], (activation, kind, seed, proof)
    asymptotes = [response.replace(",", "-")] if response else []
    return {
        "name": "-".join([activation, *asymptotes, kind, f"{covariates}{'b' if intercept else ''}", str(seed)]),
        "activation": activation,
        "range": response,
        "intercept": intercept,
        "x": x,
        "y": y,
        "loss": float(f"{best['loss']:.11e}"),
        "lower_bound": rounded_down(proof["lower_bound"]),
        "coefficients": [float(f"{w:.8g}") for w in best["coefficients"].values()],
        "constant": float(f"{best['intercept']:.8g}") if intercept else 0.0,
        "affine": best["affine"] if response else {"offset": 0.0, "scale": 1.0},
    }


def main():
    problems = [json.dumps(problem(*case)) for case in CASES]
    print("[\n" + ",\n".join(problems) + "\n]")


if __name__ == "__main__":
    main()
