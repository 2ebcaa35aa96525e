#!/usr/bin/env python3
"""Draws the output of `odes-bench work-precision --json FILE`: a picture for each problem, error against
evaluations of the right-hand side and against time. Also prints tables: microseconds at equal error,
interpolated between tolerances on logarithmic scales, the best in bold. "<": the loosest tolerance is more
exact than the column's error, in that time. Blank: no tolerance is exact enough.

    python3 bench/work_precision.py FILE [FOLDER]     FOLDER: default bench

needs matplotlib (pip install matplotlib).
"""

import json
import math
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.ticker import NullFormatter

TITLES = {
    "robertson": "Robertson, 3 states, to 1e11",
    "oregonator": "Oregonator, 3 states, to 360",
    "hires": "HIRES, 8 states, to 321.8",
    "pollution": "Pollution, 20 states, to 60",
    "e5": "E5, 4 states, to 1e5",
    "stiff_van_der_pol": "Van der Pol, mu = 1000, 2 states, to 2 mu",
    "diffusive_brusselator": "Brusselator with diffusion, 16 states, to 10",
    "arenstorf": "Arenstorf's orbit, 4 states, one period (not stiff)",
    "pleiades": "Pleiades, 28 states, to 3 (not stiff)",
}
MARKERS = "osD^v<>Phx"
NOT_STIFF = {"arenstorf": (1e-3, 1e-6), "pleiades": (1e-2, 1e-4, 1e-6, 1e-8)}
STIFF_ERRORS = (1e-3, 1e-6, 1e-8)


def draw(problem, rows, folder):
    figure, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True, layout="constrained")
    methods = list(dict.fromkeys(row["method"] for row in rows))
    for k, method in enumerate(methods):
        shown = [row for row in rows if row["method"] == method and row["error"] is not None]
        errors = [row["error"] for row in shown]
        for axis, work in zip(axes, ("evaluations", "microseconds")):
            style = {"marker": MARKERS[k], "markersize": 4, "linewidth": 1, "label": method}
            axis.loglog([row[work] for row in shown], errors, **style)
    axes[0].set_ylabel("error at the end")
    axes[0].set_xlabel("evaluations of the right-hand side")
    axes[1].set_xlabel("microseconds in one lane of one thread")
    axes[0].set_ylim(1e-12, 10)
    for axis in axes:
        axis.grid(alpha=0.3)
        axis.xaxis.set_minor_formatter(NullFormatter())
    axes[1].legend(fontsize="small")
    figure.suptitle(TITLES[problem], fontsize="medium")
    # Without the version of matplotlib, equal pictures are equal files.
    figure.savefig(folder / f"work_precision_{problem}.png", dpi=100, metadata={"Software": None})
    plt.close(figure)


def time_at(rows, error):
    """Returns microseconds for `error` by one method, and whether its loosest tolerance is more exact."""
    before = None
    for row in rows:
        if row["error"] is None:
            before = None
        elif row["error"] > error:
            before = row
        elif before is None:
            return row["microseconds"], row is rows[0]
        else:
            part = math.log(before["error"] / error) / math.log(before["error"] / row["error"])
            ratio = row["microseconds"] / before["microseconds"]
            return before["microseconds"] * ratio**part, False
    return None


def cell(time, more_exact, best):
    text = ("< " if more_exact else "") + (f"{time:.0f}" if time >= 100 else f"{time:.2g}")
    return f"**{text}**" if best else text


def tables(problems):
    """Prints a table of the stiff problems and a table of the others."""
    for stiff in (False, True):
        chosen = {name: rows for name, rows in problems.items() if (name not in NOT_STIFF) == stiff}
        if not chosen:
            continue
        methods = list(dict.fromkeys(row["method"] for rows in chosen.values() for row in rows))
        print("| | error |", " | ".join(methods), "|")
        print("|---" * (2 + len(methods)) + "|")
        for name, rows in chosen.items():
            for error in STIFF_ERRORS if stiff else NOT_STIFF[name]:
                times = [time_at([row for row in rows if row["method"] == m], error) for m in methods]
                best = min((time for time, _ in filter(None, times)), default=None)
                cells = ["" if t is None else cell(*t, t[0] == best) for t in times]
                title = TITLES[name].split(",")[0]
                print("|", " | ".join([title, f"{error:.0e}".replace("e-0", "e-"), *cells]), "|")
        print()


def main():
    rows = [json.loads(line) for line in Path(sys.argv[1]).read_text().splitlines()]
    folder = Path(sys.argv[2] if len(sys.argv) > 2 else Path(__file__).parent)
    names = dict.fromkeys(row["problem"] for row in rows)
    problems = {name: [row for row in rows if row["problem"] == name] for name in names}
    for name, rows in problems.items():
        draw(name, rows, folder)
    tables(problems)


if __name__ == "__main__":
    main()
