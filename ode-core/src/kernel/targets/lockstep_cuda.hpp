// Words of lockstep.hpp in CUDA C++: all blocks run at once (a cooperative launch), a thread has a member of
// a tile.
//
// What a block says are two words, each with half of a number, the number of the turn and some flags. All
// blocks read the words of all until these have the number of the turn: barrier and reduction are one.
// Nothing else goes from block to block. Two buffers suffice, since who writes a word of the turn after the
// next has heard all of the next, which nobody says before having heard all of this one. So the number of a
// turn need only differ from that of the turn before last, and 24 bits of it do.

namespace odes {

constexpr u32 TILE = LOCKSTEP_THREADS;
constexpr u32 WARPS = TILE / 32u;
#define EACH_MEMBER(t) if (const u32 t = threadIdx.x; true)

enum { GREATEST, LEAST, SUM };
struct Said {
    double number;
    u32 flags;
};

DEVICE bool is_first_thread() { return threadIdx.x == 0u; }

template<int KIND> DEVICE Said nothing() {
    // No first step is longer.
    return Said{KIND == LEAST ? double_of_bits(0x7ff0000000000000ull) : 0.0, 0u};
}

template<int KIND> DEVICE Said both(Said a, Said b) {
    Said c;
    if (KIND == SUM) c.number = a.number + b.number;
    if (KIND == GREATEST) c.number = a.number > b.number ? a.number : b.number;
    if (KIND == LEAST) c.number = a.number < b.number ? a.number : b.number;
    c.flags = a.flags | b.flags;
    return c;
}

// What the threads of a block say together: sums are trees of neighbours.
template<int KIND> DEVICE Said of_block(Said x) {
    __shared__ double numbers[WARPS];
    __shared__ u32 flags[WARPS];
    UNROLL for (u32 by = 1u; by < 32u; by *= 2u) {
        Said y;
        y.number = __shfl_xor_sync(0xffffffffu, x.number, by);
        y.flags = __shfl_xor_sync(0xffffffffu, x.flags, by);
        x = both<KIND>(x, y);
    }
    if (WARPS == 1u) return x;
    __syncthreads();
    if (threadIdx.x % 32u == 0u) {
        numbers[threadIdx.x / 32u] = x.number;
        flags[threadIdx.x / 32u] = x.flags;
    }
    __syncthreads();
    Said of[WARPS];
    UNROLL for (u32 w = 0u; w < WARPS; w++) of[w] = Said{numbers[w], flags[w]};
    UNROLL for (u32 count = WARPS; count > 1u; count /= 2u) {
        UNROLL for (u32 w = 0u; w < count / 2u; w++) of[w] = both<KIND>(of[2u * w], of[2u * w + 1u]);
    }
    return of[0];
}

template<class R> struct TileSum {
    R x;
    DEVICE void set(u32, R value) { x = value; }
    // 32 neighbours in the precision of the solve, and more in f64.
    DEVICE double sum() {
        UNROLL for (u32 by = 1u; by < 32u; by *= 2u) x = x + __shfl_xor_sync(0xffffffffu, x, by);
        return of_block<SUM>(Said{threadIdx.x % 32u == 0u ? (double)x : 0.0, 0u}).number;
    }
};

template<int KIND> DEVICE Said all_of(u64* words, u32 blocks, u32 block, u32 turn, Said mine) {
    mine = of_block<KIND>(mine);
    volatile u64* at = words + (u64)(turn & 1u) * blocks * 2u;
    const u32 tag = turn << 8;
    if (threadIdx.x == 0u && block < blocks) {
        u64 bits = m_to_bits(mine.number);
        at[2u * block] = (bits & 0xffffffff00000000ull) | tag | mine.flags;
        at[2u * block + 1u] = (bits << 32) | tag | mine.flags;
    }
    Sums sums;
    Said all = nothing<KIND>();
    for (u32 from = 0u; from < blocks; from += TILE) {
        Said said = nothing<KIND>();
        u32 other = from + threadIdx.x;
        if (other < blocks) {
            u64 upper, lower;
            do {
                upper = at[2u * other];
                lower = at[2u * other + 1u];
            } while (((u32)upper & 0xffffff00u) != tag || ((u32)lower & 0xffffff00u) != tag);
            said.number = double_of_bits((upper & 0xffffffff00000000ull) | (lower >> 32));
            said.flags = (u32)upper & 255u;
        }
        said = of_block<KIND>(said);
        if (KIND == SUM) sums.add(said.number);
        all = both<KIND == SUM ? GREATEST : KIND>(all, said);
    }
    if (KIND == SUM) all.number = sums.total();
    return all;
}

} // namespace odes

#define LOCKSTEP_KERNEL(name, threads)                                               \
    extern "C" __global__ void __launch_bounds__(threads, 1) name(                   \
        const odes::KernelArguments<odes::Config::Number> arguments,                 \
        const odes::Shared<odes::Config::Number> shared,                             \
        const odes::LockstepArguments<odes::Config::Number> lockstep                 \
    ) {                                                                              \
        odes::solve_lockstep<odes::Config>(arguments, shared, lockstep, blockIdx.x); \
    }
