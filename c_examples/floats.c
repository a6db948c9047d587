/*
 * An engine with floats: bodies that are matrices, contacts that are structures of its own. Layouts say where the numbers are, and
 * nothing is converted by hand. A box of floats contains the exact one: it is rounded outward.
 */
#include "example.h"

#include <stddef.h>
#include <string.h>

#define COUNT 1000
#define MOST 64

typedef struct body {
    float matrix[16]; /* one column after the other: three edges, then the corner they start from */
    float velocity[3];
    uint32_t colour; /* carom reads around what it does not know */
} body;

typedef struct contact {
    carom_frame_pair pair;
    float times[2];
    float bounds[6];
} contact;

static carom_frame_layout layout_of_bodies(void) {
    carom_frame_layout layout;
    CHECK(carom_frame_layout_init(&layout, sizeof layout));
    layout.numbers = CAROM_FLOAT;
    layout.stride = sizeof(body);
    layout.components = offsetof(body, matrix);
    layout.component_stride = 4 * sizeof(float);
    layout.origin = offsetof(body, matrix) + 12 * sizeof(float);
    layout.velocity = offsetof(body, velocity);
    return layout;
}

static carom_hit_layout layout_of_contacts(void) {
    carom_hit_layout layout;
    CHECK(carom_hit_layout_init(&layout, sizeof layout));
    layout.numbers = CAROM_FLOAT;
    layout.stride = sizeof(contact);
    layout.pair = offsetof(contact, pair);
    layout.times = offsetof(contact, times);
    layout.bounds = offsetof(contact, bounds);
    return layout;
}

/* Crates of one metre, two metres apart; the last one flies along the first row. */
static void fill(body *bodies) {
    size_t i, axis;
    memset(bodies, 0, COUNT * sizeof *bodies);
    for (i = 0; i < COUNT; i++) {
        for (axis = 0; axis < 3; axis++) bodies[i].matrix[5 * axis] = 1.0f;
        bodies[i].matrix[12] = 2.0f * (float)(i % 40);
        bodies[i].matrix[14] = 2.0f * (float)(i / 40);
        bodies[i].matrix[15] = 1.0f;
    }
    bodies[COUNT - 1].matrix[12] = -2.1f, bodies[COUNT - 1].matrix[13] = 0.7f, bodies[COUNT - 1].matrix[14] = 0.0f;
    bodies[COUNT - 1].velocity[0] = 300.0f;
}

int main(void) {
    static body bodies[COUNT];
    static contact contacts[MOST];
    const carom_frame_layout layout = layout_of_bodies();
    const carom_hit_layout hits = layout_of_contacts();
    const double step = 1.0 / 60.0;
    carom_frames *frames = NULL;
    carom_intersections *found = NULL;
    size_t count = 0, k;

    fill(bodies);
    CHECK(carom_frames_create(3, &step, &frames));
    CHECK(carom_frames_add_structs(frames, &layout, bodies, COUNT, NULL));
    CHECK(carom_intersections_create(3, CAROM_HIT_PAIRS | CAROM_HIT_TIMES | CAROM_HIT_BOXES, &found));

    /* In a game this is what happens every step, after carom_frames_write_structs(). */
    CHECK(carom_intersections_find(found, NULL, frames));
    CHECK(carom_intersections_hits(found, &count));
    if (count > MOST) count = MOST;
    CHECK(carom_intersections_read_structs(found, &hits, 0, count, contacts));
    for (k = 0; k < count; k++) {
        printf("crate %u is hit after %.4f ms, between y = %.3f m and %.3f m\n", (unsigned)contacts[k].pair.first,
               1000.0 * (double)contacts[k].times[0], (double)contacts[k].bounds[1], (double)contacts[k].bounds[4]);
    }

    /* Crate 0 is gone: the last one, which flies, takes its place. */
    CHECK(carom_frames_swap_remove(frames, 0));
    CHECK(carom_frames_read_structs(frames, &layout, 0, 1, bodies));
    printf("body 0 now flies at %.0f m/s\n", (double)bodies[0].velocity[0]);

    carom_intersections_destroy(found);
    carom_frames_destroy(frames);
    return 0;
}
