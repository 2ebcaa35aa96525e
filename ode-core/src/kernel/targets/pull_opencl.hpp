#define PULL_KERNEL(name, threads)                                                         \
    __attribute__((reqd_work_group_size(threads, 1, 1)))                                   \
    kernel void name(                                                                      \
        global const uchar* job, global const uchar* shared, global const uchar* pull      \
    ) {                                                                                    \
        odes::pull_back<odes::Config>(                                                     \
            *(global const odes::Job<odes::Config::Number>*)job,                           \
            *(global const odes::Shared<odes::Config::Number>*)shared,                     \
            *(global const odes::PullJob<odes::Config::Number>*)pull,                      \
            (u32)get_global_id(0)                                                          \
        );                                                                                 \
    }
