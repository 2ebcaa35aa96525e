// Words of lockstep.hpp in CUDA C++: all blocks run at once (a cooperative launch), each warp has tiles of its
// own, and each thread a member of a tile.
//
// What a block says are two words, each with half of a number, the number of the turn and some flags, in
// several copies. Each block reads one copy of the words of all until these have the number of the turn:
// barrier and reduction are one.
// Nothing else goes from block to block. Two buffers suffice, since who writes a word of the turn after the
// next has heard all of the next, which nobody says before having heard all of this one. So the number of a
// turn need only differ from that of the turn before last, and 24 bits of it do.

namespace odes {

constexpr u32 THREADS = LOCKSTEP_THREADS, WARPS = THREADS / 32u;
constexpr u32 TILE = 32u;
// The copies of all words. Many readers of one address delay each other and the writer.
constexpr u32 MOST_COPIES = LOCKSTEP_COPIES, READERS = 64u;
#define EACH_MEMBER(t) if (const u32 t = threadIdx.x % 32u; true)

enum { GREATEST, LEAST, SUM };
// A number, which is not negative unless it is summed, and flags.
struct Said {
    double number;
    u32 flags;
};

DEVICE bool is_first_thread() { return threadIdx.x == 0u; }
DEVICE void finish_writes() { __threadfence_system(); }
DEVICE u32 first_tile(u32 block, u32 tiles) { return (block * WARPS + threadIdx.x / 32u) * tiles; }

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

#if __CUDA_ARCH__ >= 800
DEVICE u32 greatest_of_warp(u32 x) { return __reduce_max_sync(0xffffffffu, x); }
DEVICE u32 flags_of_warp(u32 x) { return __reduce_or_sync(0xffffffffu, x); }
#else
DEVICE u32 greatest_of_warp(u32 x) {
    UNROLL for (u32 by = 1u; by < 32u; by *= 2u) {
        const u32 y = __shfl_xor_sync(0xffffffffu, x, by);
        x = x > y ? x : y;
    }
    return x;
}
DEVICE u32 flags_of_warp(u32 x) {
    UNROLL for (u32 by = 1u; by < 32u; by *= 2u) x |= __shfl_xor_sync(0xffffffffu, x, by);
    return x;
}
#endif

// What each group of so many neighbouring lanes says together: sums are trees of neighbours.
template<int KIND, u32 LANES> DEVICE Said of_lanes(Said x) {
    x.flags = flags_of_warp(x.flags);
    if constexpr (KIND == SUM) {
        static_assert((LANES & (LANES - 1u)) == 0u, "a tree has a power of two leaves");
        UNROLL for (u32 by = 1u; by < LANES; by *= 2u) {
            x.number = x.number + __shfl_xor_sync(0xffffffffu, x.number, by);
        }
    } else {
        // The order of numbers that are not negative is that of their bits.
        const u64 flip = KIND == LEAST ? ~(u64)0 : (u64)0, bits = m_to_bits(x.number) ^ flip;
        const u32 upper = greatest_of_warp((u32)(bits >> 32));
        const u32 lower = greatest_of_warp((u32)(bits >> 32) == upper ? (u32)bits : 0u);
        x.number = double_of_bits(((u64)upper << 32 | lower) ^ flip);
    }
    return x;
}
template<int KIND> DEVICE Said of_warp(Said x) { return of_lanes<KIND, 32u>(x); }

// What the warps of a block say together. Two calls one after the other have different buffers: who
// writes into one again has waited for all in between.
template<int KIND> DEVICE Said of_warps(u32 buffer, Said x) {
    if (WARPS == 1u) return x;
    __shared__ double numbers[2][WARPS];
    __shared__ u32 flags[2][WARPS];
    const u32 warp = threadIdx.x / 32u, lane = threadIdx.x % 32u;
    if (lane == 0u) {
        numbers[buffer][warp] = x.number;
        flags[buffer][warp] = x.flags;
    }
    __syncthreads();
    if constexpr (WARPS > 8u) {
        return of_lanes<KIND, WARPS>(Said{numbers[buffer][lane % WARPS], flags[buffer][lane % WARPS]});
    } else {
        // A tree in each thread has less latency than one over lanes.
        Said of[WARPS];
        UNROLL for (u32 w = 0u; w < WARPS; w++) of[w] = Said{numbers[buffer][w], flags[buffer][w]};
        UNROLL for (u32 by = 1u; by < WARPS; by *= 2u) {
            UNROLL for (u32 w = 0u; w + by < WARPS; w += 2u * by) of[w] = both<KIND>(of[w], of[w + by]);
        }
        return of[0];
    }
}

template<class R> struct TileSum {
    R x;
    DEVICE void set(u32, R value) { x = value; }
    // In the precision of the solve.
    DEVICE double sum() {
        UNROLL for (u32 by = 1u; by < 32u; by *= 2u) x = x + __shfl_xor_sync(0xffffffffu, x, by);
        return (double)x;
    }
};

// What up to `AT_ONCE` blocks from `first` on say, once they have said it.
constexpr u32 AT_ONCE = 2u;
template<int KIND> DEVICE Said heard(const u64* at, u32 first, u32 end, u32 tag) {
    Said of[AT_ONCE];
    bool waits;
    do {
        waits = false;
        UNROLL for (u32 k = 0u; k < AT_ONCE; k++) {
            of[k] = nothing<KIND>();
            if (first + k < end) {
                // Both words at once, each with its own tag.
                const ulonglong2 words = __ldcv((const ulonglong2*)at + first + k);
                waits = waits || (((u32)words.x ^ tag) | ((u32)words.y ^ tag)) >> 8 != 0u;
                of[k].number = double_of_bits((words.x & 0xffffffff00000000ull) | words.y >> 32);
                of[k].flags = (u32)words.x & 255u;
            }
        }
    } while (waits);
    return both<KIND>(of[0], of[1]);
}

// What the warps of all blocks say together.
template<int KIND> DEVICE Said all_of(u64* words, u32 blocks, u32 block, u32 turn, Said mine) {
    mine = of_warps<KIND>(0u, mine);
    const u32 wanted = (blocks + READERS - 1u) / READERS, copies = wanted < MOST_COPIES ? wanted : MOST_COPIES;
    u64* const buffer = words + (u64)(turn & 1u) * copies * blocks * 2u;
    const u32 tag = turn << 8;
    if (threadIdx.x < copies && block < blocks) {
        const u64 bits = m_to_bits(mine.number), rest = tag | mine.flags;
        const ulonglong2 said = {(bits & 0xffffffff00000000ull) | rest, bits << 32 | rest};
        __stwt((ulonglong2*)buffer + (u64)threadIdx.x * blocks + block, said);
    }
    // A thread hears as many neighbours as all others, a power of two: sums are those of a tree.
    u32 each = 1u;
    while (each * THREADS < blocks) each *= 2u;
    const u64* const at = buffer + (u64)(block % copies) * blocks * 2u;
    const u32 first = threadIdx.x * each, end = first + each < blocks ? first + each : blocks;
    Said all = heard<KIND>(at, first, end, tag);
    if (each > AT_ONCE) {
        Sums sums;
        sums.add(all.number);
        for (u32 from = first + AT_ONCE; from < first + each; from += AT_ONCE) {
            const Said more = heard<KIND>(at, from, end, tag);
            if (KIND == SUM) sums.add(more.number);
            all = both<KIND>(all, more);
        }
        if (KIND == SUM) all.number = sums.total();
    }
    return of_warps<KIND>(1u, of_warp<KIND>(all));
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
