"""Two methods that share nothing with the library's, in 80-bit arithmetic.

`extrapolation`, for problems that are not stiff: the modified midpoint rule of Gragg, Bulirsch and
Stoer (Hairer, Norsett and Wanner I, II.9) of order 20, with steps of a fixed size.

`radau`, for stiff ones and for those that need steps of very different sizes: Radau IIA (Hairer and
Wanner II, IV.5) with 9 stages, order 17, by Newton's method with exact Jacobians. The step size is
such that the same method with 5 stages, order 9, is within the tolerance.
"""

import functools

import mpmath
import numpy as np

F = np.longdouble
COLUMNS = 10


def midpoints(f, t, u, size):
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


def extrapolation(f, u, begin, end, steps):
    size = (F(end) - F(begin)) / steps
    for i in range(steps):
        u = midpoints(f, F(begin) + i * size, u, size)
    return u


@functools.cache
def tableau(stages):
    """Abscissas and matrix of Radau IIA: collocation at the zeros of P_s - P_(s-1)."""
    with mpmath.workdps(80):

        def legendre(degree, k):
            return (-1) ** (degree + k) * mpmath.binomial(degree, k) * mpmath.binomial(degree + k, k)

        polynomial = [legendre(stages, k) - legendre(stages - 1, k) for k in range(stages, -1, -1)]
        zeros = mpmath.polyroots(polynomial, maxsteps=500, extraprec=500)
        zeros = sorted(mpmath.re(zero) for zero in zeros)
        powers = mpmath.matrix(stages, stages)
        integrals = mpmath.matrix(stages, stages)
        for i, c in enumerate(zeros):
            for k in range(stages):
                powers[i, k] = c**k
                integrals[i, k] = c ** (k + 1) / (k + 1)
        matrix = integrals * powers**-1
        rounded = [[F(mpmath.nstr(matrix[i, j], 25)) for j in range(stages)] for i in range(stages)]
        return np.array([F(mpmath.nstr(c, 25)) for c in zeros]), np.array(rounded)


def linear_solve(matrix, right):
    """Gaussian elimination with partial pivoting, rows scaled (numpy's own is in 64 bits)."""
    scale = 1 / np.max(np.abs(matrix), axis=1)
    a = np.concatenate([matrix * scale[:, None], (right * scale)[:, None]], axis=1)
    n = len(right)
    for k in range(n):
        pivot = k + np.argmax(np.abs(a[k:, k]))
        if pivot != k:
            a[[k, pivot]] = a[[pivot, k]]
        a[k + 1 :, k:] -= np.outer(a[k + 1 :, k] / a[k, k], a[k, k:])
    for k in reversed(range(n)):
        a[k, n] = (a[k, n] - a[k, k + 1 : n] @ a[k + 1 :, n]) / a[k, k]
    return a[:, n]


def jacobian(f, t, u):
    """Exact: the imaginary parts of the function at states with tiny imaginary parts."""
    tiny = F("1e-200")
    columns = []
    for j in range(len(u)):
        shifted = u.astype(np.clongdouble)
        shifted[j] += 1j * tiny
        columns.append(np.imag(f(t, shifted)) / tiny)
    return np.array(columns, dtype=F).T


def collocate(f, t, u, size, stages, weight):
    """One step of Radau IIA, or None where Newton's method does not converge."""
    c, a = tableau(stages)
    n = len(u)
    z = np.zeros((stages, n), dtype=F)
    last = np.inf
    for _ in range(12):
        values = np.array([f(t + ci * size, u + zi) for ci, zi in zip(c, z)])
        residual = size * (a @ values) - z
        jacobians = [jacobian(f, t + ci * size, u + zi) for ci, zi in zip(c, z)]
        matrix = np.eye(stages * n, dtype=F)
        for i in range(stages):
            for j in range(stages):
                matrix[i * n : (i + 1) * n, j * n : (j + 1) * n] -= size * a[i, j] * jacobians[j]
        change = linear_solve(matrix, residual.reshape(-1)).reshape(stages, n)
        z = z + change
        norm = np.max(np.abs(change) / weight)
        if not np.isfinite(norm):
            return None
        # Quadratic convergence: at rounding errors it stops falling.
        if norm < 1e-17 or (norm < 1e-13 and norm > last / 10):
            return u + z[-1]
        last = norm
    return None


def radau(f, u, begin, end, tolerance, floor=0.0, first=None):
    """To `end` in steps of their own; errors are relative to components, or to `floor`."""
    t, end = F(begin), F(end)
    size = F(first) if first else (end - t) / 1000
    while t < end:
        size = min(size, end - t)
        weight = np.maximum(np.abs(u), F(floor))
        # A component that begins at zero has the size that it gets.
        weight = np.maximum(weight, np.abs(size * f(t, u)))
        weight = np.maximum(weight, F("1e-300"))
        low = collocate(f, t, u, size, 5, weight)
        high = None if low is None else collocate(f, t, u, size, 9, weight)
        if high is None:
            size /= 4
            continue
        weight = np.maximum(weight, np.abs(high))
        error = max(np.max(np.abs(high - low) / weight), F("1e-25"))
        factor = F(0.9) * (tolerance / error) ** (F(1) / 10)
        if error <= tolerance:
            t, u = (end if size == end - t else t + size), high
            factor = min(factor, F(5))
        size *= max(factor, F("0.1"))
    return u
