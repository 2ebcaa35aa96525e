/* Robertson and Pollution as systems of reactions, which gives right-hand side and Jacobian alike. */
#ifndef PROBLEMS_H
#define PROBLEMS_H

enum { STATES = 20, REACTIONS = 25, PRODUCTS = 8 };

/* rate * y[a] * y[b], or without the second factor; adds `amount` times that to `of`. */
struct reaction {
    int a, b;
    int count;
    struct {
        int of;
        double amount;
    } changes[PRODUCTS];
};

struct problem {
    const char *name;
    int states, reactions;
    double end;
    /* How far the first rate goes from its value, relative to it. */
    double spread;
    double u0[STATES];
    double rates[REACTIONS];
    struct reaction reaction[REACTIONS];
};

#define ONE (-1)

static const struct problem PROBLEMS[] = {
    {
        "D", 3, 3, 1e4, 0.5,
        {1.0, 0.0, 0.0},
        {0.04, 3e7, 1e4},
        {
            {0, ONE, 2, {{0, -1}, {1, 1}}},
            {1, 1, 2, {{1, -1}, {2, 1}}},
            {1, 2, 2, {{0, 1}, {1, -1}}},
        },
    },
    {
        "P", 20, 25, 60.0, 0.2,
        {0.0, 0.2, 0.0, 0.04, 0.0, 0.0, 0.1, 0.3, 0.01, 0.0,
         0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.007, 0.0, 0.0, 0.0},
        {0.35, 26.6, 12.3e3, 8.6e-4, 8.2e-4, 1.5e4, 1.3e-4, 2.4e4, 1.65e4, 9e3, 0.022, 1.2e4, 1.88,
         1.63e4, 4.8e6, 3.5e-4, 0.0175, 1e8, 4.44e11, 1.24e3, 2.1, 5.78, 0.0474, 1.78e3, 3.12},
        {
            {0, ONE, 3, {{0, -1}, {1, 1}, {2, 1}}},
            {1, 3, 3, {{0, 1}, {1, -1}, {3, -1}}},
            {4, 1, 4, {{0, 1}, {1, -1}, {4, -1}, {5, 1}}},
            {6, ONE, 3, {{4, 2}, {6, -1}, {7, 1}}},
            {6, ONE, 2, {{6, -1}, {7, 1}}},
            {6, 5, 4, {{4, 1}, {5, -1}, {6, -1}, {7, 1}}},
            {8, ONE, 4, {{4, 1}, {7, 1}, {8, -1}, {9, 1}}},
            {8, 5, 3, {{5, -1}, {8, -1}, {10, 1}}},
            {10, 1, 5, {{0, 1}, {1, -1}, {9, 1}, {10, -1}, {11, 1}}},
            {10, 0, 3, {{0, -1}, {10, -1}, {12, 1}}},
            {12, ONE, 3, {{0, 1}, {10, 1}, {12, -1}}},
            {9, 1, 4, {{0, 1}, {1, -1}, {9, -1}, {13, 1}}},
            {13, ONE, 3, {{4, 1}, {6, 1}, {13, -1}}},
            {0, 5, 3, {{0, -1}, {5, -1}, {14, 1}}},
            {2, ONE, 2, {{2, -1}, {3, 1}}},
            {3, ONE, 2, {{3, -1}, {15, 1}}},
            {3, ONE, 2, {{2, 1}, {3, -1}}},
            {15, ONE, 2, {{5, 2}, {15, -1}}},
            {15, ONE, 2, {{2, 1}, {15, -1}}},
            {16, 5, 4, {{4, 1}, {5, -1}, {16, -1}, {17, 1}}},
            {18, ONE, 2, {{1, 1}, {18, -1}}},
            {18, ONE, 3, {{0, 1}, {2, 1}, {18, -1}}},
            {0, 3, 3, {{0, -1}, {3, -1}, {18, 1}}},
            {18, 0, 3, {{0, -1}, {18, -1}, {19, 1}}},
            {19, ONE, 3, {{0, 1}, {18, 1}, {19, -1}}},
        },
    },
};

#endif
