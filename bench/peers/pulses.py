#!/usr/bin/env python3
"""The share of random pulses that SciPy's methods miss, for comparison with `odes-bench pulses`.

    cargo run --release -p odes-bench -- pulses --count 300 --export target/pulses.jsonl
    bench/peers/pulses.py target/pulses.jsonl

The criterion is the same as in bench/src/pulses.rs. Needs NumPy and SciPy. Prints Markdown.
"""

import json
import math
import sys
import warnings
from pathlib import Path

import numpy
import scipy
from scipy.integrate import solve_ivp

METHODS = ["RK45", "DOP853", "LSODA", "Radau", "BDF"]
SETS = ["one", "on sine", "train"]
SHAPES = ["gauss", "sech2", "bump", "box"]


def shape(kind, x):
    if kind == 0:
        return math.exp(-x * x)
    if kind == 1:
        e = math.exp(-2.0 * abs(x))
        return 4.0 * e / ((1.0 + e) * (1.0 + e))
    if kind == 2:
        return math.cos(0.5 * math.pi * x) ** 2 if abs(x) < 1.0 else 0.0
    with numpy.errstate(over="ignore"):
        return float(1.0 / (1.0 + numpy.exp(-10.0 * (x + 1.0))) / (1.0 + numpy.exp(10.0 * (x - 1.0))))


def is_missed(problem, method):
    """Returns whether a pulse is missed; None if the solver reports a failure."""
    a, b, omega, kind = (problem[name] for name in ["a", "b", "omega", "shape"])

    def rhs(t, u):
        pulses = sum(size * shape(kind, (t - at) / width) for size, at, width in problem["pulses"])
        return -a * u + b * math.sin(omega * t) + pulses

    tolerance, tests = problem["tolerance"], problem["tests"]
    solution = solve_ivp(rhs, (0.0, problem["t1"]), [problem["u0"]], method=method, rtol=tolerance,
                         atol=tolerance, t_eval=tests)
    if not solution.success or solution.y.shape[1] != len(tests):
        return None
    exact = numpy.array(problem["exact"])
    worst = abs(solution.y[0] - exact).max()
    size = (1.0 + abs(exact)).max()
    return bool(worst > 100.0 * tolerance * size and worst > 0.1 * problem["effect"])


def main():
    warnings.filterwarnings("ignore")
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    problems = [json.loads(line) for line in Path(sys.argv[1]).read_text().splitlines()]
    print(f"SciPy {scipy.__version__}, {len(problems)} problems\n")
    titles = ["method", "all", *SETS, *SHAPES, "failed"]
    print(f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}")
    kinds = [lambda p: True]
    kinds += [lambda p, i=i: p["set"] == i for i in range(len(SETS))]
    kinds += [lambda p, i=i: p["set"] < 2 and p["shape"] == i for i in range(len(SHAPES))]
    for method in METHODS:
        missed = [is_missed(problem, method) for problem in problems]
        cells = [f"SciPy {method}"]
        for kind in kinds:
            chosen = [m is True for m, problem in zip(missed, problems) if kind(problem)]
            cells.append(f"{100.0 * sum(chosen) / len(chosen):.1f}" if chosen else "-")
        cells.append(str(missed.count(None)))
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
