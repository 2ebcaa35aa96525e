#!/usr/bin/env python3
"""Draws the output of `odes-bench build --json FILE`: CPU seconds of builds, beside those of commit `5075816`.

    python3 bench/builds.py FILE [PICTURE]     PICTURE: default bench/builds.png

needs matplotlib (pip install matplotlib).
"""

import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt

# Programs, their descriptions, and CPU seconds at commit 5075816 (HISTORY.md names the machine). None: the build
# ran out of memory, or was stopped after minutes.
PROGRAMS = {
    "lorenz": ("Lorenz, Tsit5", 9.8),
    "robertson": ("Robertson, Rodas4", 10.5),
    "robertson_auto": ("Robertson, Auto", 31),
    "tanh4": ("16 tanh, 4 states, Tsit5", 74),
    "arrhenius20": ("20 reactions, 10 states, Tsit5", 57),
    "tanh10": ("100 tanh, 10 states, Tsit5", None),
    "tanh10_rodas4": ("100 tanh, 10 states, Rodas4", None),
    "tanh20": ("400 tanh, 20 states, Tsit5", None),
    "brusselator80": ("Brusselator, 80 states, Rodas4", 52),
    "dense20": ("dense, 20 states, Rodas4", 146),
    "dense30": ("dense, 30 states, Rodas4", None),
    "dense50": ("dense, 50 states, Rodas4", None),
}


def main():
    rows = [json.loads(line) for line in Path(sys.argv[1]).read_text().splitlines()]
    picture = sys.argv[2] if len(sys.argv) > 2 else Path(__file__).parent / "builds.png"
    seconds = {row["program"]: row["cpu_seconds"] for row in rows if row["program"] in PROGRAMS}
    shown = [name for name in reversed(PROGRAMS) if name in seconds]
    figure, axis = plt.subplots(figsize=(8, 0.4 * len(shown) + 1), layout="constrained")
    for y, name in enumerate(shown):
        title, before = PROGRAMS[name]
        axis.barh(y - 0.2, seconds[name], 0.4, color="tab:blue", label="now" if y == 0 else None)
        if before is None:
            axis.annotate("never", (seconds[name], y + 0.2), xytext=(4, -3), textcoords="offset points", fontsize="small")
        else:
            axis.barh(y + 0.2, before, 0.4, color="lightgray")
    axis.barh(0, 0, color="lightgray", label="before")
    axis.set_yticks(range(len(shown)), [PROGRAMS[name][0] for name in shown])
    axis.set_xlabel("CPU seconds of cargo build --release, dependencies built")
    axis.grid(axis="x", alpha=0.3)
    axis.legend()
    # Without the version of matplotlib, equal pictures are equal files.
    figure.savefig(picture, dpi=100, metadata={"Software": None})


if __name__ == "__main__":
    main()
