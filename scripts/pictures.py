"""The pictures of docs/pictures; `scripts/pictures.sh` calls this.

    python pictures.py programs PROJECT PAGE...     writes a project of the programs on pages
    python pictures.py results PAGE PROJECT         compares the results on a page with its programs' output
    python pictures.py primer FOLDER OUT            draws the files that the programs of docs/primer.md wrote to FOLDER
    python pictures.py small PICTURE OUT [WIDTH]    makes a picture smaller
"""

import pathlib
import re
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy
import pandas
from PIL import Image

# Okabe and Ito: colors that people with color blindness can distinguish.
BLUE, ORANGE, GREEN, GREY = "#0072b2", "#d55e00", "#009e73", "#888888"
COLORS = [BLUE, ORANGE, GREEN]
plt.rcParams.update({
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": plt.cycler(color=COLORS),
    "axes.titlesize": 11,
    "figure.constrained_layout.use": True,
    "grid.alpha": 0.3,
    "legend.frameon": False,
})


def panels(n, height=3.2, **how):
    figure, axes = plt.subplots(1, n, figsize=(9, height), **how)
    for axis in numpy.atleast_1d(axes):
        axis.grid(True)
    return figure, axes


def lynx(folder):
    data = numpy.load(folder / "lynx.npz")
    t, u, first = data["t"], data["u"], data["axis_0"]
    figure, (left, right) = panels(2, width_ratios=[5, 4])
    for k, name in enumerate(["hares", "lynx"]):
        left.plot(t, u[0, :, k], label=name)
    left.set(title=f"{first[0]:.0f} thousand lynx at first", xlabel="time, years", ylabel="thousands")
    left.legend(loc="upper right")
    for states, number in zip(u, first):
        style = {"marker": "o", "linestyle": "none"} if number == 20 else {}
        right.plot(states[:, 0], states[:, 1], color=GREY if number == 20 else None, label=f"{number:.0f}", **style)
    right.set(title="all three trajectories", xlabel="hares, thousands", ylabel="lynx, thousands")
    right.legend(title="lynx at first", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


def tablets(folder):
    data = numpy.load(folder / "tablets.npz")
    figure, axis = panels(1)
    axis.axhspan(5, 15, color=GREEN, alpha=0.12, lw=0, label="5 to 15 mg/l")
    for values, p, color in zip(data["observables"][:, :, 0], data["p"], [ORANGE, BLUE, "black"]):
        dose, period = p[3:5]
        axis.plot(data["t"], values, color=color, label=f"{dose:.0f} mg every {period:.0f} h")
    axis.set(xlabel="time, h", ylabel="concentration in the blood, mg/l", xlim=(0, 96), ylim=(0, None))
    axis.set_xticks(range(0, 97, 12))
    axis.legend(ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return figure


def ball(folder):
    data = numpy.load(folder / "ball.npz")
    figure, axis = panels(1)
    for world, u, log, g in zip(["Earth", "Mars", "Moon"], data["u"], data["log"], data["axis_0"]):
        [line] = axis.plot(data["t"], u[:, 0], label=f"{world}, {g} m/s²")
        axis.plot(log[:, 0], 0 * log[:, 0], "o", color=line.get_color(), markersize=4, clip_on=False)
    axis.plot([], [], "o", color=GREY, markersize=4, label="impact")
    axis.set(xlabel="time, s", ylabel="height, m", xlim=(0, None), ylim=(0, None))
    axis.legend()
    return figure


def circuit(folder):
    table = pandas.read_csv(folder / "circuit.csv")
    figure, axis = panels(1)
    f = numpy.geomspace(500, 5000, 1000)
    omega = 2 * numpy.pi * f
    exact = 1e3 / numpy.hypot(10, omega * 0.01 - 1 / (omega * 1e-6))
    axis.plot(f, exact, color=GREY, label="closed form")
    axis.plot(table.frequency, 1e3 * table.amplitude, ".", color=BLUE, label="solved")
    axis.set(xlabel="frequency, Hz", ylabel="amplitude of the current, mA", xscale="log", ylim=(0, None))
    axis.set_xticks([500, 1000, 2000, 5000], ["500", "1000", "2000", "5000"])
    axis.minorticks_off()
    axis.legend()
    return figure


def reactions(folder):
    data = numpy.load(folder / "reactions.npz")
    figure, axis = panels(1)
    for k, (name, factor) in enumerate([("A", 1), ("B", 1e4), ("C", 1)]):
        axis.plot(data["t"], factor * data["u"][0, :, k], label="B × 10 000" if k == 1 else name)
    axis.set(xlabel="time, s", ylabel="concentration", xscale="log", xlim=(1e-5, 1e11), ylim=(0, None))
    axis.legend()
    return figure


def neuron(folder):
    data = numpy.load(folder / "neuron.npz")
    current, log = data["axis_0"], data["log"][:, :, 0]
    figure, (left, right) = panels(2, width_ratios=[3, 2])
    for i, color in [(8, BLUE), (15, ORANGE)]:
        left.plot(data["t"], data["u"][i, :, 0], color=color, lw=1, label=f"{current[i]:.1f} nA")
        times = log[i][~numpy.isnan(log[i])]
        left.plot(times, 0 * times - (47.5 if i == 8 else 46), "|", color=color)
    left.axhline(-50, color=GREY, ls="--", lw=1)
    left.text(202, -50, "threshold", va="center", fontsize=9)
    left.set(title="voltage, and spikes above", xlabel="time, ms", ylabel="voltage, mV", xlim=(0, 200))
    left.legend(loc="lower right")
    counts = (~numpy.isnan(log)).sum(axis=1)
    fired = counts > 1
    last = [log[i, n - 1] - log[i, n - 2] for i, n in enumerate(counts) if n > 1]
    drive = numpy.linspace(10.001, 40, 2000)
    above = drive > 20
    exact = numpy.zeros_like(drive)
    exact[above] = 1000 / (20 * numpy.log((drive[above] - 5) / (drive[above] - 20)))
    right.plot(drive / 10, exact, color=GREY, label="closed form")
    right.plot(current[fired], 1000 / numpy.array(last), ".", color=BLUE, label="solved")
    right.plot(current[~fired], 0 * current[~fired], ".", color=BLUE)
    right.set(title="rate of spikes", xlabel="current, nA", ylabel="rate, Hz")
    right.legend()
    return figure


def primer(folder, out):
    for draw in [lynx, tablets, ball, circuit, reactions, neuron]:
        figure = draw(pathlib.Path(folder))
        path = pathlib.Path(out) / f"{draw.__name__}.png"
        figure.savefig(path, dpi=100)
        small(path, path)


def small(picture, out, width="1000"):
    image = Image.open(picture).convert("RGB")
    if image.width > int(width):
        size = int(width), round(image.height * int(width) / image.width)
        image = image.resize(size, Image.Resampling.LANCZOS)
    # Methods without k-means give text the colors of nearby pixels.
    image = image.quantize(160, Image.Quantize.MAXCOVERAGE, kmeans=4, dither=Image.Dither.NONE)
    image.save(out, optimize=True)
    print(f"{out}: {pathlib.Path(out).stat().st_size / 1e3:.0f} kB")


MANIFEST = """[package]
name = "odes-pages"
version = "0.0.0"
edition = "2024"
publish = false

[dependencies]
odes = {{ path = "{path}", features = ["save"] }}

[profile.dev]
opt-level = 1
debug = false

[workspace]
"""


def blocks(page):
    """Returns the programs of a page, each with the text that follows it, if there is some."""
    text = pathlib.Path(page).read_text(encoding="utf-8")
    return re.findall(r"^```rust\n(.*?)^```\n(?:\n```text\n(.*?)^```)?", text, re.DOTALL | re.MULTILINE)


def name(page, number):
    return f"{pathlib.Path(page).stem}_{number}"


def programs(project, *pages):
    folder = pathlib.Path(project) / "src" / "bin"
    folder.mkdir(parents=True, exist_ok=True)
    for page in pages:
        for number, (program, _) in enumerate(blocks(page)):
            # Lines that the documentation hides.
            program = re.sub(r"^# ?(?=\s|$)", "", program, flags=re.MULTILINE)
            (folder / f"{name(page, number)}.rs").write_text(program, encoding="utf-8")
    root = pathlib.Path(__file__).resolve().parent.parent
    (pathlib.Path(project) / "Cargo.toml").write_text(MANIFEST.format(path=root), encoding="utf-8")


def results(page, project):
    shown = [(number, text) for number, (_, text) in enumerate(blocks(page)) if text]
    for number, text in shown:
        printed = (pathlib.Path(project) / f"{name(page, number)}.txt").read_text(encoding="utf-8")
        if text != printed:
            sys.exit(f"{page}: program {number} prints\n{printed}")
    print(f"{page}: {len(shown)} results are those of the programs")


COMMANDS = {"programs": programs, "results": results, "primer": primer, "small": small}
COMMANDS[sys.argv[1]](*sys.argv[2:])
