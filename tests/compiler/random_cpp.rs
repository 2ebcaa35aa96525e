//! Random and quasi-random numbers in C++.
//!
//! The text for devices, compiled by the host's compiler, gives the bits of the Rust code.

use crate::cpp::HostCpp;
use ode_core::kernel::Target;
use ode_core::math;
use ode_core::random::{self, PermutationKeys, sobol};
use odes_skipped::needs;

/// The number of words per index.
const WORDS: usize = 23;

type Evaluate = unsafe extern "C" fn(n: i32, directions: *const u64, out: *mut u64);

/// Returns the words of an index in Rust.
fn rust(index: u64, directions: &[u64; 32]) -> [u64; WORDS] {
    let [a, b, c, d] = random::philox4x32::<f64>([index, 1, 2, 3], [4, 5]);
    let point = random::sobol_point::<f64>(index, directions);
    let owen = random::owen::<f64>(point, directions);
    let PermutationKeys { n, powers, keys } =
        PermutationKeys::new(100_003, core::array::from_fn(|i| i as u64));
    let permuted = random::permuted::<f64>(index, n, &powers, &keys);
    let unit = random::open_unit::<f64>(a, b);
    let normal = random::normal_quantile(unit);
    let far = random::normal_quantile(1e-30 * unit);
    let numbers = [
        unit,
        normal,
        far,
        random::middle::<f64>(owen),
        random::stratum::<f64>(permuted, c, n as f64),
        random::between(unit, -1.0, 2.0),
        random::log_between(unit, 1.0, 2.0, [0.0, 0.69]),
        random::gaussian(unit, 2.0, 0.5),
        random::log_normal(unit, 2.0, 0.5),
        random::position(unit, 6.0),
        random::linspace(unit, 0.5, unit, 3.0, 0.3),
        random::logspace(random::integer::<f64>(index), 4000.0, [unit, 3.0], 0.1, 0.3),
        random::independent::<f64>(index << 33, &[4, 5, 6, 7]),
        random::latin::<f64>(index, n, &powers, &keys, &[4, 5, 6, 7]),
        random::shifted::<f64>(index, directions, 12345),
        random::scrambled::<f64>(index, directions, directions),
    ];
    let words = [a, b, c, d, point, owen, permuted].into_iter();
    let words: Vec<u64> = words.chain(numbers.map(f64::to_bits)).collect();
    core::array::from_fn(|w| words[w])
}

#[needs(cpp)]
#[test]
fn random_numbers_have_the_same_bits() {
    let Some(cpp) = HostCpp::find() else {
        eprintln!("skipped: no C++ compiler (c++, g++ or clang++)");
        return;
    };
    let programs = [&math::device_source(), &*random::LANE_PROGRAMS.concat()].concat();
    let source = format!(
        r#"{prelude}
        namespace odes {{ {programs} }}
        using namespace odes;
        extern "C" void evaluate(int n, const u64* numbers, u64* out) {{
            Arr<u64, 32> directions;
            for (int j = 0; j < 32; j++) directions[j] = numbers[j];
            Arr<u64, 8> keys = {{{{0, 1, 2, 3, 4, 5, 6, 7}}}};
            Arr<u64, 4> stream = {{{{4, 5, 6, 7}}}};
            Arr<u64, 3> powers = {{{{256, 512, 1 << 23}}}};
            for (int i = 0; i < n; i++) {{
                u64 index = i;
                Arr<u64, 4> counter = {{{{index, 1, 2, 3}}}};
                Arr<u64, 2> key = {{{{4, 5}}}};
                Arr<u64, 4> words = philox::philox4x32<double>(counter, key);
                u64 point = sobol::point<double>(index, directions);
                double u = unit::open_unit<double>(words[0], words[1]);
                u64 owen = sobol::owen<double>(point, directions);
                u64 permuted = permutation::permuted<double>(index, u64(100003), powers, keys);
                Arr<double, 2> logs = {{{{0.0, 0.69}}}};
                Arr<double, 2> ends = {{{{u, 3.0}}}};
                double number = unit::integer<double>(index);
                u64 all[{WORDS}] = {{
                    words[0], words[1], words[2], words[3], point, owen, permuted, m_to_bits(u),
                    m_to_bits(normal::quantile(u)), m_to_bits(normal::quantile(1e-30 * u)),
                    m_to_bits(unit::middle<double>(owen)),
                    m_to_bits(unit::stratum(permuted, words[2], 100003.0)),
                    m_to_bits(distribution::between(u, -1.0, 2.0)),
                    m_to_bits(distribution::log_between(u, 1.0, 2.0, logs)),
                    m_to_bits(distribution::gaussian(u, 2.0, 0.5)),
                    m_to_bits(distribution::log_normal(u, 2.0, 0.5)),
                    m_to_bits(distribution::position(u, 6.0)),
                    m_to_bits(distribution::linspace(u, 0.5, u, 3.0, 0.3)),
                    m_to_bits(distribution::logspace(number, 4000.0, ends, 0.1, 0.3)),
                    m_to_bits(source::independent<double>(index << 33, stream)),
                    m_to_bits(source::latin<double>(index, u64(100003), powers, keys, stream)),
                    m_to_bits(source::shifted<double>(index, directions, u64(12345))),
                    m_to_bits(source::scrambled<double>(index, directions, directions)),
                }};
                for (int w = 0; w < {WORDS}; w++) out[{WORDS} * i + w] = all[w];
            }}
        }}
        "#,
        prelude = Target::Host.prelude(),
    );
    let library = cpp.compile(&source);
    // SAFETY: the function has this type.
    let evaluate: libloading::Symbol<'_, Evaluate> = unsafe { library.get(b"evaluate") }.unwrap();
    let directions = sobol::directions(5).unwrap().map(u64::from);
    let n = 5000;
    let mut out = vec![0; WORDS * n];
    // SAFETY: the pointers are to as many numbers as the function reads and writes.
    unsafe { evaluate(n as i32, directions.as_ptr(), out.as_mut_ptr()) };
    for (i, words) in out.chunks_exact(WORDS).enumerate() {
        assert_eq!(words, rust(i as u64, &directions), "index {i}");
    }
}
