/* A batch of pairs: which of them intersect, when, and where. Squares and a triangle that move for one second. */
#include "example.h"

static const carom_frame FRAMES[4] = {
    /* kind, 0, origin, components, velocity; in 2D the third numbers are not read */
    {CAROM_CUBOID, 0, {0.0, 0.0, 0.0}, {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 0.0}}, {0.0, 0.0, 0.0}},
    {CAROM_CUBOID, 0, {2.0, 0.0, 0.0}, {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 0.0}}, {-2.0, 0.0, 0.0}},
    {CAROM_TETRAHEDRON, 0, {0.25, 0.25, 0.0}, {{0.5, 0.0, 0.0}, {0.0, 0.5, 0.0}, {0.0, 0.0, 0.0}}, {0.0, 0.0, 0.0}},
    {CAROM_CUBOID, 0, {1.0, 0.0, 0.0}, {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 0.0}}, {0.0, 0.0, 0.0}}};

/* Frames 0 and 3 only touch: they do not intersect. */
static const carom_frame_pair PAIRS[5] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}};

int main(void) {
    const double duration = 1.0;
    carom_frames *frames = NULL;
    carom_intersections *found = NULL;
    carom_index_view list;
    carom_interval_view times;
    carom_box_view boxes;
    size_t tested = 0, k;

    CHECK(carom_frames_create(2, &duration, &frames));
    CHECK(carom_frames_add_many(frames, FRAMES, 4, 0, NULL));

    /* One object for all tests to come: it keeps its memory. */
    CHECK(carom_intersections_create(2, CAROM_HIT_LIST | CAROM_HIT_TIMES | CAROM_HIT_BOXES, &found));
    CHECK(carom_intersections_test_pairs(found, NULL, frames, frames, PAIRS, 5));
    CHECK(carom_intersections_tested(found, &tested));
    CHECK(carom_intersections_list(found, &list));
    CHECK(carom_intersections_times(found, &times));
    CHECK(carom_intersections_boxes(found, &boxes));

    printf("%d of %d pairs intersect\n", (int)list.length, (int)tested);
    for (k = 0; k < list.length; k++) {
        const carom_frame_pair pair = PAIRS[list.data[k]];
        const double *box = &boxes.data[4 * k];
        printf("frames %d and %d: %.3f s to %.3f s, within (%.3f, %.3f) to (%.3f, %.3f)\n", (int)pair.first,
               (int)pair.second, times.data[k].first, times.data[k].last, box[0], box[1], box[2], box[3]);
    }
    carom_intersections_destroy(found);
    carom_frames_destroy(frames);
    return 0;
}
