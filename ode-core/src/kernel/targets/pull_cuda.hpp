#define PULL_KERNEL(name, threads)                                                         \
    extern "C" __global__ void __launch_bounds__(threads, 1) name(                         \
        const odes::Job<odes::Config::Number> job,                                         \
        const odes::Shared<odes::Config::Number> shared,                                   \
        const odes::PullJob<odes::Config::Number> pull                                     \
    ) {                                                                                    \
        odes::pull_back<odes::Config>(job, shared, pull, blockIdx.x * blockDim.x + threadIdx.x); \
    }
