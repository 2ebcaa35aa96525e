// Words of record.hpp and adjoint.hpp in C++ for OpenCL.

namespace odes {

// A power of two, so that sub-groups of every length begin where such a group does.
constexpr u32 TOGETHER = 32u;
inline void raise(global u32* at, u32 value) { atomic_max(at, value); }

} // namespace odes

#define ADJOINT_KERNEL(name, does, threads)                                                    \
    __attribute__((reqd_work_group_size(threads, 1, 1)))                                       \
    kernel void name(                                                                          \
        global const uchar* arguments, global const uchar* shared, global const uchar* adjoint \
    ) {                                                                                        \
        odes::does<odes::Config>(                                                              \
            *(global const odes::KernelArguments<odes::Config::Number>*)arguments,             \
            *(global const odes::Shared<odes::Config::Number>*)shared,                         \
            *(global const odes::AdjointArguments<odes::Config::Number>*)adjoint,              \
            (u32)get_global_id(0)                                                              \
        );                                                                                     \
    }
