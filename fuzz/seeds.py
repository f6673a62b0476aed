"""Writes the seeds of the corpora: a small valid input for everything that has a name.

Run from this folder; `cargo fuzz` and `cargo fuzz cmin` take it from there.
"""

import math
import random
import struct
from pathlib import Path

# in the order of NAMES in crates/agglio/src/activation/named.rs
ACTIVATIONS = ["sigmoid", "softplus", "leaky-softplus", "silu", "gelu", "tanh", "probit", "exp", "identity"]
ACTIVATIONS += ["arctan", "cloglog", "gompertz", "expm1"]
SOLVERS = "auto gd sgd svrg saga momentum nesterov adam yogi lbfgs newton newton-cg lm multistart".split()
ANY = 40  # in src/number.rs: any double follows

PHI = {
    "sigmoid": lambda z: 1 / (1 + math.exp(-z)),
    "softplus": lambda z: math.log1p(math.exp(z)),
    "leaky-softplus": lambda z: 0.8 * math.log1p(math.exp(z)) + 0.2 * z,
    "silu": lambda z: z / (1 + math.exp(-z)),
    "gelu": lambda z: z * 0.5 * math.erfc(-z / math.sqrt(2)),
    "tanh": math.tanh,
    "probit": lambda z: 0.5 * math.erfc(-z / math.sqrt(2)),
    "exp": math.exp,
    "identity": lambda z: z,
    "arctan": math.atan,
    "cloglog": lambda z: -math.expm1(-math.exp(z)),
    "gompertz": lambda z: math.exp(-math.exp(-z)),
    "expm1": lambda z: -math.expm1(-z),
}

TERMS = [
    "y ~ a + log(a) + b:c",
    "y ~ a*b*c - a:b - 1",
    "y ~ 0 + lag* + offset(sqrt(a))",
    "y ~ . - lag1 + a^-1.5",
    "y ~ 1 + offset(log(a))",
    "y ~ log(b)",
    "`y` ~ `log(a)`:`b` + C(c)",
    "log(y) ~ I(a^2)",
    "a*log(b)",
    "sqrt(a)^3:b",
    "*",
    "`a``b`",
]

CSV = {
    "plain": "a,b,y,w,o\n1,2,3,1,0\n-1.5,2e-3,0,2,.5\n",
    "quoted": '"a","b"\r\n"1","2"\r\n" 3 ",4\r\n',
    "missing": "a,b,y\n1,,0\n1,NA,0\n",
    "ragged": "a,y\n1,2,3\n",
    "twice": "a,a\n1,2\n",
    "header": "a,b,y\n",
    "huge": "a,y\n1e999,0\ninf,nan\n",
    "not text": b"a,y\n\xff\xfe,1\n",
    "mark": b"\xef\xbb\xbfa,y\n1,2\n",
    "empty": "",
    "semicolon": "a;b;y\n1,5;2;3\n1;2;3\n",
    "tab": "a\tb\ty\r1\t2\t3\r",
    "open": 'a,b,y\n1,"2\n3,4\n',
    "after": 'a,b,y\n1,"2"3,4\n',
    "blank": "\n \na,b,y\n\n1,2,3\n\n",
    "gzip": b"\x1f\x8b\x08\x00",
}

COMMANDS = """demo
fit d.csv --target 3 --no-header --delimiter tab --missing drop
predict m.json - --no-header --delimiter ;
fit d.csv --target y
fit d.csv --target y --activation leaky-softplus:0.3 --no-intercept --offset o --weights w
fit d.csv --target y --features a,b --model m.json --trace t.csv --force --format json
fit d.csv --target y --drop a --noise pre --seed 3 --threads 2 --quiet
fit - --target y --noise auto --tau-max 0.5 --tol 1e-3 --restarts auto
fit d.csv --target y --solver sgd:batch=20,tau0=0.1,beta=1.1,eta=-0.5 --epochs 10
fit d.csv --target y --solver lm --init random:2 --scaling none --radius 1 --l2 0.1
fit d.csv --target y --init w.json --restarts 3
compare d.csv --target y --solvers auto,gd,sgd:batch=20;tol=1e-2 --truth w.json
tune d.csv --target y --solver gd --grid eta=1,linspace(2,5,4);tau0=logspace(1e-4,0.1,4) --holdout 0.3
tune d.csv --target y --solver adam:tau0=1 --grid eta=loguniform(0.1,1);batch=10,20 --random 5 --folds 3
predict m.json d.csv -o p.csv --median
score m.json d.csv --format json
simulate --rows 10 --features 2 --activation silu --norm 3 --design corr:0.5 --noise pre:0.1:sign -o -
simulate --rows 10 --features 2 --activation exp --design t:3 --noise post:0.1:truncated --truth w.json --seed 1 -o d.csv
simulate --rows 1 --features 1 --activation relu --design uniform --noise mult:0.1 -o d.csv
fit --help
--version
help compare""".splitlines()

WORDS = "leaky-softplus:k=0.3 leaky-softplus:2 relu sigmod GELU newton-cg corr:0.5 t:3 uniform none pre:1:sign post:0.1:truncated mult:2"

MODEL = """{"format": "agglio model", "version": 1, "activation": "%s", "target": "y", "offset": null, "intercept": 1,
"coefficients": {"a": 0.1, "b": -2e-300}, "noise": "%s", "tau": %d, "deviation": %s, "loss": null, "status": "plateau",
"solver": "lm", "rows": 7}"""


def number(value):
    return bytes([ANY]) + struct.pack("<d", value)


def problem(activation, solver, model=0, extra=b"", weights=b"", rows=8, width=2):
    """Rows of a known model with a little noise, in the order in which `fit` reads them."""
    draw = random.Random(f"{activation} {solver} {model}")
    table = [[round(draw.gauss(0, 1), 3) for _ in range(width)] for _ in range(rows)]
    labels = [PHI[activation](x[0] - x[-1] + 0.3) + draw.gauss(0, 0.01) for x in table]
    head = [ACTIVATIONS.index(activation), SOLVERS.index(solver), rows - 1, width - 1, 30, model, 0]
    return bytes(head) + extra + b"".join(map(number, sum(table, []) + labels)) + weights


def fits():
    yield from ((f"{phi}-{solver}", problem(phi, solver)) for phi in ACTIVATIONS for solver in ("auto", "lm"))
    yield from ((f"sigmoid-{solver}", problem("sigmoid", solver)) for solver in SOLVERS)
    for bit, (name, extra, weights) in enumerate(
        [
            ("no-intercept", b"", b""),
            ("unscaled", b"", b""),
            ("radius", b"\x01", b""),
            ("l2", b"\x03", b""),
            ("pre", b"\x00", b""),
            ("weights", b"", bytes([1, 4, 3, 0, 1, 1, 6, 8])),
            ("offsets", b"", bytes([1, 0, 2, 0, 1, 1, 3, 0])),
        ]
    ):
        yield name, problem("tanh", "auto", 1 << bit, extra, weights)


def models():
    yield "weights", b'\x00{"intercept": 1.5, "coefficients": {"a": 1, "b": -1e-300}}'
    yield "changed", b"\x01\x20\x01\x01\x00x"
    for phi in ACTIVATIONS:
        yield f"{phi}-pre", b"\x00" + (MODEL % (phi, "pre", 0, "0.5")).encode()
        yield f"{phi}-post", b"\x00" + (MODEL % (phi, "post", 1, "null")).encode()


def numbers():
    for i, value in enumerate([0.0, -0.0, 1e-3, 59.96, 119.7, 5e-324, 1.7e308, -math.inf, math.nan]):
        yield f"number-{i}", struct.pack("<d", value)
    for name in ACTIVATIONS + SOLVERS + WORDS.split():
        yield f"name-{name}".replace(":", "-"), struct.pack("<d", 1.5) + name.encode()


def encoded(text):
    return text if isinstance(text, bytes) else text.encode()


def tables():
    """Each table read in every way: rows with missing values dropped or not, with a header or not, delimiters."""
    for name, text in CSV.items():
        for how in range(4):
            yield f"{name}-{how}".replace(" ", "-"), bytes([how]) + encoded(text)
    for how, delimiter in ((4, ","), (8, ";"), (12, "\t")):
        yield f"delimiter-{how}", bytes([how]) + CSV["plain"].replace(",", delimiter).encode()


def main():
    corpora = {
        "activation": [(f"{i}-{tau}", bytes([tau, i, i])) for i in range(40) for tau in (1, 3)],
        "arguments": [(f"{i}", line.replace(" ", "\n").encode()) for i, line in enumerate(COMMANDS)],
        "csv": list(tables()),
        "fit": list(fits()),
        "model": list(models()),
        "numbers": list(numbers()),
        "terms": [(f"{i}", f"{line}\na\nb\nc\ny\nlag1\nlog(a)".encode()) for i, line in enumerate(TERMS)],
    }
    for target, inputs in corpora.items():
        folder = Path("corpus") / target
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in inputs:
            (folder / f"seed-{name}").write_bytes(data)


if __name__ == "__main__":
    main()
