#!/usr/bin/env python3
"""Spikes and first passages per second: odes beside heyoka, SciPy and diffrax.

    cargo run --release -p odes-bench -- events --only neurons,passages --json target/events.jsonl
    python3 bench/peers/events.py [--quick] [target/events.jsonl]

The neurons and the passages are those of bench/src/events, with the same parameters. Each code is called as its
documentation recommends. It solves more trajectories until a run takes a few seconds, and its results are compared
with the closed form. The tables contain the rows of the file. Codes that are not installed are listed as missing.
JAX uses a GPU if it finds one. Prints Markdown.

needs NumPy; heyoka, SciPy, diffrax (pip install heyoka scipy diffrax).
"""

import argparse
import json
import math
import os
import platform
import re
import time
from importlib import metadata
from pathlib import Path

import numpy as np

END = 1000.0
SPIKES = 72
THRESHOLD = 15.0
TAU = 10.0
# The tolerances of spikes and of passages.
TOLERANCE, COARSE = 1e-8, 1e-6
MEAN = 30.0
ANGLE = 2.0
MOST = 1 << 20


def uniform(n):
    """Returns the first random numbers in [0, 1): SplitMix64 (Steele, Lea and Flood 2014)."""
    with np.errstate(over="ignore"):
        z = np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return ((z ^ (z >> np.uint64(31))) >> np.uint64(11)) / 2.0**53


def drives(n):
    return 20.0 + 0.1 * uniform(n)


def intervals(drive):
    return TAU * np.log(drive / (drive - THRESHOLD))


def passages(n):
    return -MEAN * np.log(1.0 - uniform(n))


def known_spikes(n):
    """Returns the numbers of spikes and the times of the last ones."""
    interval = intervals(drives(n))
    counts = np.floor(END / interval)
    return counts, counts * interval


def known_firsts(n):
    return np.ones(n), intervals(drives(n))


def known_passages(n):
    return np.ones(n), passages(n)


def by_scipy():
    from scipy.integrate import solve_ivp

    def reach(t, v, drive):
        return v[0] - THRESHOLD

    reach.terminal, reach.direction = True, 1

    def neuron(drive):
        t, count, last = 0.0, 0, math.nan
        while True:
            found = solve_ivp(lambda t, v, drive: (drive - v) / TAU, (t, END), [0.0], args=(drive,), events=reach,
                              rtol=TOLERANCE, atol=TOLERANCE)
            if found.status != 1:
                return count, last
            t = last = found.t_events[0][0]
            count += 1

    return lambda n: tuple(np.array([neuron(drive) for drive in drives(n)]).T)


def by_heyoka():
    import heyoka as hy

    v = hy.make_vars("v")
    last, count = [math.nan], [0]

    def reset(integrator, sign):
        last[0] = integrator.time
        count[0] += 1
        integrator.state[0] = 0.0
        return True

    spike = hy.t_event(v - THRESHOLD, callback=reset, direction=hy.event_direction.positive)
    integrator = hy.taylor_adaptive([(v, (hy.par[0] - v) / TAU)], [0.0], pars=[20.0], t_events=[spike])

    def neuron(drive):
        integrator.time, integrator.state[0], integrator.pars[0] = 0.0, 0.0, drive
        integrator.reset_cooldowns()
        last[0], count[0] = math.nan, 0
        integrator.propagate_until(END)
        return count[0], last[0]

    return lambda n: tuple(np.array([neuron(drive) for drive in drives(n)]).T)


def by_heyoka_batch():
    import heyoka as hy

    v = hy.make_vars("v")
    size = hy.recommended_simd_size()
    last, count = np.full(size, math.nan), np.zeros(size)

    def reset(integrator, sign, lane):
        last[lane] = integrator.time[lane]
        count[lane] += 1
        integrator.state[0, lane] = 0.0
        return True

    spike = hy.t_event_batch(v - THRESHOLD, callback=reset, direction=hy.event_direction.positive)
    integrator = hy.taylor_adaptive_batch([(v, (hy.par[0] - v) / TAU)], np.zeros((1, size)),
                                          pars=np.full((1, size), 20.0), t_events=[spike])

    def run(n):
        counts, lasts = np.zeros(n), np.zeros(n)
        for begin in range(0, n, size):
            these = np.resize(drives(n)[begin:begin + size], size)
            integrator.set_time(0.0)
            integrator.state[0, :] = 0.0
            integrator.pars[0, :] = these
            integrator.reset_cooldowns()
            last[:], count[:] = math.nan, 0
            integrator.propagate_until(END)
            some = min(size, n - begin)
            counts[begin:begin + some], lasts[begin:begin + some] = count[:some], last[:some]
        return counts, lasts

    return run


def jitted(solve, inputs):
    """Runs `solve` for each input, compiled for each number of inputs; the first run of each is not timed."""
    import jax

    compiled = {}

    def run(n):
        if n not in compiled:
            compiled[n] = jax.jit(jax.vmap(solve)).lower(inputs(n)).compile()
            jax.block_until_ready(compiled[n](inputs(n)))
        begin = time.perf_counter(), time.process_time()
        found = jax.block_until_ready(compiled[n](inputs(n)))
        run.took = time.perf_counter() - begin[0], time.process_time() - begin[1]
        return tuple(np.asarray(part) for part in found)

    return run


def with_jax():
    import jax

    jax.config.update("jax_enable_x64", True)
    import diffrax
    import optimistix

    def solver(rhs, condition, tolerance):
        """Solves from a state to the event or the end."""
        root_finder = optimistix.Newton(rtol=tolerance, atol=tolerance)
        event = diffrax.Event(condition, root_finder, direction=True)

        def solve(t, end, state, args):
            return diffrax.diffeqsolve(
                diffrax.ODETerm(rhs), diffrax.Tsit5(), t, end, None, state, args, event=event, max_steps=None,
                stepsize_controller=diffrax.PIDController(rtol=tolerance, atol=tolerance),
                saveat=diffrax.SaveAt(t1=True),
            )

        return solve

    return solver


def neuron_of_diffrax(solver):
    return solver(lambda t, v, drive: (drive - v) / TAU, lambda t, y, args, **_: y - THRESHOLD, TOLERANCE)


def by_diffrax_first():
    solver = with_jax()
    import diffrax

    def first(drive):
        found = neuron_of_diffrax(solver)(0.0, END, 0.0, drive)
        return 1.0 * (found.result == diffrax.RESULTS.event_occurred), found.ts[-1]

    return jitted(first, drives)


def by_diffrax():
    solver = with_jax()
    import diffrax
    import jax

    def neuron(drive):
        def goes_on(carry):
            return carry[2]

        def next_spike(carry):
            t, count, _ = carry
            found = neuron_of_diffrax(solver)(t, END, 0.0, drive)
            fired = found.result == diffrax.RESULTS.event_occurred
            return jax.numpy.where(fired, found.ts[-1], t), count + fired, fired

        last, count, _ = jax.lax.while_loop(goes_on, next_spike, (0.0, 0, True))
        return count, last

    return jitted(neuron, drives)


def by_diffrax_passages():
    solver = with_jax()
    import diffrax
    import jax.numpy as jnp

    def rhs(t, state, until):
        angle, speed, clock = state
        return speed, -jnp.sin(angle), jnp.ones_like(clock)

    def passage(until):
        solve = solver(rhs, lambda t, y, args, **_: y[2] - args, COARSE)
        found = solve(0.0, 50.0 * MEAN, (ANGLE, 0.0, 0.0), until)
        return 1.0 * (found.result == diffrax.RESULTS.event_occurred), found.ts[-1]

    return jitted(passage, passages)


def measure(make, known, seconds, most, n, times):
    """Solves `n` trajectories, then multiples of `n`, until a run is long enough or the limit is reached. Returns
    the number, events, seconds, seconds of all cores, wrong counts and the greatest error of a time."""
    run = make()
    result = None
    while result is None or (result[2] < seconds and n <= most):
        begin = time.perf_counter(), time.process_time()
        try:
            counts, lasts = run(n)
        except Exception as error:  # XLA's are of many kinds
            if result is None or "RESOURCE_EXHAUSTED" not in str(error):
                raise
            break
        took = getattr(run, "took", (time.perf_counter() - begin[0], time.process_time() - begin[1]))
        right, exact = known(n)
        wrong, off = int((counts != right).sum()), float(np.abs(lasts - exact).max())
        result = n, int(counts.sum()), *took, wrong, off
        n *= times
    return result


def significant(x):
    return f"{x:.3g}" if 1e-3 <= x < 1e4 else f"{x:.1e}"


def line(*cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def device():
    """Returns the first device of JAX, or none."""
    try:
        import jax

        return jax.devices()[0]
    except ImportError:
        return None


def machine():
    info = Path("/proc/cpuinfo").read_text()
    model = re.search(r"model name\s*:\s*(.*)", info)
    print(f"- {model.group(1) if model else platform.machine()}, {os.cpu_count()} threads, load {os.getloadavg()[0]:.1f}")
    if device() is not None:
        print(f"- JAX on {device().device_kind}")
    versions = []
    for name in ["heyoka", "scipy", "diffrax", "jax", "numpy"]:
        try:
            versions.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            versions.append(f"no {name}")
    print(f"- {', '.join(versions)}; Python {platform.python_version()}\n")


def ours(path, case):
    """Returns the rows of odes, in double precision."""
    rows = [json.loads(text) for text in path.read_text().splitlines()]
    for row in rows:
        if row["case"] == case and row["precision"] == "f64" and row["events_each"] > 0:
            place = {"gpu": "GPU", "thread": "1 thread", "threads": f"{row['threads']} threads"}
            seconds = row["call_ms"] / 1e3
            rate = row["trajectories"] * row["events_each"] / seconds
            cores = "" if row["place"] == "gpu" else significant(rate / row["threads"])
            line(f"odes, {row['variant']}", place.get(row["place"], row["place"]), str(row["trajectories"]),
                 significant(seconds), significant(rate), cores, "0", "checked")


def peer(name, make, known, seconds, most, uses_jax):
    on_gpu = uses_jax and device() is not None and device().platform == "gpu"
    try:
        # XLA compiles another program for each number of trajectories.
        growth = (64, 4) if uses_jax else (1, 2)
        n, events, wall, cpu, wrong, off = measure(make, known, seconds, most, *growth)
    except ImportError as error:
        line(name, f"missing: {error}", *[""] * 6)
        return
    # More than one thread helps XLA on a CPU.
    core = "" if on_gpu else significant(events / max(cpu, 1e-9))
    line(name, "GPU" if on_gpu else "CPU", str(n), significant(wall), significant(events / wall), core, str(wrong),
         significant(off))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("ours", nargs="?", type=Path)
    arguments = parser.parse_args()
    seconds, most = (0.2, 1 << 12) if arguments.quick else (3.0, MOST)
    machine()
    tables = {
        "spikes": ("neurons", [
            ("heyoka", by_heyoka, known_spikes, False),
            ("heyoka, batch", by_heyoka_batch, known_spikes, False),
            ("SciPy RK45", by_scipy, known_spikes, False),
            ("diffrax, first spike", by_diffrax_first, known_firsts, True),
            ("diffrax, restarted in a loop", by_diffrax, known_spikes, True),
        ]),
        "passages": ("passages", [("diffrax", by_diffrax_passages, known_passages, True)]),
    }
    for what, (case, peers) in tables.items():
        line("code", "place", "trajectories", "seconds", f"{what}/s", "a core", "wrong counts", "last time off by")
        print("|" + "---|" * 8)
        if arguments.ours:
            ours(arguments.ours, case)
        for name, make, known, uses_jax in peers:
            peer(name, make, known, seconds, most, uses_jax)
        print()


if __name__ == "__main__":
    main()
