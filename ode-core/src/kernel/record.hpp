// The kernel that solves and records steps, for one that goes backwards through them: where the
// records of a thread's steps and trajectories are. It follows io.hpp.

namespace odes {

// Launches of both kernels also take these. `AdjointArguments` in Rust has the same layout.
template<class R> struct AdjointArguments {
    GLOBAL R* numbers;           // of steps, [(row * width + number) * threads + thread]: the state at the
                                 // beginning; of adaptive steps the time there, its rounding error in f32,
                                 // and the size
    GLOBAL unsigned char* steps; // whether there is a step, [row * threads + thread]
    GLOBAL u32* starts;          // the row of its thread at which a trajectory was taken
    GLOBAL u32* before;          // the trajectory that its thread had before
    GLOBAL u32* last;            // the last trajectory of a thread
    GLOBAL u32* rows;            // of a thread
    GLOBAL u32* most;            // rows of all threads, where there was no room for these
    const GLOBAL R* by_saved;    // derivatives by saved states, [(slot * states + component) * n + trajectory]
    const GLOBAL R* by_last;     // derivatives by final states, [component * n + trajectory]
    GLOBAL R* loss;
    GLOBAL R* u0;                // [component * n + trajectory]
    GLOBAL R* p;                 // [parameter * n + trajectory]
    GLOBAL R* actions;           // [action * width + number]: the state before, the modes and the time
    GLOBAL u32* marks;           // [action * 3 + number]: the number of the action in recording.rs, the rows
                                 // of its thread before it, and the action of its thread before it
    GLOBAL u32* action_starts;   // the last action of its thread when a trajectory was taken
    GLOBAL u32* action_last;     // the last action of a thread
    GLOBAL u32* action_count;    // of all threads, also where there was no room for these
    u32 has_saved, has_last;
    u32 threads, room;           // for so many rows
    u32 action_room, unused;     // for so many actions
};

// Where a thread's records are. The threads of a warp are at the same row all the time, so that they
// write and read neighbours, whatever trajectories they have.
template<class C> struct Rows {
    typedef typename C::Number R;
    static constexpr int N = C::STATES;
    static constexpr int LOW = sizeof(R) == 4 ? 1 : 0;
    static constexpr bool ACTS = C::WATCHES || C::SCHEDULED;
    // Fixed steps begin at times that are known, unless actions interrupt them.
    static constexpr bool TIMES = C::ADAPTIVE || ACTS;
    static constexpr int WIDTH = N + (TIMES ? 2 + LOW : 0);
    static constexpr int MODES = ACTS ? C::System::MODES : 0;
    static constexpr int ACTION_WIDTH = N + MODES + 1;
    static constexpr u32 NO_ACTION = 0xffffffffu;

    const AdjointArguments<R>& adjoint;
    u32 thread;
    u32 row;

    DEVICE u64 at() const { return (u64)row * adjoint.threads + thread; }
    DEVICE GLOBAL R& number(int k) const {
        return adjoint.numbers[((u64)row * WIDTH + k) * adjoint.threads + thread];
    }
};

// A thread's `Source` and `Sink` that records.
template<class C> struct Recorder : Io<C> {
    typedef typename C::Number R;
    static constexpr int N = C::STATES, LOW = Rows<C>::LOW;

    static constexpr int P = C::PARAMETERS;
    static constexpr bool ACTS = Rows<C>::ACTS;

    Rows<C> rows;
    u32 last, action;

    DEVICE Recorder(
        const KernelArguments<R>& arguments, const Shared<R>& shared,
        const AdjointArguments<R>& adjoint, u32 thread
    )
        : Io<C>(arguments, shared, thread), rows{adjoint, thread, 0u}, last(Io<C>::IDLE),
          action(Rows<C>::NO_ACTION) {}

    DEVICE bool acquire(bool need) {
        bool got = Io<C>::acquire(need);
        if (got) {
            rows.adjoint.starts[this->i] = rows.row;
            rows.adjoint.before[this->i] = last;
            if constexpr (ACTS) rows.adjoint.action_starts[this->i] = action;
            last = this->i;
        }
        return got;
    }
    DEVICE void record(bool which, const Arr<R, N>& u, R t, R low, R h) {
        if (rows.row < rows.adjoint.room) {
            rows.adjoint.steps[rows.at()] = (unsigned char)which;
            if (which) {
                UNROLL for (int d = 0; d < N; d++) rows.number(d) = u[d];
                if constexpr (Rows<C>::TIMES) {
                    rows.number(N) = t;
                    if constexpr (LOW > 0) rows.number(N + 1) = low;
                    rows.number(N + 1 + LOW) = h;
                }
            }
        }
        rows.row++;
    }
    DEVICE static constexpr bool records_actions() { return true; }
    DEVICE void record_action(bool which, int kind, const Arr<R, N>& u, const Arr<R, P>& p, R t) {
        record_mark(which, (u32)kind, u, p, t);
    }
    template<class B> DEVICE void record_mark(
        bool which, B kind, const Arr<R, N>& u, const Arr<R, P>& p, R t
    ) {
        if (!which || this->i == Io<C>::IDLE) return;
        u32 at = next_of(rows.adjoint.action_count);
        if (at >= rows.adjoint.action_room) return;
        u64 first = (u64)at * Rows<C>::ACTION_WIDTH;
        UNROLL for (int d = 0; d < N; d++) rows.adjoint.actions[first + d] = u[d];
        if constexpr (Rows<C>::MODES > 0) {
            UNROLL for (int d = 0; d < Rows<C>::MODES; d++) {
                rows.adjoint.actions[first + N + d] = p[C::System::FIRST_MODE + d];
            }
        }
        rows.adjoint.actions[first + N + Rows<C>::MODES] = t;
        rows.adjoint.marks[(u64)at * 3] = (u32)kind;
        rows.adjoint.marks[(u64)at * 3 + 1] = rows.row;
        rows.adjoint.marks[(u64)at * 3 + 2] = action;
        action = at;
    }
    // What a trajectory that begins anew did before.
    DEVICE void forget_actions(bool which) {
        if (which && this->i != Io<C>::IDLE) action = rows.adjoint.action_starts[this->i];
    }
    DEVICE void end() const {
        if constexpr (ACTS) rows.adjoint.action_last[rows.thread] = action;
        rows.adjoint.last[rows.thread] = last;
        rows.adjoint.rows[rows.thread] = rows.row;
        if (rows.row > rows.adjoint.room) raise(rows.adjoint.most, rows.row);
    }
};

template<class C> DEVICE void solve_and_record(
    const KernelArguments<typename C::Number>& arguments,
    const Shared<typename C::Number>& shared,
    const AdjointArguments<typename C::Number>& adjoint,
    u32 thread
) {
    Recorder<C> io(arguments, shared, adjoint, thread);
    integrate_all<C>(arguments, io);
    io.end();
}

} // namespace odes
