namespace odes {

// Sums of tiles as a tree of neighbours: a counter in binary whose digits are sums.
struct Sums {
    double sums[32];
    u32 count;

    DEVICE Sums() : count(0u) {}
    DEVICE void add(double x) {
        u32 level = 0u;
        for (; count >> level & 1u; level++) x = sums[level] + x;
        sums[level] = x;
        count++;
    }
    DEVICE double total() const {
        double x = 0.0;
        bool any = false;
        for (u32 level = 0u; count >> level; level++) {
            if (count >> level & 1u) x = any ? sums[level] + x : sums[level];
            any = any || (count >> level & 1u);
        }
        return x;
    }
};

} // namespace odes
