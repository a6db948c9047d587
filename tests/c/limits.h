/*
 * Calls without enough memory, each in a process of its own: under limits of address space, and with a heap of which nothing, or
 * next to nothing, is left.
 */
#ifndef LIMITS_H
#define LIMITS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "expect.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* How a process ends. */
enum { SUCCEEDS = 0, LACKS_MEMORY = 1, OTHER_STATUS = 2, CHANGED = 3, UNUSABLE = 4, UNPREPARED = 5 };

#define MIB ((size_t)1 << 20)

typedef struct entry {
    const char *name;
    void (*prepare)(void);
    carom_status (*call)(void);
    /* What the call must not change if it fails; NULL if it consists of several calls. */
    uint64_t (*hash)(void);
    /* Address space with which it succeeds. */
    size_t enough;
} entry;

static inline void must(carom_status status) {
    if (status == CAROM_OK) return;
    fprintf(stderr, "a test cannot be prepared: %s\n", carom_status_string(status));
    exit(UNPREPARED);
}

static inline void *claim(size_t wanted) {
    void *memory = malloc(wanted);
    if (memory == NULL) exit(UNPREPARED);
    return memory;
}

static inline uint64_t mixed(uint64_t hash, const void *data, size_t length) {
    const unsigned char *byte = (const unsigned char *)data;
    size_t i;
    for (i = 0; i < length; i++) hash = (hash ^ byte[i]) * UINT64_C(1099511628211);
    return hash;
}

static inline size_t address_space(void) {
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%lu", &pages) != 1) exit(UNPREPARED);
    fclose(file);
    return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Makes the stack as large as any call needs it: it could not grow under a limit. */
static inline void grow_stack(void) {
    volatile char room[1 << 20];
    size_t i;
    for (i = 0; i < sizeof room; i += 1024) room[i] = 0;
}

static inline void set_limit(rlim_t most) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0) exit(UNPREPARED);
    limit.rlim_cur = most;
    if (setrlimit(RLIMIT_AS, &limit) != 0) exit(UNPREPARED);
}

/* What exhaust() has taken from the heap. */
typedef struct block {
    struct block *next;
} block;

static block *taken = NULL;

/* Takes all of the heap but one piece of this size. */
static inline void exhaust(size_t left) {
    void *rest = left > 0 ? malloc(left) : NULL;
    size_t size;
    for (size = MIB; size >= sizeof(block); size /= 2) {
        block *one;
        while ((one = (block *)malloc(size)) != NULL) one->next = taken, taken = one;
    }
    free(rest);
}

static inline void give_back(void) {
    while (taken != NULL) {
        block *next = taken->next;
        free(taken);
        taken = next;
    }
}

/* Rises geometrically from one page to what is enough. */
static inline size_t headroom(size_t enough, int number, int limits) {
    double room = 4096.0, factor = 1.0, ratio = (double)enough / 4096.0;
    int k;
    /* The root of order `limits - 1`, by bisection, needs no library for mathematics. */
    double low = 1.0, high = ratio;
    for (k = 0; k < 200; k++) {
        double power = 1.0;
        int j;
        factor = 0.5 * (low + high);
        for (j = 0; j < limits - 1; j++) power *= factor;
        if (power < ratio) low = factor;
        else high = factor;
    }
    for (k = 0; k < number; k++) room *= factor;
    return number == limits - 1 ? enough : (size_t)room;
}

/* Calls an entry with so much more address space, in a process that ends with the outcome. Without more, the heap is taken but
   for `left` bytes. */
static inline void try_under(const entry *one, size_t room, size_t left) {
    const uint64_t before = one->hash == NULL ? 0 : one->hash();
    carom_status status;
    grow_stack();
    set_limit((rlim_t)(address_space() + room));
    if (room == 0) exhaust(left);
    status = one->call();
    set_limit(RLIM_INFINITY);
    give_back();
    if (status == CAROM_OK) _exit(SUCCEEDS);
    if (status != CAROM_OUT_OF_MEMORY) {
        fprintf(stderr, "%s under %zu bytes, %zu left: %s\n", one->name, room, left, carom_status_string(status));
        _exit(OTHER_STATUS);
    }
    if (one->hash != NULL && one->hash() != before) _exit(CHANGED);
    status = one->call();
    if (status != CAROM_OK) fprintf(stderr, "%s after %zu bytes: %s\n", one->name, room, carom_status_string(status));
    _exit(status == CAROM_OK ? LACKS_MEMORY : UNUSABLE);
}

/* Waits for a process, and returns how it ended; -1 for a signal. */
static inline int outcome_of(pid_t child) {
    int end = 0;
    if (child < 0 || waitpid(child, &end, 0) != child) exit(UNPREPARED);
    return WIFEXITED(end) ? WEXITSTATUS(end) : -1;
}

/* Counts the outcomes of one call in a process of its own. */
static inline void count(const entry *one, size_t room, size_t left, int seen[2]) {
    const pid_t child = fork();
    int outcome;
    if (child == 0) try_under(one, room, left);
    outcome = outcome_of(child);
    calls++;
    if (outcome == SUCCEEDS || outcome == LACKS_MEMORY) {
        seen[outcome]++;
    } else {
        fprintf(stderr, "%s under %zu bytes, %zu left, ends with %d\n", one->name, room, left, outcome);
        failures++;
    }
}

/* Walks an entry up from nothing, and counts how often it succeeds and lacks memory. */
static inline void walk_counting(const entry *one, int limits, int seen[2]) {
    size_t left;
    int number;
    one->prepare();
    count(one, 0, 0, seen);
    for (left = 32; left <= 65536; left *= 4) count(one, 0, left, seen);
    for (number = 0; number < limits; number++) count(one, headroom(one->enough, number, limits), 0, seen);
}

/* Limits of address space under which entries that allocate much are called. */
enum { LIMITS = 60 };

static inline void walk(const entry *one) {
    int seen[2] = {0, 0};
    walk_counting(one, LIMITS, seen);
    if (seen[SUCCEEDS] == 0 || seen[LACKS_MEMORY] == 0) {
        fprintf(stderr, "%s: %d succeed, %d lack memory\n", one->name, seen[SUCCEEDS], seen[LACKS_MEMORY]);
        failures++;
    }
}

/* Walks the entries whose names contain a text, each in a process of its own, so that none begins with the memory of another. */
static inline void walk_all(const entry *entries, size_t length, const char *text) {
    size_t i;
    for (i = 0; i < length; i++) {
        pid_t child;
        if (strstr(entries[i].name, text) == NULL) continue;
        child = fork();
        if (child == 0) {
            walk(&entries[i]);
            _exit(failures == 0 ? 0 : 1);
        }
        if (outcome_of(child) != 0) failures++;
        calls += LIMITS;
    }
}

#endif
