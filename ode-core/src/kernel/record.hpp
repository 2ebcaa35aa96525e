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
    u32 has_saved, has_last;
    u32 threads, room;           // for so many rows
};

// Where a thread's records are. The threads of a warp are at the same row all the time, so that they
// write and read neighbours, whatever trajectories they have.
template<class C> struct Rows {
    typedef typename C::Number R;
    static constexpr int N = C::STATES;
    static constexpr int LOW = sizeof(R) == 4 ? 1 : 0;
    // Fixed steps begin at times that are known.
    static constexpr int WIDTH = N + (C::ADAPTIVE ? 2 + LOW : 0);

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

    Rows<C> rows;
    u32 last;

    DEVICE Recorder(
        const KernelArguments<R>& arguments, const Shared<R>& shared,
        const AdjointArguments<R>& adjoint, u32 thread
    )
        : Io<C>(arguments, shared, thread), rows{adjoint, thread, 0u}, last(Io<C>::IDLE) {}

    DEVICE bool acquire(bool need) {
        bool got = Io<C>::acquire(need);
        if (got) {
            rows.adjoint.starts[this->i] = rows.row;
            rows.adjoint.before[this->i] = last;
            last = this->i;
        }
        return got;
    }
    DEVICE void record(bool which, const Arr<R, N>& u, R t, R low, R h) {
        if (rows.row < rows.adjoint.room) {
            rows.adjoint.steps[rows.at()] = (unsigned char)which;
            if (which) {
                UNROLL for (int d = 0; d < N; d++) rows.number(d) = u[d];
                if constexpr (C::ADAPTIVE) {
                    rows.number(N) = t;
                    if constexpr (LOW > 0) rows.number(N + 1) = low;
                    rows.number(N + 1 + LOW) = h;
                }
            }
        }
        rows.row++;
    }
    DEVICE void end() const {
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
