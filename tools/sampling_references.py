"""Reference values of ode-core/tests/random: quantiles of the normal distribution, and Sobol' points.

Quantiles are computed with 60 digits by mpmath, from SciPy's as the first guess; how many units in the
last place SciPy's are from them is printed after them. Sobol' points are SciPy's.

    python3 tools/sampling_references.py

needs scipy and mpmath (pip install scipy mpmath).
"""

import mpmath as mp
import numpy as np
from scipy.stats import norm, qmc

mp.mp.dps = 60
PROBABILITIES = [
    2.0**-53, 2.0**-52, 1e-300, 1e-100, 1e-15, 1e-10, 1.3e-11, 1.4e-11, 1e-6, 1e-4, 0.001, 0.01, 0.025,
    0.05, 0.0749999, 0.075, 0.0750001, 0.1, 0.25, 0.4, 0.49, 0.499999, 0.5, 0.500001, 0.6, 0.75, 0.9,
    0.925, 0.9250001, 0.95, 0.975, 0.99, 0.999, 0.9999, 1 - 1e-6, 1 - 1e-10, 1 - 2.0**-53,
]  # fmt: skip


def quantile(p):
    z = mp.mpf(float(norm.ppf(p)))
    for _ in range(60):
        step = (mp.ncdf(z) - mp.mpf(p)) / mp.npdf(z)
        z -= step
        if abs(step) < mp.mpf(10) ** -45:
            return float(z)
    raise ValueError(p)


def main():
    print("// p, quantile, distance of SciPy's in units in the last place")
    for p in PROBABILITIES:
        z = quantile(p)
        print(f"({p!r}, {z!r}), // {abs(float(norm.ppf(p)) - z) / np.spacing(abs(z) or 1.0):.0f}")
    print("// the first 16 points in 8 dimensions, in sixteenths")
    print((qmc.Sobol(8, scramble=False, bits=32).random(16) * 16).astype(int).tolist())
    for dimensions in (64, 256):
        words = (qmc.Sobol(dimensions, scramble=False, bits=32).random(5000) * 2**32).astype(np.uint64)
        total = 0
        for word in words.ravel():
            total = (total * 6364136223846793005 + int(word) + 1442695040888963407) % 2**64
        print(f"// a hash of the first 5000 points in {dimensions} dimensions\n{total}")
    points = qmc.Sobol(256, scramble=False, bits=32).fast_forward(123456789)
    words = (points.random(1)[0] * 2**32).astype(np.uint64)
    print(f"// dimensions 0, 1, 100, 255 of point 123456789\n{words[[0, 1, 100, 255]].tolist()}")


if __name__ == "__main__":
    main()
