#!/usr/bin/env python3
"""odes against CVODE and diffsol on a CPU: stiff ensembles at equal achieved error.

    bench/peers/run.py [--quick]

Each code is built as its users build it: `cargo build --release` and `cc -O3`, without flags for this machine. Separate
columns have the times with such flags, `-C target-cpu=native` and `-march=native`. Installs its requirements below
target/peers: SUNDIALS and KLU from Debian's packages (apt-get download, no root), diffsol from crates.io. Needs a C
compiler, cargo and Debian or Ubuntu. Prints Markdown.
"""

import json
import math
import os
import platform
import re
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
WORK = HERE.parents[1] / "target" / "peers"
LIBRARIES = WORK / "root" / "usr" / "lib" / f"{platform.machine()}-linux-gnu"
PACKAGES = """libsundials-dev libsundials-cvode6 libsundials-nvecserial6 libsundials-sunlinsol3
libsundials-sunmatrix4 libsuitesparse-dev libklu1 libamd2 libcolamd2 libbtf1
libsuitesparseconfig5""".split()
LINKED = "cvode nvecserial sunmatrixdense sunmatrixsparse sunlinsoldense sunlinsolklu".split()

# Flags of rustc and of cc.
FLAGS = {"default": ("", []), "native": ("-C target-cpu=native", ["-march=native"])}
SAMPLES = 33
FLOOR = 1e-4
TOLERANCES = [10.0**-k for k in range(2, 11)]
# At the tightest tolerances these methods would take most of the time, and have no users.
LOW_ORDER = ["Rosenbrock23", "TR-BDF2, dense", "ESDIRK34, dense"]
LOW_ORDER_TIGHTEST = 1e-8
TARGETS = [1e-4, 1e-6, 1e-8]
PROBLEMS = {
    "D": "Robertson, 3 states, to 10^4; its first rate from half to one and a half of its value",
    "P": "Pollution, 20 states, to 60; its first rate from 0.8 to 1.2 of its value",
}
OURS = ["Rosenbrock23", "Rodas4", "Rodas5P"]
# Code, problem, methods, trajectories: one more than a multiple of 32, so that the sample is the same.
CASES = [
    ("threads", "D", OURS, 16385),
    ("threads", "P", OURS, 4097),
    ("avx2", "D", OURS, 16385),
    ("avx2", "P", OURS, 4097),
    ("serial", "D", OURS, 2049),
    ("serial", "P", OURS, 513),
    ("cvode", "D", ["dense"], 129),
    ("cvode", "P", ["dense", "klu"], 65),
    ("diffsol", "D", ["BDF, dense", "ESDIRK34, dense", "TR-BDF2, dense"], 129),
    ("diffsol", "P", ["BDF, dense", "BDF, sparse", "ESDIRK34, dense"], 65),
]


def output(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def install():
    """Installs SUNDIALS and KLU below target/peers, and returns the folder of their headers."""
    packages = WORK / "packages"
    packages.mkdir(parents=True, exist_ok=True)
    if not (LIBRARIES / "libsundials_cvode.so").exists():
        output("apt-get", "download", *PACKAGES, cwd=packages)
        for package in packages.glob("*.deb"):
            output("dpkg", "-x", package, WORK / "root")
    return WORK / "root" / "usr" / "include"


def build():
    """Builds the two programs, by default and for this machine."""
    include = install()
    for flags, (rustc, cc) in FLAGS.items():
        folder = WORK / flags
        folder.mkdir(exist_ok=True)
        output(
            *"cc -O3 -fopenmp -Wall -Wextra".split(), *cc,
            f"-I{include}", f"-I{include / 'suitesparse'}", HERE / "cvode" / "main.c",
            "-o", folder / "cvode", f"-L{LIBRARIES}", "-Wl,--allow-shlib-undefined",
            *(f"-lsundials_{name}" for name in LINKED), "-lm",
        )
        output(
            *"cargo build --release --locked --manifest-path".split(), HERE / "Cargo.toml",
            env=os.environ | {"RUSTFLAGS": rustc, "CARGO_TARGET_DIR": str(folder)},
        )


def solve(flags, code, problem, method, threads, trajectories, runs, tolerances):
    """Returns a row for each tolerance."""
    counts = [str(n) for n in (threads, trajectories, SAMPLES, runs)] + [f"{t:.0e}" for t in tolerances]
    if code == "cvode":
        command = [WORK / flags / "cvode", problem, method, *counts]
    else:
        command = [WORK / flags / "release" / "odes-peers", problem, code, method, *counts]
    text = output(*command, env=os.environ | {"LD_LIBRARY_PATH": str(LIBRARIES)})
    return [json.loads(line) for line in text.splitlines()]


def errors(ends, exact):
    """Returns each trajectory's error: of its worst component, relative to the component plus FLOOR."""
    return [
        max(abs(x - y) / (abs(y) + FLOOR) for x, y in zip(end, true)) for end, true in zip(ends, exact)
    ]


def at_error(rows, target):
    """Returns the seconds per trajectory at the error `target`, interpolated in logarithms."""
    times = []
    for loose, tight in zip(rows, rows[1:]):
        if loose["error"] >= target > tight["error"]:
            share = math.log(target / loose["error"]) / math.log(tight["error"] / loose["error"])
            a, b = loose["each"], tight["each"]
            times.append(a * (b / a) ** share)
    return min(times, default=None)


def number(x):
    return "" if x is None else f"{x:.3g}" if x < 1000 else f"{x:.0f}"


def table(head, lines):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for line in lines:
        print("| " + " | ".join(line) + " |")
    print()


def machine():
    info = Path("/proc/cpuinfo").read_text()
    model = re.search(r"model name\s*:\s*(.*)", info).group(1)
    lock = (HERE / "Cargo.lock").read_text()
    diffsol = re.search(r'name = "diffsol"\nversion = "(.*)"', lock).group(1)
    print(f"- Machine: {model}, {os.cpu_count()} threads; load before: {os.getloadavg()[0]:.1f}")
    print(f"- {output('rustc', '--version').strip()}; {output('cc', '--version').splitlines()[0]}")
    commit = output("git", "rev-parse", "--short", "HEAD", cwd=HERE).strip()
    print(f"- odes at {commit}; diffsol {diffsol}; SUNDIALS as Debian builds it")
    print(f"- error: of each trajectory's worst component at the end, relative to it plus {FLOOR:g}; median")
    print(f"  (largest) of {SAMPLES} trajectories; absolute by relative tolerance: {FLOOR:g}")
    print()


def main():
    quick = "--quick" in sys.argv[1:]
    runs, rounds = (1, 1) if quick else (2, 3)

    def tolerances(method):
        least = LOW_ORDER_TIGHTEST if method in LOW_ORDER else 0.0
        return [t for t in (TOLERANCES[2:6:2] if quick else TOLERANCES) if t > 0.9 * least]

    build()
    machine()
    exact = {}
    for problem in PROBLEMS:
        [reference] = solve("default", "serial", problem, "Rodas5P", 1, SAMPLES, 1, [1e-12])
        exact[problem] = reference["ends"]
        [other] = solve("default", "cvode", problem, "dense", 1, SAMPLES, 1, [1e-12])
        differ = max(errors(other["ends"], exact[problem]))
        print(f"- {problem}: {PROBLEMS[problem]}.")
        print(f"  Reference: Rodas5P at 1e-12; CVODE at 1e-12 differs from it by {differ:.1e}.")
    print()

    curves = {}
    for _ in range(rounds):
        for flags in FLAGS:
            for code, problem, methods, trajectories in CASES:
                for method in methods:
                    # The effect of flags for this machine is measured on one thread.
                    many = code not in ("serial", "avx2") and flags == "default"
                    for threads in [1, os.cpu_count()] if many else [1]:
                        n = (trajectories - 1) // 4 + 1 if quick else trajectories
                        asked = (flags, code, problem, method, threads, n, runs)
                        rows = solve(*asked, tolerances(method))
                        for row in rows:
                            row["each"], row["flags"] = row["seconds"] / n, flags
                        key = (problem, rows[0]["code"], rows[0]["method"], threads, flags)
                        before = curves.get(key, rows)
                        pairs = zip(before, rows)
                        curves[key] = [min(a, b, key=lambda row: row["each"]) for a, b in pairs]
    for key, rows in curves.items():
        for row in rows:
            of_each = errors(row["ends"], exact[key[0]])
            row["error"], row["worst"] = statistics.median(of_each), max(of_each)
    with open(WORK / "peers.jsonl", "w") as file:
        for rows in curves.values():
            for row in rows:
                del row["ends"]
                file.write(json.dumps(row) + "\n")

    columns = [(1, "default"), (os.cpu_count(), "default"), (1, "native")]
    for problem in PROBLEMS:
        print(f"### {problem}: microseconds for a trajectory, at equal error\n")
        of_problem = {key[1:]: rows for key, rows in curves.items() if key[0] == problem}
        best = {
            target: min(
                at_error(rows, target) or math.inf
                for (code, _, *column), rows in of_problem.items()
                if code == "odes, threads" and tuple(column) == columns[0]
            )
            for target in TARGETS
        }
        lines = []
        for code, method in dict.fromkeys(key[:2] for key in of_problem):
            line = [code, method]
            for target in TARGETS:
                curves_of = [of_problem.get((code, method, *column)) for column in columns]
                times = [rows and at_error(rows, target) for rows in curves_of]
                ratio = f" ({number(times[0] / best[target])})" if times[0] else ""
                line.append(", ".join(number(t and t * 1e6) for t in times) + ratio)
            lines.append(line)
        head = [f"error {t:.0e}" for t in TARGETS]
        table(["code", "method"] + head, lines)
    print("Times: on one thread, on all, and on one built for this machine; in brackets the first of them by")
    print("that of our best.\n")
    print("### Everything\n")
    lines = [
        [problem, code, method, str(threads), flags, f"{row['reltol']:.0e}", number(row["each"] * 1e6),
         f"{row['steps']:.0f}", f"{row['error']:.1e} ({row['worst']:.1e})"]
        for (problem, code, method, threads, flags), rows in curves.items()
        for row in rows
    ]
    table(["", "code", "method", "threads", "flags", "reltol", "µs each", "steps", "error"], lines)
    print(f"Load after: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
