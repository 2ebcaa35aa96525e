#define PULL_KERNEL(name, threads)                                                         \
    extern "C" void name(                                                                  \
        const odes::Job<odes::Config::Number>* job,                                        \
        const odes::Shared<odes::Config::Number>* shared,                                  \
        const odes::PullJob<odes::Config::Number>* pull                                    \
    ) {                                                                                    \
        odes::pull_back<odes::Config>(*job, *shared, *pull, 0u);                           \
    }
