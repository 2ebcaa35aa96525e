#!/usr/bin/env python3
"""Results of SciPy's methods for the examples of docs/what-success-means.md.

    bench/peers/success.py

Steps can pass over the solutions of these problems. Five methods solve them at rtol 1e-3 and atol 1e-6, SciPy's defaults.
A cell has the solver's final value and its steps, and for the first problem also the time at a half. Needs NumPy and SciPy. Prints Markdown.
"""

import math
import warnings

import numpy
import scipy
from scipy.integrate import solve_ivp

METHODS = ["RK45", "DOP853", "LSODA", "Radau", "BDF"]


def autocatalysis(t, u):
    return u * (1.0 - u)


def epidemic(t, u):
    infections = 0.5 * u[0] * u[1]
    return [-infections, infections - 0.25 * u[1]]


def hopf(t, u):
    x, y = u
    rate = 1.0 - x * x - y * y
    return [rate * x - 30.0 * y, 30.0 * x + rate * y]


def pair(t, u):
    return [u[0] * (1.0 - u[0]), 0.9 * u[1] * (1.0 - u[1])]


def pulse(t, u):
    return [math.exp(-(((t - 6.3) / 0.01) ** 2))]


def first(u):
    return u[0]


# A name, f, u(0), the end, the function of the state that is shown, and its exact value.
PROBLEMS = [
    ("autocatalysis", autocatalysis, [1e-16], 100.0, first, 1.0),
    ("epidemic", epidemic, [1.0 - 1e-9, 1e-9], 300.0, first, 0.203188),
    ("spiral", hopf, [1e-14, 0.0], 100.0, lambda u: math.hypot(*u), 1.0),
    ("two modes", pair, [1e-14, 1e-14], 100.0, first, 1.0),
    ("pulse", pulse, [0.0], 10.0, lambda u: u[0] / (0.01 * math.sqrt(math.pi)), 1.0),
]


def cell(problem, method):
    name, f, u0, end, shown, _ = problem

    def half(t, u):
        return u[0] - 0.5

    events = half if name == "autocatalysis" else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        solution = solve_ivp(f, (0.0, end), u0, method=method, events=events)
    end = shown(solution.y[:, -1])
    digits = "0" if end == 0.0 else f"{end:.0e}" if abs(end) < 1e-3 else f"{end:.3f}"
    text = f"{digits} ({len(solution.t) - 1})"
    if events and len(solution.t_events[0]):
        text += f", half at {solution.t_events[0][0]:.2f}"
    return text if solution.success else f"failed: {text}"


def main():
    print(f"SciPy {scipy.__version__}, NumPy {numpy.__version__}: rtol 1e-3, atol 1e-6.\n")
    print("| | " + " | ".join(name for name, *_ in PROBLEMS) + " |")
    print("|---|" + "---|" * len(PROBLEMS))
    print("| exact | " + " | ".join(f"{exact:.3f}" for *_, exact in PROBLEMS) + " |")
    for method in METHODS:
        print(f"| {method} | " + " | ".join(cell(problem, method) for problem in PROBLEMS) + " |")


if __name__ == "__main__":
    main()
