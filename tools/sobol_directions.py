"""Initial direction numbers of Sobol' points: ode-core/src/random/sobol/directions.rs.

They are those of S. Joe and F. Y. Kuo, new-joe-kuo-6.21201 (https://web.maths.unsw.edu.au/~fkuo/sobol/),
as SciPy distributes them.

    python3 tools/sobol_directions.py [DIMENSIONS] > ode-core/src/random/sobol/directions.rs

needs scipy (pip install scipy).
"""

import sys
from importlib.resources import files

import numpy as np

HEAD = """\
//! Initial direction numbers of Joe and Kuo, by `tools/sobol_directions.py`.
//!
//! Copyright (c) 2008, Frances Y. Kuo and Stephen Joe. All rights reserved.
//!
//! Redistribution and use in source and binary forms, with or without modification, are permitted
//! provided that the following conditions are met:
//!
//! * Redistributions of source code must retain the above copyright notice, this list of conditions
//!   and the following disclaimer.
//! * Redistributions in binary form must reproduce the above copyright notice, this list of
//!   conditions and the following disclaimer in the documentation and/or other materials provided
//!   with the distribution.
//! * Neither the names of the copyright holders nor the names of the University of New South Wales
//!   and the University of Waikato and its contributors may be used to endorse or promote products
//!   derived from this software without specific prior written permission.
//!
//! This software is provided by the copyright holders "as is" and any express or implied
//! warranties, including, but not limited to, the implied warranties of merchantability and fitness
//! for a particular purpose are disclaimed. In no event shall the copyright holders be liable for
//! any direct, indirect, incidental, special, exemplary, or consequential damages (including, but
//! not limited to, procurement of substitute goods or services; loss of use, data, or profits; or
//! business interruption) however caused and on any theory of liability, whether in contract,
//! strict liability, or tort (including negligence or otherwise) arising in any way out of the use
//! of this software, even if advised of the possibility of such damage.

/// For each dimension after the first the inner coefficients of its primitive polynomial, as bits,
/// and the initial direction numbers, which are as many as its degree: `a` and `m_i` of
/// new-joe-kuo-6.21201.
#[rustfmt::skip]
pub(super) static JOE_KUO: &[(u32, &[u32])] = &["""


def main(dimensions):
    data = np.load(files("scipy.stats").joinpath("_sobol_direction_numbers.npz"))
    print(HEAD)
    for poly, numbers in zip(data["poly"][1:dimensions], data["vinit"][1:dimensions]):
        poly = int(poly)
        degree = poly.bit_length() - 1
        inner = (poly >> 1) & ((1 << (degree - 1)) - 1)
        print(f"    ({inner}, &{[int(m) for m in numbers[:degree]]}),")
    print("];")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 256)
