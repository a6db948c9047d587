/*
 * One call of a function of rigid bodies at a time, each with everything valid but for one argument. tests/c_abi/sweep.rs writes
 * the calls from the header; this runs them in a fresh space and prints what each of them gives.
 */
#ifndef SWEEP_H
#define SWEEP_H

#include "limits.h"
#include "rigid.h"

#include <stdlib.h>

/* Where a call is made: between steps, in a callback for a contact, there with the handle that is being stepped, or after a step. */
enum { BETWEEN, IN_CONTACT, BUSY_HANDLE, AFTER_STEP };

/* Valid arguments. */
static struct inputs {
    scene s;
    carom_space *space;
    carom_arbiter *arbiter;
    carom_spaces *spaces;
    carom_space_snapshot *snapshot;
    carom_body own, dead_body, no_body;
    carom_shape brick, dead_shape, no_shape, of_ball;
    carom_space_options space_options;
    carom_body_options body_options;
    carom_shape_options shape_options;
    carom_handler handler;
    carom_geometry geometry, polygon;
    carom_affine affine;
    carom_filter filter;
    carom_contact_set set;
    carom_vec2 points[3], previous, next;
    carom_point_query point_queries[2];
    carom_segment_query segment_queries[2];
    carom_box_query box_queries[2];
    carom_shape_query shape_queries[2];
    const carom_space *prototypes[1];
    double values[16];
    size_t rows, indices[2];
    uint32_t which[3];
    uint64_t seed;
    const char *file, *copy, *toml;
    FILE *stream;
} in;

/* Where outputs go, filled with a pattern before every call. */
#define OUTPUTS 5
#define OUTPUT_BYTES 32768
static double out[OUTPUTS][OUTPUT_BYTES / sizeof(double)];

/* A saved space, for what reads one. */
static unsigned char saved[OUTPUT_BYTES];
static size_t saved_size;

typedef struct test_case {
    const char *function, *argument, *value;
    int place;
    carom_status (*call)(void);
} test_case;

static int32_t agree(carom_arbiter *arbiter, carom_space *space, void *user) {
    (void)arbiter, (void)space, (void)user;
    return 1;
}

static void after_step(carom_space *space, uint64_t key, void *user) { (void)space, (void)key, (void)user; }

static void velocity_update(carom_velocity_update *update, void *user) { (void)update, (void)user; }

static void position_update(carom_position_update *update, void *user) { (void)update, (void)user; }

static carom_filter everything(void) {
    carom_filter filter;
    filter.group = filter.reserved = 0;
    filter.categories = filter.mask = UINT64_MAX;
    return filter;
}

static void set_options(void) {
    EXPECT_OK(carom_space_options_init(&in.space_options, sizeof in.space_options));
    EXPECT_OK(carom_body_options_init(&in.body_options, sizeof in.body_options));
    EXPECT_OK(carom_shape_options_init(&in.shape_options, sizeof in.shape_options));
    EXPECT_OK(carom_handler_init(&in.handler, sizeof in.handler));
    EXPECT_OK(carom_geometry_init(&in.geometry, sizeof in.geometry));
    in.handler.begin = agree;
    in.geometry.kind = CAROM_SEGMENT;
    in.geometry.radius = 0.5;
    in.geometry.b = vec2(0.5, 0.0);
    in.polygon = in.geometry;
    in.polygon.kind = CAROM_POLYGON;
    in.polygon.points = in.points;
    in.polygon.count = 3;
    in.affine.x_axis = vec2(1.0, 0.0);
    in.affine.y_axis = vec2(0.0, 1.0);
    in.affine.translation = vec2(0.5, 0.0);
    in.polygon.transform = &in.affine;
    in.filter = everything();
    in.points[0] = vec2(0.0, 0.0), in.points[1] = vec2(1.0, 0.0), in.points[2] = vec2(0.0, 1.0);
    in.previous = vec2(-10.0, 0.0), in.next = vec2(10.0, 0.0);
}

static void set_queries(void) {
    size_t i;
    for (i = 0; i < 2; i++) {
        in.point_queries[i].point = vec2(0.0, 0.5);
        in.point_queries[i].distance = 1.0;
        in.segment_queries[i].start = vec2(0.0, 3.0);
        in.segment_queries[i].end = vec2(0.0, -3.0);
        in.segment_queries[i].radius = 0.1;
        in.box_queries[i].bounds.min = vec2(-1.0, -1.0);
        in.box_queries[i].bounds.max = vec2(1.0, 1.0);
        in.shape_queries[i].geometry = &in.geometry;
        in.shape_queries[i].position = vec2(0.0, 0.5);
        in.shape_queries[i].angle = 0.0;
        in.point_queries[i].filter = in.segment_queries[i].filter = in.box_queries[i].filter = in.filter;
        in.shape_queries[i].filter = in.filter;
    }
}

static void set_up(const char *file, const char *copy) {
    carom_column column;
    carom_shape_options massless = material(0.0);
    carom_body gone, block;
    memset(&in, 0, sizeof in);
    set_options();
    set_queries();
    in.s = make_scene();
    /* The floor is on another body than the own static one, which can be replaced then. */
    in.own = in.s.ground;
    EXPECT_OK(carom_shape_remove(in.s.space, in.s.floor));
    in.s.ground = add_body(in.s.space, CAROM_BODY_STATIC, 0.0, 0.0);
    massless.collision_type = 1;
    EXPECT_OK(carom_shape_add_segment(in.s.space, in.s.ground, vec2(-9.0, 0.0), vec2(9.0, 0.0), 0.0, &massless, &in.s.floor));
    block = add_body(in.s.space, CAROM_BODY_DYNAMIC, 5.0, 3.0);
    massless.mass = 1.0;
    EXPECT_OK(carom_shape_add_box(in.s.space, block, 1.0, 1.0, 0.0, &massless, &in.brick));
    gone = add_body(in.s.space, CAROM_BODY_DYNAMIC, 9.0, 9.0);
    in.dead_shape = add_circle(in.s.space, gone, 3);
    EXPECT_OK(carom_body_remove(in.s.space, gone));
    in.dead_body = gone;
    in.no_body.index = in.no_shape.index = UINT32_MAX;
    in.of_ball = in.s.round;
    EXPECT_OK(carom_space_column(in.s.space, CAROM_BODY_X, &column));
    in.rows = column.length;
    EXPECT_OK(carom_spaces_create(in.s.space, 3, NULL, &in.spaces));
    EXPECT_OK(carom_spaces_snapshot(in.spaces, 0, &in.snapshot));
    EXPECT_OK(carom_space_to_memory(in.s.space, CAROM_FORMAT_SNAPSHOT, saved, sizeof saved, &saved_size));
    in.indices[1] = 2;
    in.space = in.s.space;
    in.prototypes[0] = in.space;
    in.file = file, in.copy = copy;
    in.toml = "[space]\ngravity = [0, -10]\n[[body]]\nposition = [0, 1]\ncircle = 0.5\ndensity = 1\n";
    in.stream = tmpfile();
    EXPECT(in.stream != NULL && fwrite(saved, 1, saved_size, in.stream) == saved_size);
    rewind(in.stream);
    memset(out, 0xA5, sizeof out);
}

static void tear_down(void) {
    fclose(in.stream);
    carom_space_snapshot_destroy(in.snapshot);
    carom_spaces_destroy(in.spaces);
    carom_space_destroy(in.s.space);
}

/* Whether the outputs still have the pattern. */
static int is_untouched(void) {
    const unsigned char *byte = (const unsigned char *)out;
    size_t i;
    for (i = 0; i < sizeof out; i++) {
        if (byte[i] != 0xA5) return 0;
    }
    return 1;
}

/* Something of everything that a call might have changed. */
static uint64_t state(void) {
    uint64_t batch = 0;
    size_t bodies = 0, shapes = 0;
    EXPECT_OK(carom_space_body_count(in.s.space, &bodies));
    EXPECT_OK(carom_space_shape_count(in.s.space, &shapes));
    EXPECT_OK(carom_spaces_batch_hash(in.spaces, &batch));
    return hash(in.s.space) ^ (batch * 3) ^ ((uint64_t)bodies << 8) ^ shapes;
}

static const test_case *current;
static carom_status given;
static int called;

/* Address space and heap that a call has; all if there is no limit. */
static struct {
    int is_set;
    size_t room, left;
} most;

/* Makes the current call, with no more memory than it may have. */
static carom_status make_call(void) {
    carom_status status;
    /* Other processes may have read some of the file. */
    rewind(in.stream);
    if (!most.is_set) return current->call();
    grow_stack();
    set_limit((rlim_t)(address_space() + most.room));
    if (most.room == 0) exhaust(most.left);
    status = current->call();
    set_limit(RLIM_INFINITY);
    give_back();
    return status;
}

static int32_t call_in_contact(carom_arbiter *arbiter, carom_space *space, void *user) {
    (void)user;
    if (called++) return 1;
    in.arbiter = arbiter;
    EXPECT_OK(carom_arbiter_get_contact_set(arbiter, &in.set));
    if (current->place == IN_CONTACT) {
        in.space = space;
        in.prototypes[0] = space;
    }
    memset(out, 0xA5, sizeof out);
    given = make_call();
    return 1;
}

static void call_after_step(carom_space *space, uint64_t key, void *user) {
    (void)key, (void)user;
    called++;
    in.space = space;
    in.prototypes[0] = space;
    given = make_call();
}

static void call_in_step(void) {
    carom_handler handler;
    called = 0;
    if (current->place == AFTER_STEP) {
        EXPECT_OK(carom_space_post_step(in.s.space, 1, call_after_step, NULL, NULL));
    } else {
        EXPECT_OK(carom_handler_init(&handler, sizeof handler));
        handler.pre_solve = call_in_contact;
        EXPECT_OK(carom_space_set_handler(in.s.space, 1, 2, &handler));
    }
    EXPECT_OK(carom_space_step(in.s.space, 1.0 / 60.0));
    EXPECT(called > 0);
}

static int run_cases(const test_case *cases, size_t count, const char *file, const char *copy) {
    size_t i;
    for (i = 0; i < count; i++) {
        uint64_t before;
        int is_same = 1;
        current = &cases[i];
        set_up(file, copy);
        before = state();
        if (current->place == BETWEEN) {
            given = current->call();
            is_same = state() == before;
        } else {
            call_in_step();
        }
        printf("%s|%s|%s|%d|%d|%d|%d\n", current->function, current->argument, current->value, current->place, given, is_same,
               is_untouched());
        tear_down();
    }
    return failures == 0 ? 0 : 1;
}

/* Makes the current call in a process of its own, which ends with the status that it gives without a limit, or with how it fails. */
static int outcome_with(size_t room, size_t left, int is_limited, carom_status expected) {
    const pid_t child = fork();
    uint64_t before;
    if (child != 0) return outcome_of(child);
    most.is_set = is_limited, most.room = room, most.left = left;
    before = state();
    if (current->place == BETWEEN) given = make_call();
    else call_in_step();
    if (!is_limited) _exit(given);
    if (given == expected) _exit(SUCCEEDS);
    if (given != CAROM_OUT_OF_MEMORY) _exit(OTHER_STATUS);
    if (current->place == BETWEEN && state() != before) _exit(CHANGED);
    if (current->place != BETWEEN) _exit(LACKS_MEMORY);
    most.is_set = 0;
    _exit(make_call() == expected ? LACKS_MEMORY : UNUSABLE);
}

/* Makes all valid calls with next to no memory, and prints how often each succeeds and lacks memory. */
static int run_without_memory(const test_case *cases, size_t count, const char *file, const char *copy) {
    static const size_t ROOMS[] = {4096, 65536, 524288, 5 * MIB, 64 * MIB};
    size_t i, k;
    for (i = 0; i < count; i++) {
        int seen[2] = {0, 0}, expected;
        if (strcmp(cases[i].value, "valid") != 0) continue;
        current = &cases[i];
        set_up(file, copy);
        expected = outcome_with(0, 0, 0, 0);
        for (k = 0; k < 7 + sizeof ROOMS / sizeof *ROOMS; k++) {
            const size_t left = k == 0 || k > 6 ? 0 : (size_t)8 << (2 * k), room = k < 7 ? 0 : ROOMS[k - 7];
            const int outcome = outcome_with(room, left, 1, expected);
            if (outcome == SUCCEEDS || outcome == LACKS_MEMORY) {
                seen[outcome]++;
                continue;
            }
            fprintf(stderr, "%s at %d with %zu and %zu bytes ends with %d\n", current->function, current->place, room, left, outcome);
            failures++;
        }
        printf("%s|%d|%d|%d\n", current->function, current->place, seen[SUCCEEDS], seen[LACKS_MEMORY]);
        fflush(stdout);
        tear_down();
    }
    return failures == 0 ? 0 : 1;
}

#endif
