// Words of lockstep.hpp in a host's C++: one thread has all members, a tile of a few at a time.

namespace odes {

constexpr u32 TILE = 32u;
#define EACH_MEMBER(t) for (u32 t = 0u; t < odes::TILE; t++)

enum { GREATEST, LEAST, SUM };
struct Said {
    double number;
    u32 flags;
};

inline bool is_first_thread() { return true; }
inline void finish_writes() {}
inline u32 first_tile(u32 block, u32 tiles) { return block * tiles; }
inline u32 flags_of_warp(u32 x) { return x; }
template<int KIND> Said of_warp(Said x) { return x; }

template<class R> struct TileSum {
    R at[TILE];
    void set(u32 t, R x) { at[t] = x; }
    double sum() {
        for (u32 count = TILE; count > 1u; count /= 2u) {
            for (u32 t = 0u; t < count / 2u; t++) at[t] = at[2u * t] + at[2u * t + 1u];
        }
        return (double)at[0];
    }
};

template<int KIND> Said all_of(u64*, u32, u32, u32, Said mine) { return mine; }

} // namespace odes

#define LOCKSTEP_KERNEL(name, threads)                                          \
    extern "C" void name(                                                       \
        const odes::KernelArguments<odes::Config::Number>* arguments,           \
        const odes::Shared<odes::Config::Number>* shared,                       \
        const odes::LockstepArguments<odes::Config::Number>* lockstep           \
    ) {                                                                         \
        odes::solve_lockstep<odes::Config>(*arguments, *shared, *lockstep, 0u); \
    }
