// The kernel around the translated integration loop: where a thread's trajectories come from and
// where their results go. On the host the same code runs as one thread.

namespace odes {

// What a launch is given. `JobArguments` in Rust has the same layout.
template<class R> struct Job {
    const R* inputs;        // columns, shared ones of one number
    const u64* layout;      // per column: offset of its first number << 1 | whether it has one for each
    const R* save_times;
    R* finals;              // [component * n + trajectory]
    R* saved;               // [(slot * N + component) * n + trajectory]
    unsigned char* codes;
    u32* steps;
    u32* rejected;
    u32* counter;           // trajectories taken beyond the first of each thread
    R abstol, reltol, dt, dtmin;
    u32 n;                  // trajectories
    u32 threads;            // in the launch
    u32 max_steps;
    u32 save_slots;
    u32 save_stride;        // from slot to slot of save_times; 1 where all trajectories share them
    u32 save_each;          // from trajectory to trajectory of save_times; 0 where they share them
};

DEVICE float quiet_nan(float) { return as_float(0x7fc00000u); }
DEVICE double quiet_nan(double) { return as_double(0x7ff8000000000000ull); }
DEVICE float infinity(float) { return as_float(0x7f800000u); }
DEVICE double infinity(double) { return as_double(0x7ff0000000000000ull); }

// REFILL: whether a thread goes on after its first trajectory. Then the threads of a warp stay
// together, or their paths would drift apart for good (measured at 20 times the run time), and take
// new trajectories when one in eight is in need.
template<class R, int N, int P, bool ADAPTIVE, bool SAVE, bool REFILL> struct Feed {
    const Job<R>& job;
    u32 i;
    static constexpr u32 IDLE = 0xffffffffu;

    DEVICE Feed(const Job<R>& job, u32 thread) : job(job), i(IDLE), thread(thread), fresh(true) {}

    DEVICE u32 count(bool lane) const {
#if ON_DEVICE
        if constexpr (REFILL) return __popc(__ballot_sync(0xffffffffu, lane));
#endif
        return lane ? 1u : 0u;
    }
    DEVICE u32 quota(bool alive) const {
        u32 all = count(alive);
        return REFILL && ADAPTIVE ? (all + 7u) / 8u : (all < 1u ? all : 1u);
    }

    DEVICE bool take(bool) {
        u32 next;
        if (fresh) {
            next = thread;
        } else if (REFILL && i != IDLE) {
#if ON_DEVICE
            next = job.threads + atomicAdd(job.counter, 1u);
#else
            next = job.threads + (*job.counter)++;
#endif
        } else {
            next = IDLE;
        }
        fresh = false;
        i = next < job.n ? next : IDLE;
        return i != IDLE;
    }

    DEVICE R column(int c) const {
        u64 place = job.layout[c];
        return job.inputs[(place >> 1) + ((place & 1) ? i : 0u)];
    }
    DEVICE Arr<R, N> load_u(bool got, Arr<R, N> u) const {
        if (got) {
            UNROLL for (int d = 0; d < N; d++) u[d] = column(d);
        }
        return u;
    }
    DEVICE Arr<R, P> load_p(bool got, Arr<R, P> p) const {
        if (got) {
            UNROLL for (int d = 0; d < P; d++) p[d] = column(N + d);
        }
        return p;
    }
    DEVICE R load_start(bool got, R t) const { return got ? column(N + P) : t; }
    DEVICE R load_end(bool got, R t) const { return got ? column(N + P + 1) : t; }

    template<class B> DEVICE R save_time(bool which, B slot, R t) const {
        if (!which) return t;
        if (slot >= job.save_slots) return infinity(R());
        return job.save_times[(u64)slot * job.save_stride + (job.save_each ? i : 0u)];
    }
    template<class B> DEVICE void save(bool which, B slot, const Arr<R, N>& u) const {
        if (which) {
            UNROLL for (int d = 0; d < N; d++) job.saved[((u64)slot * N + d) * job.n + i] = u[d];
        }
    }
    template<class B> DEVICE void finish(
        bool done, const Arr<R, N>& u, B code, B steps, B rejected, B slot
    ) const {
        if (!done || i == IDLE) return;
        UNROLL for (int d = 0; d < N; d++) job.finals[(u64)d * job.n + i] = u[d];
        job.codes[i] = (unsigned char)code;
        job.steps[i] = (u32)steps;
        job.rejected[i] = (u32)rejected;
        // What a trajectory did not reach is not a number.
        if constexpr (SAVE) {
            for (u32 s = (u32)slot; s < job.save_slots; s++) {
                UNROLL for (int d = 0; d < N; d++) {
                    job.saved[((u64)s * N + d) * job.n + i] = quiet_nan(R());
                }
            }
        }
    }

private:
    u32 thread;
    bool fresh;
};

template<class R, class S, class M, int N, int P, int K, bool ADAPTIVE, bool SAVE, bool REFILL>
DEVICE void solve(const Job<R>& job, u32 thread) {
    Feed<R, N, P, ADAPTIVE, SAVE, REFILL> feed(job, thread);
    auto options = integrate::options<R>(
        job.abstol, job.reltol, job.dt, job.dtmin, (typename Real<R>::Bits)job.max_steps);
    integrate::integrate<R, S, M, decltype(feed), N, P, K, ADAPTIVE, SAVE>(feed, options);
}

} // namespace odes
