#!/usr/bin/env python3
"""Derives the polynomials and constants of `ode-core/src/math`. Needs mpmath; takes a few minutes.

    python3 minimax.py [exp] [tanh] [ln] [powf] [trig] [exp2] [log] [cbrt] [inverse] [hyperbolic]

Each polynomial is a minimax fit by Remez's exchange algorithm (Muller, "Elementary Functions",
3rd ed., chapter 3) on a dense grid, in 60-digit arithmetic. What is minimised is the error of the
*final result*, relative to that result, hence a weight for each fit. Coefficients are rounded to
the working precision one at a time, lowest degree first, and the remaining ones fitted again, so
that each makes up for the rounding of those before it.

The comment above each table is log2 of the greatest relative error of the result that the rounded
polynomial causes; evaluation in the working precision adds its own.
"""

import struct
import sys
from mpmath import binomial, cbrt, cos, exp, fabs, factorial, floor, log, log1p, lu_solve, matrix
from mpmath import mp, mpf, nint, pi, sqrt, tan

mp.dps = 60
GRID = 500


def narrow(value, double):
    """The nearest f64, or the nearest f32, to `value`."""
    nearest = float(value)
    if not double:
        nearest = struct.unpack("f", struct.pack("f", nearest))[0]
    return mpf(nearest)


def remez(target, weight, columns):
    """Coefficients c minimising max |weight * (target - sum_j c_j columns_j)| over a grid."""
    n, last = len(columns), len(target) - 1
    points = [last * i // n for i in range(n + 1)]
    best = None
    for _ in range(30):
        system, right = matrix(n + 1, n + 1), matrix(n + 1, 1)
        for i, p in enumerate(points):
            for j in range(n):
                system[i, j] = columns[j][p]
            system[i, n] = (-1) ** i / weight[p]
            right[i] = target[p]
        solution = lu_solve(system, right)
        coefficients, level = [solution[j] for j in range(n)], fabs(solution[n])
        error = residual(target, weight, columns, coefficients)
        worst = max(map(fabs, error))
        if best is None or worst < best[0]:
            best = (worst, coefficients)
        if worst <= level * mpf("1.0001"):
            break
        # The greatest error of each stretch of one sign; drop the smaller end until n + 1 are left.
        extrema = []
        for i, e in enumerate(error):
            if extrema and (error[extrema[-1]] > 0) == (e > 0):
                if fabs(e) > fabs(error[extrema[-1]]):
                    extrema[-1] = i
            else:
                extrema.append(i)
        while len(extrema) > n + 1:
            extrema.pop(0 if fabs(error[extrema[0]]) < fabs(error[extrema[-1]]) else -1)
        if len(extrema) < n + 1:
            break
        points = extrema
    return best[1]


def residual(target, weight, columns, coefficients):
    fitted = [sum(c * v for c, v in zip(coefficients, row)) for row in zip(*columns)]
    return [w * (t - f) for w, t, f in zip(weight, target, fitted)]


def chebyshev_grid(low, high):
    return [low + (high - low) * (1 - cos(pi * (i + mpf(1) / 2) / GRID)) / 2 for i in range(GRID)]


def round_and_refit(target, weight, columns, double, given=()):
    """A minimax fit whose coefficients are all of working precision; `given` are the first ones."""
    fixed = [mpf(c) for c in given]
    while len(fixed) < len(columns):
        rest = residual(target, [1] * len(target), columns, fixed)
        fixed.append(narrow(remez(rest, weight, columns[len(fixed):])[0], double))
    return fixed, max(map(fabs, residual(target, weight, columns, fixed)))


def table(name, coefficients, error):
    print(f"// 2^{float(log(error, 2)):.1f}")
    print(f"const {name}: [f64; {len(coefficients)}] = [")
    for c in coefficients:
        print(f"    {float(c)!r},")
    print("];")


def fit(name, function, weight, degree, low, high, double, given=()):
    """Fits a polynomial in x to `function`."""
    grid = chebyshev_grid(low, high)
    columns = [[x**e for x in grid] for e in range(degree + 1)]
    values, weights = [function(x) for x in grid], [weight(x) for x in grid]
    table(name, *round_and_refit(values, weights, columns, double, given))


def series(term, first, x):
    """sum of term(k) x^(k - first) over k >= first."""
    total, power, k = mpf(0), mpf(1), first
    while True:
        add = term(k) * power
        total += add
        if k > first + 3 and fabs(add) < mpf(10) ** -58:
            return total
        power *= x
        k += 1


def constant(name, value):
    print(f"const {name}: f64 = {float(value)!r};")


def parts(name, value, widths, double, cut=nint):
    """`value` as a sum: parts of so many bits, or (None) of the working precision."""
    found = []
    for bits in widths:
        bits = bits or (53 if double else 24)
        scale = mpf(2) ** (bits - 1 - floor(log(fabs(value), 2)))
        found.append(cut(value * scale) / scale)
        value -= found[-1]
    print(f"const {name}: [f64; {len(found)}] = {[float(part) for part in found]};")


# (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2.
EXP_BOUND = log(mpf(2)) / 2 * mpf("1.0005")


def exp_tail(r):
    return series(lambda k: 1 / factorial(k), 2, r)


def fit_exp():
    for suffix, degree, double in (("F64", 9, True), ("F32", 4, False)):
        parts(f"LN_2_{suffix}", log(mpf(2)), (None, None), double)
        fit(f"EXP_{suffix}", exp_tail, lambda r: r * r / exp(r), degree, -EXP_BOUND, EXP_BOUND, double)


def fit_tanh():
    """The same, with the error relative to e^r - 1."""
    for suffix, degree, double in (("F64", 10, True), ("F32", 5, False)):
        weight = lambda r: r / (1 + r * exp_tail(r))
        fit(f"EXPM1_{suffix}", exp_tail, weight, degree, -EXP_BOUND, EXP_BOUND, double, (0.5,))


def fit_ln():
    """(ln(1 + f) - f + f^2 / 2) / f^3 for |f| <= 1/3."""

    def tail(f):
        if fabs(f) < mpf("0.05"):
            return series(lambda k: mpf((-1) ** (k + 1)) / k, 3, f)
        return (log1p(f) - f + f * f / 2) / f**3

    weight = lambda f: f * f / (1 - f / 2 + f * f * tail(f))
    third = mpf(1) / 3
    for suffix, degree, double, bits in (("F64", 19, True, 42), ("F32", 8, False, 16)):
        parts(f"LN_LN_2_{suffix}", log(mpf(2)), (bits, None), double)
        fit(f"LN_{suffix}", tail, weight, degree, -third, third, double)


def fit_powf():
    """(atanh(s) - s - s^3 / 3) / s^5 in z = s^2 for 1 <= (1 + s) / (1 - s) <= sqrt(2)."""
    bound = ((sqrt(mpf(2)) - 1) / (sqrt(mpf(2)) + 1)) ** 2 * mpf("1.0005")
    tail = lambda z: series(lambda k: mpf(1) / (2 * k + 1), 2, z)
    weight = lambda z: z * z / (1 + z / 3 + z * z * tail(z))
    for suffix, degree, double, bits in (("F64", 6, True, 42), ("F32", 2, False, 16)):
        parts(f"HALF_LN_2_{suffix}", log(mpf(2)) / 2, (bits, None), double)
        parts(f"THIRD_{suffix}", mpf(1) / 3, (None, None), double)
        fit(f"ATANH_{suffix}", tail, weight, degree, mpf(0), bound, double)


def fit_trig():
    half, quarter = (pi / 2 * mpf("1.001")) ** 2, (pi / 4 * mpf("1.001")) ** 2
    constant("ONE_BY_PI", 1 / pi)
    constant("TWO_BY_PI", 2 / pi)
    for suffix, double in (("F64", True), ("F32", False)):
        parts(f"PI_{suffix}", +pi, (None, None, None), double, floor)
        parts(f"HALF_PI_{suffix}", pi / 2, (None, None, None), double, floor)
        # (sin r - r) / r^3 in z = r^2.
        sine = lambda z: series(lambda k: mpf((-1) ** k) / factorial(2 * k + 1), 1, z)
        weight = lambda z: z / (1 + z * sine(z))
        fit(f"SIN_{suffix}", sine, weight, 7 if double else 4, mpf(0), half, double)
        tangent(suffix, 3 if double else 1, 3 if double else 2, quarter, double)
    chunks("F64", 53, 23, 200)
    chunks("F32", 24, 9, 80)


def chunks(suffix, bits, count, scale):
    """2/pi as a sum of multiples of 2^-bits, 2^(-2 bits), ...; all times 2^scale."""
    with mp.workprec(bits * count + 64):
        rest, found = 2 / pi, []
        for i in range(count):
            unit = mpf(2) ** (-bits * (i + 1))
            found.append(nint(rest / unit) * unit)
            rest -= found[-1]
            assert narrow(found[-1] * mpf(2) ** scale, bits == 53) == found[-1] * mpf(2) ** scale
        print(f"const CHUNKS_{suffix}: [f64; {count}] = [")
        for chunk in found:
            print(f"    {float(chunk * mpf(2) ** scale)!r},")
        print("];")


def tangent(suffix, over, under, bound, double):
    """tan r = r (1 + z a(z)) / (1 + z b(z)), z = r^2; a has `over` terms, b has `under`.

    The relative error is (1 + z a - (1 + z b) t) / ((1 + z b) t) with t = tan(r) / r, linear in the
    coefficients but for the denominator, which is taken from the fit before (Loeb's algorithm).
    """
    grid = chebyshev_grid(mpf(0), bound)
    ratio = [tan(sqrt(z)) / sqrt(z) for z in grid]
    columns = [[t * z**j for t, z in zip(ratio, grid)] for j in range(1, under + 1)]
    columns += [[-(z**j) for z in grid] for j in range(1, over + 1)]
    target = [1 - t for t in ratio]
    below = [1 - mpf(2) / 5 * z for z in grid]
    for _ in range(6):
        weight = [1 / (t * b) for t, b in zip(ratio, below)]
        fitted = remez(target, weight, columns)
        below = [1 + sum(c * z ** (j + 1) for j, c in enumerate(fitted[:under])) for z in grid]
    fitted, error = round_and_refit(target, weight, columns, double)
    table(f"TAN_OVER_{suffix}", fitted[under:], error)
    table(f"TAN_UNDER_{suffix}", fitted[:under], error)


def fit_exp2():
    """(2^r - 1) / r for |r| <= 1/2."""
    tail = lambda r: series(lambda k: log(mpf(2)) ** k / factorial(k), 1, r)
    half = mpf("0.5002")
    for suffix, degree, double in (("F64", 10, True), ("F32", 5, False)):
        first = narrow(log(mpf(2)), double)
        weight = lambda r: r / mpf(2) ** r
        fit(f"EXP2_{suffix}", tail, weight, degree, -half, half, double, (first,))


def fit_log():
    """Constants only: the polynomial is that of ln."""
    for suffix, double, bits in (("F64", True, 42), ("F32", False, 16)):
        parts(f"LOG2_E_{suffix}", 1 / log(mpf(2)), (None, None), double)
        parts(f"LOG10_E_{suffix}", 1 / log(mpf(10)), (None, None), double)
        parts(f"LOG10_2_{suffix}", log(mpf(2)) / log(mpf(10)), (bits, None), double)


def fit_cbrt():
    """m^(-1/3) for 2/3 <= m <= 4/3, a first approximation."""
    constant("CBRT_HALF", cbrt(mpf(1) / 2))
    constant("CBRT_2", cbrt(mpf(2)))
    low, high = mpf(2) / 3, mpf(4) / 3
    for suffix, degree, double in (("F64", 5, True), ("F32", 3, False)):
        fit(f"CBRT_{suffix}", lambda m: 1 / cbrt(m), lambda m: cbrt(m), degree, low, high, double)


def fit_inverse():
    """(atan t - t) / t^3 for |t| <= tan(pi/8) and (asin t - t) / t^3 for |t| <= 1/2, in z = t^2."""
    arctangent = lambda z: series(lambda k: mpf((-1) ** k) / (2 * k + 1), 1, z)
    arcsine = lambda z: series(lambda k: binomial(2 * k, k) / mpf(4) ** k / (2 * k + 1), 1, z)
    eighth, quarter = (sqrt(mpf(2)) - 1) ** 2 * mpf("1.0005"), mpf("0.25")
    for suffix, double in (("F64", True), ("F32", False)):
        parts(f"QUARTER_PI_{suffix}", pi / 4, (None, None), double)
        weight = lambda z: z / (1 + z * arctangent(z))
        fit(f"ATAN_{suffix}", arctangent, weight, 10 if double else 4, mpf(0), eighth, double)
        weight = lambda z: z / (1 + z * arcsine(z))
        fit(f"ASIN_{suffix}", arcsine, weight, 12 if double else 5, mpf(0), quarter, double)


def fit_hyperbolic():
    """(sinh r - r) / r^3 and (cosh r - 1) / r^2 in z = r^2 for |r| <= ln(2) / 2."""
    bound = EXP_BOUND**2
    sine = lambda z: series(lambda k: 1 / factorial(2 * k + 1), 1, z)
    cosine = lambda z: series(lambda k: 1 / factorial(2 * k), 1, z)
    for suffix, double in (("F64", True), ("F32", False)):
        weight = lambda z: z / (1 + z * sine(z))
        fit(f"SINH_{suffix}", sine, weight, 4 if double else 2, mpf(0), bound, double)
        weight = lambda z: z / (1 + z * cosine(z))
        fit(f"COSH_{suffix}", cosine, weight, 5 if double else 2, mpf(0), bound, double)


ALL = ("exp", "tanh", "ln", "powf", "trig", "exp2", "log", "cbrt", "inverse", "hyperbolic")

if __name__ == "__main__":
    for which in sys.argv[1:] or ALL:
        globals()[f"fit_{which}"]()
