"""A problem: covariates and labels, perhaps weights and an offset, and the command that fits them."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Problem:
    activation: str
    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray | None = None
    offset: np.ndarray | None = None
    intercept: bool = True
    design: str = ""
    labels: str = ""

    def write(self, path):
        """Writes a CSV file with every digit."""
        names, columns = [f"x{j + 1}" for j in range(self.X.shape[1])] + ["y"], [self.X, self.y[:, None]]
        for name, column in (("weight", self.weights), ("offset", self.offset)):
            if column is not None:
                names.append(name)
                columns.append(column[:, None])
        np.savetxt(path, np.column_stack(columns), "%.17g", ",", header=",".join(names), comments="")

    def flags(self):
        """The flags of `agglio fit`, which fits by least squares whatever the default is."""
        flags = ["--activation", self.activation, "--noise", "post"]
        flags += ["--weights", "weight"] if self.weights is not None else []
        flags += ["--offset", "offset"] if self.offset is not None else []
        return flags + ([] if self.intercept else ["--no-intercept"])
