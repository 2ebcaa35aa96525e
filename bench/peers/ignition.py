#!/usr/bin/env python3
"""Missed ignitions of hydrogen in air, by SciPy's stiff methods and Cantera's reactor network.

    python3 bench/peers/ignition.py
    python3 bench/peers/ignition.py --references    the delays, by Cantera with tight tolerances

The mixtures are stoichiometric, without any radicals, at constant pressure, for 10 s, from twelve states
with three tolerances each. One more state is for mechanisms in which only H2 + M makes radicals. A run is
unignited if it ends without an error and never becomes 400 K warmer; the delays of other runs are compared
with references. The mechanism is Cantera's `h2o2.yaml`, as in `examples/models/h2o2.rs`. At the end the
script times Cantera on the points of a map. Takes a few seconds. Prints Markdown.

needs Cantera and SciPy (pip install cantera==3.2.0 scipy).
"""

import argparse
import math
import os
import platform
import statistics
import time
import warnings
from pathlib import Path

# SUNDIALS's warnings would be printed among the tables.
os.environ["SUNLOGGER_WARNING_FILENAME"] = os.devnull

import cantera
import numpy as np
import scipy
from scipy.integrate import BDF, LSODA, Radau
from scipy.interpolate import CubicHermiteSpline
from scipy.optimize import brentq

RISE = 400.0
END = 10.0
AIR = "O2:1, N2:3.76"
# atm, K: the delay, in s, by `--references`.
DELAYS = {
    (0.1, 850): 7.4887691e-3,
    (0.1, 950): 2.3592802e-3,
    (0.1, 1100): 9.4237500e-4,
    (0.1, 1400): 6.4516517e-4,
    (1, 850): 1.8557508,
    (1, 950): 8.9515875e-3,
    (1, 1100): 8.8956309e-5,
    (1, 1400): 2.2015112e-5,
    (10, 850): 4.8486546e-1,
    (10, 950): 2.9574905e-2,
    (10, 1100): 8.8033692e-4,
    (10, 1400): 2.3085290e-6,
}
TOLERANCES = [(1e-3, 1e-6), (1e-3, 1e-9), (1e-6, 1e-10)]
TIGHT = (1e-11, 1e-22)
# The limit after which a run counts as failed.
MOST_STEPS = 20_000
# A state in which all radicals come from hydrogen that splits.
SLOW = (1, 1200)
SLOW_TOLERANCES = [(1e-6, 1e-10), (1e-6, 1e-14), (1e-8, 1e-22)]


class Missing(Exception):
    """A method gave up."""


def right_hand_side(gas, pressure):
    """Temperature and mass fractions at constant pressure."""
    masses = gas.molecular_weights

    def f(t, u):
        if not 100 < u[0] < 10_000:
            return np.full(len(u), math.nan)
        gas.set_unnormalized_mass_fractions(u[1:])
        gas.TP = u[0], pressure
        rates = gas.net_production_rates
        heating = -(gas.partial_molar_enthalpies @ rates) / (gas.density * gas.cp_mass)
        return np.concatenate([[heating], rates * masses / gas.density])

    return f


def by_scipy(solver):
    def run(gas, rtol, atol):
        """Returns the delay, or None, and steps."""
        u0 = np.concatenate([[gas.T], gas.Y])
        method = solver(right_hand_side(gas, gas.P), 0.0, u0, END, rtol=rtol, atol=atol)
        delay, steps = None, 0
        while method.status == "running":
            method.step()
            steps += 1
            if method.status == "failed" or not np.isfinite(method.y).all() or steps > MOST_STEPS:
                raise Missing
            if delay is None and method.y[0] >= u0[0] + RISE:
                within = method.dense_output()
                delay = root(lambda t: within(t)[0] - u0[0] - RISE, method.t_old, method.t)
        return delay, steps

    return run


def by_cantera(gas, rtol, atol, stop=False):
    """As above. Between steps the temperature is the cubic through both ends with their slopes."""
    # Not `gas`, because its state is the reactor's.
    other = cantera.Solution(
        thermo="ideal-gas", kinetics="gas", species=gas.species(), reactions=gas.reactions()
    )
    f = right_hand_side(other, gas.P)
    reactor, net = network(gas, rtol, atol)
    ignited = gas.T + RISE
    delay, steps = None, 0
    before = 0.0, np.concatenate([[gas.T], gas.Y])
    while net.time < END and not (stop and delay):
        net.step()
        steps += 1
        if steps > MOST_STEPS:
            raise Missing
        if delay is None:
            after = net.time, np.concatenate([[reactor.T], reactor.phase.Y])
            if reactor.T >= ignited:
                times, ends = zip(before, after)
                slopes = [f(t, u)[0] for t, u in zip(times, ends)]
                cubic = CubicHermiteSpline(times, [u[0] for u in ends], slopes)
                delay = root(lambda t: cubic(t) - ignited, *times)
            before = after
    return delay, steps


def network(gas, rtol, atol):
    reactor = cantera.IdealGasConstPressureReactor(gas, clone=False)
    net = cantera.ReactorNet([reactor])
    net.rtol, net.atol = rtol, atol
    return reactor, net


def root(f, begin, end):
    # Dense output may differ slightly from the state at the beginning of the step.
    return brentq(f, begin, end, xtol=1e-30, rtol=1e-13) if f(begin) < 0 < f(end) else end


METHODS = {
    "SciPy LSODA": by_scipy(LSODA),
    "SciPy BDF": by_scipy(BDF),
    "SciPy Radau": by_scipy(Radau),
    "Cantera (CVODES)": by_cantera,
}


def attempt(method, gas, rtol, atol):
    """Returns the delay, None for a missed ignition and NaN for a failed run; and steps."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return method(gas, rtol, atol)
    except (Missing, ValueError, cantera.CanteraError):
        return math.nan, 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--references", action="store_true")
    arguments = parser.parse_args()
    gas = cantera.Solution("h2o2.yaml", "ohmech")
    if arguments.references:
        for atm, temperature in DELAYS:
            prepare(gas, atm, temperature)
            delay, steps = by_cantera(gas, *TIGHT, stop=True)
            print(f"{atm} atm, {temperature} K: {delay:.7e} s in {steps} steps")
        return
    print(
        f"Cantera {cantera.__version__}, SciPy {scipy.__version__}, NumPy {np.__version__}, "
        f"Python {platform.python_version()}. Of 12 states each:\n"
    )
    print("| method | rtol, atol | failed | unignited with success | worst delay | steps |")
    print("|---|---|---|---|---|---|")
    for name, method in METHODS.items():
        grid(gas, name, method)
    initiated_by_hydrogen()
    time_a_point(gas)


def prepare(gas, atm, temperature, ratio=1.0):
    gas.set_equivalence_ratio(ratio, "H2", AIR)
    gas.TP = temperature, atm * cantera.one_atm


def grid(gas, name, method):
    total = 0
    for rtol, atol in TOLERANCES:
        failed, missed, worst, counts = 0, 0, 0.0, []
        for (atm, temperature), exact in DELAYS.items():
            prepare(gas, atm, temperature)
            delay, steps = attempt(method, gas, rtol, atol)
            if delay is not None and math.isnan(delay):
                failed += 1
                continue
            counts.append(steps)
            if delay is None:
                missed += 1
            else:
                worst = max(worst, delay / exact - 1, key=abs)
        total += missed
        print(
            f"| {name} | {rtol:.0e}, {atol:.0e} | {failed} | {missed} | {100 * worst:+.3g}% | "
            f"{min(counts)}–{max(counts)} |",
            flush=True,
        )
    print(f"| {name} | all 36 | | **{total}** | | |")


def initiated_by_hydrogen():
    """Returns mechanisms with some one-way reactions."""
    text = (Path(cantera.__file__).parent / "data" / "h2o2.yaml").read_text()
    atm, temperature = SLOW
    print(f"\nOnly H2 + M makes radicals, {temperature} K, {atm} atm: the delay in s, and steps.\n")
    print("| M | method | " + " | ".join(f"{r:.0e}, {a:.0e}" for r, a in SLOW_TOLERANCES) + " |")
    print("|---|---|" + "---|" * len(SLOW_TOLERANCES))
    one_way = ["2 O + M <=> O2 + M", "H + HO2 <=> O2 + H2"]
    colliders = {"H2, O2, N2": [], "O2, N2": ["2 H + H2 <=> 2 H2"]}
    for collider, others in colliders.items():
        changed = text
        for reaction in one_way + others:
            assert changed.count(f"equation: {reaction} ") == 1
            changed = changed.replace(reaction, reaction.replace("<=>", "=>"))
        gas = cantera.Solution(yaml=changed, name="ohmech")
        for name, method in METHODS.items():
            cells = []
            for rtol, atol in SLOW_TOLERANCES:
                prepare(gas, atm, temperature)
                delay, steps = attempt(method, gas, rtol, atol)
                cells.append(
                    f"unignited ({steps})"
                    if delay is None
                    else "failed" if math.isnan(delay) else f"{delay:.5e} ({steps})"
                )
            print(f"| {collider} | {name} | " + " | ".join(cells) + " |", flush=True)


def time_a_point(gas):
    """Measures Cantera's time on a map over temperature and mixture, each point until it ignites."""
    side, (rtol, atol) = 32, (1e-6, 1e-10)
    seconds, missed = [], 0
    for temperature in np.linspace(850, 1400, side):
        for ratio in np.geomspace(0.25, 4, side):
            prepare(gas, 1, temperature, ratio)
            begin = time.perf_counter()
            reactor, net = network(gas, rtol, atol)
            while net.time < END and reactor.T < temperature + RISE:
                net.step()
            seconds.append(time.perf_counter() - begin)
            missed += reactor.T < temperature + RISE
    mean, median = statistics.mean(seconds), statistics.median(seconds)
    print(
        f"\nCantera, {rtol:.0e}, {atol:.0e}, {side} × {side} points, 850 to 1400 K and equivalence "
        f"ratios of 1/4 to 4, 1 atm, each until it ignites, one thread: {1e3 * mean:.2f} ms a point "
        f"(median {1e3 * median:.2f}), {missed} unignited; {1024**2 * mean / 60:.0f} min for "
        "1024 × 1024."
    )


if __name__ == "__main__":
    main()
