"""The right-hand sides of examples/models in Python: a second text, written from the sources.

Numbers are exact decimals or integers, so that the precision is that of the arguments. All functions
are analytic in the state: `integrators.jacobian` evaluates them at complex ones.
"""

import dataclasses
import typing

import numpy as np

import hydrogen

F = np.longdouble
PI = F("3.14159265358979323846264338327950288")


def number(text):
    return F(text)


def array(*texts):
    return np.array([F(t) for t in texts], dtype=F)


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


def h2o2(t, u):
    nitrogen = number("0.7451236055014252")
    return np.array(hydrogen.burning(u[0], [*u[1:], nitrogen], F(101325))[:-1])


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
    ax, ay = np.zeros(7, dtype=u.dtype), np.zeros(7, dtype=u.dtype)
    for i in range(7):
        for j in range(7):
            if i != j:
                r = ((x[i] - x[j]) ** 2 + (y[i] - y[j]) ** 2) ** (F(3) / 2)
                ax[i] += (j + 1) * (x[j] - x[i]) / r
                ay[i] += (j + 1) * (y[j] - y[i]) / r
    return np.concatenate([vx, vy, ax, ay])


def van_der_pol(t, u):
    x, v = u
    return np.array([v, 5 * (1 - x**2) * v - x])


def stiff_van_der_pol(t, u):
    x, v = u
    return np.array([v, ((1 - x**2) * v - x) * 1000000])


def arenstorf(t, u):
    mu = number("0.012277471")
    r, v = u[:2], u[2:]
    earth, moon = r + np.array([mu, 0]), r - np.array([1 - mu, 0])
    pull = (1 - mu) * earth / (earth @ earth) ** (F(3) / 2) + mu * moon / (moon @ moon) ** (F(3) / 2)
    return np.array([v[0], v[1], r[0] + 2 * v[1] - pull[0], r[1] - 2 * v[0] - pull[1]])


def morris_lecar(t, u):
    v, w = u
    opened = (1 + np.tanh((v + number("1.2")) / 18)) / 2
    steady = (1 + np.tanh((v - 2) / 30)) / 2
    current = 2 * (v + 60) + number("4.4") * opened * (v - 120) + 8 * w * (v + 84)
    return np.array([(90 - current) / 20, (steady - w) * np.cosh((v - 2) / 60) / 25])


def keller_miksis(t, u):
    """From the equation in SI units, by which the model's is divided."""
    density, speed = number("997.0639504998557"), number("1497.251785455527")
    vapour, tension = number("3166.775638952003"), number("0.071977583160056")
    viscosity, ambient, equilibrium = number("8.902125058209557e-4"), F(100000), number("1e-5")
    exponent = 3 * number("1.4")
    frequency = F(100000)
    waves = [(F(60000), frequency, F(0)), (F(40000), F(250000), F(1) / 2)]

    time = t / frequency
    r, v = u[0] * equilibrium, u[1] * equilibrium * frequency
    sound = sum(a * np.sin(2 * PI * w * time + phase) for a, w, phase in waves)
    slope = sum(2 * PI * w * a * np.cos(2 * PI * w * time + phase) for a, w, phase in waves)
    gas = (ambient - vapour + 2 * tension / equilibrium) * (equilibrium / r) ** exponent
    wall = gas + vapour - 2 * tension / r - 4 * viscosity * v / r
    # The derivative of the pressure at the wall, but for the term with the acceleration.
    change = -exponent * gas * v / r + 2 * tension * v / r**2 + 4 * viscosity * v**2 / r**2
    right = (1 + v / speed) * (wall - ambient - sound) + r / speed * (change - slope)
    right = right / density - (1 - v / (3 * speed)) * F(3) / 2 * v**2
    acceleration = right / ((1 - v / speed) * r + 4 * viscosity / (density * speed))
    return np.array([u[1], acceleration / (equilibrium * frequency**2)])


WEIGHTS = np.array([F(3) / 10 - F(6) / 10 * (F(i * 37 % 101) + F(1) / 4) / 101 for i in range(252)])


def neural_ode(t, u):
    first, bias = WEIGHTS[:100].reshape(50, 2), WEIGHTS[100:150]
    second, offset = WEIGHTS[150:250].reshape(2, 50), WEIGHTS[250:]
    return second @ np.tanh(first @ u + bias) + offset


def stirred_tank(t, u):
    x, y = u
    reacted = number("0.135") * (1 - x) * np.exp(y / (1 + y / 20))
    return np.array([reacted - x, 11 * reacted - y - F(3) / 2 * y])


def diffusive_brusselator(t, u):
    x, y = u[0::2], u[1::2]

    def diffused(values, border):
        padded = np.concatenate([[F(border)], values, [F(border)]])
        return F(81) / 50 * (padded[2:] - 2 * values + padded[:-2])

    dx = 1 + x**2 * y - 4 * x + diffused(x, 1)
    dy = 3 * x - x**2 * y + diffused(y, 3)
    return np.stack([dx, dy], axis=1).reshape(-1)


def charged_particle(t, u):
    r, v = u[:3], u[3:]
    d2 = r @ r
    field = (3 * r[2] * r - d2 * array(0, 0, 1)) / d2 ** (F(5) / 2)
    return np.concatenate([v, np.cross(v, field)])


def kuramoto(t, u):
    frequencies = array(*["-0.9", "-0.6", "-0.4", "-0.1", "0.2", "0.3", "0.7", "0.8"])
    return frequencies + F(3) / 2 * np.mean(np.sin(u[None, :] - u[:, None]), axis=1)


def robertson(t, u):
    a, b, c = u
    slow, fast, back = a / 25, 30000000 * b**2, 10000 * b * c
    return np.array([back - slow, slow - back - fast, fast])


def oregonator(t, u):
    x, y, z = u
    s, q, w = number("77.27"), number("8.375e-6"), number("0.161")
    return np.array([s * (y + x * (1 - q * x - y)), (z - (1 + x) * y) / s, w * (x - z)])


def hires(t, y):
    n = number
    linear = [
        [n("-1.71"), n("0.43"), n("8.32"), 0, 0, 0, 0, 0],
        [n("1.71"), n("-8.75"), 0, 0, 0, 0, 0, 0],
        [0, 0, n("-10.03"), n("0.43"), n("0.035"), 0, 0, 0],
        [0, n("8.32"), n("1.71"), n("-1.12"), 0, 0, 0, 0],
        [0, 0, 0, 0, n("-1.745"), n("0.43"), n("0.43"), 0],
        [0, 0, 0, n("0.69"), n("1.71"), n("-0.43"), n("0.69"), 0],
        [0, 0, 0, 0, 0, 0, n("-1.81"), 0],
        [0, 0, 0, 0, 0, 0, n("1.81"), 0],
    ]
    bound = 280 * y[5] * y[7] * array(0, 0, 0, 0, 0, -1, 1, -1)
    return np.array(linear, dtype=F) @ y + bound + array("0.0007", 0, 0, 0, 0, 0, 0, 0)


# Rate, reactants, products; species are counted from 1 as by Verwer, 0 is what is not followed.
POLLUTION = [
    ("0.35", [1], [2, 3]),
    ("26.6", [2, 4], [1]),
    ("12300", [5, 2], [6, 1]),
    ("0.00086", [7], [5, 5, 8]),
    ("0.00082", [7], [8]),
    ("15000", [7, 6], [5, 8]),
    ("0.00013", [9], [5, 8, 10]),
    ("24000", [9, 6], [11]),
    ("16500", [11, 2], [1, 10, 12]),
    ("9000", [11, 1], [13]),
    ("0.022", [13], [11, 1]),
    ("12000", [10, 2], [14, 1]),
    ("1.88", [14], [7, 5]),
    ("16300", [1, 6], [15]),
    ("4800000", [3], [4]),
    ("0.00035", [4], [16]),
    ("0.0175", [4], [3]),
    ("100000000", [16], [6, 6]),
    ("444000000000", [16], [3]),
    ("1240", [17, 6], [5, 18]),
    ("2.1", [19], [2]),
    ("5.78", [19], [1, 3]),
    ("0.0474", [1, 4], [19]),
    ("1780", [19, 1], [20]),
    ("3.12", [20], [19, 1]),
]


def pollution(t, y):
    change = np.zeros(20, dtype=y.dtype)
    for rate, reactants, products in POLLUTION:
        speed = number(rate) * np.prod([y[s - 1] for s in reactants])
        for species in reactants:
            change[species - 1] -= speed
        for species in products:
            change[species - 1] += speed
    return change


def e5(t, u):
    a, b, c, d = u
    first, second = number("7.89e-10") * a, 11000000 * a * c
    third, fourth = 1130000000 * b * c, 1130 * d
    db, dd = first - third, second - fourth
    return np.array([-first - second, db, db - dd, dd])


def e5_of_three(t, u):
    """With b = c + d, which the sum of b - c - d as rounded numbers would lose."""
    a, c, d = u
    da, _, dc, dd = e5(t, [a, c + d, c, d])
    return np.array([da, dc, dd])


def stratosphere(t, u):
    singlet, atom, ozone, no, no2 = u
    temperature, air, oxygen = number("241.42"), number("8.12e16"), number("1.697e16")
    hour = t / 3600 % 24
    x = (hour - 12) / (F(15) / 2)
    sun = (1 + np.cos(PI * x**2)) / 2 if abs(x) < 1 else F(0)

    def k(a, energy):
        return number(a) * np.exp(number(energy) / temperature)

    speeds = [
        number("2.643e-10") * sun**3 * oxygen,
        number("6e-34") * (temperature / 300) ** number("-2.3") * air * atom * oxygen,
        number("6.12e-4") * sun * ozone,
        k("8e-12", -2060) * atom * ozone,
        number("1.07e-3") * sun**2 * ozone,
        (k("1.8e-11", 110) + k("3.2e-11", 70)) * singlet * air,
        number("1.2e-10") * singlet * ozone,
        k("2e-12", -1400) * no * ozone,
        k("6.5e-12", 120) * no2 * atom,
        number("1.289e-2") * sun * no2,
    ]
    # Changes of O(1D), O, O3, NO, NO2 in each reaction.
    changes = [
        [0, 2, 0, 0, 0],
        [0, -1, 1, 0, 0],
        [0, 1, -1, 0, 0],
        [0, -1, -1, 0, 0],
        [1, 0, -1, 0, 0],
        [-1, 1, 0, 0, 0],
        [-1, 0, -1, 0, 0],
        [0, 0, -1, -1, 1],
        [0, -1, 0, 1, -1],
        [0, 1, 0, 1, -1],
    ]
    return np.array(changes, dtype=F).T @ np.array(speeds)


PLEIADES = array(
    *[3, 3, -1, -3, 2, -2, 2],
    *[3, -3, 2, 0, 0, -4, 4],
    *[0, 0, 0, 0, 0, "1.75", "-1.5"],
    *[0, 0, 0, "-1.25", 1, 0, 0],
)
POLLUTED = array(0, "0.2", 0, "0.04", 0, 0, "0.1", "0.3", "0.01", 0, *[0] * 6, "0.007", 0, 0, 0)
CELLS = np.array([[1 + np.sin(2 * PI * F(i) / 9), F(3)] for i in range(1, 9)]).reshape(-1)


@dataclasses.dataclass
class Model:
    """What the reference solution of a model is of."""

    f: typing.Callable
    u0: np.ndarray
    span: tuple
    # Steps of the extrapolation method; none for a system that is stiff or needs steps of very
    # different sizes.
    steps: int = 0
    # Below it the error of a component is not relative to its own size.
    floor: float = 1e-40
    # Times within the span at which the right-hand side is not smooth.
    breaks: tuple = ()
    # Another function and initial state that are solved in its place, and the way back.
    instead: tuple = ()

    @property
    def name(self):
        return self.f.__name__


MIXTURE = array(
    1100, "0.028522387527567396", 0, 0, "0.22635400697100733", 0, 0, 0, 0
)
HOURS = 3600
MODELS = [
    Model(rossler, array(1, 1, 0), (0, 20), 200),
    Model(lotka_volterra, array(1, 1), (0, 10), 100),
    Model(sir, array("0.99", "0.01", 0), (0, 60), 100),
    Model(measles, array("0.06", "0.001", "0.001"), (0, 5), 1500),
    Model(fitzhugh_nagumo, array(-1, 1), (0, 100), 600),
    Model(hodgkin_huxley, array(-65, "0.0529", "0.5961", "0.3177"), (0, 30), 3000),
    Model(duffing, array(1, 0), (0, 15), 300),
    Model(double_pendulum, array("1.5", "1.0", 0, 0), (0, 5), 200),
    Model(repressilator, array("1.0", "0.5", "0.2", 2, 1, 3), (0, 30), 800),
    Model(goodwin, array("0.1", "0.2", "2.5"), (0, 50), 400),
    Model(satellite, array(7000, 0, 0, 0, "5.34", "5.34"), (0, 20000), 400),
    Model(phenytoin, array(300, 100), (0, 24), 100),
    Model(lorenz, array(1, 0, 0), (0, 10), 600),
    Model(lorenz96, array(*["8.01"], *[8] * 39), (0, 1), 200),
    Model(brusselator, array("1.5", 3), (0, 20), 400),
    Model(pleiades, PLEIADES, (0, 3), 4000),
    Model(van_der_pol, array(2, 0), (0, 20), 4000),
    Model(
        arenstorf,
        array("0.994", 0, 0, "-2.00158510637908252240537862224"),
        (0, "17.0652165601579625588917206249"),
        floor=1e-2,
    ),
    Model(morris_lecar, array(-60, "0.01"), (0, 200), 2000),
    Model(keller_miksis, array(1, 0), (0, 5), floor=1e-2),
    Model(neural_ode, array(2, "0.5"), (0, 10), 200),
    Model(stirred_tank, array("0.5", 2), (0, 10), 4000),
    Model(diffusive_brusselator, CELLS, (0, 10), 1000),
    Model(charged_particle, array(1, 0, 0, 0, "-0.05", "0.05"), (0, 100), 2000),
    Model(kuramoto, array("0.1", "0.9", "1.6", "2.7", "3.1", "4.0", "4.8", "5.9"), (0, 20), 300),
    Model(robertson, array(1, 0, 0), (0, "1e11")),
    Model(oregonator, array(1, 2, 3), (0, 360)),
    Model(stiff_van_der_pol, array(2, 0), (0, 2), floor=1e-2),
    Model(hires, array(1, 0, 0, 0, 0, 0, 0, "0.0057"), (0, "321.8122")),
    Model(pollution, POLLUTED, (0, 60)),
    Model(
        e5,
        array("1.76e-3", 0, 0, 0),
        (0, "1e13"),
        instead=(
            e5_of_three,
            array("1.76e-3", 0, 0),
            lambda u: np.array([u[0], u[1] + u[2], u[1], u[2]]),
        ),
    ),
    Model(h2o2, MIXTURE, (0, "1e-4"), floor=1e-12),
    Model(
        stratosphere,
        array("99.06", "6.624e8", "5.326e11", "8.725e8", "2.24e8"),
        (12 * HOURS, 84 * HOURS),
        floor=1e-3,
        breaks=tuple(F(day * 24 + hour) * HOURS for day in range(4) for hour in (4.5, 19.5)),
    ),
]
