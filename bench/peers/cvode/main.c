/* CVODE on an ensemble: one integrator for each thread, which takes one trajectory after the other.
 *
 *   cvode PROBLEM SOLVER THREADS TRAJECTORIES SAMPLES RUNS RELTOL...
 *
 * PROBLEM is D or P (problems.h), SOLVER is dense or klu. Prints a line of JSON for each tolerance: the
 * best time of RUNS, and the final states of SAMPLES trajectories.
 */
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sundials/sundials_version.h>

#include "problems.h"

/* What the right-hand side gets to know. */
struct trajectory {
    const struct problem *problem;
    double first_rate;
    /* Where an element of the Jacobian is in a sparse matrix. */
    int position[STATES][STATES];
    sunindextype columns[STATES + 1], rows[STATES * STATES];
};

static void check(int flag, const char *what) {
    if (flag < 0) {
        fprintf(stderr, "%s: %d\n", what, flag);
        exit(1);
    }
}

/* The compiler knows the problem and unrolls the loops over its reactions: straight-line code. */
#define KNOWN static inline __attribute__((always_inline)) void
#define UNROLL _Pragma("GCC unroll 32")

KNOWN derivative(const struct problem *q, double first, const double *restrict u, double *restrict du) {
    double sum[STATES] = {0};
    UNROLL for (int r = 0; r < q->reactions; r++) {
        const struct reaction *x = &q->reaction[r];
        double speed = (r == 0 ? first : q->rates[r]) * u[x->a] * (x->b == ONE ? 1.0 : u[x->b]);
        UNROLL for (int c = 0; c < x->count; c++) {
            sum[x->changes[c].of] += x->changes[c].amount * speed;
        }
    }
    UNROLL for (int i = 0; i < q->states; i++) du[i] = sum[i];
}

static int rhs(double t, N_Vector u, N_Vector du, void *user) {
    const struct trajectory *w = user;
    const double *from = N_VGetArrayPointer(u);
    double *to = N_VGetArrayPointer(du);
    (void)t;
    if (w->problem == &PROBLEMS[0]) {
        derivative(&PROBLEMS[0], w->first_rate, from, to);
    } else {
        derivative(&PROBLEMS[1], w->first_rate, from, to);
    }
    return 0;
}

/* Column by column where `sparse` is false. */
KNOWN derivatives(const struct problem *q, const struct trajectory *w, int sparse, const double *restrict u,
                  double *restrict jacobian) {
    UNROLL for (int r = 0; r < q->reactions; r++) {
        const struct reaction *x = &q->reaction[r];
        double rate = r == 0 ? w->first_rate : q->rates[r];
        double by_a = rate * (x->b == ONE ? 1.0 : u[x->b]);
        double by_b = x->b == ONE ? 0.0 : rate * u[x->a];
        UNROLL for (int c = 0; c < x->count; c++) {
            int row = x->changes[c].of;
            double amount = x->changes[c].amount;
            jacobian[sparse ? w->position[row][x->a] : x->a * q->states + row] += amount * by_a;
            if (x->b != ONE) {
                jacobian[sparse ? w->position[row][x->b] : x->b * q->states + row] += amount * by_b;
            }
        }
    }
}

static int jacobian(double t, N_Vector u, N_Vector fu, SUNMatrix j, void *user, N_Vector a, N_Vector b,
                    N_Vector c) {
    const struct trajectory *w = user;
    const double *from = N_VGetArrayPointer(u);
    (void)t, (void)fu, (void)a, (void)b, (void)c;
    /* Clears the numbers and, of a sparse matrix, the indices. */
    SUNMatZero(j);
    if (SUNMatGetID(j) == SUNMATRIX_SPARSE) {
        int states = w->problem->states;
        memcpy(SUNSparseMatrix_IndexPointers(j), w->columns, (states + 1) * sizeof *w->columns);
        memcpy(SUNSparseMatrix_IndexValues(j), w->rows, w->columns[states] * sizeof *w->rows);
        double *to = SUNSparseMatrix_Data(j);
        if (w->problem == &PROBLEMS[0]) {
            derivatives(&PROBLEMS[0], w, 1, from, to);
        } else {
            derivatives(&PROBLEMS[1], w, 1, from, to);
        }
    } else {
        double *to = SUNDenseMatrix_Data(j);
        if (w->problem == &PROBLEMS[0]) {
            derivatives(&PROBLEMS[0], w, 0, from, to);
        } else {
            derivatives(&PROBLEMS[1], w, 0, from, to);
        }
    }
    return 0;
}

/* The pattern of the Jacobian and its diagonal, column by column. */
static void find_pattern(struct trajectory *w) {
    const struct problem *q = w->problem;
    int present[STATES][STATES] = {{0}};
    for (int i = 0; i < q->states; i++) present[i][i] = 1;
    for (int r = 0; r < q->reactions; r++) {
        const struct reaction *x = &q->reaction[r];
        for (int c = 0; c < x->count; c++) {
            present[x->changes[c].of][x->a] = 1;
            if (x->b != ONE) present[x->changes[c].of][x->b] = 1;
        }
    }
    int n = 0;
    for (int column = 0; column < q->states; column++) {
        w->columns[column] = n;
        for (int row = 0; row < q->states; row++) {
            if (present[row][column]) {
                w->position[row][column] = n;
                w->rows[n++] = row;
            }
        }
    }
    w->columns[q->states] = n;
}

/* All trajectories; their final states go to `ends`. Returns the time, and the steps by `steps`. */
static double solve(const struct problem *q, int klu, int threads, long trajectories, double reltol,
                    double *ends, long *steps) {
    long total = 0;
    double begin = omp_get_wtime();
#pragma omp parallel num_threads(threads) reduction(+ : total)
    {
        struct trajectory w = {.problem = q};
        find_pattern(&w);
        SUNContext context;
        check(SUNContext_Create(NULL, &context), "SUNContext_Create");
        N_Vector u = N_VNew_Serial(q->states, context);
        memcpy(N_VGetArrayPointer(u), q->u0, q->states * sizeof(double));
        SUNMatrix matrix = klu ? SUNSparseMatrix(q->states, q->states, w.columns[q->states], CSC_MAT, context)
                               : SUNDenseMatrix(q->states, q->states, context);
        SUNLinearSolver linear =
            klu ? SUNLinSol_KLU(u, matrix, context) : SUNLinSol_Dense(u, matrix, context);
        void *cvode = CVodeCreate(CV_BDF, context);
        check(CVodeInit(cvode, rhs, 0.0, u), "CVodeInit");
        check(CVodeSStolerances(cvode, reltol, 1e-4 * reltol), "CVodeSStolerances");
        check(CVodeSetUserData(cvode, &w), "CVodeSetUserData");
        check(CVodeSetLinearSolver(cvode, linear, matrix), "CVodeSetLinearSolver");
        check(CVodeSetJacFn(cvode, jacobian), "CVodeSetJacFn");
        check(CVodeSetMaxNumSteps(cvode, 1000000), "CVodeSetMaxNumSteps");
        check(CVodeSetStopTime(cvode, q->end), "CVodeSetStopTime");
#pragma omp for schedule(dynamic, 8)
        for (long i = 0; i < trajectories; i++) {
            w.first_rate = q->rates[0] * (1.0 + q->spread * (2.0 * i / (trajectories - 1) - 1.0));
            memcpy(N_VGetArrayPointer(u), q->u0, q->states * sizeof(double));
            check(CVodeReInit(cvode, 0.0, u), "CVodeReInit");
            check(CVodeSetStopTime(cvode, q->end), "CVodeSetStopTime");
            double t;
            check(CVode(cvode, q->end, u, &t, CV_NORMAL), "CVode");
            memcpy(ends + i * q->states, N_VGetArrayPointer(u), q->states * sizeof(double));
            long taken;
            CVodeGetNumSteps(cvode, &taken);
            total += taken;
        }
        CVodeFree(&cvode);
        SUNLinSolFree(linear);
        SUNMatDestroy(matrix);
        N_VDestroy(u);
        SUNContext_Free(&context);
    }
    *steps = total;
    return omp_get_wtime() - begin;
}

int main(int count, char **arguments) {
    if (count < 8) {
        fprintf(stderr, "cvode PROBLEM SOLVER THREADS TRAJECTORIES SAMPLES RUNS RELTOL...\n");
        return 2;
    }
    const struct problem *q = &PROBLEMS[strcmp(arguments[1], PROBLEMS[0].name) == 0 ? 0 : 1];
    int klu = strcmp(arguments[2], "klu") == 0;
    int threads = atoi(arguments[3]);
    long trajectories = atol(arguments[4]), samples = atol(arguments[5]);
    int runs = atoi(arguments[6]);
    double *ends = malloc(trajectories * q->states * sizeof(double));
    char version[32];
    SUNDIALSGetVersion(version, sizeof version);
    for (int k = 7; k < count; k++) {
        double reltol = atof(arguments[k]), best = 1e300;
        long steps = 0;
        for (int run = 0; run < runs; run++) {
            double seconds = solve(q, klu, threads, trajectories, reltol, ends, &steps);
            if (seconds < best) best = seconds;
        }
        printf("{\"problem\":\"%s\",\"code\":\"CVODE %s\",\"method\":\"BDF, %s\",\"threads\":%d,"
               "\"trajectories\":%ld,\"reltol\":%g,\"seconds\":%.9g,\"steps\":%.1f,\"ends\":[",
               q->name, version, klu ? "KLU" : "dense", threads, trajectories, reltol, best,
               (double)steps / trajectories);
        for (long s = 0; s < samples; s++) {
            const double *end = ends + s * (trajectories - 1) / (samples - 1) * q->states;
            printf("%s[", s == 0 ? "" : ",");
            for (int d = 0; d < q->states; d++) printf("%s%.17g", d == 0 ? "" : ",", end[d]);
            printf("]");
        }
        printf("]}\n");
        fflush(stdout);
    }
    free(ends);
    return 0;
}
