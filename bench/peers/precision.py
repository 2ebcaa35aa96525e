#!/usr/bin/env python3
"""Work and precision on one thread: odes beside CVODE, SciPy, diffrax and heyoka.

    cargo run --release -p odes-bench --bin precision > target/precision.jsonl
    python3 bench/peers/precision.py [--quick] [--picture docs/pictures/precision.png] target/precision.jsonl

The first program solves small ensembles in lanes of one thread, and writes the values and exact final states of 33
trajectories. This script solves these 33 trajectories by each peer on one core, with the same tolerances, and computes
the errors in the same way. All peers have compiled right-hand sides; implicit ones have exact Jacobians. CVODE: C
compiled by `cc -O3`. SciPy: Numba. diffrax: one `vmap` over the trajectories. heyoka: batches. Times are CPU times, the
best of some runs after a first one. A tolerance that takes a peer more than 5 s ends its curve. The script adds its lines to
the file, draws the picture, and prints the times at equal errors in Markdown.

Installs SUNDIALS below target/peers, from Debian's packages without root. Codes that are not installed are skipped.

needs NumPy, SymPy, matplotlib; SciPy with Numba, diffrax, heyoka (pip install sympy matplotlib scipy numba diffrax heyoka).
"""

import argparse
import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
import run
import sympy

TITLES = {
    "D": "D: Robertson, 3 states, to 10⁴",
    "H": "H: HIRES, 8 states",
    "P": "P: Pollution, 20 states",
    "E5": "E5, 4 states, to 10⁵",
    "Pleiades": "Pleiades, 28 states (not stiff)",
    "B2": "B2: Lorenz to 10 (not stiff)",
}
TARGETS = (1e-3, 1e-4, 1e-6, 1e-8)
LONGEST = 5.0


def robertson(u, p, sqrt):
    slow, fast, back = p[0] * u[0], p[1] * u[1] * u[1], p[2] * u[1] * u[2]
    return [back - slow, slow - back - fast, fast]


def hires(u, p, sqrt):
    k1, k2, bind, supply = p
    bound, freed = bind * u[5] * u[7] - 0.69 * u[6], (0.69 + k2) * u[6]
    return [
        -k1 * u[0] + k2 * u[1] + 8.32 * u[2] + supply,
        k1 * u[0] - (k2 + 8.32) * u[1],
        -(8.32 + k1) * u[2] + k2 * u[3] + 0.035 * u[4],
        8.32 * u[1] + k1 * u[2] - (0.69 + k2) * u[3],
        -(0.035 + k1) * u[4] + k2 * (u[5] + u[6]),
        0.69 * u[3] + k1 * u[4] - k2 * u[5] - bound,
        bound - freed,
        freed - bound,
    ]


# Reactants and changes of each species by the 25 reactions.
REACTANTS = "0 1,3 4,1 6 6 6,5 8 8,5 10,1 10,0 12 9,1 13 0,5 2 3 3 15 15 16,5 18 18 0,3 18,0 19".split()
CHANGES = [
    "-0-9-13-22-23+1+2+8+10+11+21+24", "-1-2-8-11+0+20", "-14+0+16+18+21", "-1-15-16-22+14", "-2+3+3+5+6+12+19",
    "-5-7-13-19+2+17+17", "-3-4-5+12", "+3+4+5+6", "-6-7", "-11+6+8", "-8-9+7+10", "+8", "-10+9", "-12+11", "+13",
    "-17-18+15", "-19", "+19", "-20-21-23+22+24", "-24+23",
]


def pollution(u, p, sqrt):
    rates = [rate * math.prod([u[int(i)] for i in each.split(",")], start=1.0) for rate, each in zip(p, REACTANTS)]
    terms = [each.replace("-", " -").replace("+", " +").split() for each in CHANGES]
    return [sum(rates[int(term[1:])] * (1.0 if term[0] == "+" else -1.0) for term in each) for each in terms]


def e5(u, p, sqrt):
    first, second, third, fourth = p[0] * u[0], p[1] * u[0] * u[2], p[2] * u[1] * u[2], p[3] * u[3]
    return [-first - second, first - third, first - third - (second - fourth), second - fourth]


def pleiades(u, p, sqrt):
    pull = [[0.0, 0.0] for _ in range(7)]
    for i in range(7):
        for j in range(i):
            dx, dy = u[j] - u[i], u[7 + j] - u[7 + i]
            square = dx * dx + dy * dy
            weight = 1.0 / (square * sqrt(square))
            for axis, d in enumerate((dx, dy)):
                pull[i][axis] = pull[i][axis] + (j + 1.0) * weight * d
                pull[j][axis] = pull[j][axis] - (i + 1.0) * weight * d
    return [*(u[14 + i] for i in range(14)), *(a[0] for a in pull), *(a[1] for a in pull)]


def lorenz(u, p, sqrt):
    return [p[0] * (u[1] - u[0]), u[0] * (p[1] - u[2]) - u[1], u[0] * u[1] - p[2] * u[2]]


SYSTEMS = {"D": robertson, "H": hires, "P": pollution, "E5": e5, "Pleiades": pleiades, "B2": lorenz}


class Problem:
    def __init__(self, line):
        self.name, self.small = line["problem"], line["small"]
        self.begin, self.end = line["span"]
        self.u0, self.p, self.exact = (np.array(line[key], dtype=float) for key in ("u0", "p", "exact"))
        self.rhs = SYSTEMS[self.name]
        self.u = sympy.symbols(f"u:{self.u0.shape[1]}")
        self.parameters = sympy.symbols(f"p:{self.p.shape[1]}") if self.p.size else []

    def tolerances(self, exponent):
        reltol = 10.0**-exponent
        return reltol, reltol * (1.0 if self.small is None else self.small)

    def error(self, ends, which):
        """Returns the median of the errors of the worst components."""
        exact = self.exact[which]
        if self.small is None:
            size = np.maximum(np.abs(exact).max(axis=1, keepdims=True), 1.0)
        else:
            size = np.abs(exact) + self.small
        return float(np.median((np.abs(ends - exact) / size).max(axis=1)))


def straight(values, end, printer, declare=""):
    """Returns lines of straight-line code that write the nonzero values to `out`."""
    common, values = sympy.cse(list(values), symbols=sympy.numbered_symbols("x"))
    lines = [f"{declare}{name} = {printer(value)}{end}" for name, value in common]
    return lines + [f"out[{k}] = {printer(value)}{end}" for k, value in enumerate(values) if value != 0]


def by_scipy(problem, method):
    import numba
    from scipy.integrate import solve_ivp

    def compiled(values):
        body = [f"u{k} = u[{k}]" for k in range(len(problem.u))]
        body += [f"p{k} = p[{k}]" for k in range(len(problem.parameters))]
        body += [f"out = np.zeros({len(values)})", *straight(values, "", sympy.pycode)]
        text = "def f(t, u, p):\n    " + "\n    ".join([*body, "return out"])
        scope = {"np": np, "math": math}
        exec(text, scope)
        return numba.njit(scope["f"])

    n = len(problem.u)
    values = problem.rhs(problem.u, problem.parameters, sympy.sqrt)
    rhs, jac = compiled(values), None
    if problem.small is not None:
        flat = compiled(list(sympy.Matrix(values).jacobian(problem.u)))
        jac = lambda t, u, p: flat(t, u, p).reshape(n, n)
    which = np.arange(0, len(problem.u0), 4)

    def solve(reltol, abstol):
        options = {"method": method, "rtol": reltol, "atol": abstol}
        if jac is not None and method != "DOP853":
            options["jac"] = jac
        ends = []
        for k in which:
            found = solve_ivp(rhs, (problem.begin, problem.end), problem.u0[k], args=(problem.p[k],), **options)
            if not found.success:
                return None
            ends.append(found.y[:, -1])
        return np.array(ends)

    return which, solve


def by_diffrax(problem, method):
    import diffrax
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    term = diffrax.ODETerm(lambda t, u, p: jnp.stack([jnp.asarray(x, float) for x in problem.rhs(u, p, jnp.sqrt)]))
    span = (problem.begin, problem.end)

    def one(u0, p, reltol, abstol):
        control = diffrax.PIDController(rtol=reltol, atol=abstol)
        solver = getattr(diffrax, method)()
        found = diffrax.diffeqsolve(term, solver, *span, None, u0, p, stepsize_controller=control,
                                    max_steps=200_000, throw=False)
        return found.ys[-1], found.result == diffrax.RESULTS.successful

    every = jax.jit(jax.vmap(one, in_axes=(0, 0, None, None)))

    def solve(reltol, abstol):
        ends, good = every(problem.u0, problem.p, reltol, abstol)
        return np.asarray(ends) if bool(good.all()) else None

    return np.arange(len(problem.u0)), solve


def by_heyoka(problem, method):
    import heyoka as hy

    size = hy.recommended_simd_size()
    u = hy.make_vars(*(f"u{k}" for k in range(len(problem.u))))
    system = list(zip(u, problem.rhs(u, [hy.par[k] for k in range(problem.p.shape[1])], hy.sqrt)))
    which = np.arange(len(problem.u0) // size * size)
    built = {}

    def solve(reltol, abstol):
        if reltol not in built:
            built[reltol] = hy.taylor_adaptive_batch(
                system, np.zeros((len(u), size)), pars=np.zeros((problem.p.shape[1], size)), tol=reltol)
        integrator, ends = built[reltol], []
        for begin in range(0, len(which), size):
            these = slice(begin, begin + size)
            integrator.set_time(problem.begin)
            integrator.state[:] = problem.u0[these].T
            integrator.pars[:] = problem.p[these].T
            integrator.propagate_until(problem.end)
            if any(found[0] != hy.taylor_outcome.time_limit for found in integrator.propagate_res):
                return None
            ends.append(integrator.state.T.copy())
        return np.concatenate(ends)

    return which, solve


# Squares are products.
POWER = [(lambda base, exponent: exponent == 2, lambda base, exponent: f"(({base})*({base}))"),
         (lambda base, exponent: True, lambda base, exponent: f"pow({base}, {exponent})")]
CVODE = r"""
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static const double starts[COUNT][WIDTH] = STARTS, rates[COUNT][PARAMETERS] = RATES;
static const sunindextype columns[] = COLUMNS, rows[] = ROWS;
static void function(const double *u, const double *p, double *out) { FUNCTION }
static void derivatives(const double *u, const double *p, double *out) { DERIVATIVES }
static int rhs(double t, N_Vector u, N_Vector du, void *p) {
    function(N_VGetArrayPointer(u), *(double **)p, N_VGetArrayPointer(du));
    return 0;
}
static int jacobian(double t, N_Vector u, N_Vector f, SUNMatrix j, void *p, N_Vector a, N_Vector b, N_Vector c) {
    SUNMatZero(j);
    if (SPARSE) {
        memcpy(SUNSparseMatrix_IndexPointers(j), columns, sizeof columns);
        memcpy(SUNSparseMatrix_IndexValues(j), rows, sizeof rows);
    }
    derivatives(N_VGetArrayPointer(u), *(double **)p, SPARSE ? SUNSparseMatrix_Data(j) : SUNDenseMatrix_Data(j));
    return 0;
}
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}
int main(int count, char **arguments) {
    double reltol = atof(arguments[1]), abstol = atof(arguments[2]), best = 1e300, ends[COUNT][WIDTH];
    int runs = atoi(arguments[3]);
    const double *p = rates[0];
    SUNContext context;
    SUNContext_Create(NULL, &context);
    N_Vector u = N_VNew_Serial(WIDTH, context);
    SUNMatrix matrix = SPARSE ? SUNSparseMatrix(WIDTH, WIDTH, columns[WIDTH], CSC_MAT, context)
                              : SUNDenseMatrix(WIDTH, WIDTH, context);
    SUNLinearSolver linear = SPARSE ? SUNLinSol_KLU(u, matrix, context) : SUNLinSol_Dense(u, matrix, context);
    void *cvode = CVodeCreate(CV_BDF, context);
    CVodeInit(cvode, rhs, BEGIN, u);
    CVodeSetUserData(cvode, &p);
    CVodeSStolerances(cvode, reltol, abstol);
    CVodeSetLinearSolver(cvode, linear, matrix);
    CVodeSetJacFn(cvode, jacobian);
    CVodeSetMaxNumSteps(cvode, 1000000);
    for (int run = 0; run <= runs; run++) {
        double begin = now();
        for (int i = 0; i < COUNT; i++) {
            double t;
            p = rates[i];
            memcpy(N_VGetArrayPointer(u), starts[i], sizeof starts[i]);
            CVodeReInit(cvode, BEGIN, u);
            CVodeSetStopTime(cvode, END);
            if (CVode(cvode, END, u, &t, CV_NORMAL) < 0) return 1;
            memcpy(ends[i], N_VGetArrayPointer(u), sizeof ends[i]);
        }
        if (now() - begin < best) best = now() - begin;
    }
    printf("%.9g", best);
    for (int i = 0; i < COUNT; i++) {
        for (int d = 0; d < WIDTH; d++) printf(" %.17g", ends[i][d]);
    }
    return 0;
}
"""


def by_cvode(problem, method):
    """Compiles a program, and returns a function that measures by itself."""
    include = run.install()
    n, sparse = len(problem.u), "KLU" in method
    jacobian = sympy.Matrix(problem.rhs(problem.u, problem.parameters, sympy.sqrt)).jacobian(problem.u)
    # The elements column by column, with the diagonal.
    pattern = [(row, column) for column in range(n) for row in range(n)
               if not sparse or row == column or jacobian[row, column] != 0]
    columns = [sum(column < k for _, column in pattern) for k in range(n + 1)]

    def body(values):
        lines = [f"const double u{k} = u[{k}];" for k in range(n)]
        lines += [f"const double p{k} = p[{k}];" for k in range(len(problem.parameters))]
        ccode = lambda value: sympy.ccode(value, user_functions={"Pow": POWER})
        return "\n".join(lines + straight(values, ";", ccode, "const double "))

    def array(values):
        return "{" + ",".join(array(v) if hasattr(v, "__len__") else repr(v) for v in values) + "}"

    text = CVODE
    for name, value in {
        "COUNT": len(problem.u0), "WIDTH": n, "PARAMETERS": problem.p.shape[1], "SPARSE": int(sparse),
        "COLUMNS": array(columns), "ROWS": array([row for row, _ in pattern]),
        "STARTS": array(problem.u0.tolist()), "RATES": array(problem.p.tolist()),
        "FUNCTION": body(problem.rhs(problem.u, problem.parameters, sympy.sqrt)),
        "DERIVATIVES": body([jacobian[element] for element in pattern]),
        "BEGIN": repr(problem.begin), "END": repr(problem.end),
    }.items():
        text = text.replace(name, str(value))
    program = run.WORK / f"precision_{problem.name}_{'klu' if sparse else 'dense'}"
    source = program.with_suffix(".c")
    source.write_text(text)
    flags = [f"-I{include}", f"-I{include / 'suitesparse'}", f"-L{run.LIBRARIES}", "-Wl,--allow-shlib-undefined"]
    linked = [f"-lsundials_{name}" for name in run.LINKED] + ["-lm"]
    subprocess.run(["cc", "-O3", *flags, source, "-o", program, *linked], check=True)
    environment = os.environ | {"LD_LIBRARY_PATH": str(run.LIBRARIES)}

    def measured(reltol, abstol, runs):
        found = subprocess.run([program, repr(reltol), repr(abstol), str(runs)], env=environment, capture_output=True,
                               text=True, timeout=100 * LONGEST)
        if found.returncode != 0:
            return None
        seconds, *ends = map(float, found.stdout.split())
        return seconds, np.array(ends).reshape(len(problem.u0), n)

    return np.arange(len(problem.u0)), measured


STIFF = [("CVODE", by_cvode, "BDF, dense"), ("CVODE", by_cvode, "BDF, KLU"), ("SciPy", by_scipy, "LSODA"), ("SciPy", by_scipy, "Radau"),
         ("diffrax", by_diffrax, "Kvaerno5")]
OTHER = [("heyoka", by_heyoka, "Taylor"), ("SciPy", by_scipy, "DOP853"), ("diffrax", by_diffrax, "Tsit5"),
         ("diffrax", by_diffrax, "Dopri8")]


def best(solve, runs):
    """Returns the least CPU time of some runs after a first one, and the results."""
    least, ends = math.inf, solve()
    for _ in range(runs):
        begin = time.process_time()
        ends = solve()
        least = min(least, time.process_time() - begin)
        if ends is None or least > LONGEST / 10:
            break
    return least, ends


def measure(problem, exponents, runs):
    for code, prepare, method in OTHER if problem.small is None else STIFF:
        if method == "BDF, KLU" and len(problem.u) < 10:
            continue
        try:
            which, solve = prepare(problem, method)
        except (ImportError, OSError, subprocess.CalledProcessError) as missing:
            print(f"{code} {method}, {problem.name}: {missing!r}", file=sys.stderr)
            continue
        for exponent in exponents:
            reltol, abstol = problem.tolerances(exponent)
            if code == "CVODE":
                seconds, ends = solve(reltol, abstol, runs) or (math.inf, None)
            else:
                seconds, ends = best(lambda: solve(reltol, abstol), runs)
            yield {
                "problem": problem.name, "code": code, "method": method, "reltol": f"1e-{exponent}",
                "microseconds": None if ends is None else 1e6 * seconds / len(which),
                "error": None if ends is None else problem.error(ends, which),
            }
            if ends is not None and seconds > LONGEST:
                break


def curves(rows):
    """Returns the points of each code and method: errors and microseconds."""
    found = {}
    for row in rows:
        if row.get("error") is not None:
            key = row["problem"], row["code"], row["method"]
            found.setdefault(key, []).append((row["error"], row["microseconds"]))
    return found


def time_at(points, target):
    """Returns the least time at an error, interpolated in logarithms, and whether the loosest tolerance has it."""
    if points[0][0] <= target:
        return points[0][1], True
    times = []
    for (loose, a), (tight, b) in zip(points, points[1:]):
        if loose > target >= tight:
            times.append(a * (b / a) ** (math.log(target / loose) / math.log(tight / loose)))
    return (min(times), False) if times else None


def tables(found):
    codes = ["odes", "CVODE", "heyoka", "diffrax", "SciPy"]
    print("| | error |", " | ".join(codes), "|")
    print("|---" * (2 + len(codes)) + "|")
    for problem in TITLES:
        for target in TARGETS:
            cells = []
            for code in codes:
                times = [
                    (*at, method) for (name, by, method), points in found.items()
                    if name == problem and by == code and (at := time_at(points, target))
                ]
                if times:
                    least, looser, method = min(times)
                    cells.append(f"{method} {'< ' if looser else ''}{run.number(least)}")
                else:
                    cells.append("")
            print("|", " | ".join([problem, f"{target:.0e}".replace("e-0", "e-"), *cells]), "|")


def draw(found, path):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    colours = {"odes": "tab:blue", "CVODE": "tab:red", "heyoka": "tab:green", "diffrax": "tab:orange", "SciPy": "tab:gray"}
    figure, axes = plt.subplots(2, 3, figsize=(12, 7.4), layout="constrained")
    for axis, (problem, title) in zip(axes.flat, TITLES.items()):
        marks = {}
        for (name, code, method), points in found.items():
            if name == problem:
                mark = marks[code] = marks.get(code, -1) + 1
                errors, times = zip(*points)
                axis.loglog(times, errors, marker="osD"[mark], markersize=4, color=colours[code],
                            linestyle=("-", "--", ":")[mark], linewidth=1.2, label=f"{code} {method}")
        axis.set_title(title, fontsize="medium")
        axis.set_ylim(1e-12, 3)
        axis.grid(alpha=0.3)
        axis.legend(fontsize="x-small", framealpha=0.6)
    for axis in axes[1]:
        axis.set_xlabel("microseconds per trajectory, one thread")
    for axis in axes[:, 0]:
        axis.set_ylabel("error at the end")
    # Without the version of matplotlib, equal pictures are equal files.
    figure.savefig(path, dpi=100, metadata={"Software": None})


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true", help="three tolerances, one run each")
    options.add_argument("--picture", type=Path, help="draw the curves into this file")
    options.add_argument("--only", default="", help="problems, as D,H")
    options.add_argument("--draw-only", action="store_true", help="measure nothing")
    options.add_argument("file", type=Path)
    given = options.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    rows = [json.loads(line) for line in given.file.read_text().splitlines()]
    problems = [Problem(row) for row in rows if "exact" in row]
    if not given.draw_only:
        exponents, runs = ((3, 6, 9), 1) if given.quick else (range(2, 11), 3)
        with given.file.open("a") as file:
            for problem in problems:
                if given.only and problem.name not in given.only.split(","):
                    continue
                for row in measure(problem, exponents, runs):
                    rows.append(row)
                    file.write(json.dumps(row) + "\n")
                    file.flush()
    found = curves(rows)
    tables(found)
    if given.picture:
        draw(found, given.picture)


if __name__ == "__main__":
    main()
