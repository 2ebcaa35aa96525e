// Words of record.hpp and adjoint.hpp in a host's C++.

namespace odes {

constexpr u32 TOGETHER = 1u;
inline void raise(u32* at, u32 value) { *at = value > *at ? value : *at; }

} // namespace odes

#define ADJOINT_KERNEL(name, does, threads)                           \
    extern "C" void name(                                             \
        const odes::KernelArguments<odes::Config::Number>* arguments, \
        const odes::Shared<odes::Config::Number>* shared,             \
        const odes::AdjointArguments<odes::Config::Number>* adjoint   \
    ) {                                                               \
        odes::does<odes::Config>(*arguments, *shared, *adjoint, 0u);  \
    }
