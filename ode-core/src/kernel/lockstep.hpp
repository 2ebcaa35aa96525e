// The kernel around the lockstep loop: which members a thread has, where these lie, and what all
// threads say together. `LockstepGroup` in integrate/lockstep.rs.
//
// Each thread runs the loop with a clock of its own, and all decide alike, since they hear the same. The
// members of a warp are a tile, one for each thread, in registers; or several tiles one after the other,
// in memory. A host's only thread is a warp, too. Words of targets (targets/lockstep_*.hpp):
//
//   TILE                     members of a tile
//   EACH_MEMBER(t)           before what is done to member `t` of a tile by its thread
//   first_tile(...)          the number of a warp's first tile
//   TileSum                  the sum of a number of each member of a tile, as a tree of neighbours
//   of_warp<KIND>(...)       what the threads of a warp say together, and
//   flags_of_warp(...)       only their flags
//   all_of<KIND>(...)        what all warps say together
//   finish_writes()          before what tells the host or others of memory that was written
//   LOCKSTEP_KERNEL(name, threads)

namespace odes {

// What a launch is given besides its `KernelArguments`. `LockstepArguments` in Rust has the same layout.
template<class R> struct LockstepArguments {
    GLOBAL u64* words;  // [turn % 2][copy][block][2]: what each block says; zero before
    GLOBAL R* memory;   // [row * n + member]: what is kept of members, where they are not in registers
    GLOBAL R* errors;   // the greatest error of each member's accepted steps, squared
    GLOBAL u32* progress; // of the host, or null: how many saved times all members have passed
    u32 blocks;         // that have members
    u32 tiles;          // of each of these; where there are sums of errors, a power of two
};

// A member as the source and the sink of a thread, which is told which one it is.
template<class C> struct MemberIo : Io<C> {
    bool here;
    DEVICE MemberIo(
        const KernelArguments<typename C::Number>& arguments, const Shared<typename C::Number>& shared
    )
        : Io<C>(arguments, shared, 0u), here(false) {}
    // What no member is in has the numbers of the last one, and goes nowhere.
    DEVICE void go_to(u32 member) {
        here = member < this->arguments.n;
        this->i = here ? member : this->arguments.n - 1u;
    }
    DEVICE bool acquire(bool need) const { return need && here; }
};

// The sink of an attempted step, which delays counts until the step is accepted: `AttemptIo` in
// ensemble/lockstep/attempt_io.rs.
template<class C> struct AttemptIo {
    typedef typename C::Number R;
    typedef typename Real<R>::Bits B;
    static constexpr int N = C::STATES, P = C::PARAMETERS;
    MemberIo<C>& io;
    u64 counted; // two bits for each event: how often it occurs in the step
    DEVICE explicit AttemptIo(MemberIo<C>& io) : io(io), counted(0u) {}

    DEVICE static constexpr bool saves() { return MemberIo<C>::saves(); }
    DEVICE static constexpr bool logs() { return MemberIo<C>::logs(); }
    DEVICE R save_time(bool which, B slot, R t) const { return io.save_time(which, slot, t); }
    DEVICE void save(bool which, B slot, const Arr<R, N>& u, const Arr<R, P>& p, R t) const {
        io.save(which, slot, u, p, t);
    }
    DEVICE B event_count(int index) const { return io.event_count(index); }
    DEVICE void set_event_count(bool which, int index, B count) {
        if (which) counted |= ((u64)(count - io.event_count(index)) & 3u) << (2 * index);
    }
    DEVICE void log_event(
        bool which, B slot, R event, R t, const Arr<R, N>& before, const Arr<R, N>& after
    ) const {
        io.log_event(which, slot, event, t, before, after);
    }
};

template<class C> struct Members {
    typedef typename C::Number R;
    typedef typename Real<R>::Bits B;
    typedef typename C::System S;
    typedef typename C::Method M;
    static constexpr int N = C::STATES, P = C::PARAMETERS;
    typedef members::Group<R, N, P> Group;
    typedef members::Tried<R, N> Tried;
    typedef lockstep::Told<R> Told;

    const LockstepArguments<R>& lockstep;
    const options::Options<R, N>& o;
    MemberIo<C>& io;
    u32 block, turn;
    double count;   // members that go on
    u32 now;        // which of two ends of a step are the states, in memory
    // The greatest error of this thread's members in the last attempt and in all steps, and the first member
    // that has it.
    R greatest, worst;
    u32 greatest_of, worst_of;
    // Of a member in registers.
    Group group;
    Arr<R, N> u, du;
    R square;
    u64 counted; // as `AttemptIo` counts
    B status;    // as memory has it

    DEVICE Members(
        const LockstepArguments<R>& lockstep, const options::Options<R, N>& o, MemberIo<C>& io, u32 block
    ) : lockstep(lockstep), o(o), io(io), block(block), turn(0u), count(0.0), now(0u),
        greatest(R(0)), worst(R(0)), greatest_of(0u), worst_of(0u), group(members::blank<R, N, P>()),
        u(group.u), du(group.du), square(R(0)), counted(0u), status(0u) {}

    DEVICE static constexpr bool saves() { return true; }
    DEVICE R start() const { return io.load_start(true, R(0)); }
    DEVICE R end() const { return io.load_end(true, R(0)); }
    DEVICE R stop_time(B index) const { return io.stop_time(true, index, R(0)); }
    DEVICE R save_time(B index) const { return io.save_time(true, index, R(0)); }

    DEVICE Told begin(const lane::Lane<R>& before, const lane::Lane<R>&, u32 how) {
        Told told = lockstep::silence<R>();
        double going = 0.0;
        for (u32 k = 0u; k < tiles(); k++) {
            EACH_MEMBER(t) {
                take(k, t, how == members::FIRST);
                R size = members::begin<R, S, M, MemberIo<C>, C, N, P>(S{}, io, o, group, before, how);
                put(how == members::FIRST);
                if (group.goes) {
                    told.size = told.size < size ? told.size : size;
                    told.goes = true;
                    going += 1.0;
                }
            }
        }
        told = together<LEAST>(told, (double)told.size);
        return counted_members(told, going);
    }

    DEVICE Told attempt(const lane::Lane<R>& lane, const attempt::Attempt<R>& trial) {
        Told told = lockstep::silence<R>();
        Sums sums;
        double sum = 0.0;
        greatest = R(0);
        for (u32 k = 0u; k < tiles(); k++) {
            TileSum<R> tile;
            EACH_MEMBER(t) {
                take(k, t, false);
                AttemptIo<C> sink(io);
                Tried tried =
                    members::attempt<R, S, M, AttemptIo<C>, C, N, P>(S{}, sink, o, group, lane, trial);
                keep(tried, sink.counted);
                if (tried.square > greatest) {
                    greatest = tried.square;
                    greatest_of = io.i;
                }
                told.nearest = told.nearest < tried.nearest ? told.nearest : tried.nearest;
                told.happens = told.happens || tried.happens || sink.counted != 0u;
                told.square = told.square > tried.square ? told.square : tried.square;
                told.size = told.size < tried.longest ? told.size : tried.longest;
                told.goes = told.goes || group.goes;
                told.hopeless = told.hopeless || tried.hopeless;
                told.beyond = told.beyond || tried.beyond;
                told.fails = told.fails || tried.fails;
                told.unsolved = told.unsolved || tried.unsolved;
                told.grows = told.grows || tried.grows;
                told.misses = told.misses || tried.misses;
                tile.set(t, tried.square);
            }
            if constexpr (C::MEAN && C::ADAPTIVE) {
                sum = tile.sum();
                if constexpr (!C::RESIDENT) sums.add(sum);
            }
        }
        if constexpr (!C::RESIDENT) sum = sums.total();
        if (lockstep.progress && passes_saved_time(lane, trial)) finish_writes();
        R longest = told.size, nearest = told.nearest;
        if constexpr (!C::ADAPTIVE) {
            if constexpr (C::WATCHES) {
                told = together<LEAST>(told, (double)nearest);
                told.nearest = told.size;
            }
            return told;
        }
        if constexpr (C::MEAN) {
            told = together<SUM>(told, sum);
        } else {
            told = together<GREATEST>(told, (double)told.square);
        }
        if constexpr (C::BOUNDED) {
            told.size = together<LEAST>(lockstep::silence<R>(), (double)longest).size;
        }
        if constexpr (C::EVENTS) {
            if (told.happens) {
                told.nearest = together<LEAST>(lockstep::silence<R>(), (double)nearest).size;
            }
        }
        return told;
    }

    DEVICE bool passes_soon(
        const lane::Lane<R>& lane, const attempt::Attempt<R>& trial, bool ends
    ) {
        Told told = lockstep::silence<R>();
        for (u32 k = 0u; k < tiles(); k++) {
            EACH_MEMBER(t) {
                take(k, t, false);
                if constexpr (!C::RESIDENT) {
                    UNROLL for (int d = 0; d < N; d++) u[d] = kept(row_of(1u - now, d));
                }
                bool soon = members::passes_soon<R, S, M, N, P>(S{}, group, u, lane, trial, ends);
                told.grows = told.grows || soon;
            }
        }
        return together<GREATEST>(told, 0.0).grows;
    }

    // All members have saved the state, and said so.
    DEVICE void save(const lane::Lane<R>& lane, const attempt::Attempt<R>&, R) {
        if (lockstep.progress && block == 0u && is_first_thread()) {
            finish_writes();
            *(volatile GLOBAL u32*)lockstep.progress = (u32)lane.saved + 1u;
        }
    }

    DEVICE void accept() {
        if constexpr (C::RESIDENT) {
            group.u = u;
            group.du = du;
            group.armed.sides = group.occurred.sides;
            group.armed.known = group.occurred.known;
        }
        if (greatest > worst || (greatest == worst && greatest_of < worst_of)) {
            worst = greatest;
            worst_of = greatest_of;
        }
        now = 1u - now;
    }

    DEVICE Told act(const lane::Lane<R>& lane, R h, bool arrived) {
        Told told = lockstep::silence<R>();
        double going = 0.0;
        for (u32 k = 0u; k < tiles(); k++) {
            EACH_MEMBER(t) {
                take(k, t, false);
                count_events();
                members::Acted<R> acted =
                    members::act<R, S, M, MemberIo<C>, C, N, P>(S{}, io, o, group, lane, h, arrived);
                if constexpr (!C::RESIDENT) put_member();
                told.size = told.size < acted.longest ? told.size : acted.longest;
                told.nearest = told.nearest < acted.size ? told.nearest : acted.size;
                told.happens = told.happens || acted.fired;
                told.goes = told.goes || group.goes;
                if (group.goes) going += 1.0;
            }
        }
        R longest = told.size;
        told = together<LEAST>(told, (double)told.nearest);
        told.nearest = told.size;
        if constexpr (C::ADAPTIVE && C::BOUNDED) {
            told.size = together<LEAST>(lockstep::silence<R>(), (double)longest).size;
        }
        return counted_members(told, going);
    }

    DEVICE bool leave(const lane::Lane<R>& lane, const members::Leave<R>& why) {
        Told told = lockstep::silence<R>();
        double going = 0.0;
        for (u32 k = 0u; k < tiles(); k++) {
            EACH_MEMBER(t) {
                take(k, t, false);
                R own = C::RESIDENT ? square : kept(SQUARE);
                members::leave<R, S, M, MemberIo<C>, C, N, P>(io, o, group, own, lane, why);
                put(false);
                told.goes = told.goes || group.goes;
                if (group.goes) going += 1.0;
            }
        }
        return counted_members(together<GREATEST>(told, 0.0), going).goes;
    }

    DEVICE void finish(const lane::Lane<R>& lane) {
        for (u32 k = 0u; k < tiles(); k++) {
            EACH_MEMBER(t) {
                take(k, t, false);
                members::finish<R, S, M, MemberIo<C>, C, N, P>(io, group, lane);
                if (io.here) lockstep.errors[io.i] = io.i == worst_of ? worst : R(0);
            }
        }
    }

private:
    // Rows of memory: states, derivatives and sides at both ends of a step, two numbers, in systems
    // with events or conditions the numbers of `Armed` and `Occurred` and the delayed counts, and modes.
    // Where the derivative at the states has the bits of the last stage, it is evaluated anew instead.
    // `derives` and `memory_rows` in kernel/lockstep.rs.
    static constexpr bool DERIVES = M::FSAL && !M::GUARDS && !C::TIME_DEPENDENT && !C::WATCHES;
    static constexpr bool KEEPS_DU = !DERIVES && (M::FSAL || S::EVENTS > 0);
    static constexpr int SIDES = KEEPS_DU ? 2 * N : N, ENDS = SIDES + (C::WATCHES ? 2 : 0);
    static constexpr int SQUARE = 2 * ENDS, STATUS = SQUARE + 1;
    static constexpr int ARMED = SQUARE + 2, OCCURRED = ARMED + 3, COUNTED = OCCURRED + 5;
    static constexpr int MODES = C::WATCHES ? COUNTED + 2 : ARMED;
    static constexpr B GOES = 256u, MIRRORED = 512u, HOLDS = 1024u, BROKEN = 2048u;
public:
    static constexpr int ROWS = MODES + S::MODES;
private:

    DEVICE static constexpr int row_of(u32 end, int d) { return (int)end * ENDS + d; }
    DEVICE GLOBAL R& kept(int row) const {
        return lockstep.memory[(u64)row * io.arguments.n + io.i];
    }
    DEVICE u32 tiles() const { return C::RESIDENT ? 1u : lockstep.tiles; }

    // Goes to member `t` of tile `k`, which `begins` or is taken from memory.
    DEVICE void take(u32 k, u32 t, bool begins) {
        io.go_to((first_tile(block, tiles()) + k) * TILE + t);
        if constexpr (!C::RESIDENT) {
            group = members::blank<R, N, P>();
            if (!begins) {
                UNROLL for (int d = 0; d < N; d++) group.u[d] = kept(row_of(now, d));
                if constexpr (KEEPS_DU) {
                    UNROLL for (int d = 0; d < N; d++) group.du[d] = kept(row_of(now, N + d));
                }
                // In place the compiler keeps the group in memory.
                Arr<R, P> p = group.p;
                io.load_p(true, p);
                group.p = p;
                UNROLL for (int d = 0; d < S::MODES; d++) group.p[S::FIRST_MODE + d] = kept(MODES + d);
                if constexpr (DERIVES) group.du = S{}.rhs(group.u, group.p, R(0));
                status = m_to_bits(kept(STATUS));
                group.goes = io.here && (status & GOES) != 0u;
                group.mirrored = (status & MIRRORED) != 0u;
                group.code = status & (B)255u;
                if constexpr (C::WATCHES) take_events(status);
            }
        }
    }

    // The events of a member, from memory.
    DEVICE void take_events(B status) {
        group.armed.sides = bits(row_of(now, SIDES));
        group.armed.known = bits(row_of(now, SIDES + 1));
        group.armed.acted = kept(ARMED);
        group.armed.chain = bits(ARMED + 1);
        group.armed.fired = bits(ARMED + 2);
        group.occurred.sides = bits(row_of(1u - now, SIDES));
        group.occurred.known = bits(row_of(1u - now, SIDES + 1));
        group.occurred.event = bits(OCCURRED);
        group.occurred.size = kept(OCCURRED + 1);
        group.occurred.fired = bits(OCCURRED + 2);
        group.occurred.here = bits(OCCURRED + 3);
        group.occurred.held = bits(OCCURRED + 4);
        group.occurred.holds = (status & HOLDS) != 0u;
        group.occurred.broken = (status & BROKEN) != 0u;
        counted = (u64)(u32)bits(COUNTED) | (u64)(u32)bits(COUNTED + 1) << 32;
    }

    DEVICE static bool passes_saved_time(const lane::Lane<R>& lane, const attempt::Attempt<R>& trial) {
        return m_abs(lane::ahead<R>(lane, C::ADAPTIVE)) <= advance::reach_of<R, C>(lane, trial);
    }

    DEVICE B bits(int row) const { return m_to_bits(kept(row)); }
    DEVICE void keep_bits(int row, B bits) const { kept(row) = Real<R>::from_bits(bits); }

    // Adds the delayed counts of an accepted step.
    DEVICE void count_events() {
        if (!group.goes) return;
        for (int e = 0; e < S::EVENTS; e++) {
            B more = (B)(counted >> (2 * e) & 3u);
            if (more != 0u) io.set_event_count(true, e, (B)(io.event_count(e) + more));
        }
    }

    // Most attempts leave it as it is, and then cost no write.
    DEVICE void keep_status(B code) {
        B next = code | (group.goes ? GOES : (B)0u) | (group.mirrored ? MIRRORED : (B)0u);
        if constexpr (C::WATCHES) {
            next |= group.occurred.holds ? HOLDS : (B)0u;
            next |= group.occurred.broken ? BROKEN : (B)0u;
        }
        if (next != status) kept(STATUS) = Real<R>::from_bits(next);
        status = next;
    }

    // Puts the member back that `take` took.
    DEVICE void put(bool begins) {
        square = R(0);
        if constexpr (!C::RESIDENT) {
            // Memory has no status before.
            if (begins) status = ~(B)0u;
            if (io.here) kept(SQUARE) = R(0);
            put_member();
        }
    }

    // Puts the states and the sides of a member into memory.
    DEVICE void put_member() {
        if (!io.here) return;
        UNROLL for (int d = 0; d < N; d++) kept(row_of(now, d)) = group.u[d];
        if constexpr (KEEPS_DU) {
            UNROLL for (int d = 0; d < N; d++) kept(row_of(now, N + d)) = group.du[d];
        }
        UNROLL for (int d = 0; d < S::MODES; d++) kept(MODES + d) = group.p[S::FIRST_MODE + d];
        if constexpr (C::WATCHES) {
            keep_bits(row_of(now, SIDES), group.armed.sides);
            keep_bits(row_of(now, SIDES + 1), group.armed.known);
            kept(ARMED) = group.armed.acted;
            keep_bits(ARMED + 1, group.armed.chain);
            keep_bits(ARMED + 2, group.armed.fired);
        }
        keep_status(group.code);
    }

    // Keeps what an attempt made of it.
    DEVICE void keep(const Tried& tried, u64 counts) {
        if constexpr (C::WATCHES) group.occurred = tried.occurred;
        if constexpr (C::RESIDENT) {
            u = tried.u;
            du = tried.du;
            square = tried.square;
            group.code = tried.code;
            counted = counts;
        } else if (io.here) {
            kept(SQUARE) = tried.square;
            UNROLL for (int d = 0; d < N; d++) kept(row_of(1u - now, d)) = tried.u[d];
            if constexpr (KEEPS_DU) {
                UNROLL for (int d = 0; d < N; d++) kept(row_of(1u - now, N + d)) = tried.du[d];
            }
            if constexpr (C::WATCHES) {
                keep_bits(row_of(1u - now, SIDES), tried.occurred.sides);
                keep_bits(row_of(1u - now, SIDES + 1), tried.occurred.known);
                keep_bits(OCCURRED, tried.occurred.event);
                kept(OCCURRED + 1) = tried.occurred.size;
                keep_bits(OCCURRED + 2, tried.occurred.fired);
                keep_bits(OCCURRED + 3, tried.occurred.here);
                keep_bits(OCCURRED + 4, tried.occurred.held);
                keep_bits(COUNTED, (B)(u32)counts);
                keep_bits(COUNTED + 1, (B)(u32)(counts >> 32));
            }
            keep_status(tried.code);
        }
    }

    // What all threads say, one of which says this, and a number: in sums, that of its warp.
    template<int KIND> DEVICE Told together(Told told, double number) {
        u32 flags = (told.goes ? 1u : 0u) | (told.hopeless ? 2u : 0u) | (told.beyond ? 4u : 0u)
            | (told.fails ? 8u : 0u) | (told.unsolved ? 16u : 0u) | (told.grows ? 32u : 0u)
            | (told.misses ? 64u : 0u) | (told.happens ? 128u : 0u);
        Said mine = Said{number, flags};
        if constexpr (KIND == SUM) {
            mine.flags = flags_of_warp(flags);
        } else {
            mine = of_warp<KIND>(mine);
        }
        turn++;
        Said all = all_of<KIND>(lockstep.words, lockstep.blocks, block, turn, mine);
        if (KIND == SUM) all.number = all.number / (count > 1.0 ? count : 1.0);
        told.square = (R)all.number;
        told.size = (R)all.number;
        told.goes = (all.flags & 1u) != 0u;
        told.hopeless = (all.flags & 2u) != 0u;
        told.beyond = (all.flags & 4u) != 0u;
        told.fails = (all.flags & 8u) != 0u;
        told.unsolved = (all.flags & 16u) != 0u;
        told.grows = (all.flags & 32u) != 0u;
        told.misses = (all.flags & 64u) != 0u;
        told.happens = (all.flags & 128u) != 0u;
        told.nearest = lockstep::silence<R>().nearest;
        return told;
    }

    // The same with all members that go on counted, of which this thread has so many.
    DEVICE Told counted_members(const Told& told, double going) {
        if constexpr (C::MEAN) {
            turn++;
            const Said mine = of_warp<SUM>(Said{going, 0u});
            count = all_of<SUM>(lockstep.words, lockstep.blocks, block, turn, mine).number;
        }
        return told;
    }
};

template<class C> DEVICE void solve_lockstep(
    const KernelArguments<typename C::Number>& arguments,
    const Shared<typename C::Number>& shared,
    const LockstepArguments<typename C::Number>& lockstep,
    u32 block
) {
    typedef typename C::Number R;
    constexpr int N = C::STATES, P = C::PARAMETERS;
    MemberIo<C> io(arguments, shared);
    io.go_to(0u);
    options::Options<R, N> o = options_of<C>(arguments, io);
    Members<C> members(lockstep, o, io, block);
    lockstep::lockstep<R, typename C::Method, Members<C>, C, N>(members, o);
}

} // namespace odes
