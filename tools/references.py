"""Reference solutions of examples/models, by methods and right-hand sides that share nothing with
the library's: `integrators.py` and `models.py` beside this file.

Each solution is computed twice: a stiff one by `radau` with two tolerances, the others by
`extrapolation` with two step sizes, and by `radau` once. What is printed is the state at the end to
14 digits and how far the computations are from each other, relative to the components of stiff
systems, to the greatest component of the others.

    python3 tools/references.py [NAME …]            the states at the end of the spans
    python3 tools/references.py --until T NAME      the state at the time T
    python3 tools/references.py --rhs               the right-hand side of each model at a state
                                                    without zeros: tests/support/rhs.txt

needs numpy and mpmath (pip install numpy mpmath).
"""

import argparse

import numpy as np

from integrators import F, extrapolation, radau
from models import MODELS

TOLERANCES = (F("1e-9"), F("1e-11"))


def by_radau(model, end, tolerance):
    f, u, back = model.instead or (model.f, model.u0, lambda u: u)
    begin = F(model.span[0])
    stops = [F(b) for b in model.breaks if begin < b < end] + [end]
    for stop in stops:
        first = (stop - begin) / 10000 if model.steps or model.breaks else F("1e-9")
        u = radau(f, u, begin, stop, tolerance, model.floor, first)
        begin = stop
    return back(u)


def reference(model, end):
    """The state at `end`, and how far the computations of it are from each other."""
    if not model.steps:
        coarse, fine = (by_radau(model, end, tolerance) for tolerance in TOLERANCES)
        size = np.maximum(np.abs(fine), F(model.floor))
        return fine, np.max(np.abs(coarse - fine) / size)
    begin = F(model.span[0])
    coarse, fine = (
        extrapolation(model.f, model.u0, begin, end, steps)
        for steps in (model.steps, model.steps * 3 // 2)
    )
    other = by_radau(model, end, TOLERANCES[0])
    size = np.max(np.abs(fine))
    return fine, max(np.max(np.abs(coarse - fine)), np.max(np.abs(other - fine))) / size


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--until")
    parser.add_argument("--rhs", action="store_true")
    arguments = parser.parse_args()
    for model in MODELS:
        if arguments.names and model.name not in arguments.names:
            continue
        if arguments.rhs:
            right_hand_side(model)
            continue
        end = F(arguments.until or model.span[1])
        state, difference = reference(model, end)
        print(f"{model.name}: {float(difference):.1e}")
        for value in state:
            print(f"    {np.format_float_scientific(value, 13)},")


def right_hand_side(model):
    """At a state and a time that the tests compute alike, in 64 bits."""
    u0 = model.u0.astype(np.float64)
    share = np.max(np.abs(u0)) / len(u0)
    u = u0 + 0.15 * share * np.arange(1, len(u0) + 1, dtype=np.float64)
    begin, end = (float(F(t)) for t in model.span)
    t = begin + 0.3 * (end - begin)
    values = model.f(F(t), u.astype(F))
    print(model.name, *(np.format_float_scientific(value, 16) for value in values))


if __name__ == "__main__":
    main()
