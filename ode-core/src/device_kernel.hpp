// The kernel around the translated integration loop: where a thread's trajectories come from and
// where their results go. On the host the same code runs as one thread.

namespace odes {

// Where a quantity of a trajectory is among the inputs: at `first + (trajectory & mask)`. The mask is
// all ones, or zero where all trajectories share one number.
struct Column {
    u32 first, mask;
};

// The numbers that all trajectories share, in the order of their columns. A kernel's arguments are
// operands like any constant, which costs neither a register nor a load.
template<class R> struct Shared {
    R at[SHARED_COUNT > 0 ? SHARED_COUNT : 1];
};

// What a launch is given. `JobArguments` in Rust has the same layout.
template<class R> struct Job {
    const R* inputs;        // columns, shared ones of one number
    const Column* columns;
    const R* save_times;
    const R* stop_times;
    R* finals;              // [component * n + trajectory]
    R* saved;               // [(slot * width + number) * n + trajectory]: states, observables, the time
    R* ends;
    unsigned char* codes;
    u32* steps;
    u32* rejected;
    u32* kept;              // states saved, where there are times to save at
    u32* guarded;           // what the guard reports, where it looks
    u32* counter;           // trajectories taken by threads that refill
    R abstol, reltol, dt, dtmin, dtmax;
    float law[controller::LAW_NUMBERS];
    float stiff_law[controller::LAW_NUMBERS];
    u32 n;                  // trajectories
    u32 max_steps;
    u32 save_slots;
    u32 known_slots;        // slots whose times are among save_times; the rest are ends of steps
    u32 save_stride;        // from slot to slot of save_times; 1 where all trajectories share them
    u32 save_each;          // from trajectory to trajectory of save_times; 0 where they share them
    u32 stop_slots, stop_stride, stop_each; // the same of stop_times
};

DEVICE float quiet_nan(float) { return as_float(0x7fc00000u); }
DEVICE double quiet_nan(double) { return as_double(0x7ff8000000000000ull); }
DEVICE float infinity(float) { return as_float(0x7f800000u); }
DEVICE double infinity(double) { return as_double(0x7ff0000000000000ull); }

// STATES, OBSERVABLES: how many of each are saved at a time. TIMES: whether the time is, too.
//
// REFILL: whether threads take trajectories from a common queue until it is empty; otherwise each
// takes the one of its own number. With a queue the threads of a warp stay together, or their paths
// would drift apart for good (measured at 20 times the run time). Taking costs a warp about as much as
// a step, so threads in need wait until together they have lost as much.
template<
    class R, class S, int N, int P, bool ADAPTIVE, int STATES, int OBSERVABLES, int TIMES, bool REFILL,
    bool GUARDS
> struct Feed {
    const Job<R>& job;
    const Shared<R>& shared;
    u32 i;
    static constexpr u32 IDLE = 0xffffffffu;
    static constexpr int WIDTH = STATES + OBSERVABLES + TIMES;

    DEVICE Feed(const Job<R>& job, const Shared<R>& shared, u32 thread)
        : job(job), shared(shared), i(IDLE), thread(thread), waited(0u), patience(1u) {}

    // Lanes of the warp that are true.
    DEVICE static u32 count(bool lane) {
#if ON_DEVICE
        return __popc(__ballot_sync(0xffffffffu, lane));
#else
        return lane ? 1u : 0u;
#endif
    }
    DEVICE static constexpr bool saves() { return true; }
    DEVICE bool due(bool need) {
        if constexpr (!REFILL) return need;
        waited += count(need);
        return waited >= patience;
    }
    DEVICE bool regroup(bool alive) {
        if constexpr (!REFILL) return alive;
        u32 all = count(alive);
        waited = 0u;
        // A lane cannot wait with fixed steps: they do not shrink to nothing at its end.
        patience = ADAPTIVE ? all : 1u;
        return all > 0u;
    }

    DEVICE bool take(bool need) {
        if (!need) return false;
        u32 next = i == IDLE ? thread : IDLE;
        if constexpr (REFILL) {
#if ON_DEVICE
            next = atomicAdd(job.counter, 1u);
#else
            next = (*job.counter)++;
#endif
        }
        i = next < job.n ? next : IDLE;
        return i != IDLE;
    }

    DEVICE R column(int c) const {
        if (SHARED_AT[c] >= 0) return shared.at[SHARED_AT[c]];
        Column place = job.columns[c];
        return job.inputs[place.first + (i & place.mask)];
    }
    DEVICE Arr<R, N> load_u(bool got, Arr<R, N> u) const {
        if (got) {
            UNROLL for (int d = 0; d < N; d++) u[d] = column(d);
        }
        return u;
    }
    // What is shared is filled in whether asked for or not: the compiler sees a constant.
    DEVICE Arr<R, P> load_p(bool got, Arr<R, P> p) const {
        UNROLL for (int d = 0; d < P; d++) {
            if (SHARED_AT[N + d] >= 0) p[d] = column(N + d);
        }
        if (got) {
            UNROLL for (int d = 0; d < P; d++) {
                if (SHARED_AT[N + d] < 0) p[d] = column(N + d);
            }
        }
        return p;
    }
    DEVICE R load_start(bool got, R t) const {
        return SHARED_AT[N + P] >= 0 || got ? column(N + P) : t;
    }
    DEVICE R load_end(bool got, R t) const {
        return SHARED_AT[N + P + 1] >= 0 || got ? column(N + P + 1) : t;
    }

    template<class B> DEVICE R stop_time(bool which, B index, R t) const {
        if (!which) return t;
        if (index >= job.stop_slots) return infinity(R());
        return job.stop_times[(u64)index * job.stop_stride + (job.stop_each ? i : 0u)];
    }
    template<class B> DEVICE R save_time(bool which, B slot, R t) const {
        if (!which) return t;
        if (slot >= job.save_slots) return infinity(R());
        if (TIMES > 0 && slot >= job.known_slots) return quiet_nan(R());
        return job.save_times[(u64)slot * job.save_stride + (job.save_each ? i : 0u)];
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
            if constexpr (TIMES > 0) saved(slot, WIDTH - 1) = t;
        }
    }
    template<class B> DEVICE void finish(
        bool done, const Arr<R, N>& u, R t, B code, B steps, B rejected, B slot, B guarded
    ) const {
        if (!done || i == IDLE) return;
        UNROLL for (int d = 0; d < N; d++) job.finals[(u64)d * job.n + i] = u[d];
        job.ends[i] = t;
        job.codes[i] = (unsigned char)code;
        job.steps[i] = (u32)steps;
        job.rejected[i] = (u32)rejected;
        if constexpr (GUARDS) job.guarded[i] = (u32)guarded;
        // What a trajectory did not reach is not a number.
        if constexpr (WIDTH > 0) {
            job.kept[i] = (u32)slot;
            for (u32 s = (u32)slot; s < job.save_slots; s++) {
                UNROLL for (int d = 0; d < WIDTH; d++) saved(s, d) = quiet_nan(R());
            }
        }
    }

private:
    template<class B> DEVICE R& saved(B slot, int number) const {
        return job.saved[((u64)slot * WIDTH + number) * job.n + i];
    }

    u32 thread;
    u32 waited, patience;
};

template<
    class R, class S, class M, int N, int P, int K,
    bool ADAPTIVE, int STATES, int OBSERVABLES, int TIMES, bool REFILL, bool LIMITED, bool STOPS, u32 LAW_KIND,
    u32 GUARD, bool OWN_TOLERANCES
>
DEVICE void solve(const Job<R>& job, const Shared<R>& shared, u32 thread) {
    Feed<R, S, N, P, ADAPTIVE, STATES, OBSERVABLES, TIMES, REFILL, GUARD != guard::OFF> feed(job, shared, thread);
    constexpr bool SAVE = STATES + OBSERVABLES + TIMES > 0;
    Arr<R, N> abstol;
    UNROLL for (int d = 0; d < N; d++) {
        abstol[d] = OWN_TOLERANCES ? feed.column(N + P + 2 + d) : job.abstol;
    }
    Arr<float, controller::LAW_NUMBERS> law, stiff_law;
    UNROLL for (int i = 0; i < controller::LAW_NUMBERS; i++) {
        law[i] = job.law[i];
        stiff_law[i] = job.stiff_law[i];
    }
    auto options = integrate::options<R, N>(
        stepper::tolerances<R, N>(abstol, job.reltol), array(job.dt, job.dtmin, job.dtmax), LIMITED, STOPS, TIMES > 0,
        controller::law<R>(law), controller::law<R>(stiff_law), LAW_KIND, (typename Real<R>::Bits)job.max_steps, GUARD);
    integrate::integrate<R, S, M, decltype(feed), N, P, K, ADAPTIVE, SAVE>(feed, options);
}

} // namespace odes
