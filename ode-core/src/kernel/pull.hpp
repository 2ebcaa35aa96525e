// The kernel that goes backwards through recorded steps: where a thread's trajectories come from
// and where their derivatives go. It follows feed.hpp.

namespace odes {

// What a launch is given besides the job. `PullArguments` in Rust has the same layout.
template<class R> struct PullJob {
    const GLOBAL R* by_saved; // derivatives by saved states, [(slot * states + component) * n + trajectory]
    const GLOBAL R* by_last;  // derivatives by final states, [component * n + trajectory]
    GLOBAL R* loss;
    GLOBAL R* u0;             // [component * n + trajectory]
    GLOBAL R* p;              // [parameter * n + trajectory]
    u32 has_saved, has_last;
};

// `Tape` in integrate/backward.rs. Records are what a solve has saved at the ends of steps.
template<class C> struct PullFeed {
    typedef typename C::Number R;
    typedef typename C::System S;
    static constexpr int N = C::STATES, P = C::PARAMETERS, WIDTH = N + 1;

    const Job<R>& job;
    const PullJob<R>& pull;
    Feed<C> feed;

    DEVICE PullFeed(const Job<R>& job, const Shared<R>& shared, const PullJob<R>& pull, u32 thread)
        : job(job), pull(pull), feed(job, shared, thread) {}

    DEVICE bool should_refill(bool need) { return feed.should_refill(need); }
    DEVICE bool vote(bool alive) { return feed.vote(alive); }
    DEVICE bool acquire(bool need) { return feed.acquire(need); }

    // The loss of a trajectory that failed counts for nothing.
    DEVICE bool counts() const { return job.codes[feed.i] == code::SUCCESS; }

    template<class B> DEVICE B load_steps(bool got, B steps) const {
        if (!got) return steps;
        return counts() ? (B)(job.steps[feed.i] - job.rejected[feed.i]) : (B)0;
    }
    template<class B> DEVICE B load_saved(bool got, B saved) const {
        if (!got) return saved;
        B count = (B)0;
        if (counts()) {
            while (count < job.save_slots && save_time(true, count, R()) != infinity(R())) count++;
        }
        return count;
    }
    DEVICE Arr<R, N> load_u(bool got, const Arr<R, N>& u) const { return feed.load_u(got, u); }
    DEVICE Arr<R, P> load_p(bool got, const Arr<R, P>& p) const { return feed.load_p(got, p); }
    DEVICE R load_start(bool got, R t) const { return feed.load_start(got, t); }
    DEVICE R load_end(bool got, R t) const { return feed.load_end(got, t); }
    DEVICE R load_dt(bool got, R dt) const { return got ? job.dt : dt; }

    template<class B> DEVICE backward::Row<R, N> step(
        bool which, B index, const backward::Row<R, N>& row
    ) const {
        backward::Row<R, N> out = row;
        if (which) {
            R end = record(index, N);
            if (index == (B)0) {
                out.t = feed.column(N + P);
                UNROLL for (int d = 0; d < N; d++) out.u[d] = feed.column(d);
            } else {
                out.t = record(index - (B)1, N);
                UNROLL for (int d = 0; d < N; d++) out.u[d] = record(index - (B)1, d);
            }
            out.h = end - out.t;
        }
        return out;
    }
    template<class B> DEVICE R save_time(bool which, B slot, R t) const {
        if (!which) return t;
        if (slot >= job.save_slots) return infinity(R());
        return job.save_times[(u64)slot * job.save_stride + (job.save_each ? feed.i : 0u)];
    }
    template<class B> DEVICE backward::Lost<R, N, P> lose(
        bool which, B slot, const Arr<R, N>& u, const Arr<R, P>& p, R t
    ) const {
        if constexpr (C::GIVEN) {
            backward::Lost<R, N, P> out;
            out.value = R(0);
            UNROLL for (int d = 0; d < N; d++) {
                out.u[d] = which && pull.has_saved
                    ? pull.by_saved[((u64)slot * N + d) * job.n + feed.i] : R(0);
            }
            UNROLL for (int d = 0; d < P; d++) out.p[d] = R(0);
            return out;
        } else {
            auto lost = S::template loss<R>(u, p, t);
            backward::Lost<R, N, P> out;
            out.value = S::template lost_value<R>(lost)[0];
            out.u = S::template lost_state<R>(lost);
            if constexpr (P > 0) out.p = S::template lost_parameters<R>(lost);
            return out;
        }
    }
    DEVICE Arr<R, N> load_final(bool got, const Arr<R, N>& u) const {
        Arr<R, N> out = u;
        if (got) {
            bool some = pull.has_last && counts();
            UNROLL for (int d = 0; d < N; d++) {
                out[d] = some ? pull.by_last[(u64)d * job.n + feed.i] : R(0);
            }
        }
        return out;
    }
    DEVICE void finish(bool done, R loss, const adjoint::Back<R, N, P>& back) const {
        if (!done || feed.i == Feed<C>::IDLE) return;
        pull.loss[feed.i] = loss;
        UNROLL for (int d = 0; d < N; d++) pull.u0[(u64)d * job.n + feed.i] = back.u[d];
        UNROLL for (int d = 0; d < P; d++) pull.p[(u64)d * job.n + feed.i] = back.p[d];
    }

private:
    template<class B> DEVICE R record(B slot, int number) const {
        return job.saved[((u64)slot * WIDTH + number) * job.n + feed.i];
    }
};

template<class C> DEVICE void pull_back(
    const Job<typename C::Number>& job,
    const Shared<typename C::Number>& shared,
    const PullJob<typename C::Number>& pull,
    u32 thread
) {
    typedef typename C::Number R;
    PullFeed<C> feed(job, shared, pull, thread);
    using System = typename C::System;
    backward::backward<R, System, typename C::Adjoint, PullFeed<C>, C, C::STATES, C::PARAMETERS>(
        System{}, feed
    );
}

} // namespace odes
