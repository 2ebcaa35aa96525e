// Statistics of the results of a launch, without the results: sums of nodes of the tree, extremes, and
// counters of values and codes. The host joins the nodes of all launches.
//
// A block reduces one node of the tree for one cell (a number at a saved time). It takes tiles of THREADS * EACH
// trajectories into shared memory, where a thread counts values as they come and sums EACH neighbours.

namespace odes {

// Where the edges and counters of a cell's histogram begin, and how many bins there are.
struct Grid {
    u32 edges, counters, bins;
};

// The extremes of a node, and the trajectories that attain them, counted from the first one of the launch.
struct Extremes {
    double least, greatest;
    u32 least_at, greatest_at; // NONE without values
};

// What a launch is given. `ReduceArguments` in Rust has the same layout.
struct ReduceArguments {
    u64 values;     // [cell * n + trajectory]
    u64 codes;      // of each trajectory
    u64 nodes;      // Node
    u64 grids;      // Grid of each cell
    u64 edges;      // f64
    u64 rows;       // f64 [3][cell * node_count + node]: values, sums, sums of squared deviations
    u64 extremes;   // Extremes [cell * node_count + node]
    u64 counters;   // u32 [cell * PAGES << BITS]
    u64 touched;    // u32 [cell * PAGE_WORDS]: a bit for each page with counts
    u64 bins;       // u32: below, above, then each bin, for each cell
    u64 code_counts; // u32
    u64 n;
    u32 node_count;
    u32 cells;
    u32 successes;  // a bit for each code that is a success
    u32 code_mask;
};

DEVICE float quiet_nan(float) { return single_of_bits(0x7fc00000u); }
DEVICE double quiet_nan(double) { return double_of_bits(0x7ff8000000000000ull); }

constexpr u32 NONE = 0xffffffffu;
// Neighbours that a thread sums.
constexpr u32 EACH_LEVEL = sizeof(Value) == 8 ? 3u : 4u;
constexpr u32 EACH = 1u << EACH_LEVEL;
constexpr u32 TILE_LEVEL = 8u + EACH_LEVEL;
static_assert(THREADS == 1u << 8, "the level of a tile");
constexpr u32 TILE = 1u << TILE_LEVEL;
// A number of each thread's neighbours is in another bank.
constexpr u32 PITCH = EACH + 1u;
// Counters of pages in shared memory.
constexpr u32 NEAR_LEVEL = 12u;
constexpr u32 NEAR_SLOTS = BITS <= NEAR_LEVEL ? 1u << (NEAR_LEVEL - BITS) : 0u;
constexpr u32 NEAR = NEAR_SLOTS << BITS;
constexpr u32 NEAR_BINS = 2048u;

struct Row {
    double n, sum, squares;
};

// Joins two rows, with the operations of `summary::moments::join`.
DEVICE Row join(Row left, Row right) {
    double squares = left.squares + right.squares;
    if (left.n > 0.0 && right.n > 0.0) {
        double scale = left.n * right.n * (left.n + right.n);
        double t = left.sum * right.n - right.sum * left.n;
        squares += t * (t / scale);
    }
    return {left.n + right.n, left.sum + right.sum, squares};
}

// Joins two rows of 2^level values each: the divisor is a power of two, so the product is the quotient.
DEVICE Row join_full(Row left, Row right, u32 level) {
    double n = (double)(1u << level);
    double inverse = double_of_bits((u64)(1023u - 1u - 3u * level) << 52);
    double squares = left.squares + right.squares;
    double t = left.sum * n - right.sum * n;
    squares += t * (t * inverse);
    return {n + n, left.sum + right.sum, squares};
}

// Joins two rows of at most 2^level values each.
DEVICE Row join_level(Row left, Row right, u32 level) {
    double full = (double)(1u << level);
    return left.n == full && right.n == full ? join_full(left, right, level) : join(left, right);
}

template<u32 LEVEL> DEVICE Row sum_full(const Value* values) {
    if constexpr (LEVEL == 0u) {
        return {1.0, (double)values[0], 0.0};
    } else {
        Row left = sum_full<LEVEL - 1u>(values);
        Row right = sum_full<LEVEL - 1u>(values + (1u << (LEVEL - 1u)));
        return join_full(left, right, LEVEL - 1u);
    }
}

// The same of values among which NaN do not count, up to the node's own level.
template<u32 LEVEL> DEVICE Row sum_some(const Value* values, u32 most) {
    if constexpr (LEVEL == 0u) {
        double value = (double)values[0];
        return value == value ? Row{1.0, value, 0.0} : Row{0.0, 0.0, 0.0};
    } else {
        Row left = sum_some<LEVEL - 1u>(values, most);
        if (LEVEL > most) return left;
        return join(left, sum_some<LEVEL - 1u>(values + (1u << (LEVEL - 1u)), most));
    }
}

DEVICE double shuffled(double x, u32 by) { return __shfl_down_sync(0xffffffffu, x, by); }

// Joins the rows of `lanes` neighbouring lanes, of 2^level values each if none is absent.
DEVICE Row join_lanes(Row row, u32 level, u32 lanes, u32 most) {
    for (u32 by = 1u; by < lanes; by *= 2u, level++) {
        Row right = {shuffled(row.n, by), shuffled(row.sum, by), shuffled(row.squares, by)};
        if (level >= most) continue;
        row = join_level(row, right, level);
    }
    return row;
}

// A value beyond another one, or equal to it in an earlier trajectory.
DEVICE void take_least(double& value, u32& at, double other, u32 other_at) {
    bool better = at == NONE || other < value || (other == value && other_at < at);
    if (other_at != NONE && better) value = other, at = other_at;
}
DEVICE void take_greatest(double& value, u32& at, double other, u32 other_at) {
    bool better = at == NONE || other > value || (other == value && other_at < at);
    if (other_at != NONE && better) value = other, at = other_at;
}

// The page of a value, in the order of the numbers, and its counter: `Counters::key`.
DEVICE u32 page_of(double value, u32& counter) {
    u64 bits = m_to_bits(value + 0.0);
    u32 top = (u32)(bits >> (52u - BITS)) & ((1u << BITS) - 1u);
    u32 exponent = (u32)(bits >> 52) & 0x7ffu;
    // Exponents of numbers that are zero, finite or infinite.
    u32 page = exponent < FIRST_EXPONENT ? 0u : exponent > LAST_EXPONENT ? SIDE - 1u : exponent - FIRST_EXPONENT + 1u;
    bool negative = bits >> 63;
    counter = negative ? (1u << BITS) - 1u - top : top;
    return negative ? SIDE - 1u - page : SIDE + page;
}

// The bin of a value between the first and the last edge. A grid of equal bins has `rate` bins in a unit, so the
// guess is right to rounding.
DEVICE u32 bin_of(const double* edges, u32 bins, double rate, double value) {
    double guess = (value - edges[0]) * rate;
    u32 k = guess < (double)bins ? (u32)guess : bins - 1u;
    if (edges[k] <= value && (value < edges[k + 1u] || k + 1u == bins)) return k;
    // The last edge that is not above the value.
    u32 low = 0u, high = bins;
    while (high - low > 1u) {
        u32 middle = (low + high) / 2u;
        if (edges[middle] <= value) low = middle; else high = middle;
    }
    return low;
}

struct Shared {
    Value tile[THREADS * PITCH];
    Row warps[WARPS];
    Extremes extremes[WARPS];
    Row stack[MOST_LEVELS];
    u32 codes[CODES];
    u32 tags[NEAR_SLOTS > 0u && COUNTS ? NEAR_SLOTS : 1u];
    u32 near[NEAR_SLOTS > 0u && COUNTS ? NEAR : 1u];
    u32 bins[HISTOGRAMS ? NEAR_BINS : 1u];
};

DEVICE void reduce(const ReduceArguments& a) {
    __shared__ Shared s;
    const u32 thread = threadIdx.x, lane = thread & 31u, warp = thread / 32u;
    const u32 cell = blockIdx.x / a.node_count, index = blockIdx.x % a.node_count;
    const Node node = ((const Node*)a.nodes)[index];
    const u64 size = 1ull << node.level;
    const Value* values = (const Value*)a.values + (u64)cell * a.n + node.begin;
    const u8* codes = (const u8*)a.codes + node.begin;
    const Grid grid = HISTOGRAMS ? ((const Grid*)a.grids)[cell] : Grid{0u, 0u, 0u};
    const double* edges = (const double*)a.edges + grid.edges;
    u32* bins = (u32*)a.bins + grid.counters;
    u32* counters = (u32*)a.counters + (u64)cell * (PAGES << BITS);
    u32* touched = (u32*)a.touched + (u64)cell * PAGE_WORDS;
    const double rate = grid.bins > 0u ? (double)grid.bins / (edges[grid.bins] - edges[0]) : 0.0;
    const bool near_bins = grid.bins + 2u <= NEAR_BINS;

    for (u32 k = thread; k < CODES; k += THREADS) s.codes[k] = 0u;
    if (COUNTS && NEAR_SLOTS > 0u) {
        for (u32 k = thread; k < NEAR_SLOTS; k += THREADS) s.tags[k] = NONE;
        for (u32 k = thread; k < NEAR; k += THREADS) s.near[k] = 0u;
    }
    if (HISTOGRAMS && grid.bins > 0u && near_bins) {
        for (u32 k = thread; k < grid.bins + 2u; k += THREADS) s.bins[k] = 0u;
    }
    __syncthreads();

    Value lowest = 0, highest = 0;
    u32 least_at = NONE, greatest_at = NONE;
    // The rows of tiles are digits of a counter in binary.
    u32 tiles = 0u;
    for (u64 begin = 0u; begin < size; begin += TILE, tiles++) {
        // All loads are in progress at a time.
        Value loaded[EACH];
        u32 loaded_codes[EACH];
        if (begin + TILE <= size) {
            UNROLL for (u32 j = 0u; j < EACH; j++) {
                loaded[j] = values[begin + j * THREADS + thread];
                loaded_codes[j] = codes[begin + j * THREADS + thread];
            }
        } else {
            UNROLL for (u32 j = 0u; j < EACH; j++) {
                u64 at = begin + j * THREADS + thread;
                loaded[j] = at < size ? values[at] : quiet_nan(Value());
                loaded_codes[j] = at < size ? codes[at] : 0u;
            }
        }
        UNROLL for (u32 j = 0u; j < EACH; j++) {
            u32 k = j * THREADS + thread, code = loaded_codes[j] & a.code_mask;
            if (cell == 0u && begin + k < size) atomicAdd(&s.codes[code], 1u);
            Value value = a.successes >> code & 1u ? loaded[j] : quiet_nan(Value());
            s.tile[k / EACH * PITCH + k % EACH] = value;
            if (value != value) continue;
            if constexpr (COUNTS) {
                u32 counter;
                u32 page = page_of((double)value, counter);
                bool is_near = false;
                if constexpr (NEAR_SLOTS > 0u) {
                    // Numbers of both signs with the same exponents are in different slots.
                    u32 slot = (page < SIDE ? SIDE - 1u - page + NEAR_SLOTS / 2u : page - SIDE) % NEAR_SLOTS;
                    u32 tag = s.tags[slot];
                    if (tag == NONE) {
                        tag = atomicCAS(&s.tags[slot], NONE, page);
                        if (tag == NONE) tag = page;
                    }
                    is_near = tag == page;
                    if (is_near) atomicAdd(&s.near[(slot << BITS) + counter], 1u);
                }
                if (!is_near) {
                    atomicAdd(&counters[(page << BITS) + counter], 1u);
                    atomicOr(&touched[page / 32u], 1u << page % 32u);
                }
            }
            if constexpr (HISTOGRAMS) {
                if (grid.bins > 0u) {
                    double x = (double)value;
                    u32 bin = x < edges[0] ? 0u : x > edges[grid.bins] ? 1u : 2u + bin_of(edges, grid.bins, rate, x);
                    atomicAdd(near_bins ? &s.bins[bin] : &bins[bin], 1u);
                }
            }
        }
        __syncthreads();

        Value mine[EACH];
        bool all = true;
        UNROLL for (u32 j = 0u; j < EACH; j++) {
            mine[j] = s.tile[thread * PITCH + j];
            all = all && mine[j] == mine[j];
        }
        if constexpr (EXTREMES) {
            UNROLL for (u32 j = 0u; j < EACH; j++) {
                if (mine[j] != mine[j]) continue;
                u32 at = node.begin + (u32)begin + thread * EACH + j;
                // Trajectories come in order, so the first one of equals stays.
                if (least_at == NONE || mine[j] < lowest) lowest = mine[j], least_at = at;
                if (greatest_at == NONE || mine[j] > highest) highest = mine[j], greatest_at = at;
            }
        }
        Row row = all && node.level >= EACH_LEVEL ? sum_full<EACH_LEVEL>(mine) : sum_some<EACH_LEVEL>(mine, node.level);
        row = join_lanes(row, EACH_LEVEL, 32u, node.level);
        if (lane == 0u) s.warps[warp] = row;
        __syncthreads();
        if (thread == 0u) {
            u32 level = EACH_LEVEL + 5u;
            for (u32 by = 1u; by < WARPS && level < node.level; by *= 2u, level++) {
                for (u32 k = 0u; k < WARPS; k += 2u * by) s.warps[k] = join_level(s.warps[k], s.warps[k + by], level);
            }
            row = s.warps[0];
            for (level = 0u; tiles >> level & 1u; level++) row = join_level(s.stack[level], row, TILE_LEVEL + level);
            s.stack[level] = row;
        }
        // The next tile overwrites the values that all threads have read; `warps` is read before.
        __syncthreads();
    }

    const u64 out = (u64)cell * a.node_count + index, all = (u64)a.cells * a.node_count;
    if (thread == 0u) {
        // The number of tiles is a power of two.
        Row row = s.stack[31u - __clz(tiles)];
        double* rows = (double*)a.rows;
        rows[out] = row.n;
        rows[all + out] = row.sum;
        rows[2u * all + out] = row.squares;
    }
    if constexpr (EXTREMES) {
        double least = lowest, greatest = highest;
        for (u32 by = 16u; by > 0u; by /= 2u) {
            double other = shuffled(least, by);
            take_least(least, least_at, other, __shfl_down_sync(0xffffffffu, least_at, by));
            other = shuffled(greatest, by);
            take_greatest(greatest, greatest_at, other, __shfl_down_sync(0xffffffffu, greatest_at, by));
        }
        if (lane == 0u) s.extremes[warp] = {least, greatest, least_at, greatest_at};
        __syncthreads();
        if (thread == 0u) {
            for (u32 k = 1u; k < WARPS; k++) {
                take_least(least, least_at, s.extremes[k].least, s.extremes[k].least_at);
                take_greatest(greatest, greatest_at, s.extremes[k].greatest, s.extremes[k].greatest_at);
            }
            ((Extremes*)a.extremes)[out] = {least, greatest, least_at, greatest_at};
        }
    }
    if (cell == 0u) {
        for (u32 k = thread; k < CODES; k += THREADS) {
            if (s.codes[k] > 0u) atomicAdd((u32*)a.code_counts + k, s.codes[k]);
        }
    }
    if constexpr (COUNTS && NEAR_SLOTS > 0u) {
        for (u32 k = thread; k < NEAR; k += THREADS) {
            u32 count = s.near[k];
            if (count == 0u) continue;
            u32 page = s.tags[k >> BITS];
            atomicAdd(&counters[(page << BITS) + (k & ((1u << BITS) - 1u))], count);
            u32 bit = 1u << page % 32u;
            if (!(touched[page / 32u] & bit)) atomicOr(&touched[page / 32u], bit);
        }
    }
    if constexpr (HISTOGRAMS) {
        if (grid.bins > 0u && near_bins) {
            for (u32 k = thread; k < grid.bins + 2u; k += THREADS) {
                if (s.bins[k] > 0u) atomicAdd(&bins[k], s.bins[k]);
            }
        }
    }
}

} // namespace odes

#define REDUCE_KERNEL(name)                                                                                    \
    extern "C" __global__ void __launch_bounds__(odes::THREADS, 4) name(const odes::ReduceArguments arguments) { \
        odes::reduce(arguments);                                                                               \
    }
