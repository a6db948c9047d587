/*
 * A scene in one step of 1/60 s: a thousand crates, one of which falls on another, and a bullet that is so fast that it
 * jumps over crates from one picture to the next. It misses none: frames are tested over the whole step.
 */
#include "example.h"

#include <string.h>

#define CRATES 1000
#define FALLING CRATES
#define BULLET (CRATES + 1)
#define COUNT (CRATES + 2)

typedef struct entity {
    float colour[4]; /* carom reads around what it does not know */
    carom_frame body;
} entity;

static const char *name_of(size_t index) {
    return index == BULLET ? "the bullet" : index == FALLING ? "the falling crate" : "crate";
}

static void place(entity *scene, carom_frame_kind kind, double x, double y, double z, double size) {
    size_t axis;
    memset(scene, 0, sizeof *scene);
    scene->body.kind = kind;
    scene->body.origin[0] = x, scene->body.origin[1] = y, scene->body.origin[2] = z;
    for (axis = 0; axis < 3; axis++) scene->body.components[axis][axis] = size;
}

/* Crates of one metre, with one metre between them. */
static void fill(entity *scene) {
    size_t i;
    for (i = 0; i < CRATES; i++) {
        place(&scene[i], CAROM_CUBOID, 2.0 * (double)(i % 40), 0.0, 2.0 * (double)(i / 40), 1.0);
    }
    place(&scene[FALLING], CAROM_CUBOID, 20.5, 1.0625, 0.25, 1.0);
    scene[FALLING].body.velocity[1] = -8.0;
    place(&scene[BULLET], CAROM_TETRAHEDRON, -1.0, 0.5, 0.5, 0.125);
    scene[BULLET].body.velocity[0] = 400.0;
}

int main(void) {
    static entity scene[COUNT];
    const double step = 1.0 / 60.0;
    carom_context *context = NULL;
    carom_frames *frames = NULL;
    carom_intersections *found = NULL;
    carom_pair_view pairs;
    carom_interval_view times;
    size_t tested = 0, k;

    fill(scene);
    CHECK(carom_context_create(0, &context));
    CHECK(carom_frames_create(3, &step, &frames));
    CHECK(carom_frames_add_many(frames, &scene->body, COUNT, sizeof *scene, NULL));
    CHECK(carom_intersections_create(3, CAROM_HIT_PAIRS | CAROM_HIT_TIMES, &found));

    /* In a game this is what happens every step, after carom_frames_write(). */
    CHECK(carom_intersections_find(found, context, frames));
    CHECK(carom_intersections_tested(found, &tested));
    CHECK(carom_intersections_pairs(found, &pairs));
    CHECK(carom_intersections_times(found, &times));

    fprintf(stderr, "%d frames, %d pairs looked at closely\n", COUNT, (int)tested);
    for (k = 0; k < pairs.length; k++) {
        printf("after %.4f ms: %s hits crate %d\n", 1000.0 * times.data[k].first, name_of(pairs.data[k].second),
               (int)pairs.data[k].first);
    }
    carom_intersections_destroy(found);
    carom_frames_destroy(frames);
    carom_context_destroy(context);
    return 0;
}
