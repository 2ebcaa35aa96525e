// Sums of products of all pairs of components at a time, for covariances: rows of nodes of the tree.
//
// A block reduces one node of the tree at one saved time. Each warp reduces a part of the node, 32 trajectories at
// a time, with a trajectory for each lane.

namespace odes {

// What a launch is given. `JointArguments` in Rust has the same layout.
struct JointArguments {
    u64 values; // [(slot * WIDTH + component) * n + trajectory]
    u64 codes;  // of each trajectory
    u64 nodes;  // Node
    u64 rows;   // f64 [(slot * node_count + node) * LENGTH]
    u64 n;
    u32 node_count;
    u32 successes; // a bit for each code that is a success
    u32 code_mask;
    u32 unused;
};

constexpr u32 WARP_LEVEL = 3u;
static_assert(WARPS == 1u << WARP_LEVEL, "the level of warps");
constexpr u32 LENGTH = (WIDTH + 1u) * (WIDTH + 2u) / 2u;

// The count of values, the sum of each component, and the sum of products of each pair of deviations.
struct Row {
    double at[LENGTH];
};

// Joins two rows of at most 2^level values each, with the operations of `summary::moments::join`.
DEVICE void join(Row& left, const Row& right, u32 level) {
    double a = left.at[0], b = right.at[0];
    bool joint = a > 0.0 && b > 0.0;
    double full = (double)(1u << level);
    bool is_full = a == full && b == full;
    double scale = a * b * (a + b);
    // A power of two, whose products are quotients.
    double inverse = double_of_bits((u64)(1023u - 1u - 3u * level) << 52);
    u32 at = 1u + WIDTH;
    UNROLL for (u32 i = 0u; i < WIDTH; i++) {
        double t = left.at[1u + i] * b - right.at[1u + i] * a;
        UNROLL for (u32 j = i; j < WIDTH; j++) {
            left.at[at] += right.at[at];
            if (joint) {
                double other = left.at[1u + j] * b - right.at[1u + j] * a;
                left.at[at] += t * (is_full ? other * inverse : other / scale);
            }
            at++;
        }
    }
    left.at[0] = a + b;
    UNROLL for (u32 i = 0u; i < WIDTH; i++) left.at[1u + i] += right.at[1u + i];
}

DEVICE void reduce_joint(const JointArguments& a) {
    __shared__ Row warps[WARPS];
    const u32 lane = threadIdx.x & 31u, warp = threadIdx.x / 32u;
    const u32 slot = blockIdx.x / a.node_count, index = blockIdx.x % a.node_count;
    const Node node = ((const Node*)a.nodes)[index];
    // Warps share a node of enough trajectories; otherwise the first warp has all.
    const bool shared = node.level >= WARP_LEVEL + 5u;
    const u32 level = shared ? node.level - WARP_LEVEL : node.level;
    const u64 size = shared || warp == 0u ? 1ull << level : 0u;
    const u64 first = node.begin + (shared ? (u64)warp << level : 0u);
    const Value* values = (const Value*)a.values + (u64)slot * WIDTH * a.n + first;
    const u8* codes = (const u8*)a.codes + first;

    // The rows of 32 trajectories are digits of a counter in binary, of the first lane.
    Row stack[MOST_LEVELS];
    u32 count = 0u;
    // All warps take part in all shuffles.
    for (u64 begin = 0u; begin < 1ull << level; begin += 32u, count++) {
        u64 k = begin + lane;
        Row row;
        bool counts = k < size && (a.successes >> (codes[k] & a.code_mask) & 1u);
        UNROLL for (u32 d = 0u; d < WIDTH; d++) {
            Value value = counts ? values[d * a.n + k] : Value();
            row.at[1u + d] = (double)value;
            if (value != value) counts = false;
        }
        row.at[0] = counts ? 1.0 : 0.0;
        UNROLL for (u32 d = 0u; d < WIDTH; d++) row.at[1u + d] = counts ? row.at[1u + d] : 0.0;
        UNROLL for (u32 e = 1u + WIDTH; e < LENGTH; e++) row.at[e] = 0.0;
        for (u32 step = 0u; step < 5u; step++) {
            Row right;
            UNROLL for (u32 e = 0u; e < LENGTH; e++) {
                right.at[e] = __shfl_down_sync(0xffffffffu, row.at[e], 1u << step);
            }
            if (step < level) join(row, right, step);
        }
        if (lane == 0u) {
            u32 digit = 0u;
            for (; count >> digit & 1u; digit++) {
                Row left = stack[digit];
                join(left, row, 5u + digit);
                row = left;
            }
            stack[digit] = row;
        }
    }
    // The number of rows is a power of two.
    if (lane == 0u) warps[warp] = stack[31u - __clz(count)];
    __syncthreads();
    if (threadIdx.x == 0u) {
        for (u32 by = 1u, of = level; shared && by < WARPS; by *= 2u, of++) {
            for (u32 k = 0u; k < WARPS; k += 2u * by) join(warps[k], warps[k + by], of);
        }
        double* rows = (double*)a.rows + ((u64)slot * a.node_count + index) * LENGTH;
        for (u32 e = 0u; e < LENGTH; e++) rows[e] = warps[0].at[e];
    }
}

} // namespace odes

#define REDUCE_KERNEL(name)                                                                                      \
    extern "C" __global__ void __launch_bounds__(odes::THREADS, 1) name(const odes::JointArguments arguments) { \
        odes::reduce_joint(arguments);                                                                           \
    }
