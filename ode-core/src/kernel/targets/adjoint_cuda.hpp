// Words of record.hpp and adjoint.hpp in CUDA C++.

namespace odes {

// The threads of a warp.
constexpr u32 TOGETHER = 32u;
DEVICE void raise(u32* at, u32 value) { atomicMax(at, value); }

} // namespace odes

#define ADJOINT_KERNEL(name, does, threads)                                                          \
    extern "C" __global__ void __launch_bounds__(threads, 1) name(                                   \
        const odes::KernelArguments<odes::Config::Number> arguments,                                 \
        const odes::Shared<odes::Config::Number> shared,                                             \
        const odes::AdjointArguments<odes::Config::Number> adjoint                                   \
    ) {                                                                                              \
        odes::does<odes::Config>(arguments, shared, adjoint, blockIdx.x * blockDim.x + threadIdx.x); \
    }
