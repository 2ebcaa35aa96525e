"""Hydrogen that burns at constant pressure, for `models.py`: GRI-Mech 3.0's reactions of hydrogen
and oxygen, from the files of Cantera 3.2, and the formulas of textbooks for them. Units are K, Pa,
g, cm, mol, s, and cal/mol for activation energies."""

import numpy as np

F = np.longdouble

# NASA's polynomials up to 1000 K, and beyond, with their constants of integration.
THERMODYNAMICS = {
    "H2": [
        "2.34433112 7.98052075e-3 -1.9478151e-5 2.01572094e-8 -7.37611761e-12",
        "-917.935173 0.683010238",
        "3.3372792 -4.94024731e-5 4.99456778e-7 -1.79566394e-10 2.00255376e-14",
        "-950.158922 -3.20502331",
    ],
    "H": [
        "2.5 7.05332819e-13 -1.99591964e-15 2.30081632e-18 -9.27732332e-22",
        "2.54736599e4 -0.446682853",
        "2.50000001 -2.30842973e-11 1.61561948e-14 -4.73515235e-18 4.98197357e-22",
        "2.54736599e4 -0.446682914",
    ],
    "O": [
        "3.1682671 -3.27931884e-3 6.64306396e-6 -6.12806624e-9 2.11265971e-12",
        "2.91222592e4 2.05193346",
        "2.56942078 -8.59741137e-5 4.19484589e-8 -1.00177799e-11 1.22833691e-15",
        "2.92175791e4 4.78433864",
    ],
    "O2": [
        "3.78245636 -2.99673416e-3 9.84730201e-6 -9.68129509e-9 3.24372837e-12",
        "-1063.94356 3.65767573",
        "3.28253784 1.48308754e-3 -7.57966669e-7 2.09470555e-10 -2.16717794e-14",
        "-1088.45772 5.45323129",
    ],
    "OH": [
        "3.99201543 -2.40131752e-3 4.61793841e-6 -3.88113333e-9 1.3641147e-12",
        "3615.08056 -0.103925458",
        "3.09288767 5.48429716e-4 1.26505228e-7 -8.79461556e-11 1.17412376e-14",
        "3858.657 4.4766961",
    ],
    "H2O": [
        "4.19864056 -2.0364341e-3 6.52040211e-6 -5.48797062e-9 1.77197817e-12",
        "-3.02937267e4 -0.849032208",
        "3.03399249 2.17691804e-3 -1.64072518e-7 -9.7041987e-11 1.68200992e-14",
        "-3.00042971e4 4.9667701",
    ],
    "HO2": [
        "4.30179801 -4.74912051e-3 2.11582891e-5 -2.42763894e-8 9.29225124e-12",
        "294.80804 3.71666245",
        "4.0172109 2.23982013e-3 -6.3365815e-7 1.1424637e-10 -1.07908535e-14",
        "111.856713 3.78510215",
    ],
    "H2O2": [
        "4.27611269 -5.42822417e-4 1.67335701e-5 -2.15770813e-8 8.62454363e-12",
        "-1.77025821e4 3.43505074",
        "4.16500285 4.90831694e-3 -1.90139225e-6 3.71185986e-10 -2.87908305e-14",
        "-1.78617877e4 2.91615662",
    ],
    "N2": [
        "3.298677 1.4082404e-3 -3.963222e-6 5.641515e-9 -2.444854e-12",
        "-1020.8999 3.950372",
        "2.92664 1.4879768e-3 -5.68476e-7 1.0097038e-10 -6.753351e-15",
        "-922.7977 5.980528",
    ],
}
# Reactants, products, A, b and E of the rate, and how well molecules do as the third one that it
# needs, if it does: all that are not listed count once.
REACTIONS = [
    ("O O", "O2", ("1.2e+17", "-1.0", "0.0"), {"H2": "2.4", "H2O": "15.4"}),
    ("O H", "OH", ("5.0e+17", "-1.0", "0.0"), {"H2": "2.0", "H2O": "6.0"}),
    ("O H2", "H OH", ("3.87e+04", "2.7", "6260.0"), None),
    ("O HO2", "OH O2", ("2.0e+13", "0.0", "0.0"), None),
    ("O H2O2", "OH HO2", ("9.63e+06", "2.0", "4000.0"), None),
    ("H O2", "HO2", ("2.8e+18", "-0.86", "0.0"), {"O2": "0.0", "H2O": "0.0", "N2": "0.0"}),
    ("H O2 O2", "HO2 O2", ("2.08e+19", "-1.24", "0.0"), None),
    ("H O2 H2O", "HO2 H2O", ("1.126e+19", "-0.76", "0.0"), None),
    ("H O2 N2", "HO2 N2", ("2.6e+19", "-1.24", "0.0"), None),
    ("H O2", "O OH", ("2.65e+16", "-0.6707", "1.7041e+04"), None),
    ("H H", "H2", ("1.0e+18", "-1.0", "0.0"), {"H2": "0.0", "H2O": "0.0"}),
    ("H H H2", "H2 H2", ("9.0e+16", "-0.6", "0.0"), None),
    ("H H H2O", "H2 H2O", ("6.0e+19", "-1.25", "0.0"), None),
    ("H OH", "H2O", ("2.2e+22", "-2.0", "0.0"), {"H2": "0.73", "H2O": "3.65"}),
    ("H HO2", "O H2O", ("3.97e+12", "0.0", "671.0"), None),
    ("H HO2", "O2 H2", ("4.48e+13", "0.0", "1068.0"), None),
    ("H HO2", "OH OH", ("8.4e+13", "0.0", "635.0"), None),
    ("H H2O2", "HO2 H2", ("1.21e+07", "2.0", "5200.0"), None),
    ("H H2O2", "OH H2O", ("1.0e+13", "0.0", "3600.0"), None),
    ("OH H2", "H H2O", ("2.16e+08", "1.51", "3430.0"), None),
    ("OH OH", "H2O2", ("7.4e+13", "-0.37", "0.0"), {"H2": "2.0", "H2O": "6.0"}),
    ("OH OH", "O H2O", ("3.57e+04", "2.4", "-2110.0"), None),
    ("OH HO2", "O2 H2O", ("1.45e+13", "0.0", "-500.0"), None),
    ("OH H2O2", "HO2 H2O", ("2.0e+12", "0.0", "427.0"), None),
    ("OH H2O2", "HO2 H2O", ("1.7e+18", "0.0", "2.941e+04"), None),
    ("HO2 HO2", "O2 H2O2", ("1.3e+11", "0.0", "-1630.0"), None),
    ("HO2 HO2", "O2 H2O2", ("4.2e+14", "0.0", "1.2e+04"), None),
    ("OH HO2", "O2 H2O", ("5.0e+15", "0.0", "1.733e+04"), None),
]
# Of the only one with two limits (that above is the one of high pressures).
LOW = ("2.3e+18", "-0.9", "-1700.0")
TROE = ("0.7346", "94.0", "1756.0", "5182.0")

ELEMENTS = {"H": F("1.008"), "O": F("15.999"), "N": F("14.007")}
MASSES = {
    "H2": 2 * ELEMENTS["H"],
    "H": ELEMENTS["H"],
    "O": ELEMENTS["O"],
    "O2": 2 * ELEMENTS["O"],
    "OH": ELEMENTS["O"] + ELEMENTS["H"],
    "H2O": ELEMENTS["O"] + 2 * ELEMENTS["H"],
    "HO2": 2 * ELEMENTS["O"] + ELEMENTS["H"],
    "H2O2": 2 * ELEMENTS["O"] + 2 * ELEMENTS["H"],
    "N2": 2 * ELEMENTS["N"],
}
SPECIES = list(MASSES)
R = F("8.31446261815324")
STANDARD = F(101325)


def numbers(texts):
    return [F(text) for text in texts]


def properties(species, t):
    """Heat capacity by R, enthalpy by RT, entropy by R."""
    table = numbers(" ".join(THERMODYNAMICS[species]).split(" "))
    cold, hot = (table[:7], table[7:])
    a = hot if np.real(t) > 1000 else cold
    powers = t ** np.arange(5)
    return (
        sum(a[k] * powers[k] for k in range(5)),
        sum(a[k] * powers[k] / (k + 1) for k in range(5)) + a[5] / t,
        a[0] * np.log(t) + sum(a[k] * powers[k] / k for k in range(1, 5)) + a[6],
    )


def arrhenius(rate, t):
    a, b, energy = numbers(rate)
    return a * np.exp(b * np.log(t) - energy * F("4.184") / (R * t))


def falloff(high, t, third):
    low = arrhenius(LOW, t)
    reduced = low * third / high
    a, t3, t1, t2 = numbers(TROE)
    center = np.log10((1 - a) * np.exp(-t / t3) + a * np.exp(-t / t1) + np.exp(-t2 / t))
    c, n = F("-0.4") - F("0.67") * center, F("0.75") - F("1.27") * center
    x = np.log10(reduced) + c
    return high * reduced / (1 + reduced) * 10 ** (center / (1 + (x / (n - F("0.14") * x)) ** 2))


def burning(temperature, fractions, pressure):
    """The derivatives of the temperature and of the mass fractions of all SPECIES."""
    t = temperature
    moles = {name: y / MASSES[name] for name, y in zip(SPECIES, fractions)}
    density = pressure * F("1e-6") / (R * t) / sum(moles.values())
    c = {name: density * n for name, n in moles.items()}
    known = {name: properties(name, t) for name in SPECIES}
    made = dict.fromkeys(SPECIES, 0 * t)
    for reactants, products, rate, others in REACTIONS:
        reactants, products = reactants.split(" "), products.split(" ")
        k = arrhenius(rate, t)
        if others is not None:
            third = sum(F(others.get(name, "1")) * c[name] for name in SPECIES)
            k = falloff(k, t, third) if products == ["H2O2"] else k * third
        gibbs = sum(known[s][1] - known[s][2] for s in products)
        gibbs -= sum(known[s][1] - known[s][2] for s in reactants)
        change = len(products) - len(reactants)
        constant = (STANDARD * F("1e-6") / (R * t)) ** change * np.exp(-gibbs)
        there, back = k, k / constant
        for s in reactants:
            there = there * c[s]
        for s in products:
            back = back * c[s]
        for s in reactants:
            made[s] -= there - back
        for s in products:
            made[s] += there - back
    heat = -sum(known[s][1] * t * made[s] for s in SPECIES)
    capacity = sum(known[s][0] * c[s] for s in SPECIES)
    return [heat / capacity, *(made[s] * MASSES[s] / density for s in SPECIES)]
