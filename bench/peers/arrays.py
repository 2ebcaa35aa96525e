#!/usr/bin/env python3
"""odes against torchdiffeq and diffrax: one large linear system, and lockstep ensembles.

    bench/peers/arrays.py --linear LINEAR --arrays ARRAYS [--device cpu|gpu] [--rows N,…] [--columns N]

LINEAR and ARRAYS are the built examples `linear` and `arrays`; without them only the peers are measured. Needs
torch, torchdiffeq, jax and diffrax, for a GPU in builds for it. Each of them runs in its own process, so that
they share no libraries. Prints Markdown. Failures are printed, and the exit status is then 1.

Times are of solves on the device of their arrays. The matrix and the initial state equal those of `linear`.
The error is the greatest difference from the exponential of the matrix, computed by torch in `f64`.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Set before jax is loaded, which would otherwise take most of the memory that torch needs too.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

ROUNDS = 7
TOLERANCE = 1e-6
END = 10.0
# An implicit solve of more rows takes minutes.
MOST_ROWS_IMPLICIT = 1000
LORENZ_RTOL, LORENZ_ATOL = 1e-3, 1e-6
LORENZ_END, LORENZ_SAVES = 100.0, 101


def uniform(seed, i):
    """Returns uniform numbers of a seed, as `examples/support/random.rs` does (SplitMix64)."""
    import numpy as np

    def mix(z):
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))

    golden = np.uint64(0x9E3779B97F4A7C15)
    with np.errstate(over="ignore"):
        start = mix(np.uint64(seed) * golden + golden)
        bits = mix(start + (np.asarray(i, np.uint64) + np.uint64(1)) * golden)
    return (bits >> np.uint64(11)).astype(np.float64) / 2.0**53


def normal(i):
    """Returns normal numbers, as `examples/linear.rs` does."""
    import numpy as np

    i = np.asarray(i, np.uint64)
    x, y = uniform(3, 2 * i), uniform(3, 2 * i + np.uint64(1))
    return np.sqrt(-2.0 * np.log(1.0 - x)) * np.cos(2.0 * np.pi * y)


def system(n):
    """Returns the matrix and the initial state of `linear`."""
    import numpy as np

    # Number `column * n + row` is the entry of `row` and `column`.
    g = normal(np.arange(n * n)).reshape(n, n).T
    a = np.ascontiguousarray(g / np.sqrt(n) - np.eye(n))
    return a, normal(n * n + np.arange(n))


def timed(solve):
    """Returns the median milliseconds of some solves, and the last result. The first solve compiles."""
    result, times = solve(), []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        result = solve()
        times.append(1e3 * (time.perf_counter() - begin))
    return statistics.median(times), result


def row(**fields):
    print(json.dumps(fields), flush=True)


def greatest(u, exact):
    import numpy as np

    return float(np.max(np.abs(np.asarray(u, np.float64) - exact)))


def exact_of(folder, n):
    import numpy as np

    return np.load(folder / f"{n}.npy")


def of_exact(options):
    """Writes the exact result of each initial state."""
    import numpy as np
    import torch

    device = "cuda" if options.device == "gpu" else "cpu"
    for n in options.rows:
        a, u0 = (torch.tensor(x, device=device) for x in system(n))
        exact = torch.linalg.matrix_exp(END * a) @ u0
        np.save(options.folder / f"{n}.npy", exact.cpu().numpy())
    row(versions=f"torch {torch.__version__}")


def of_torchdiffeq(options):
    import torch
    import torchdiffeq

    device = "cuda" if options.device == "gpu" else "cpu"
    for n in options.rows:
        for precision in ("float32", "float64"):
            dtype = getattr(torch, precision)
            a, u0 = (torch.tensor(x, device=device, dtype=dtype) for x in system(n))
            times = torch.tensor([0.0, END], device=device, dtype=dtype)
            evaluations = 0

            def rhs(_t, u):
                nonlocal evaluations
                evaluations += 1
                return a @ u

            def solve():
                nonlocal evaluations
                evaluations = 0
                with torch.no_grad():
                    states = torchdiffeq.odeint(
                        rhs, u0, times, rtol=TOLERANCE, atol=TOLERANCE, method="dopri5"
                    )
                return states[-1].cpu().numpy()

            ms, u = timed(solve)
            # Two evaluations before the first step, and six per step: the seventh is the next step's first.
            row(n=n, numbers=precision, code="torchdiffeq", method="dopri5", steps=(evaluations - 2) // 6,
                ms=ms, error=greatest(u, exact_of(options.folder, n)))
    row(versions=f"torchdiffeq {torchdiffeq.__version__}")


def jax_of(options, double):
    """Returns jax on the requested device."""
    if options.device == "cpu":
        os.environ["JAX_PLATFORMS"] = "cpu"
    import jax

    jax.config.update("jax_enable_x64", double)
    # By default, products of `f32` have 10 bits on a GPU.
    jax.config.update("jax_default_matmul_precision", "highest")
    expected = "cpu" if options.device == "cpu" else "gpu"
    if jax.default_backend() != expected:
        raise SystemExit(f"jax runs on {jax.default_backend()}, not on {expected}")
    return jax


def of_diffrax(options, double):
    jax = jax_of(options, double)
    import diffrax
    import jax.numpy as jnp
    import numpy as np

    precision = "float64" if double else "float32"
    controller = diffrax.PIDController(rtol=TOLERANCE, atol=TOLERANCE)
    term = diffrax.ODETerm(lambda _t, u, a: a @ u)

    def solver_of(method):
        @jax.jit
        def solve(u0, a):
            solution = diffrax.diffeqsolve(
                term, method, 0.0, END, None, u0, a, stepsize_controller=controller, max_steps=100_000
            )
            return solution.ys[-1], solution.stats["num_steps"]

        return solve

    for n in options.rows:
        a, u0 = (jnp.asarray(x, precision) for x in system(n))
        methods = [diffrax.Tsit5()] + [diffrax.Kvaerno5()] * (n <= MOST_ROWS_IMPLICIT)
        for method in methods:
            solve = solver_of(method)

            def once():
                u, steps = solve(u0, a)
                return np.asarray(u), int(steps)

            ms, (u, steps) = timed(once)
            assert u.dtype == precision, u.dtype
            row(n=n, numbers=precision, code="diffrax", method=type(method).__name__, steps=steps, ms=ms,
                error=greatest(u, exact_of(options.folder, n)))
    row(versions=f"jax {jax.__version__}, diffrax {diffrax.__version__}")


def of_columns(options):
    """Solves the Lorenz ensemble of `arrays` by diffrax, as one state."""
    jax = jax_of(options, False)
    import diffrax
    import jax.numpy as jnp
    import numpy as np

    n = options.columns
    factors = uniform(7, np.arange(3 * n)).reshape(n, 3).T
    p = jnp.asarray(factors * np.array([[10.0], [28.0], [8.0 / 3.0]]), "float32")
    u0 = jnp.asarray(np.repeat([[1.0], [0.0], [0.0]], n, axis=1), "float32")
    times = jnp.linspace(0.0, LORENZ_END, LORENZ_SAVES, dtype="float32")

    def rhs(_t, u, p):
        (x, y, z), (sigma, rho, beta) = u, p
        return jnp.stack([sigma * (y - x), x * (rho - z) - y, x * y - beta * z])

    @jax.jit
    def solve(u0, p):
        solution = diffrax.diffeqsolve(
            diffrax.ODETerm(rhs), diffrax.Tsit5(), 0.0, LORENZ_END, None, u0, p,
            saveat=diffrax.SaveAt(ts=times), max_steps=1_000_000,
            stepsize_controller=diffrax.PIDController(rtol=LORENZ_RTOL, atol=LORENZ_ATOL),
        )
        return solution.ys, solution.stats["num_steps"]

    def once():
        states, steps = solve(u0, p)
        return np.asarray(states), int(steps)

    ms, (states, steps) = timed(once)
    if states.shape != (LORENZ_SAVES, 3, n) or not np.isfinite(states).all():
        raise SystemExit(f"states of shape {states.shape}, or some that are not finite")
    row(columns=n, place="diffrax, one norm", steps=steps, ms=ms)


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def of_linear(options):
    """Writes the lines of `linear`, except its time of a step, which is the time of further steps."""
    few = [n for n in options.rows if n <= MOST_ROWS_IMPLICIT]
    many = [n for n in options.rows if n > MOST_ROWS_IMPLICIT]
    names = {"f32": "float32", "f64": "float64"}
    for sizes, methods in ((few, ["Tsit5", "Rodas5P"]), (many, ["Tsit5"])):
        if not sizes:
            continue
        for method in methods:
            command = [options.linear, "--place", options.device, "--method", method, *map(str, sizes)]
            text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
            for line in text.splitlines():
                if not line.startswith("| ") or line.startswith("| n "):
                    continue
                n, numbers, method, _place, steps, ms, _each, error = cells(line)
                row(n=int(n), numbers=names[numbers], code="odes", method=method, steps=int(steps),
                    ms=float(ms), error=float(error))


def of_arrays(options):
    """Writes the lines of `arrays` by Tsit5."""
    command = [options.arrays, str(options.columns)]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    for line in text.splitlines():
        if line.startswith("| Tsit5 ") and "no GPU" not in line:
            _method, place, ms, steps, _all, _worst = cells(line)
            row(columns=options.columns, place=f"odes, {place}", steps=int(steps), ms=float(ms))


PARTS = {
    "exact": of_exact,
    "torchdiffeq": of_torchdiffeq,
    "diffrax-f32": lambda options: of_diffrax(options, False),
    "diffrax-f64": lambda options: of_diffrax(options, True),
    "columns": of_columns,
    "linear": of_linear,
    "arrays": of_arrays,
}


def rows_of(part, options, folder):
    """Returns the rows of a part, run in its own process, and whether it failed."""
    command = [sys.executable, __file__, "--part", part, "--folder", folder, "--device", options.device]
    command += ["--rows", ",".join(map(str, options.rows)), "--columns", str(options.columns)]
    for name in ("linear", "arrays"):
        if getattr(options, name):
            command += [f"--{name}", getattr(options, name)]
    begin = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    print(f"{part}: {time.monotonic() - begin:.0f} s", file=sys.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()], done.returncode != 0


def table(head, lines):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for line in lines:
        print("| " + " | ".join(line) + " |")
    print()


def number(x):
    return f"{x:.3g}" if x < 1000 else f"{x:.0f}"


def whole_numbers(text):
    return [int(n) for n in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--linear", help="the built example `linear`")
    parser.add_argument("--arrays", help="the built example `arrays`")
    parser.add_argument("--device", choices=["cpu", "gpu"], default="gpu")
    parser.add_argument("--rows", type=whole_numbers, default=[100, 1000, 4000])
    parser.add_argument("--columns", type=int, default=10_000)
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        PARTS[options.part](options)
        return
    rows, failed = [], []
    with tempfile.TemporaryDirectory() as folder:
        for part in PARTS:
            if part in ("linear", "arrays") and not getattr(options, part):
                continue
            found, is_failed = rows_of(part, options, folder)
            rows += found
            failed += [part] * is_failed
    print("; ".join(dict.fromkeys(row["versions"] for row in rows if "versions" in row)))
    print(f"\nu' = A u to t = {END:g}, both tolerances {TOLERANCE:g}, median of {ROUNDS} solves by the peers\n")
    systems = [row for row in rows if "n" in row]
    systems.sort(key=lambda row: (row["n"], row["numbers"]))
    table(
        ["n", "numbers", "code", "method", "steps", "ms a solve", "µs a step", "error"],
        [
            [str(row["n"]), row["numbers"], row["code"], row["method"], str(row["steps"]), number(row["ms"]),
             number(1e3 * row["ms"] / row["steps"]), f"{row['error']:.1e}"]
            for row in systems
        ],
    )
    print(f"Lorenz columns by Tsit5 in float32 to t = {LORENZ_END:g}, {LORENZ_SAVES} saved states, "
          f"rtol {LORENZ_RTOL:g}, atol {LORENZ_ATOL:g}\n")
    table(
        ["columns", "place", "steps", "ms a solve", "µs a step"],
        [
            [str(row["columns"]), row["place"], str(row["steps"]), number(row["ms"]),
             number(1e3 * row["ms"] / row["steps"])]
            for row in rows if "columns" in row
        ],
    )
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
