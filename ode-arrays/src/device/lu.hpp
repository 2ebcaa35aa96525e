// Factors of a dense matrix: see lu.rs. A struct has what a launch is given, and `run` what the threads of a
// block do together. device/work.rs has the same layouts.
//
// BLOCKS(name, Work, threads) is the kernel that calls `run` for all blocks. Matrices have `rows` rows and columns, column by
// column. WIDTH columns are a panel; a row of a panel has 128 bytes. A block of threads updates TILE columns, or
// multiplies TILE rows.

#define BLOCKS(name, Work, threads)                                       \
    extern "C" __global__ void __launch_bounds__(threads, 1) name(        \
        const Work work, const u64, const u64                             \
    ) {                                                                   \
        work.run(blockIdx.x);                                             \
    }

namespace odes {

constexpr u32 LANES = 32u, EVERYONE = 0xffffffffu;
// The row of no number.
constexpr u32 NOWHERE = 0xffffffffu;

// The greatest number of a warp.
DEVICE u32 greatest(u32 x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_max_sync(EVERYONE, x);
#else
    UNROLL for (u32 by = LANES / 2u; by > 0u; by /= 2u) {
        const u32 other = __shfl_xor_sync(EVERYONE, x, by);
        if (other > x) x = other;
    }
    return x;
#endif
}

// The factors of a panel, from row `from` on, with a greatest number of each column as its pivot.
//
// Each thread has a row in registers, and remembers the row's place instead of moving it. A step turns the
// row by one number: the multiplier takes the place of the number that it eliminates, at the end.
//
// With several blocks each proposes a row, in words that have half of a number and the number of the turn
// each. All blocks read the words of all until these have the number of the turn. Two buffers suffice: a
// block that writes the words of the turn after the next has read those of the next, which all wrote after
// they had read those of this turn.
template<class R> struct Panel {
    const GLOBAL R* a;
    GLOBAL R* lower;       // the multipliers, `rows` by WIDTH
    GLOBAL R* upper;       // the upper triangle of the panel, on the diagonal of such a matrix
    GLOBAL u32* order;     // of the rows
    GLOBAL u32* moved;     // the sources of the first rows, and the destinations of the rows there
    GLOBAL u32* negative;  // exchanges and negative pivots
    GLOBAL u64* words;     // [turn % 2][block][WORDS]
    u64 rows, from;
    u32 width, turn, blocks, threads;
    static constexpr u32 THREADS = BLOCK_THREADS;
    static constexpr u32 HALVES = sizeof(R) / 4u;
    static constexpr u32 WORDS = 2u + WIDTH * HALVES;

    // How well a number serves as a pivot, and then the first of the threads with such a number. Numbers that
    // differ by less than 0.1% are as good. It is zero for no number.
    DEVICE static u32 rank(R x, u32 thread) {
        return ((leading(m_abs(x)) & ~(THREADS - 1u)) | (THREADS - 1u - thread)) + 1u;
    }
    DEVICE static u32 leading(float x) { return m_to_bits(x); }
    DEVICE static u32 leading(double x) { return (u32)(m_to_bits(x) >> 32); }

    // The pivot's row: its numbers from the pivot on, the reciprocal of the pivot, and its place.
    struct Top {
        R numbers[WIDTH], inverse;
        u32 place;
    };

    DEVICE void run(u32 block) const {
        __shared__ u32 best[LANES];
        __shared__ Top top;
        const u32 t = threadIdx.x, lane = t % LANES;
        const u64 source = from + (u64)block * threads + t;
        const bool here = source < rows;
        R row[WIDTH];
        UNROLL for (u32 k = 0u; k < WIDTH; k++) {
            row[k] = here && k < width ? a[(from + k) * rows + source] : R(0);
        }
        const u32 name = here ? order[source] : 0u;
        u32 place = (u32)source;
        bool active = here;
        if (t < LANES) best[t] = 0u;
        __syncthreads();
        for (u32 j = 0u; j < width; j++) {
            const u32 diagonal = (u32)from + j;
            const u32 own = active ? rank(row[0], t) : 0u;
            const R inverse = R(1) / row[0];
            const u32 of_warp = greatest(own);
            if (lane == 0u) best[t / LANES] = of_warp;
            __syncthreads();
            const u32 of_block = greatest(best[lane]);
            bool pivot = active && own == of_block;
            if (pivot) {
                // Multipliers stay as they are.
                UNROLL for (u32 k = 0u; k < WIDTH; k++) top.numbers[k] = k + j < WIDTH ? row[k] : R(0);
                top.inverse = inverse;
                top.place = place;
            }
            __syncthreads();
            if (blocks > 1u) pivot = among(block, turn + j, of_block, top) && pivot;
            const u32 other = top.place;
            if (pivot) {
                if (place != diagonal) next_of(negative);
                if (row[0] < R(0)) next_of(negative);
                place = diagonal;
                active = false;
            } else if (place == diagonal) {
                place = other;
            }
            if (active) {
                const R factor = row[0] * top.inverse;
                UNROLL for (u32 k = 0u; k + 1u < WIDTH; k++) {
                    row[k] = m_mul_add(-factor, top.numbers[k + 1u], row[k + 1u]);
                }
                row[WIDTH - 1u] = factor;
            }
        }
        if (here) {
            order[place] = name;
            // The multipliers of a row are its last numbers: all, or as many as pivots came before it.
            const u32 before = active ? WIDTH : place - (u32)from;
            UNROLL for (u32 k = 0u; k < WIDTH; k++) {
                if (k + before >= WIDTH) {
                    lower[(u64)(k + before - WIDTH) * rows + place] = row[k];
                } else if (before + k < width) {
                    upper[(u64)(place + k) * rows + place] = row[k];
                }
            }
            if (!active) moved[before] = (u32)source;
            if (source < from + width) moved[WIDTH + (u32)(source - from)] = active ? place : NOWHERE;
        }
    }

    // Whether this block has the pivot. `top` becomes the one of all blocks.
    DEVICE bool among(u32 block, u32 turn, u32 of_block, Top& top) const {
        __shared__ u32 winner;
        __shared__ u32 halves[WIDTH * HALVES];
        volatile GLOBAL u64* const at = words + (u64)(turn & 1u) * blocks * WORDS;
        const u32 t = threadIdx.x;
        for (u32 i = t; i < WORDS; i += threads) {
            const u32 half = i == 0u ? of_block
                : i == 1u            ? top.place
                                     : part(top.numbers[(i - 2u) / HALVES], (i - 2u) % HALVES);
            at[block * WORDS + i] = (u64)half << 32 | turn;
        }
        if (t < LANES) {
            u32 most = 0u, its = 0u;
            for (u32 other = t; other < blocks; other += LANES) {
                const u32 rank = hear(at + other * WORDS, turn);
                if (rank > most) {
                    most = rank;
                    its = other;
                }
            }
            const u32 of_all = greatest(most);
            // The first of several.
            const u32 first = LANES * blocks - greatest(most == of_all ? LANES * blocks - its : 0u);
            if (t == 0u) winner = first;
        }
        __syncthreads();
        for (u32 i = 1u + t; i < WORDS; i += threads) {
            const u32 half = hear(at + winner * WORDS + i, turn);
            if (i == 1u) {
                top.place = half;
            } else {
                halves[i - 2u] = half;
            }
        }
        __syncthreads();
        if (t < WIDTH) {
            const R number = whole(halves + t * HALVES, R(0));
            top.numbers[t] = number;
            if (t == 0u) top.inverse = R(1) / number;
        }
        __syncthreads();
        return winner == block;
    }
    DEVICE static u32 hear(volatile GLOBAL u64* at, u32 turn) {
        u64 word;
        do { word = *at; } while ((u32)word != turn);
        return (u32)(word >> 32);
    }
    DEVICE static u32 part(float x, u32) { return m_to_bits(x); }
    DEVICE static u32 part(double x, u32 half) { return (u32)(m_to_bits(x) >> (32u * half)); }
    DEVICE static float whole(const u32* halves, float) { return single_of_bits(halves[0]); }
    DEVICE static double whole(const u32* halves, double) {
        return double_of_bits((u64)halves[1] << 32 | halves[0]);
    }
};

// Exchanges rows in all columns as in the panel, solves with the panel's unit lower triangle, and subtracts
// products with its multipliers from the rows below.
//
// The columns of the panel stand for those of the identity. So the inverse of L grows in the columns that
// are done, and U in the others. A warp has a column.
template<class R> struct Update {
    GLOBAL R* a;
    const GLOBAL R* lower;
    const GLOBAL u32* moved;
    u64 rows, from;
    u32 width;
    static constexpr u32 THREADS = TILE * LANES;

    // Whether a column stands for one of the identity.
    DEVICE bool is_own(u64 column) const { return column >= from && column < from + width; }

    DEVICE void run(u32 block) const {
        __shared__ R unit[WIDTH][WIDTH + 1u];
        __shared__ R top[WIDTH][TILE];
        const u32 t = threadIdx.x, lane = t % LANES, warp = t / LANES;
        for (u32 i = t; i < WIDTH * WIDTH; i += THREADS) {
            const u32 row = i % WIDTH, column = i / WIDTH;
            unit[row][column] = column < row && row < width ? lower[(u64)column * rows + from + row] : R(0);
        }
        const u64 tile = (u64)block * TILE, column = tile + warp;
        GLOBAL R* const of = a + column * rows;
        R x = R(0), down = R(0);
        u32 to = NOWHERE;
        if (column < rows && lane < width) {
            const bool own = is_own(column);
            to = moved[WIDTH + lane];
            x = own ? R(from + lane == column) : of[moved[lane]];
            down = own ? R(0) : of[from + lane];
        }
        // All is read before it is overwritten.
        __syncthreads();
        if (to != NOWHERE) of[to] = down;
        for (u32 k = 0u; k < width; k++) {
            const R solved = __shfl_sync(EVERYONE, x, k);
            if (lane < WIDTH) x = m_mul_add(-unit[lane][k], solved, x);
        }
        if (lane < WIDTH) top[lane][warp] = x;
        if (lane < width && column < rows) of[from + lane] = x;
        __syncthreads();
        const u32 count = (u32)(rows - tile < TILE ? rows - tile : TILE);
        for (u64 begin = from + width; begin < rows; begin += THREADS) {
            const u64 row = begin + t;
            const bool below = row < rows;
            R factors[WIDTH], rest[TILE];
            UNROLL for (u32 k = 0u; k < WIDTH; k++) {
                factors[k] = below ? lower[(u64)k * rows + row] : R(0);
            }
            UNROLL for (u32 c = 0u; c < TILE; c++) {
                rest[c] = below && c < count && !is_own(tile + c) ? a[(tile + c) * rows + row] : R(0);
            }
            // So the compiler does not keep all of `top` in registers.
            __syncthreads();
            UNROLL for (u32 k = 0u; k < WIDTH; k++) {
                UNROLL for (u32 c = 0u; c < TILE; c++) rest[c] = m_mul_add(-factors[k], top[k][c], rest[c]);
            }
            UNROLL for (u32 c = 0u; c < TILE; c++) {
                if (below && c < count) a[(tile + c) * rows + row] = rest[c];
            }
        }
    }
};

// Inverts the upper triangles of WIDTH rows on a matrix's diagonal; a block has one, and a warp some columns.
template<class R> struct Invert {
    GLOBAL R* upper;
    u64 rows;
    static constexpr u32 THREADS = TILE * LANES;

    DEVICE void run(u32 block) const {
        __shared__ R u[WIDTH][WIDTH + 1u];
        const u32 t = threadIdx.x, lane = t % LANES;
        const u64 from = (u64)block * WIDTH;
        const u32 width = (u32)(rows - from < WIDTH ? rows - from : WIDTH);
        for (u32 i = t; i < WIDTH * WIDTH; i += THREADS) {
            const u32 row = i % WIDTH, column = i / WIDTH;
            const bool is = row <= column && column < width;
            u[row][column] = is ? upper[(from + column) * rows + from + row] : R(row == column);
        }
        __syncthreads();
        for (u32 column = t / LANES; column < WIDTH; column += THREADS / LANES) {
            R x = R(lane == column);
            for (u32 k = WIDTH; k-- > 0u;) {
                const R solved = __shfl_sync(EVERYONE, lane == k ? x / u[k][k] : x, k);
                if (lane == k) x = solved;
                if (lane < k) x = m_mul_add(-u[lane][k], solved, x);
            }
            if (lane < width && column < width) upper[(from + column) * rows + from + lane] = x;
        }
    }
};

// `out = plus - shift x + M x`, or without `plus` the product alone, where M is a matrix or a triangle of its
// blocks of WIDTH, and `x` is `of` in an order. A block has TILE rows, and a thread a row's numbers in some
// columns.
template<class R> struct Rows {
    GLOBAL R* out;
    const GLOBAL R* plus;
    const GLOBAL R* matrix;
    const GLOBAL R* of;
    const GLOBAL u32* order;
    u64 rows;
    R shift;
    u32 left, right; // whether numbers left and right of the diagonal's block count
    static constexpr u32 THREADS = BLOCK_THREADS, GROUPS = THREADS / TILE, AHEAD = 16u;

    DEVICE void run(u32 block) const {
        __shared__ R x[GROUPS * AHEAD];
        __shared__ R sums[THREADS / LANES][TILE];
        const u32 t = threadIdx.x, lane = t % TILE, group = t / TILE;
        const u64 row = (u64)block * TILE + lane, own = row / WIDTH * WIDTH;
        // All rows of a block of threads have numbers in the same columns.
        const u64 begin = left ? 0u : own, end = right || own + WIDTH > rows ? rows : own + WIDTH;
        R sum = R(0);
        for (u64 first = begin; first < end; first += GROUPS * AHEAD) {
            R numbers[AHEAD];
            UNROLL for (u32 k = 0u; k < AHEAD; k++) {
                const u64 column = first + k * GROUPS + group;
                numbers[k] = row < rows && column < end ? matrix[column * rows + row] : R(0);
            }
            __syncthreads();
            for (u32 i = t; i < GROUPS * AHEAD; i += THREADS) {
                x[i] = first + i < end ? of[order ? order[first + i] : first + i] : R(0);
            }
            __syncthreads();
            UNROLL for (u32 k = 0u; k < AHEAD; k++) sum = m_mul_add(numbers[k], x[k * GROUPS + group], sum);
        }
        UNROLL for (u32 by = TILE; by < LANES; by *= 2u) sum = sum + __shfl_xor_sync(EVERYONE, sum, by);
        if (t % LANES < TILE) sums[t / LANES][lane] = sum;
        __syncthreads();
        if (t < TILE && row < rows) {
            R all = R(0);
            UNROLL for (u32 w = 0u; w < THREADS / LANES; w++) all = all + sums[w][t];
            out[row] = plus ? plus[row] + m_mul_add(-shift, of[row], all) : all;
        }
    }
};

} // namespace odes
