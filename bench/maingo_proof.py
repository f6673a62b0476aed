"""The minimum of a least-squares problem with a sigmoid, proven by MAiNGO. `rival_proofs.py` calls it.

A JSON object on standard input has the rows x, the labels y, the bound of |w_j|, the relative gap and the most seconds.
One on standard output has the loss, the gap that was reached, whether it is small enough, the nodes and the seconds of its processor.
Needs the package maingopy.
"""

import json
import sys
import time

import maingopy


class LeastSquares(maingopy.MAiNGOmodel):
    """Σ (φ(xᵀw) − y)²/n with |w_j| ≤ bound."""

    def __init__(self, x, y, bound):
        super().__init__()
        self.x, self.y, self.bound = x, y, bound

    def get_variables(self):
        bounds = maingopy.Bounds(-self.bound, self.bound)
        return [maingopy.OptimizationVariable(bounds, maingopy.VT_CONTINUOUS, f"w{j}") for j in range(len(self.x[0]))]

    def evaluate(self, w):
        total = 0
        for row, label in zip(self.x, self.y):
            z = sum(own * weight for own, weight in zip(row, w))
            # tanh has relaxations of its own, which are tighter than those of 1/(1 + exp(−z))
            total += maingopy.sqr(0.5 + 0.5 * maingopy.tanh(0.5 * z) - label)
        result = maingopy.EvaluationContainer()
        result.objective = total / len(self.y)
        return result


def main():
    problem = json.load(sys.stdin)
    model = LeastSquares(problem["x"], problem["y"], problem["bound"])
    solver = maingopy.MAiNGO(model)
    options = {"epsilonR": problem["gap"], "epsilonA": 1e-15, "maxTime": problem["seconds"]}
    quiet = {name: 0 for name in ("loggingDestination", "BAB_verbosity", "LBP_verbosity", "UBP_verbosity")}
    for name, value in {**options, **quiet}.items():
        if not solver.set_option(name, value):
            sys.exit(f"MAiNGO does not take {name} = {value}")
    begun = time.process_time()
    status = solver.solve()
    result = {
        "seconds": time.process_time() - begun,
        "complete": status == maingopy.GLOBALLY_OPTIMAL,
        "loss": solver.get_objective_value(),
        "gap": solver.get_final_rel_gap(),
        "boxes": solver.get_iterations(),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
