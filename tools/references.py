"""Reference solutions of examples/models, by a method that shares nothing with the library's.

Extrapolation of the modified midpoint rule (Gragg, Bulirsch, Stoer; Hairer, Norsett and Wanner I,
II.9) of order 20 in 80-bit arithmetic, with steps of a fixed size. Each solution is computed with two
step sizes; the finer one is printed to 14 digits, and how far the other is from it, relative to the
greatest component: below 1e-12 for all of them, for most below 1e-14. The right-hand sides are
written a second time, from the sources that the models name.

    python3 tools/references.py [NAME …]        needs numpy
"""

import sys

import numpy as np

F = np.longdouble
PI = F("3.14159265358979323846264338327950288")
COLUMNS = 10


def number(text):
    return F(text)


def array(*texts):
    return np.array([F(t) for t in texts], dtype=F)


def step(f, t, u, size):
    """One step of size `size`: midpoint rules of 2, 4, … substeps, extrapolated to none."""
    rows = []
    first = f(t, u)
    for k in range(COLUMNS):
        n = 2 * (k + 1)
        h = size / n
        before, now = u, u + h * first
        for i in range(1, n):
            before, now = now, before + 2 * h * f(t + i * h, now)
        row = [now]
        for j in range(k):
            ratio = (F(n) / F(2 * (k - j))) ** 2
            row.append(row[j] + (row[j] - rows[k - 1][j]) / (ratio - 1))
        rows.append(row)
    return rows[-1][-1]


def solve(f, u, end, steps):
    size = F(end) / steps
    for i in range(steps):
        u = step(f, i * size, u, size)
    return u


def rossler(t, u):
    x, y, z = u
    return np.array([-y - z, x + y / 5, F(1) / 5 + z * (x - number("5.7"))])


def lotka_volterra(t, u):
    x, y = u
    return np.array([F(3) / 2 * x - x * y, -3 * y + x * y])


def sir(t, u):
    s, i, _ = u
    new = s * i / 2
    return np.array([-new, new - i / 4, i / 4])


def measles(t, u):
    s, e, i = u
    beta = 1800 * (1 + number("0.28") * np.cos(2 * PI * t))
    birth, latency, recovery = number("0.02"), number("35.842"), F(100)
    return np.array(
        [
            birth * (1 - s) - beta * s * i,
            beta * s * i - (latency + birth) * e,
            latency * e - (recovery + birth) * i,
        ]
    )


def fitzhugh_nagumo(t, u):
    v, w = u
    return np.array(
        [v - v**3 / 3 - w + F(1) / 2, (v + number("0.7") - number("0.8") * w) / number("12.5")]
    )


def hodgkin_huxley(t, u):
    v, m, h, n = u
    e = np.exp
    am = (v + 40) / 10 / (1 - e(-(v + 40) / 10))
    bm = 4 * e(-(v + 65) / 18)
    ah = number("0.07") * e(-(v + 65) / 20)
    bh = 1 / (1 + e(-(v + 35) / 10))
    an = (v + 55) / 100 / (1 - e(-(v + 55) / 10))
    bn = e(-(v + 65) / 80) / 8
    current = 120 * m**3 * h * (v - 50) + 36 * n**4 * (v + 77)
    current += number("0.3") * (v + number("54.387"))
    return np.array(
        [10 - current, am * (1 - m) - bm * m, ah * (1 - h) - bh * h, an * (1 - n) - bn * n]
    )


def duffing(t, u):
    x, v = u
    force = number("0.5") * np.cos(number("1.2") * t)
    return np.array([v, force - number("0.3") * v + x - x**3])


def double_pendulum(t, u):
    a, b, p, q = u
    g = number("9.81")
    c, s = np.cos(a - b), np.sin(a - b)
    # Masses and lengths of one: Newton's equations solved for the accelerations.
    matrix = [[F(2), c], [c, F(1)]]
    right = [-q * q * s - 2 * g * np.sin(a), p * p * s - g * np.sin(b)]
    det = matrix[0][0] * matrix[1][1] - c * c
    return np.array(
        [
            p,
            q,
            (right[0] * matrix[1][1] - c * right[1]) / det,
            (matrix[0][0] * right[1] - c * right[0]) / det,
        ]
    )


def repressilator(t, u):
    m, p = u[:3], u[3:]
    repressor = np.roll(p, 1)
    dm = -m + 216 / (1 + repressor**2) + number("0.216")
    return np.concatenate([dm, -5 * (p - m)])


def goodwin(t, u):
    x, y, z = u
    return np.array([1 / (1 + z**10) - x / 2, x - y / 2, y - z / 2])


def satellite(t, u):
    r, v = u[:3], u[3:]
    mu, j2, radius = number("398600.4418"), number("0.00108262668"), number("6378.1363")
    d2 = r @ r
    d = np.sqrt(d2)
    bulge = F(3) / 2 * j2 * (radius**2) / d2
    zz = 5 * r[2] ** 2 / d2
    factor = np.array([1 - bulge * (zz - 1), 1 - bulge * (zz - 1), 1 - bulge * (zz - 3)])
    return np.concatenate([v, -mu / (d2 * d) * r * factor])


def phenytoin(t, u):
    central, peripheral = u
    c = central / 40
    elimination = 20 * c / (4 + c)
    exchange = central / 2 - number("0.3") * peripheral
    return np.array([-exchange - elimination, exchange])


def lorenz(t, u):
    x, y, z = u
    return np.array([10 * (y - x), x * (28 - z) - y, x * y - F(8) / 3 * z])


def lorenz96(t, u):
    return (np.roll(u, -1) - np.roll(u, 2)) * np.roll(u, 1) - u + 8


def brusselator(t, u):
    x, y = u
    return np.array([1 + x * x * y - 4 * x, 3 * x - x * x * y])


def pleiades(t, u):
    x, y, vx, vy = u[:7], u[7:14], u[14:21], u[21:]
    ax, ay = np.zeros(7, dtype=F), np.zeros(7, dtype=F)
    for i in range(7):
        for j in range(7):
            if i != j:
                r = ((x[i] - x[j]) ** 2 + (y[i] - y[j]) ** 2) ** (F(3) / 2)
                ax[i] += (j + 1) * (x[j] - x[i]) / r
                ay[i] += (j + 1) * (y[j] - y[i]) / r
    return np.concatenate([vx, vy, ax, ay])


PLEIADES = array(
    *[3, 3, -1, -3, 2, -2, 2],
    *[3, -3, 2, 0, 0, -4, 4],
    *[0, 0, 0, 0, 0, "1.75", "-1.5"],
    *[0, 0, 0, "-1.25", 1, 0, 0],
)

# Name, initial state, end, steps.
MODELS = [
    (rossler, array(1, 1, 0), 20, 200),
    (lotka_volterra, array(1, 1), 10, 100),
    (sir, array("0.99", "0.01", 0), 60, 100),
    (measles, array("0.06", "0.001", "0.001"), 5, 1500),
    (fitzhugh_nagumo, array(-1, 1), 100, 600),
    (hodgkin_huxley, array(-65, "0.0529", "0.5961", "0.3177"), 30, 3000),
    (duffing, array(1, 0), 15, 300),
    (double_pendulum, array("1.5", "1.0", 0, 0), 5, 200),
    (repressilator, array("1.0", "0.5", "0.2", 2, 1, 3), 30, 800),
    (goodwin, array("0.1", "0.2", "2.5"), 50, 400),
    (satellite, array(7000, 0, 0, 0, "5.34", "5.34"), 20000, 400),
    (phenytoin, array(300, 100), 24, 100),
    (lorenz, array(1, 0, 0), 10, 600),
    (lorenz96, array(*["8.01"], *[8] * 39), 1, 200),
    (brusselator, array("1.5", 3), 20, 400),
    (pleiades, PLEIADES, 3, 4000),
]


def main(names):
    for f, u, end, steps in MODELS:
        if names and f.__name__ not in names:
            continue
        coarse, fine = solve(f, u, end, steps), solve(f, u, end, steps * 3 // 2)
        difference = np.max(np.abs(coarse - fine)) / np.max(np.abs(fine))
        print(f"{f.__name__}: {float(difference):.1e}")
        for value in fine:
            print(f"    {np.format_float_scientific(value, 13)},")


if __name__ == "__main__":
    main(sys.argv[1:])
