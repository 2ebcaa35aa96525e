#!/usr/bin/env python3
"""Draws what `odes-bench work-precision --json FILE` wrote: a picture for each problem, error against
evaluations of the right-hand side and against time.

    python3 bench/work_precision.py FILE [FOLDER]     FOLDER: default bench

needs matplotlib (pip install matplotlib).
"""

import json
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
    # Without the version of matplotlib the same picture is the same file.
    figure.savefig(folder / f"work_precision_{problem}.png", dpi=100, metadata={"Software": None})
    plt.close(figure)


def main():
    rows = [json.loads(line) for line in Path(sys.argv[1]).read_text().splitlines()]
    folder = Path(sys.argv[2] if len(sys.argv) > 2 else Path(__file__).parent)
    for problem in dict.fromkeys(row["problem"] for row in rows):
        draw(problem, [row for row in rows if row["problem"] == problem], folder)


if __name__ == "__main__":
    main()
