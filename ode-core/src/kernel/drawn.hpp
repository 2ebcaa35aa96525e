// What a kernel draws a sampled quantity by. The functions of a rule read its words one after the
// other: those of what makes a number of a trajectory's number, then those of the distribution.
namespace rule {

struct Words {
    const GLOBAL u64* at;

    DEVICE u64 word() { return *at++; }
    DEVICE double number() { return double_of_bits(word()); }
    // Some words, where they lie.
    template<int N> DEVICE const GLOBAL Arr<u64, N>& words() {
        const GLOBAL Arr<u64, N>* all = (const GLOBAL Arr<u64, N>*)at;
        at += N;
        return *all;
    }
};

DEVICE double linspace(u64 number, Words& words) {
    double last = words.number(), from = words.number(), to = words.number(), step = words.number();
    return distribution::linspace<double>(unit::integer<double>(number), last, from, to, step);
}
DEVICE double logspace(u64 number, Words& words) {
    double last = words.number(), from = words.number(), to = words.number();
    double log = words.number(), step = words.number();
    Arr<double, 2> ends = array(from, to);
    return distribution::logspace<double>(unit::integer<double>(number), last, ends, log, step);
}

DEVICE double independent(u64 number, Words& words) {
    return source::independent<double>(number, words.words<4>());
}
DEVICE double latin(u64 number, Words& words) {
    u64 n = words.word();
    const GLOBAL Arr<u64, 3>& powers = words.words<3>();
    const GLOBAL Arr<u64, 8>& keys = words.words<8>();
    return source::latin<double>(number, n, powers, keys, words.words<4>());
}
DEVICE double shifted(u64 number, Words& words) {
    const GLOBAL Arr<u64, 32>& directions = words.words<32>();
    return source::shifted<double>(number, directions, words.word());
}
DEVICE double scrambled(u64 number, Words& words) {
    const GLOBAL Arr<u64, 32>& directions = words.words<32>();
    return source::scrambled<double>(number, directions, words.words<32>());
}

DEVICE double between(double u, Words& words) {
    double low = words.number(), high = words.number();
    return distribution::between<double>(u, low, high);
}
DEVICE double log_between(double u, Words& words) {
    double low = words.number(), high = words.number();
    // Arguments of a call are evaluated in any order.
    double log = words.number(), end = words.number();
    return distribution::log_between<double>(u, low, high, array(log, end));
}
DEVICE double gaussian(double u, Words& words) {
    double mean = words.number(), sd = words.number();
    return distribution::gaussian<double>(u, mean, sd);
}
DEVICE double log_normal(double u, Words& words) {
    double mu = words.number(), sigma = words.number();
    return distribution::log_normal<double>(u, mu, sigma);
}
DEVICE double choice(double u, Words& words) {
    double last = words.number();
    int index = nearest_index(distribution::position<double>(u, last), (int)last);
    return double_of_bits(words.at[index]);
}

} // namespace rule
