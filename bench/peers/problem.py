"""A problem of least squares: data as in the paper, the truth behind them, and the start of those who need one.

X ~ N(0, 1)/√d, w* ~ N(0, 1), y = φ(Xw*), with noise after φ if any, uniform on ±0.05; the start is 10·N(0, 1)/√d.
Sigmoid labels are kept inside (0, 1), since some peers know no others.
"""

import shutil
import tempfile
from dataclasses import dataclass

import numpy as np
import pyarrow
from pyarrow import csv

import activation
from program import stop

SEED = 7
NOISE = 0.05
BLOCK = 100_000
BYTES_OF_A_NUMBER = 22


@dataclass(frozen=True)
class Problem:
    activation: str
    noise: float
    X: np.ndarray
    y: np.ndarray
    truth: np.ndarray
    start: np.ndarray

    @property
    def title(self):
        noise = f"noise {self.noise:g}" if self.noise else "noiseless"
        return f"{self.activation}, {noise}, n = {len(self.y)}, d = {len(self.truth)}"

    @property
    def phi(self):
        return activation.NAMED[self.activation]

    def loss(self, w):
        """The mean square, by the same arithmetic for everyone."""
        return np.mean((self.phi(self.X @ w)[0] - self.y) ** 2)

    def error(self, w):
        return np.linalg.norm(w - self.truth)


def drawn(n, d, name="sigmoid", noise=0.0, start="random"):
    """The problem of this size; the same numbers every time."""
    random = np.random.default_rng(SEED)
    truth = random.standard_normal(d)
    X = random.standard_normal((n, d))
    X /= np.sqrt(d)
    far = 10 * random.standard_normal(d) / np.sqrt(d)
    y = activation.NAMED[name](X @ truth)[0] + noise * random.uniform(-1, 1, n)
    if name == "sigmoid":
        y = y.clip(1e-9, 1 - 1e-9)
    return Problem(name, noise, X, y, truth, far if start == "random" else np.zeros(d))


def save(path, problem):
    """Writes columns x1 … xd and y, whose numbers round-trip."""
    check_room(path.parent, *problem.X.shape)
    path.unlink(missing_ok=True)
    for first in range(0, len(problem.y), BLOCK):
        append(path, problem.X[first : first + BLOCK], problem.y[first : first + BLOCK])


def append(path, X, y):
    """Adds rows to a file, which gets its line of names with the first of them."""
    names = [f"x{j + 1}" for j in range(X.shape[1])] + ["y"]
    table = pyarrow.table([*np.ascontiguousarray(X.T), y], names)
    with open(path, "ab") as file:
        csv.write_csv(table, file, csv.WriteOptions(include_header=file.tell() == 0))


def check_room(folder, n, d):
    """An end if a file of this size has no room."""
    need, free = n * (d + 1) * BYTES_OF_A_NUMBER, shutil.disk_usage(folder).free
    if need > free:
        stop(f"{tempfile.gettempdir()} has {free / 1e9:.1f} GB free and {need / 1e9:.1f} are needed: "
             "name another folder with TMPDIR, or bound the rows with --largest")
