// The kernel around the translated integration loop: where a thread's trajectories come from and
// where their results go.

namespace odes {

// Where a quantity of a trajectory is among the inputs: at `first + (trajectory & mask)`. The mask is
// all ones, or zero where all trajectories share one number.
struct InputOffset {
    u32 first, mask;
};

// The numbers that all trajectories share, in the order of their columns. A kernel's arguments are
// operands like any constant, which costs neither a register nor a load.
template<class R> struct Shared {
    R at[SHARED_COUNT > 0 ? SHARED_COUNT : 1];
};

// What a launch is given. `KernelArguments` in Rust has the same layout.
template<class R> struct KernelArguments {
    const GLOBAL R* inputs; // columns, shared ones of one number
    const GLOBAL InputOffset* columns;
    const GLOBAL u64* rules; // of what is drawn: where the words of each begin, then these
    const GLOBAL R* save_times;
    const GLOBAL R* stop_times;
    ResultArrays<R> results;
    GLOBAL u32* counter;    // trajectories taken by threads that refill
    u64 first;              // the number of the first trajectory among all of the ensemble
    LaneOptions<R> options;
    u32 n;                  // trajectories
    u32 save_slots;
    u32 known_slots;        // slots whose times are among save_times; the rest are ends of steps
    u32 save_stride;        // from slot to slot of save_times; 1 where all trajectories share them
    u32 save_each;          // from trajectory to trajectory of save_times; 0 where they share them
    u32 stop_slots, stop_stride, stop_each; // the same of stop_times
};

DEVICE float quiet_nan(float) { return single_of_bits(0x7fc00000u); }
DEVICE double quiet_nan(double) { return double_of_bits(0x7ff8000000000000ull); }
DEVICE float infinity(float) { return single_of_bits(0x7f800000u); }
DEVICE double infinity(double) { return double_of_bits(0x7ff0000000000000ull); }

// Where the trajectories of a thread come from and where results go: `Source` and `Sink` in
// integrate/options.rs.
//
// REFILL: whether threads take trajectories from a common queue until it is empty; otherwise each
// takes the one of its own number. With a queue the threads of a warp stay together, or their paths
// would drift apart for good (measured at 20 times the run time). Taking costs a warp about as much as
// a step, so threads in need wait until together they have lost as much.
template<class C> struct Io {
    typedef typename C::Number R;
    typedef typename C::System S;
    static constexpr int N = C::STATES, P = C::PARAMETERS;
    static constexpr int STATES = C::SAVED_STATES, OBSERVABLES = C::SAVED_OBSERVABLES;
    static constexpr int WIDTH = STATES + OBSERVABLES + C::SAVED_TIMES;
    static constexpr int LOG_WIDTH = C::LOG_MARKS + C::LOG_BEFORE + C::LOG_AFTER;

    const KernelArguments<R>& arguments;
    const Shared<R>& shared;
    u32 i;
    static constexpr u32 IDLE = 0xffffffffu;

    DEVICE Io(const KernelArguments<R>& arguments, const Shared<R>& shared, u32 thread)
        : arguments(arguments), shared(shared), i(IDLE), thread(thread), waited(0u), patience(1u) {}

    DEVICE static constexpr bool saves() { return true; }
    DEVICE bool should_refill(bool need) {
        if constexpr (!C::REFILL) return need;
        waited += votes(need);
        return waited >= patience;
    }
    DEVICE bool waits() const { return C::REFILL; }
    DEVICE bool vote(bool alive) {
        if constexpr (!C::REFILL) return alive;
        converge();
        u32 all = votes(alive);
        waited = 0u;
        // A lane cannot wait with fixed steps: they do not shrink to nothing at its end.
        patience = C::ADAPTIVE ? all : 1u;
        return all > 0u;
    }

    DEVICE bool acquire(bool need) {
        if (!need) return false;
        u32 next = i == IDLE ? thread : IDLE;
        if constexpr (C::REFILL) next = next_of(arguments.counter);
        i = next < arguments.n ? next : IDLE;
        return i != IDLE;
    }

    // The index of the trajectory or of its path, and the end of MurmurHash3 of `t0` (Appleby, 2011).
    DEVICE Arr<typename Real<R>::Bits, 2> path_number(R t0) const {
        typedef typename Real<R>::Bits B;
        u64 all = arguments.first + i;
        if (arguments.options.noise[3] > 0u) all %= arguments.options.noise[3];
        u64 x = m_to_bits(t0 + (R)0);
        x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdull;
        x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ull;
        all = (all + ((x ^ (x >> 33)) >> 16)) & 0xffffffffffffull;
        return array((B)(u32)all, (B)(u32)(all >> 32));
    }

    DEVICE R column(int c) const {
        if (SHARED_AT[c] >= 0) return shared.at[SHARED_AT[c]];
        if (DRAWN[c]) return (R)drawn(c, arguments.first + i, arguments.rules);
        InputOffset place = arguments.columns[c];
        return arguments.inputs[place.first + (i & place.mask)];
    }
    DEVICE Arr<R, N> load_u(bool got, Arr<R, N> u) const {
        if (got) {
            UNROLL for (int d = 0; d < N; d++) u[d] = column(d);
        }
        return u;
    }
    // What is shared is filled in whether asked for or not: the compiler sees a constant.
    static constexpr bool MANY = P > options::MANY_PARAMETERS * (2 - (int)Real<R>::DOUBLE);
    DEVICE void load_p(bool got, Arr<R, P>& p) const {
        UNROLL_UNLESS(MANY) for (int d = 0; d < P; d++) {
            if (SHARED_AT[N + d] >= 0) p[d] = column(N + d);
        }
        if (got) {
            UNROLL_UNLESS(MANY) for (int d = 0; d < P; d++) {
                if (SHARED_AT[N + d] < 0) p[d] = column(N + d);
            }
        }
    }
    DEVICE R load_start(bool got, R t) const {
        return SHARED_AT[N + P] >= 0 || got ? column(N + P) : t;
    }
    DEVICE R load_end(bool got, R t) const {
        return SHARED_AT[N + P + 1] >= 0 || got ? column(N + P + 1) : t;
    }

    template<class B> DEVICE R stop_time(bool which, B index, R t) const {
        if (!which) return t;
        if (index >= arguments.stop_slots) return infinity(R());
        return arguments.stop_times[(u64)index * arguments.stop_stride + (arguments.stop_each ? i : 0u)];
    }
    template<class B> DEVICE R save_time(bool which, B slot, R t) const {
        if (!which) return t;
        if (slot >= arguments.save_slots) return infinity(R());
        if (C::SAVED_TIMES > 0 && slot >= arguments.known_slots) return quiet_nan(R());
        return arguments.save_times[(u64)slot * arguments.save_stride + (arguments.save_each ? i : 0u)];
    }
    template<class B> DEVICE void save(
        bool which, B slot, const Arr<R, N>& u, const Arr<R, P>& p, R t
    ) const {
        if (which) {
            UNROLL for (int d = 0; d < STATES; d++) saved(slot, d) = u[d];
            if constexpr (OBSERVABLES > 0) {
                Arr<R, OBSERVABLES> all = S::template observables<R>(u, p, t);
                UNROLL for (int q = 0; q < OBSERVABLES; q++) saved(slot, STATES + q) = all[q];
            }
            if constexpr (C::SAVED_TIMES > 0) saved(slot, WIDTH - 1) = t;
        }
    }
    DEVICE static constexpr bool records_actions() { return false; }
    DEVICE void record_action(bool, int, const Arr<R, N>&, const Arr<R, P>&, R) const {}
    template<class B> DEVICE void record_mark(
        bool, B, const Arr<R, N>&, const Arr<R, P>&, R
    ) const {}
    DEVICE void forget_actions(bool) const {}
    DEVICE typename Real<R>::Bits event_count(int index) const {
        return i == IDLE ? 0u : arguments.results.events[(u64)index * arguments.n + i];
    }
    template<class B> DEVICE void set_event_count(bool which, int index, B count) const {
        if (which && i != IDLE) arguments.results.events[(u64)index * arguments.n + i] = (u32)count;
    }
    DEVICE void set_feature(bool which, int index, R value) const {
        if (which && i != IDLE) arguments.results.features[(u64)index * arguments.n + i] = value;
    }
    DEVICE void set_mode(bool which, int index, R value) const {
        if (which && i != IDLE) arguments.results.modes[(u64)index * arguments.n + i] = value;
    }
    DEVICE static constexpr bool logs() { return LOG_WIDTH > 0; }
    template<class B> DEVICE void log_event(
        bool which, B slot, R event, R t, const Arr<R, N>& before, const Arr<R, N>& after
    ) const {
        if constexpr (LOG_WIDTH > 0) {
            if (!which || i == IDLE || slot >= arguments.options.log_slots) return;
            logged(slot, 0) = t;
            logged(slot, 1) = event;
            UNROLL for (int d = 0; d < C::LOG_BEFORE; d++) logged(slot, C::LOG_MARKS + d) = before[d];
            UNROLL for (int d = 0; d < C::LOG_AFTER; d++) {
                logged(slot, C::LOG_MARKS + C::LOG_BEFORE + d) = after[d];
            }
        }
    }
    DEVICE void finish(bool done, const Arr<R, N>& u, const options::End<R>& end) const {
        if (!done || i == IDLE) return;
        UNROLL for (int d = 0; d < N; d++) arguments.results.finals[(u64)d * arguments.n + i] = u[d];
        arguments.results.ends[i] = end.t;
        arguments.results.codes[i] = (unsigned char)end.code;
        arguments.results.steps[i] = (u32)end.steps;
        arguments.results.rejected[i] = (u32)end.rejected;
        if constexpr (C::GUARD != guard::OFF) arguments.results.guarded[i] = (u32)end.guarded;
        // What a trajectory did not reach is not a number.
        if constexpr (WIDTH > 0) {
            arguments.results.kept[i] = (u32)end.saved;
            for (u32 s = (u32)end.saved; s < arguments.save_slots; s++) {
                UNROLL for (int d = 0; d < WIDTH; d++) saved(s, d) = quiet_nan(R());
            }
        }
        if constexpr (LOG_WIDTH > 0) {
            u64 happened = counted(0, S::EVENTS, S::LOGGED);
            happened += counted(S::EVENTS, S::TIMED, S::TIMED_LOGGED);
            happened += counted(S::EVENTS + S::TIMED, S::CONDITIONS, S::CONDITIONS_LOGGED);
            happened += counted(S::EVENTS + S::TIMED + S::CONDITIONS, S::JUMPS, S::JUMPS_LOGGED);
            for (u64 s = happened; s < arguments.options.log_slots; s++) {
                UNROLL for (int d = 0; d < LOG_WIDTH; d++) logged(s, d) = quiet_nan(R());
            }
        }
    }

private:
    template<class B> DEVICE GLOBAL R& saved(B slot, int number) const {
        return arguments.results.saved[((u64)slot * WIDTH + number) * arguments.n + i];
    }

    // The sum of the counts of those of a set, which has a bit for each of `count` from `first` on.
    DEVICE u64 counted(int first, int count, int set) const {
        u64 sum = 0;
        for (int e = 0; e < count && (set >> e) > 0; e++) {
            if ((set >> e) & 1) sum += arguments.results.events[(u64)(first + e) * arguments.n + i];
        }
        return sum;
    }

    template<class B> DEVICE GLOBAL R& logged(B slot, int number) const {
        return arguments.results.log[((u64)slot * LOG_WIDTH + number) * arguments.n + i];
    }

    u32 thread;
    u32 waited, patience;
};

// The options of a solve.
template<class C, class F> DEVICE options::Options<typename C::Number, C::STATES> options_of(
    const KernelArguments<typename C::Number>& arguments, const F& io
) {
    typedef typename C::Number R;
    constexpr int N = C::STATES, P = C::PARAMETERS;
    Arr<float, control::LAW_NUMBERS> law, stiff_law;
    UNROLL for (int i = 0; i < control::LAW_NUMBERS; i++) {
        law[i] = arguments.options.law[i];
        stiff_law[i] = arguments.options.stiff_law[i];
    }
    Arr<R, N> abstol;
    UNROLL for (int d = 0; d < N; d++) {
        abstol[d] = C::OWN_TOLERANCES ? io.column(N + P + 2 + d) : arguments.options.abstol;
    }
    options::Options<R, N> o;
    o.tolerances = norm::tolerances<R, N>(abstol, arguments.options.reltol);
    o.dt = arguments.options.dt;
    o.dtmin = arguments.options.dtmin;
    o.dtmax = arguments.options.dtmax;
    o.limited = C::LIMITED;
    o.stops = C::STOPS;
    o.every_step = C::SAVED_TIMES > 0;
    o.law = control::law<R>(law);
    o.stiff_law = control::law<R>(stiff_law);
    o.kind = C::LAW_KIND;
    o.max_steps = (typename Real<R>::Bits)arguments.options.max_steps;
    o.guard = C::GUARD;
    typedef typename Real<R>::Bits B;
    o.noise_seed = array((B)arguments.options.noise[0], (B)arguments.options.noise[1]);
    o.noise_levels = arguments.options.noise[2];
    return o;
}

// Integrates the trajectories of a thread's source.
template<class C, class F> DEVICE void integrate_all(
    const KernelArguments<typename C::Number>& arguments, F& io
) {
    typedef typename C::Number R;
    constexpr int N = C::STATES, P = C::PARAMETERS;
    options::Options<R, N> o = options_of<C>(arguments, io);
    using System = typename C::System;
    integrate::integrate<R, System, typename C::Method, F, C, N, P>(System{}, io, o);
}

template<class C> DEVICE void solve(
    const KernelArguments<typename C::Number>& arguments, const Shared<typename C::Number>& shared, u32 thread
) {
    Io<C> io(arguments, shared, thread);
    integrate_all<C>(arguments, io);
}

} // namespace odes
