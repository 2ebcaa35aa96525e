// The kernel that goes backwards through recorded steps: where a thread's trajectories come from
// and where their derivatives go. It follows record.hpp.

namespace odes {

// `RecordSource` in integrate/recorded.rs.
template<class C> struct AdjointIo {
    typedef typename C::Number R;
    typedef typename C::System S;
    static constexpr int N = C::STATES, P = C::PARAMETERS, LOW = Rows<C>::LOW;
    static constexpr u32 IDLE = Io<C>::IDLE;
    static constexpr bool ACTS = Rows<C>::ACTS;

    const KernelArguments<R>& arguments;
    const AdjointArguments<R>& adjoint;
    Io<C> io;
    Rows<C> rows;

    // What is read long before it is needed, since memory takes as long to answer as a step: the step
    // of a row, and how a trajectory ended.
    struct Step {
        bool some;
        recorded::Row<R, N> row;
    };
    struct Told {
        u32 i, start, steps, rejected;
        unsigned char code;
    };
    Step here, coming;
    Told now, next;
    u32 after;
    // The row behind the last one of the trajectory.
    u32 end;
    // The last action that remains, the one at which those of the trajectory end, and the row of the
    // former.
    u32 last_action, action_end, action_row;

    DEVICE AdjointIo(
        const KernelArguments<R>& arguments, const Shared<R>& shared,
        const AdjointArguments<R>& adjoint, u32 thread
    )
        : arguments(arguments), adjoint(adjoint), io(arguments, shared, thread), rows{adjoint, thread, 0u} {
        end = adjoint.rows[thread];
        now.i = IDLE;
        // Where there was no room for all rows the host tries again.
        after = end > adjoint.room ? IDLE : adjoint.last[thread];
        if constexpr (ACTS) {
            last_action = action_end = adjoint.action_last[thread];
            action_row = 0u;
            if (*adjoint.action_count > adjoint.action_room) after = IDLE;
        }
        ask_next();
        // The threads of a warp begin at the same row.
        for (u32 k = 0; k < TOGETHER; k++) {
            u32 other = adjoint.rows[thread / TOGETHER * TOGETHER + k];
            rows.row = other > rows.row ? other : rows.row;
        }
        rows.row = rows.row > adjoint.room ? adjoint.room : rows.row;
        ask_step();
    }

    DEVICE void ask_next() {
        next.i = after;
        if (after == IDLE) return;
        next.start = adjoint.starts[after];
        next.steps = arguments.results.steps[after];
        next.rejected = arguments.results.rejected[after];
        next.code = arguments.results.codes[after];
        after = adjoint.before[after];
    }
    DEVICE void ask_step() {
        if (rows.row == 0u) return;
        Rows<C> at{adjoint, rows.thread, rows.row - 1u};
        coming.some = adjoint.steps[at.at()] != 0;
        UNROLL for (int d = 0; d < N; d++) coming.row.u[d] = at.number(d);
        if constexpr (Rows<C>::TIMES) {
            coming.row.t = at.number(N);
            if constexpr (LOW > 0) coming.row.low = at.number(N + 1);
            coming.row.h = at.number(N + 1 + LOW);
        }
    }

    DEVICE void ask_action() {
        action_row = last_action != action_end ? adjoint.marks[(u64)last_action * 3 + 1] : 0u;
    }

    // Threads that end trajectories here began them together.
    DEVICE bool should_refill(bool need) {
        if constexpr (C::REFILL) return votes(need) > 0u;
        return need;
    }
    DEVICE bool vote(bool alive) {
        if constexpr (C::REFILL) {
            converge();
            return votes(alive) > 0u;
        }
        return alive;
    }
    DEVICE bool acquire(bool need) {
        if (!need) return false;
        if (now.i != IDLE) {
            end = now.start;
            if constexpr (ACTS) last_action = action_end;
        }
        now = next;
        io.i = now.i;
        if (now.i == IDLE) return false;
        if constexpr (ACTS) {
            action_end = adjoint.action_starts[now.i];
            ask_action();
        }
        ask_next();
        return true;
    }
    DEVICE bool turn() {
        if (rows.row == 0u) return false;
        rows.row--;
        here = coming;
        ask_step();
        // Steps that a trajectory went before it failed, or began anew, are none of another.
        return rows.row < end && here.some;
    }

    // The loss of a trajectory that failed counts for nothing.
    DEVICE bool counts() const {
        return now.code == code::SUCCESS || (ACTS && now.code == code::TERMINATED);
    }
    DEVICE bool terminated() const { return now.i != IDLE && now.code == code::TERMINATED; }
    DEVICE bool acts_before() const { return now.i != IDLE && last_action != action_end && counts(); }
    DEVICE bool acts() const { return acts_before() && action_row > rows.row; }
    DEVICE R time_of_action() const {
        if (!acts_before()) return quiet_nan(R());
        return adjoint.actions[(u64)last_action * Rows<C>::ACTION_WIDTH + Rows<C>::ACTION_WIDTH - 1];
    }
    DEVICE recorded::Action<R, N, P> action(bool which, const recorded::Action<R, N, P>& other) {
        recorded::Action<R, N, P> out = other;
        if (which) {
            const GLOBAL R* numbers = adjoint.actions + (u64)last_action * Rows<C>::ACTION_WIDTH;
            UNROLL for (int d = 0; d < N; d++) out.u[d] = numbers[d];
            if constexpr (Rows<C>::MODES > 0) {
                UNROLL for (int d = 0; d < Rows<C>::MODES; d++) out.p[S::FIRST_MODE + d] = numbers[N + d];
            }
            out.t = numbers[N + Rows<C>::MODES];
            out.kind = adjoint.marks[(u64)last_action * 3];
            last_action = adjoint.marks[(u64)last_action * 3 + 2];
            ask_action();
        }
        return out;
    }
    template<class B> DEVICE void fail(bool which, B code) const {
        if (which) arguments.results.codes[io.i] = (unsigned char)code;
    }

    template<class B> DEVICE B load_steps(bool got, B steps) const {
        if (!got) return steps;
        return counts() ? (B)(now.steps - now.rejected) : (B)0;
    }
    template<class B> DEVICE B load_saved(bool got, B saved) const {
        if (!got) return saved;
        B count = (B)0;
        if (counts()) {
            // Times that all trajectories share are all within their spans.
            if (!arguments.save_each) return (B)arguments.save_slots;
            while (count < arguments.save_slots && save_time(true, count, R()) != infinity(R())) count++;
        }
        return count;
    }
    DEVICE Arr<R, N> load_u(bool got, const Arr<R, N>& u) const { return io.load_u(got, u); }
    DEVICE void load_p(bool got, Arr<R, P>& p) const { io.load_p(got, p); }
    DEVICE R load_start(bool got, R t) const { return io.load_start(got, t); }
    DEVICE R load_end(bool got, R t) const { return io.load_end(got, t); }
    DEVICE static constexpr bool stops() { return C::STOPS; }
    template<class B> DEVICE R stop_time(bool which, B index, R t) const {
        return io.stop_time(which, index, t);
    }
    DEVICE R load_dt(bool got, R dt) const { return got ? arguments.options.dt : dt; }
    DEVICE Arr<typename Real<R>::Bits, 2> path_number(R t0) const { return io.path_number(t0); }
    DEVICE Arr<typename Real<R>::Bits, 2> noise_seed() const {
        typedef typename Real<R>::Bits B;
        return array((B)arguments.options.noise[0], (B)arguments.options.noise[1]);
    }
    DEVICE u32 noise_levels() const { return arguments.options.noise[2]; }

    DEVICE recorded::Row<R, N> step(bool which, const recorded::Row<R, N>& row) const {
        recorded::Row<R, N> out = row;
        if (which) {
            out.u = here.row.u;
            if constexpr (Rows<C>::TIMES) {
                out.t = here.row.t;
                if constexpr (LOW > 0) out.low = here.row.low;
                out.h = here.row.h;
            }
        }
        return out;
    }
    template<class B> DEVICE R save_time(bool which, B slot, R t) const {
        if (!which) return t;
        if (slot >= arguments.save_slots) return infinity(R());
        return arguments.save_times[(u64)slot * arguments.save_stride + (arguments.save_each ? io.i : 0u)];
    }
    template<class B> DEVICE recorded::Lost<R, N, P> lose(
        bool which, B slot, const Arr<R, N>& u, const Arr<R, P>& p, R t
    ) const {
        if constexpr (C::GIVEN) {
            recorded::Lost<R, N, P> out;
            out.value = R(0);
            UNROLL for (int d = 0; d < N; d++) {
                out.u[d] = which && adjoint.has_saved
                    ? adjoint.by_saved[((u64)slot * N + d) * arguments.n + io.i] : R(0);
            }
            UNROLL for (int d = 0; d < P; d++) out.p[d] = R(0);
            return out;
        } else {
            auto lost = S::template loss<R>(u, p, t);
            recorded::Lost<R, N, P> out;
            out.value = S::template lost_value<R>(lost)[0];
            out.u = S::template lost_state<R>(lost);
            if constexpr (P > 0) out.p = S::template lost_parameters<R>(lost);
            return out;
        }
    }
    DEVICE Arr<R, N> load_final(bool got, const Arr<R, N>& u) const {
        Arr<R, N> out = u;
        if (got) {
            bool some = adjoint.has_last && counts();
            UNROLL for (int d = 0; d < N; d++) {
                out[d] = some ? adjoint.by_last[(u64)d * arguments.n + io.i] : R(0);
            }
        }
        return out;
    }
    DEVICE void finish(bool done, R loss, const adjoint::Back<R, N, P>& back) const {
        if (!done || io.i == IDLE) return;
        adjoint.loss[io.i] = loss;
        UNROLL for (int d = 0; d < N; d++) adjoint.u0[(u64)d * arguments.n + io.i] = back.u[d];
        UNROLL for (int d = 0; d < P; d++) adjoint.p[(u64)d * arguments.n + io.i] = back.p[d];
    }
};

template<class C> DEVICE void pull_back(
    const KernelArguments<typename C::Number>& arguments,
    const Shared<typename C::Number>& shared,
    const AdjointArguments<typename C::Number>& adjoint,
    u32 thread
) {
    typedef typename C::Number R;
    AdjointIo<C> io(arguments, shared, adjoint, thread);
    using System = typename C::System;
    backward::backward<R, System, typename C::Adjoint, AdjointIo<C>, C, C::STATES, C::PARAMETERS>(
        System{}, io
    );
}

} // namespace odes
