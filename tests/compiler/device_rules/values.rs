//! Blocks, arrays and references as values.

use ode_macros::device;

/// A block has the value of its last expression, and its names end with it.
#[device(blocks)]
pub mod blocks {
    use odes::lane::Real;

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let mut a = x[0];
        let b = {
            a = a + x[1];
            let c = a * a;
            {
                let c = c - x[2];
                c * x[3]
            }
        };
        let mut array = [a, b];
        {
            let a = array[1];
            array[0] = array[0] - a;
        }
        let c = { [a, array[0]] };
        [a, b, c[1], x[2] * { x[3] - a }]
    }
}

/// `if` as a value: of single expressions, of blocks, of constants, in a chain.
#[device(if_values)]
pub mod if_values {
    use odes::lane::Real;

    const WIDE: bool = true;

    fn by_count<R: Real>(n: u32, x: R) -> R {
        let simple = if n > 2u32 { x } else { -x };
        let chain = if n == 0u32 {
            R::lit(0.1)
        } else if n < 3u32 {
            R::lit(0.2)
        } else {
            simple
        };
        let long = if n % 2u32 == 0u32 {
            let twice = x + chain;
            twice * twice
        } else if n == 1u32 {
            chain
        } else {
            let simple = simple + chain;
            simple * R::lit(3.0)
        };
        long - if n == 4u32 { chain } else { simple } * x
    }

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let of_constants = if WIDE { [x[0], x[1]] } else { [x[1], x[0]] };
        let of_precision = if R::DOUBLE {
            let a = x[2] * R::lit(0.1);
            a + x[3]
        } else {
            x[3]
        };
        [
            by_count(0u32, of_constants[0]) + by_count(1u32, x[1]),
            by_count(2u32, of_precision),
            by_count(3u32, x[2]),
            by_count(4u32, x[3]),
        ]
    }
}

/// A function ends with its value, which may be an `if` or a block.
#[device(tails)]
pub mod tails {
    use odes::lane::Real;

    fn nested<R: Real, const N: usize>(n: u32, x: R) -> R {
        let y = x * x;
        if N > 2 {
            if n > 2u32 { y } else { y + x }
        } else if n == 1u32 {
            let x = x + y;
            x * y
        } else {
            {
                let y = y - x;
                y * y
            }
        }
    }

    fn nothing<R: Real>(x: &mut R) {
        if R::DOUBLE { *x = *x + R::lit(0.5) } else { *x = *x * R::lit(0.5) }
    }

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let mut last = x[0];
        nothing(&mut last);
        [
            nested::<R, 3>(3u32, x[0]),
            nested::<R, 3>(1u32, x[1]) + nested::<R, 1>(1u32, x[2]),
            nested::<R, 2>(5u32, x[3]),
            last,
        ]
    }
}

/// Arrays are copied, repeated, nested, taken apart and returned.
#[device(arrays)]
pub mod arrays {
    use odes::lane::Real;

    fn transposed<R: Real, const N: usize, const M: usize>(x: [[R; M]; N]) -> [[R; N]; M] {
        let mut out = [[R::lit(0.0); N]; M];
        for i in 0..N {
            for j in 0..M {
                out[j][i] = x[i][j];
            }
        }
        out
    }

    fn changed<R: Real>(mut x: [R; 2]) -> [R; 2] {
        x[0] = x[0] + x[1];
        x
    }

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let mut a = *x;
        let b = a;
        a[0] = a[1] * a[2];
        let mut rows = [[R::lit(1.5); 3]; 2];
        rows[1][2] = a[0];
        rows[0] = [b[0], x[3], a[3]];
        let columns = transposed(rows);
        let [first, _, last] = columns;
        let [one, two] = first;
        let three = last;
        let pair = [one, two];
        let new = changed(pair);
        let zeros = [R::lit(0.0); 1];
        [pair[0] + new[0], three[0] - zeros[0], three[1], b[0] + [a[0], b[1]][1]]
    }
}

/// `&` and `&mut` parameters, references to parts of values, and locals that are references.
#[device(references)]
pub mod references {
    use odes::lane::Real;

    fn sum<R: Real, const N: usize>(x: &[R; N]) -> R {
        let mut sum = R::lit(0.0);
        for i in 0..N {
            sum = sum + x[i];
        }
        sum
    }

    fn bump<R: Real>(x: &mut R, by: &R) -> R {
        let old = *x;
        *x = *x + *by;
        old
    }

    fn bump_row<R: Real, const N: usize>(row: &mut [R; N], by: R) {
        for i in 0..N {
            row[i] = row[i] + by;
            bump(&mut row[i], &by);
        }
        twice(row);
    }

    fn twice<R: Real, const N: usize>(row: &mut [R; N]) {
        row[0] = row[0] + row[N - 1];
    }

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let mut a = x[0];
        let old = bump(&mut a, &x[1]);
        let mut rows = [*x, [old; 4]];
        bump_row(&mut rows[1], x[2]);
        let row = &rows[1];
        let part = &row[2];
        let all = sum(row) + sum(&[*part, old]);
        let mut copy = rows[0];
        copy[1] = copy[1] - *part;
        copy[2] = copy[2] / x[3];
        [a, all, copy[1], copy[2] + rows[0][1]]
    }
}

/// Statements that change a variable are executed in the written order.
#[device(order)]
pub mod order {
    use odes::lane::Real;

    fn next<R: Real>(state: &mut R) -> R {
        *state = *state * R::lit(1.5) + R::lit(0.25);
        *state
    }

    pub fn rule<R: Real>(x: &[R; 4]) -> [R; 4] {
        let mut state = x[0];
        let first = next(&mut state);
        let second = next(&mut state);
        let mut third = first - second;
        third = third * state;
        state = next(&mut state);
        let fourth = next(&mut state) + first;
        [first - second, third, state, fourth]
    }
}
