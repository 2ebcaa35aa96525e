// `u' = A u` by an explicit method in one launch, whose blocks all run at once: rows of A are in the registers
// of warps, and stay there. `LockstepGroup` in integrate/lockstep.rs, with one array.
//
// Each warp has some rows, and lane `r` of it what is known of row `r`: state, slopes and tolerance. The
// argument of a stage is known row by row, and said to all: each row says words that have a half of its number
// and the number of the turn each, and all blocks read the words of all rows until these have the number of
// the turn. Two buffers suffice, for the reason in lockstep_cuda.hpp. The clock is each thread's own, and all
// decide alike.

namespace odes {

// What a launch is given besides its `KernelArguments`; LinearArguments in persistent.rs has the same layout.
template<class R> struct LockstepArguments {
    const GLOBAL R* a;      // column by column
    const GLOBAL R* u0;
    const GLOBAL R* abstol; // one, or one of each row
    GLOBAL u64* words;      // [turn % 2][row][half]: what rows say; zero before
    GLOBAL u64* sums;       // [turn % 2][copy][block][2]: what blocks say; zero before
    GLOBAL R* saved;        // [slot][row]
    GLOBAL R* end;
    GLOBAL u64* report;     // code, steps, rejected, saved, evaluations, time
    u32 own;                // whether each row has a tolerance of its own
};

template<class C> struct Whole {
    typedef typename C::Number R;
    typedef typename Real<R>::Bits B;
    typedef lockstep::Told<R> Told;
    static constexpr u32 ROWS = C::ROWS, EACH = C::EACH, BLOCKS = C::BLOCKS;
    // The numbers of a row that a lane has.
    static constexpr u32 PART = (ROWS + 31u) / 32u;
    static constexpr u32 HALVES = sizeof(R) / 4u;
    // The rows that a thread hears.
    static constexpr u32 HEARD = (ROWS + THREADS - 1u) / THREADS;

    const LockstepArguments<R>& array;
    const options::Options<R, 1>& o;
    Io<C>& io;
    u32 block, turn, turn_of_sums, row;
    bool here;  // whether there is such a row
    bool known; // whether the first slope is that of the state
    bool over;
    u32 evaluations;
    R a[EACH][PART];
    R u, next, tolerance;
    Arr<R, STAGES> k;
    bool complete; // whether the stages between the ends of the step are known
    u64 begun, cause;

    DEVICE Whole(
        const LockstepArguments<R>& array, const options::Options<R, 1>& o, Io<C>& io, u32 block
    ) : array(array), o(o), io(io), block(block), turn(0u), turn_of_sums(0u), known(false), over(false),
        evaluations(0u), complete(false), u(R(0)), next(R(0)), k(repeat<STAGES>(R(0))), begun(code::SUCCESS), cause(code::SUCCESS) {
        const u32 lane = threadIdx.x % 32u;
        const u32 first = (block * WARPS + threadIdx.x / 32u) * EACH;
        row = first + lane;
        here = lane < EACH && row < ROWS;
        tolerance = array.abstol[array.own && here ? row : 0u];
        UNROLL for (u32 r = 0u; r < EACH; r++) {
            UNROLL for (u32 e = 0u; e < PART; e++) {
                const u32 column = e * 32u + lane;
                const bool is = first + r < ROWS && column < ROWS;
                a[r][e] = is ? array.a[(u64)column * ROWS + first + r] : R(0);
            }
        }
        // What no row says is a number, too.
        for (u32 i = threadIdx.x; i < 2u * 32u * PART; i += THREADS) said()[i] = R(0);
        __syncthreads();
    }

    DEVICE bool saves() const { return C::SAVES && io.arguments.save_slots > 0u; }
    DEVICE R start() const { return io.load_start(true, R(0)); }
    DEVICE R end() const { return io.load_end(true, R(0)); }
    DEVICE R stop_time(B index) const { return io.stop_time(true, index, R(0)); }
    DEVICE R save_time(B index) const { return io.save_time(true, index, R(0)); }

    DEVICE Told begin(const lane::Lane<R>&, const lane::Lane<R>& lane, u32 how) {
        Told told = lockstep::silence<R>();
        told.goes = true;
        cause = code::SUCCESS;
        if (how != members::NEXT) {
            u = here ? array.u0[row] : R(0);
            if (lane.saved == (B)1u) put((B)0u, u);
        }
        k[0] = slope(u);
        known = true;
        if (C::ADAPTIVE) {
            R h = m_abs(o.dt);
            const bool automatic = h == R(0);
            const R span = lane.t1 - lane.t0;
            const R t = begin::first_time<R, C, 1>(o, lane);
            if (automatic) h = whole_first_step::size<R, Whole<C>>(*this, ROOT, t, span);
            if (automatic && first_step::is_blind<R>(h, lane.t0, span)) {
                told.goes = false;
                begun = code::DT_MIN;
            }
            told.size = begin::within_limits<R, 1>(o, lane.t0, h);
        }
        return told;
    }

    DEVICE Told attempt(const lane::Lane<R>&, const attempt::Attempt<R>& trial) {
        Told told = lockstep::silence<R>();
        told.goes = true;
        complete = false;
        const R h = trial.ask.h;
        if (!known) {
            k[0] = slope(u);
            known = true;
        }
        next = u;
        UNROLL for (int s = 0; s < STEPS; s++) {
            next = m_mul_add(h, sum(STEP[s]), u);
            k[STEP_OF[s]] = slope(next);
        }
        if (HAS_SOLUTION) next = m_mul_add(h, sum(SOLUTION[0]), u);
        if (C::ADAPTIVE) {
            Arr<R, 2> squares = repeat<2>(R(0));
            bool hopeless = false;
            UNROLL for (int e = 0; e < ERRORS; e++) {
                const Said all = square_of(m_mul_add(h, sum(ERROR[e]), R(0)), next);
                squares[e] = mean(all);
                hopeless = (all.flags & 1u) != 0u;
            }
            const R square = ERRORS > 1 ? norm::both<R>(squares[0], squares[1]) : squares[0];
            const R most = (R)norm::SQUARE_MAX;
            told.square = m_at_most(square, most);
            told.fails = !(square <= R(1));
            told.beyond = told.fails && !(square < most);
            told.hopeless = told.fails && hopeless;
            cause = told.fails ? (u64)advance::cause<R>(told.hopeless, square, (B)code::SUCCESS) : code::SUCCESS;
        }
        return told;
    }

    DEVICE bool passes_soon(const lane::Lane<R>&, const attempt::Attempt<R>&, bool) { return false; }

    DEVICE void save(const lane::Lane<R>& lane, const attempt::Attempt<R>& trial, R ahead) {
        const R h = trial.ask.h;
        if (!complete) {
            UNROLL for (int s = 0; s < EXTRA; s++) {
                k[MORE_OF[s]] = slope(m_mul_add(h, sum(MORE[s]), u));
            }
            complete = true;
        }
        put(lane.saved, ahead == h ? next : within(h, ahead / h));
    }

    DEVICE void accept() {
        u = next;
        known = FSAL;
        if (FSAL) k[0] = k[LAST];
    }

    DEVICE bool leave(const lane::Lane<R>& lane, const members::Leave<R>&) {
        ended(lane, cause);
        return false;
    }

    DEVICE void finish(const lane::Lane<R>& lane) { ended(lane, C::ADAPTIVE ? begun : cause); }

    // What the first step asks.
    DEVICE Arr<R, 2> squares() {
        const R of_u = mean(square_of(u, u));
        return ::odes::array(of_u, mean(square_of(k[0], u)));
    }
    DEVICE Arr<R, 2> change(R h, R share) {
        const R there = slope(m_mul_add(h, k[0], u)) - k[0];
        const R bend = m_mul_add(-share, kept_change, there);
        kept_change = there;
        const R whole = mean(square_of(there, u));
        return ::odes::array(whole, mean(square_of(bend, u)));
    }

private:
    R kept_change = R(0);

    // What was said in two turns.
    DEVICE static R* said() {
        __shared__ R numbers[2u * 32u * PART];
        return numbers;
    }

    DEVICE static bool is_finite(R x) { return x * R(0) == R(0); }

    // What all rows say, of which this is one.
    DEVICE const R* hear(R x) {
        turn++;
        R* const numbers = said() + (turn & 1u) * 32u * PART;
        if constexpr (BLOCKS == 1u) {
            if (here) numbers[row] = x;
        } else {
            GLOBAL u64* const words = array.words + (u64)(turn & 1u) * ROWS * HALVES;
            if (here) say(words + row * HALVES, x);
            // Rows of this block are said before anybody waits for them.
            __syncthreads();
            volatile GLOBAL u64* const at = words;
            u64 heard[HEARD][HALVES];
            bool missing;
            do {
                missing = false;
                // All are asked for before any is looked at.
                UNROLL for (u32 j = 0u; j < HEARD; j++) {
                    const u32 other = j * THREADS + threadIdx.x;
                    UNROLL for (u32 half = 0u; half < HALVES; half++) {
                        heard[j][half] = other < ROWS ? at[other * HALVES + half] : (u64)turn;
                    }
                }
                UNROLL for (u32 j = 0u; j < HEARD; j++) {
                    UNROLL for (u32 half = 0u; half < HALVES; half++) {
                        missing = missing || (u32)heard[j][half] != turn;
                    }
                }
            } while (missing);
            UNROLL for (u32 j = 0u; j < HEARD; j++) {
                const u32 other = j * THREADS + threadIdx.x;
                if (other < ROWS) numbers[other] = number(heard[j]);
            }
        }
        __syncthreads();
        return numbers;
    }

    DEVICE void say(volatile GLOBAL u64* at, float x) const { at[0] = (u64)m_to_bits(x) << 32 | turn; }
    DEVICE void say(volatile GLOBAL u64* at, double x) const {
        const u64 bits = m_to_bits(x);
        at[0] = (bits & 0xffffffff00000000ull) | turn;
        at[1] = bits << 32 | turn;
    }
    DEVICE static float number(const u64 (&words)[1]) { return single_of_bits((u32)(words[0] >> 32)); }
    DEVICE static double number(const u64 (&words)[2]) {
        return double_of_bits((words[0] & 0xffffffff00000000ull) | words[1] >> 32);
    }

    // This row of `A x`, where `x` is the number of this row.
    DEVICE R slope(R x) {
        evaluations++;
        const R* const numbers = hear(x);
        const u32 lane = threadIdx.x % 32u;
        // Two chains for each row.
        R sums[EACH][2];
        UNROLL for (u32 r = 0u; r < EACH; r++) sums[r][0] = sums[r][1] = R(0);
        UNROLL for (u32 e = 0u; e < PART; e++) {
            const R number = numbers[e * 32u + lane];
            UNROLL for (u32 r = 0u; r < EACH; r++) sums[r][e & 1u] = m_mul_add(a[r][e], number, sums[r][e & 1u]);
        }
        R mine = R(0);
        UNROLL for (u32 r = 0u; r < EACH; r++) {
            R sum = sums[r][0] + sums[r][1];
            UNROLL for (u32 by = 1u; by < 32u; by *= 2u) sum = sum + __shfl_xor_sync(0xffffffffu, sum, by);
            if (lane == r) mine = sum;
        }
        return mine;
    }

    DEVICE R sum(const double (&c)[STAGES]) const {
        R sum = R(0);
        bool first = true;
        UNROLL for (int j = 0; j < STAGES; j++) {
            if (c[j] != 0.0) {
                sum = first ? (R)c[j] * k[j] : m_mul_add(k[j], (R)c[j], sum);
                first = false;
            }
        }
        return sum;
    }

    // The state a fraction of the step after its beginning.
    DEVICE R within(R h, R theta) const {
        R sum = R(0);
        bool first = true;
        UNROLL for (int d = 0; d < DENSE; d++) {
            R weight = R(0);
            UNROLL for (int j = DEGREE - 1; j >= 0; j--) weight = m_mul_add(weight, theta, (R)WEIGHT[d][j]);
            sum = first ? weight * k[DENSE_OF[d]] : m_mul_add(k[DENSE_OF[d]], weight, sum);
            first = false;
        }
        return m_mul_add(h * theta, sum, u);
    }

    DEVICE void put(B slot, R x) const {
        if (here) array.saved[(u64)slot * ROWS + row] = x;
    }

    // The sum of all rows' squares of `error`, in units of the tolerance at the larger one of the state and
    // `end`; the flag is whether a slope at the beginning is not finite.
    DEVICE Said square_of(R error, R end) {
        const R scale = m_mul_add(o.tolerances.reltol, m_max_magnitude(u, end), tolerance);
        const R scaled = error * norm::reciprocal<R>(scale);
        return together(here ? (double)(scaled * scaled) : 0.0, here && !is_finite(k[0]));
    }

    DEVICE static R mean(const Said& sum) { return (R)(sum.number / (double)ROWS); }

    DEVICE Said together(double number, bool flag) {
        const Said mine = of_warp<SUM>(Said{number, flag ? 1u : 0u});
        turn_of_sums++;
        if constexpr (BLOCKS == 1u) {
            return of_warps<SUM>(turn_of_sums & 1u, mine);
        } else {
            return all_of<SUM>(array.sums, BLOCKS, block, turn_of_sums, mine);
        }
    }

    DEVICE void ended(const lane::Lane<R>& lane, u64 why) {
        if (over) return;
        over = true;
        lane::Lane<R> last = lane;
        if (why != code::SUCCESS) last.code = (B)why;
        const bool lost = together(0.0, here && !is_finite(u)).flags != 0u;
        const Arr<R, 1> state = ::odes::array(lost ? quiet_nan(R()) : R(0));
        const auto end = begin::ending<R, typename C::Method, C, 1>(last, state);
        if (here) array.end[row] = u;
        if (block == 0u && is_first_thread()) {
            array.report[0] = end.code;
            array.report[1] = end.steps;
            array.report[2] = end.rejected;
            array.report[3] = end.saved;
            array.report[4] = evaluations;
            array.report[5] = m_to_bits(end.t);
        }
    }
};

template<class C> DEVICE void solve_lockstep(
    const KernelArguments<typename C::Number>& arguments,
    const Shared<typename C::Number>& shared,
    const LockstepArguments<typename C::Number>& array,
    u32 block
) {
    typedef typename C::Number R;
    Io<C> io(arguments, shared, 0u);
    io.i = 0u;
    options::Options<R, 1> o = options_of<C>(arguments, io);
    Whole<C> whole(array, o, io, block);
    lockstep::lockstep<R, typename C::Method, Whole<C>, C, 1>(whole, o);
}

} // namespace odes
