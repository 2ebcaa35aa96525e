"""The right-hand side of examples/models/h2o2.rs as Cantera computes it: tests/support/h2o2.txt.

    python3 tools/cantera_rates.py > tests/support/h2o2.txt

A line for each of 24 random states: the temperature (K), the mass fractions of the species that
react, the pressure (Pa), the mass fraction of nitrogen, and the derivatives of temperature and mass
fractions at constant pressure (1/s).

needs Cantera 3.2 (pip install cantera==3.2.0).
"""

import cantera
import numpy as np

REACTING = ["H2", "H", "O", "O2", "OH", "H2O", "HO2", "H2O2"]


def main():
    gas = cantera.Solution("h2o2.yaml", "ohmech")
    places = [gas.species_index(name) for name in REACTING]
    random = np.random.default_rng(1)
    print(f"# Cantera {cantera.__version__}")
    for _ in range(24):
        temperature = random.uniform(800, 3000)
        pressure = cantera.one_atm * 10 ** random.uniform(-1, 1)
        # Some species are rare.
        fractions = np.zeros(gas.n_species)
        fractions[places] = random.exponential(size=8) * 10.0 ** -random.integers(0, 6, size=8)
        fractions[gas.species_index("N2")] = random.exponential()
        gas.TPY = temperature, pressure, fractions
        changes = gas.net_production_rates * gas.molecular_weights / gas.density
        heat = -gas.partial_molar_enthalpies @ gas.net_production_rates
        heating = heat / (gas.density * gas.cp_mass)
        state = [gas.T, *gas.Y[places], pressure, gas.Y[gas.species_index("N2")]]
        numbers = [*state, heating, *changes[places]]
        print(*(np.format_float_scientific(x) for x in numbers))


if __name__ == "__main__":
    main()
