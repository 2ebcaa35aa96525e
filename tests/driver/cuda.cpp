// A CUDA driver, its run-time compiler and cuBLAS for machines that have no device: what of these the library
// calls.
//
// Devices are memory of this process, and work is done where it is queued. Kernels are compiled by the host's
// compiler, with the words of another target (kernel/targets/host.hpp); a launch runs their threads one after
// the other. A cooperative launch runs each block in a thread of its own, whose fibers are the block's threads.
// So a test sees where bytes go and what becomes of failures, and neither races nor times.
//
//   SIMULATED_DEVICES=2                how many there are, by default 1
//   SIMULATED_MEMORY=1000000           bytes of each, by default 1 GiB
//   SIMULATED_FAULTS=1:cuLaunchKernel:3:719,*:cuMemAllocAsync:1+:2
//                                      of device 1 the third launch fails with 719, and every allocation of all
//                                      with 2; a device is lost by codes from 700 on
//   SIMULATED_COOPERATIVE=0            devices that cannot start all blocks of a kernel at once
//   SIMULATED_FOLDER=FOLDER            where kernels are compiled
//   SIMULATED_COMPILER=c++             by what

// A jump to another stack is none of the faults that this looks for.
#undef _FORTIFY_SOURCE

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <chrono>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>
#include <dlfcn.h>
#include <setjmp.h>
#include <ucontext.h>
#include <unistd.h>

#define API extern "C" __attribute__((visibility("default")))

typedef int Result;
enum { OK = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_CONTEXT = 201, INVALID_IMAGE = 200, NOT_FOUND = 500, LOST = 700, TOO_LARGE = 720 };

namespace {

struct Fault {
    int device; // -1: any
    std::string function;
    long from;
    bool on;    // and all later ones
    int code;
    std::map<int, long> calls;
};

struct Stream {
    int device;
};

struct Event {
    std::chrono::steady_clock::time_point at;
};

struct Module {
    void* library;
};

std::mutex all;
std::vector<Fault> faults;
std::map<int, int> lost;
std::map<uintptr_t, std::pair<size_t, int>> allocations;
std::map<int, size_t> used;
// Kernels whose threads wait for those of their block, though not for other blocks.
std::set<void*> together;
thread_local int current = -1;

bool is_together(void* function) {
    std::lock_guard<std::mutex> lock(all);
    return together.count(function) > 0;
}

const char* variable(const char* name, const char* otherwise) {
    const char* value = getenv(name);
    return value ? value : otherwise;
}
int devices() { return atoi(variable("SIMULATED_DEVICES", "1")); }
size_t memory() { return strtoull(variable("SIMULATED_MEMORY", "1073741824"), nullptr, 10); }

void read_faults() {
    static bool read = false;
    if (read) return;
    read = true;
    std::stringstream list(variable("SIMULATED_FAULTS", ""));
    std::string one;
    while (std::getline(list, one, ',')) {
        std::stringstream parts(one);
        std::string device, function, call, code;
        std::getline(parts, device, ':');
        std::getline(parts, function, ':');
        std::getline(parts, call, ':');
        std::getline(parts, code, ':');
        faults.push_back({device == "*" ? -1 : atoi(device.c_str()), function, atol(call.c_str()),
                          call.back() == '+', atoi(code.c_str()), {}});
    }
}

// What a call on a device returns before it does anything.
Result before(const char* function, int device) {
    std::lock_guard<std::mutex> lock(all);
    read_faults();
    if (lost.count(device)) return lost[device];
    for (Fault& fault : faults) {
        if (fault.function != function || (fault.device >= 0 && fault.device != device)) continue;
        long call = ++fault.calls[device];
        if (call == fault.from || (fault.on && call > fault.from)) {
            if (fault.code >= LOST) lost[device] = fault.code;
            return fault.code;
        }
    }
    return OK;
}

#define BEFORE(device) \
    do { \
        Result result = before(__func__, device); \
        if (result != OK) return result; \
    } while (0)

int of(void* stream) { return stream ? ((Stream*)stream)->device : current; }

Result allocate(uint64_t* out, size_t bytes, int device) {
    std::lock_guard<std::mutex> lock(all);
    if (used[device] + bytes > memory()) return OUT_OF_MEMORY;
    void* memory = aligned_alloc(256, (bytes + 255) / 256 * 256);
    if (!memory) return OUT_OF_MEMORY;
    // What nobody has written is no number that anybody expects.
    memset(memory, 0xa5, bytes);
    allocations[(uintptr_t)memory] = {bytes, device};
    used[device] += bytes;
    *out = (uint64_t)(uintptr_t)memory;
    return OK;
}

Result release(uint64_t at) {
    std::lock_guard<std::mutex> lock(all);
    auto found = allocations.find((uintptr_t)at);
    if (found == allocations.end()) return INVALID_VALUE;
    used[found->second.second] -= found->second.first;
    // Who reads it later finds nothing.
    memset((void*)(uintptr_t)at, 0x5a, found->second.first);
    free((void*)(uintptr_t)at);
    allocations.erase(found);
    return OK;
}

// Whether bytes lie within one allocation of a device.
bool lies(uint64_t at, size_t bytes, int device) {
    std::lock_guard<std::mutex> lock(all);
    auto found = allocations.upper_bound((uintptr_t)at);
    if (found == allocations.begin()) return bytes == 0;
    --found;
    return at + bytes <= found->first + found->second.first && found->second.second == device;
}

// The threads of a block, as fibers of one thread, which go on in turn: when one comes to a point where they
// wait for each other, the next one goes on from its own. All come to the same points, so where it is the
// first one's turn again all have been there. Fibers stay for the blocks after it.
class Block {
public:
    Block(void* function, void** arguments, unsigned block, unsigned threads)
        : function(function), arguments(arguments), block(block), threads(threads), now(0) {}

    void run() {
        running = this;
        while (fibers.size() < threads) fibers.emplace_back(new Fiber);
        // They end in turn, too.
        for (now = 0; now < threads; now++) {
            if (_setjmp(caller) == 0) go_on();
        }
    }

private:
    // Jumps between fibers call no system, unlike `swapcontext`.
    struct Fiber {
        static constexpr size_t STACK = 1 << 18;
        std::unique_ptr<char[]> stack{new char[STACK]};
        jmp_buf at;
        bool begun = false;
    };
    static thread_local std::vector<std::unique_ptr<Fiber>> fibers;
    static thread_local Block* running;

    static unsigned thread() { return running->now; }

    static void wait() {
        Block& own = *running;
        jmp_buf& at = fibers[own.now]->at;
        own.now = (own.now + 1) % own.threads;
        if (_setjmp(at) == 0) own.go_on();
    }

    // Goes on with the fiber whose turn it is.
    void go_on() {
        Fiber& fiber = *fibers[now];
        if (fiber.begun) _longjmp(fiber.at, 1);
        fiber.begun = true;
        ucontext_t context;
        getcontext(&context);
        context.uc_stack.ss_sp = fiber.stack.get();
        context.uc_stack.ss_size = Fiber::STACK;
        context.uc_link = nullptr;
        makecontext(&context, begin, 0);
        setcontext(&context);
    }

    // A fiber has a thread of a block, then the one of the next block.
    static void begin() {
        for (;;) {
            Block& own = *running;
            typedef void (*Kernel)(const void*, const void*, const void*, unsigned, unsigned (*)(), void (*)());
            void** with = own.arguments;
            ((Kernel)own.function)(with[0], with[1], with[2], own.block, thread, wait);
            if (_setjmp(fibers[own.now]->at) == 0) _longjmp(own.caller, 1);
        }
    }

    void* function;
    void** arguments;
    unsigned block, threads, now;
    jmp_buf caller;
};
thread_local std::vector<std::unique_ptr<Block::Fiber>> Block::fibers;
thread_local Block* Block::running = nullptr;

} // namespace

// The driver.

API Result cuInit(unsigned) { return devices() > 0 ? OK : 100; }
API Result cuDriverGetVersion(int* version) { *version = 13000; return OK; }
API Result cuDeviceGetCount(int* count) { *count = devices(); return OK; }
API Result cuDeviceGet(int* device, int ordinal) { *device = ordinal; return ordinal < devices() ? OK : 101; }
API Result cuDeviceGetName(char* name, int len, int device) {
    snprintf(name, len, "Simulated %d", device);
    return OK;
}
API Result cuDeviceTotalMem_v2(size_t* bytes, int) { *bytes = memory(); return OK; }
API Result cuDeviceGetAttribute(int* value, int attribute, int) {
    switch (attribute) {
    case 16: *value = 2; break;   // multiprocessors
    case 39: *value = 256; break; // threads of each
    case 75: *value = 9; break;   // compute capability
    case 76: *value = 0; break;
    case 95: *value = atoi(variable("SIMULATED_COOPERATIVE", "1")); break;
    case 115: *value = 1; break;  // memory pools
    default: *value = 0;
    }
    return OK;
}
API Result cuDeviceGetUuid_v2(char* uuid, int device) { memset(uuid, device, 16); return OK; }
API Result cuDeviceGetDefaultMemPool(void** pool, int device) { *pool = (void*)(intptr_t)(device + 1); return OK; }
API Result cuMemPoolGetAttribute(void*, int, void* value) { *(uint64_t*)value = 0; return OK; }
API Result cuMemPoolSetAttribute(void*, int, void*) { return OK; }
API Result cuMemPoolTrimTo(void*, size_t) { return OK; }

API Result cuDevicePrimaryCtxRetain(void** context, int device) {
    BEFORE(device);
    *context = (void*)(intptr_t)(device + 1);
    return OK;
}
API Result cuDevicePrimaryCtxRelease_v2(int) { return OK; }
API Result cuCtxGetCurrent(void** context) { *context = (void*)(intptr_t)(current + 1); return OK; }
API Result cuCtxSetCurrent(void* context) { current = (int)(intptr_t)context - 1; return OK; }
API Result cuCtxSynchronize() { BEFORE(current); return OK; }
API Result cuMemGetInfo_v2(size_t* free, size_t* total) {
    BEFORE(current);
    std::lock_guard<std::mutex> lock(all);
    *total = memory();
    // A driver keeps some for itself.
    size_t own = 1 << 20, taken = used[current] + own;
    *free = taken < memory() ? memory() - taken : 0;
    return OK;
}

API Result cuMemAllocAsync(uint64_t* out, size_t bytes, void* stream) {
    BEFORE(of(stream));
    return allocate(out, bytes, of(stream));
}
API Result cuMemAlloc_v2(uint64_t* out, size_t bytes) { BEFORE(current); return allocate(out, bytes, current); }
API Result cuMemFreeAsync(uint64_t at, void*) { return release(at); }
API Result cuMemFree_v2(uint64_t at) { return release(at); }
API Result cuMemHostAlloc(void** out, size_t bytes, unsigned) {
    BEFORE(current);
    *out = malloc(bytes);
    return *out ? OK : OUT_OF_MEMORY;
}
API Result cuMemFreeHost(void* at) { free(at); return OK; }
API Result cuMemHostRegister_v2(void*, size_t, unsigned) { BEFORE(current); return OK; }
API Result cuMemHostUnregister(void*) { return OK; }
API Result cuMemsetD8Async(uint64_t at, unsigned char value, size_t bytes, void* stream) {
    BEFORE(of(stream));
    if (!lies(at, bytes, of(stream))) return INVALID_VALUE;
    memset((void*)(uintptr_t)at, value, bytes);
    return OK;
}
API Result cuMemcpyHtoDAsync_v2(uint64_t to, const void* from, size_t bytes, void* stream) {
    BEFORE(of(stream));
    if (!lies(to, bytes, of(stream))) return INVALID_VALUE;
    memcpy((void*)(uintptr_t)to, from, bytes);
    return OK;
}
API Result cuMemcpyDtoHAsync_v2(void* to, uint64_t from, size_t bytes, void* stream) {
    BEFORE(of(stream));
    if (!lies(from, bytes, of(stream))) return INVALID_VALUE;
    memcpy(to, (const void*)(uintptr_t)from, bytes);
    return OK;
}
API Result cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void* stream) {
    BEFORE(of(stream));
    if (!lies(to, bytes, of(stream)) || !lies(from, bytes, of(stream))) return INVALID_VALUE;
    memcpy((void*)(uintptr_t)to, (const void*)(uintptr_t)from, bytes);
    return OK;
}
struct Copy {
    size_t src_x, src_y;
    int src_type;
    const void* src_host;
    uint64_t src_device;
    void* src_array;
    size_t src_pitch;
    size_t dst_x, dst_y;
    int dst_type;
    void* dst_host;
    uint64_t dst_device;
    void* dst_array;
    size_t dst_pitch;
    size_t width, height;
};
API Result cuMemcpy2DAsync_v2(const Copy* copy, void* stream) {
    BEFORE(of(stream));
    for (size_t row = 0; row < copy->height; row++) {
        uint64_t from = copy->src_device + row * copy->src_pitch;
        if (!lies(from, copy->width, of(stream))) return INVALID_VALUE;
        memcpy((char*)copy->dst_host + row * copy->dst_pitch, (const void*)(uintptr_t)from, copy->width);
    }
    return OK;
}

API Result cuStreamCreate(void** stream, unsigned) { BEFORE(current); *stream = new Stream{current}; return OK; }
API Result cuStreamDestroy_v2(void* stream) { delete (Stream*)stream; return OK; }
API Result cuStreamSynchronize(void* stream) { BEFORE(of(stream)); return OK; }
API Result cuStreamWaitEvent(void* stream, void*, unsigned) { BEFORE(of(stream)); return OK; }
API Result cuEventCreate(void** event, unsigned) { BEFORE(current); *event = new Event{}; return OK; }
API Result cuEventDestroy_v2(void* event) { delete (Event*)event; return OK; }
API Result cuEventRecord(void* event, void* stream) {
    BEFORE(of(stream));
    ((Event*)event)->at = std::chrono::steady_clock::now();
    return OK;
}
API Result cuEventQuery(void*) { BEFORE(current); return OK; }
API Result cuEventSynchronize(void*) { BEFORE(current); return OK; }
API Result cuEventElapsedTime(float* milliseconds, void* begin, void* end) {
    std::chrono::duration<float, std::milli> time = ((Event*)end)->at - ((Event*)begin)->at;
    *milliseconds = time.count();
    return OK;
}
API Result cuEventElapsedTime_v2(float* milliseconds, void* begin, void* end) {
    return cuEventElapsedTime(milliseconds, begin, end);
}

API Result cuModuleLoadData(void** module, const void* image) {
    BEFORE(current);
    void* library = dlopen((const char*)image, RTLD_NOW | RTLD_LOCAL);
    if (!library) return INVALID_IMAGE;
    *module = new Module{library};
    return OK;
}
API Result cuModuleUnload(void* module) {
    dlclose(((Module*)module)->library);
    delete (Module*)module;
    return OK;
}
API Result cuModuleGetFunction(void** function, void* module, const char* name) {
    *function = dlsym(((Module*)module)->library, name);
    if (*function && (!strncmp(name, "odes_reduce", 11) || !strncmp(name, "odes_block", 10))) {
        std::lock_guard<std::mutex> lock(all);
        together.insert(*function);
    }
    return *function ? OK : NOT_FOUND;
}
API Result cuFuncGetAttribute(int* value, int attribute, void*) {
    *value = attribute == 0 ? 64 : attribute == 4 ? 32 : 0; // threads of a block, registers
    return OK;
}
API Result cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, void*, int threads, size_t, unsigned) {
    // Only where a context is current.
    if (current < 0) return 201;
    *blocks = 256 / threads;
    return OK;
}
API Result cuLaunchKernel(
    void* function, unsigned grid, unsigned, unsigned, unsigned block, unsigned, unsigned, unsigned, void* stream,
    void** arguments, void**
) {
    BEFORE(of(stream));
    if (is_together(function)) {
        void* with[] = {arguments[0], nullptr, nullptr};
        for (unsigned b = 0; b < grid; b++) Block(function, with, b, block).run();
        return OK;
    }
    ((void (*)(const void*, const void*, unsigned))function)(arguments[0], arguments[1], grid * block);
    return OK;
}
API Result cuLaunchCooperativeKernel(
    void* function, unsigned grid, unsigned, unsigned, unsigned block, unsigned, unsigned, unsigned, void* stream,
    void** arguments
) {
    BEFORE(of(stream));
    if (grid * block > 2 * 256) return TOO_LARGE;
    std::vector<std::thread> blocks;
    for (unsigned b = 0; b < grid; b++) {
        blocks.emplace_back([=] { Block(function, arguments, b, block).run(); });
    }
    for (std::thread& one : blocks) one.join();
    return OK;
}
API Result cuGetErrorName(int code, const char** name) {
    static thread_local char text[32];
    snprintf(text, sizeof text, "SIMULATED_%d", code);
    *name = text;
    return OK;
}
API Result cuGetErrorString(int, const char** text) { *text = "a simulated failure"; return OK; }

// The compiler.

namespace {

struct Program {
    std::string source, log, code;
};

std::string contents(const char* file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

API int nvrtcVersion(int* major, int* minor) { *major = 13; *minor = 0; return 0; }
API const char* nvrtcGetErrorString(int) { return "a simulated failure"; }
API int nvrtcGetNumSupportedArchs(int* count) { *count = 1; return 0; }
API int nvrtcGetSupportedArchs(int* archs) { archs[0] = 90; return 0; }
API int nvrtcCreateProgram(void** program, const char* source, const char*, int, const char* const*, const char* const*) {
    *program = new Program{source, "", ""};
    return 0;
}
API int nvrtcDestroyProgram(void** program) { delete (Program*)*program; return 0; }
API int nvrtcCompileProgram(void* of, int, const char* const*) {
    Program& program = *(Program*)of;
    // The words of CUDA in exchange for those of a host, with a kernel whose threads come one by one.
    std::string text = program.source, cuda = contents(CUDA_WORDS), host = contents(HOST_WORDS);
    size_t at = text.find(cuda);
    if (cuda.empty() || at == std::string::npos) {
        program.log = "the text has no words of CUDA";
        return 6;
    }
    // Kernels have names in common, whose memory is not to be.
    host += R"(
#pragma GCC visibility push(hidden)
#undef KERNEL
#define KERNEL(name, threads)                                                                                  \
    extern "C" __attribute__((visibility("default"))) void name(                                               \
        const odes::KernelArguments<odes::Config::Number>* arguments,                                          \
        const odes::Shared<odes::Config::Number>* shared, u32 count                                            \
    ) {                                                                                                        \
        for (u32 thread = 0; thread < count; thread++) odes::solve<odes::Config>(*arguments, *shared, thread); \
    }
)";
    text.replace(at, cuda.size(), host);
    // Of the words for arrays those that CUDA has itself, and a kernel that is told who runs it.
    size_t lockstep = text.rfind("LOCKSTEP_KERNEL(");
    if (lockstep != std::string::npos) {
        text.insert(lockstep, R"(
#undef LOCKSTEP_KERNEL
#define LOCKSTEP_KERNEL(name, threads)                                             \
    extern "C" __attribute__((visibility("default"))) void name(                   \
        const odes::KernelArguments<odes::Config::Number>* arguments,              \
        const odes::Shared<odes::Config::Number>* shared,                          \
        const odes::LockstepArguments<odes::Config::Number>* lockstep,             \
        u32 block, u32 (*thread)(), void (*wait)()                                 \
    ) {                                                                            \
        simulated_thread = thread;                                                 \
        simulated_wait = wait;                                                     \
        odes::solve_lockstep<odes::Config>(*arguments, *shared, *lockstep, block); \
    }
)");
    }
    size_t reduction = text.rfind("REDUCE_KERNEL(");
    if (reduction != std::string::npos) {
        bool joint = text.find("JointArguments") != std::string::npos;
        text.insert(reduction, std::string("\n#define REDUCE ") + (joint ? "reduce_joint" : "reduce") +
            "\n#define REDUCE_ARGUMENTS " + (joint ? "JointArguments" : "ReduceArguments") + R"(
#undef REDUCE_KERNEL
#define REDUCE_KERNEL(name)                                                       \
    extern "C" __attribute__((visibility("default"))) void name(                  \
        const odes::REDUCE_ARGUMENTS* arguments, const void*, const void*,        \
        u32 block, u32 (*thread)(), void (*wait)()                                \
    ) {                                                                           \
        simulated_block = block;                                                  \
        simulated_thread = thread;                                                \
        simulated_wait = wait;                                                    \
        odes::REDUCE(*arguments);                                                 \
    }
)");
    }
    bool waits = lockstep != std::string::npos || reduction != std::string::npos;
    if (waits || text.rfind("BLOCKS(") != std::string::npos) {
        text.insert(at + host.size(), R"(
#define __shared__ static thread_local
static thread_local u32 (*simulated_thread)();
static thread_local void (*simulated_wait)();
struct SimulatedIndex { u32 x; };
static thread_local u32 simulated_block;
#define threadIdx (SimulatedIndex{simulated_thread()})
#define blockIdx (SimulatedIndex{simulated_block})
#define __syncthreads() simulated_wait()
template<class T> T simulated_shuffle(T x, u32 from) {
    // Nobody is more than one turn ahead.
    static thread_local T said[2][1024];
    static thread_local u32 turns[1024];
    u32 own = simulated_thread(), turn = turns[own]++ & 1u;
    said[turn][own] = x;
    simulated_wait();
    return said[turn][from];
}
template<class T> T __shfl_sync(u32, T x, u32 from) {
    return simulated_shuffle(x, simulated_thread() / 32u * 32u + from);
}
template<class T> T __shfl_xor_sync(u32, T x, u32 by) { return simulated_shuffle(x, simulated_thread() ^ by); }
template<class T> T __shfl_down_sync(u32, T x, u32 by) {
    u32 own = simulated_thread();
    return simulated_shuffle(x, own % 32u + by < 32u ? own + by : own);
}
struct ulonglong2 { u64 x, y; };
static ulonglong2 __ldcv(const volatile ulonglong2* at) { return {at->x, at->y}; }
static void __stwt(volatile ulonglong2* at, ulonglong2 words) { at->x = words.x; at->y = words.y; }
static void __threadfence_system() {}
static u32 atomicAdd(u32* at, u32 more) { u32 old = *at; *at += more; return old; }
static u32 atomicOr(u32* at, u32 bits) { u32 old = *at; *at |= bits; return old; }
static u32 atomicCAS(u32* at, u32 old, u32 now) { u32 was = *at; if (was == old) *at = now; return was; }
static int __clz(u32 x) { return x ? __builtin_clz(x) : 32; }
)");
    }
    // Operations on whole arrays: number by number, and by threads that wait for each other.
    size_t operation = text.rfind("OPERATION("), blocks = text.rfind("BLOCKS(");
    if (operation != std::string::npos) {
        text.insert(operation, R"(
#undef OPERATION
#define OPERATION(name, Work)                                                                        \
    extern "C" __attribute__((visibility("default"))) void name(                                     \
        const Work* work, const u64* n, u32 threads                                                  \
    ) {                                                                                              \
        for (u32 thread = 0; thread < threads; thread++) {                                           \
            for (u64 i = thread; i < *n; i += threads) work->at(i);                                  \
        }                                                                                            \
    }
)");
    }
    if (blocks != std::string::npos) {
        text.insert(blocks, R"(
#undef BLOCKS
#define BLOCKS(name, Work, threads)                                                                  \
    extern "C" __attribute__((visibility("default"))) void name(                                     \
        const Work* work, const u64*, const u64*, u32 block, u32 (*thread)(), void (*wait)()         \
    ) {                                                                                              \
        simulated_thread = thread;                                                                   \
        simulated_wait = wait;                                                                       \
        work->run(block);                                                                            \
    }
)");
    }
    char name[64];
    snprintf(name, sizeof name, "/%zx", std::hash<std::string>{}(text));
    std::string base = std::string(variable("SIMULATED_FOLDER", "/tmp")) + name;
    program.code = base + ".so";
    if (access(program.code.c_str(), R_OK) == 0) return 0;
    std::string own = base + "." + std::to_string(getpid());
    std::ofstream(own + ".cpp") << text;
    std::string command = std::string(variable("SIMULATED_COMPILER", "c++")) +
        " -std=c++17 -O1 -ffp-contract=off -fno-tree-slp-vectorize -w -shared -fPIC " MACHINE " " + own + ".cpp -o " + own +
        ".so 2> " + own + ".log";
    if (system(command.c_str()) != 0) {
        program.log = contents((own + ".log").c_str());
        return 6;
    }
    rename((own + ".so").c_str(), program.code.c_str());
    remove((own + ".cpp").c_str());
    remove((own + ".log").c_str());
    return 0;
}
API int nvrtcGetProgramLogSize(void* of, size_t* size) { *size = ((Program*)of)->log.size() + 1; return 0; }
API int nvrtcGetProgramLog(void* of, char* log) { strcpy(log, ((Program*)of)->log.c_str()); return 0; }
API int nvrtcGetCUBINSize(void* of, size_t* size) { *size = ((Program*)of)->code.size() + 1; return 0; }
API int nvrtcGetCUBIN(void* of, char* code) { strcpy(code, ((Program*)of)->code.c_str()); return 0; }

// cuBLAS.

namespace {

struct Blas {
    int device;
    bool rounds; // numbers of f32 to 10 bits
};

template<class T> struct Matrix {
    T* at;
    int pitch;
    T& operator()(int row, int column) const { return at[row + (size_t)column * pitch]; }
    // Whether so many rows and columns are in the memory of a device.
    bool lies_on(int device, int rows, int columns) const {
        if (rows == 0 || columns == 0) return true;
        return pitch >= rows && lies((uint64_t)(uintptr_t)at, ((size_t)(columns - 1) * pitch + rows) * sizeof(T), device);
    }
};

double rounded(double x, bool) { return x; }
float rounded(float x, bool rounds) {
    if (!rounds) return x;
    uint32_t bits;
    memcpy(&bits, &x, 4);
    bits = (bits + 0x1000u) & ~0x1fffu;
    memcpy(&x, &bits, 4);
    return x;
}

template<class T> int product(
    const Blas& blas, int m, int n, int k, T alpha, Matrix<const T> a, Matrix<const T> b, T beta, Matrix<T> c
) {
    if (!a.lies_on(blas.device, m, k) || !b.lies_on(blas.device, k, n) || !c.lies_on(blas.device, m, n)) return 7;
    for (int column = 0; column < n; column++) {
        for (int row = 0; row < m; row++) {
            T sum = 0;
            for (int i = 0; i < k; i++) sum += rounded(a(row, i), blas.rounds) * rounded(b(i, column), blas.rounds);
            T& out = c(row, column);
            out = beta == 0 ? alpha * sum : alpha * sum + beta * out;
        }
    }
    return 0;
}

} // namespace

API int cublasGetProperty(int, int* value) { *value = 13; return 0; }
API int cublasCreate_v2(void** handle) { BEFORE(current); *handle = new Blas{current, false}; return 0; }
API int cublasDestroy_v2(void* handle) { delete (Blas*)handle; return 0; }
API int cublasSetStream_v2(void* handle, void* stream) { return of(stream) == ((Blas*)handle)->device ? 0 : 7; }
API int cublasSetMathMode(void* handle, int mode) { ((Blas*)handle)->rounds = mode == 3; return 0; }

#define PRODUCTS(letter, T)                                                                                      \
    API int cublas##letter##gemv_v2(                                                                             \
        void* handle, int transposed, int m, int n, const T* alpha, const T* a, int lda, const T* x, int by,     \
        const T* beta, T* y, int step                                                                            \
    ) {                                                                                                          \
        const Blas& blas = *(Blas*)handle;                                                                       \
        BEFORE(blas.device);                                                                                     \
        if (transposed || by != 1 || step != 1) return 15;                                                       \
        return product<T>(blas, m, 1, n, *alpha, {a, lda}, {x, n}, *beta, {y, m});                               \
    }                                                                                                            \
    API int cublas##letter##gemmStridedBatched(                                                                  \
        void* handle, int transposed, int other, int m, int n, int k, const T* alpha, const T* a, int lda,       \
        long long of_a, const T* b, int ldb, long long of_b, const T* beta, T* c, int ldc, long long of_c,       \
        int batch                                                                                                \
    ) {                                                                                                          \
        const Blas& blas = *(Blas*)handle;                                                                       \
        BEFORE(blas.device);                                                                                     \
        if (transposed || other) return 15;                                                                      \
        for (int i = 0; i < batch; i++) {                                                                        \
            int code = product<T>(                                                                               \
                blas, m, n, k, *alpha, {a + i * of_a, lda}, {b + i * of_b, ldb}, *beta, {c + i * of_c, ldc}      \
            );                                                                                                   \
            if (code) return code;                                                                               \
        }                                                                                                        \
        return 0;                                                                                                \
    }
PRODUCTS(S, float)
PRODUCTS(D, double)
