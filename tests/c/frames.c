/* Frames come back as they went in, in both dimensions and by every way in; tests say which of them intersect. */
#include "expect.h"

#include <math.h>

typedef struct entity {
    float colour[3];
    unsigned char kind;
    carom_frame body;
    double at[2];
    double edges[2][2];
    double velocity[2];
} entity;

/* A cuboid with edges along the axes. */
static carom_frame cube(double x, double y, double z, double edge) {
    carom_frame frame;
    memset(&frame, 0, sizeof frame);
    frame.kind = CAROM_CUBOID;
    frame.origin[0] = x, frame.origin[1] = y, frame.origin[2] = z;
    frame.components[0][0] = frame.components[1][1] = frame.components[2][2] = edge;
    return frame;
}

static int same_frame(const carom_frame *a, const carom_frame *b, size_t dim) {
    size_t i, axis;
    if (a->kind != b->kind) return 0;
    for (axis = 0; axis < dim; axis++) {
        if (a->origin[axis] != b->origin[axis] || a->velocity[axis] != b->velocity[axis]) return 0;
        for (i = 0; i < dim; i++)
            if (a->components[i][axis] != b->components[i][axis]) return 0;
    }
    return 1;
}

static void rows(size_t dim) {
    const double duration = 2.0;
    const size_t ends[2] = {2, 0};
    carom_frames *frames = NULL, *copy = NULL;
    carom_frame values[3], found, many[3];
    carom_byte_column kinds;
    size_t length = 0, index = 9, first = 9, found_dim = 0, bytes = 0;
    double found_duration = 0.0, inverse[9];
    carom_box bounds;
    values[0] = cube(1.0, 2.0, 3.0, 0.5), values[1] = cube(0.0, 0.0, 0.0, 4.0), values[2] = cube(5.0, 5.0, 5.0, 1.0);
    values[1].kind = CAROM_TETRAHEDRON;
    values[1].velocity[0] = -1.0;
    EXPECT_OK(carom_frames_create(dim, &duration, &frames));
    EXPECT_OK(carom_frames_reserve(frames, 100));
    EXPECT_OK(carom_frames_add(frames, &values[0], &index));
    EXPECT_OK(carom_frames_add_many(frames, &values[1], 2, sizeof values[0], &first));
    EXPECT_OK(carom_frames_add_many(frames, NULL, 0, 0, NULL));
    EXPECT(index == 0 && first == 1);
    EXPECT_OK(carom_frames_length(frames, &length));
    EXPECT_OK(carom_frames_dim(frames, &found_dim));
    EXPECT_OK(carom_frames_duration(frames, &found_duration));
    EXPECT_OK(carom_frames_memory_bytes(frames, &bytes));
    EXPECT(length == 3 && found_dim == dim && found_duration == 2.0 && bytes > 100 * dim * dim * sizeof(double));
    memset(&found, 0xff, sizeof found);
    EXPECT_OK(carom_frames_get(frames, 1, &found));
    EXPECT(same_frame(&found, &values[1], dim) && found.reserved == 0);
    EXPECT(dim == 3 || (found.origin[2] == 0.0 && found.components[2][2] == 0.0 && found.components[0][2] == 0.0));
    EXPECT_OK(carom_frames_kinds(frames, &kinds));
    EXPECT(kinds.length == 3 && kinds.data[1] == CAROM_TETRAHEDRON && kinds.data[2] == CAROM_CUBOID);

    EXPECT_OK(carom_frames_bounds(frames, 1, &bounds));
    EXPECT(bounds.min[0] == -2.0 && bounds.max[0] == 4.0 && bounds.min[1] == 0.0 && bounds.max[1] == 4.0);
    EXPECT(bounds.max[2] == (dim == 3 ? 4.0 : 0.0));
    EXPECT_OK(carom_frames_inverse(frames, 0, inverse, dim * dim));
    EXPECT(inverse[0] == 2.0 && inverse[1] == 0.0 && inverse[dim + 1] == 2.0);

    EXPECT_OK(carom_frames_clone(frames, &copy));
    EXPECT_OK(carom_frames_set(frames, 0, &values[2]));
    EXPECT_OK(carom_frames_write(frames, 1, 2, values, 0));
    EXPECT_OK(carom_frames_read(frames, 0, 3, many, 0));
    EXPECT(same_frame(&many[0], &values[2], dim) && same_frame(&many[1], &values[0], dim));
    EXPECT(same_frame(&many[2], &values[1], dim));
    EXPECT_OK(carom_frames_remove(frames, 0));
    EXPECT_OK(carom_frames_get(frames, 0, &found));
    EXPECT(same_frame(&found, &values[0], dim));
    EXPECT_OK(carom_frames_get(copy, 0, &found));
    EXPECT(same_frame(&found, &values[0], dim));
    EXPECT_OK(carom_frames_remove_many(copy, ends, 2));
    EXPECT_OK(carom_frames_remove_many(copy, NULL, 0));
    EXPECT_OK(carom_frames_length(copy, &length));
    EXPECT_OK(carom_frames_get(copy, 0, &found));
    EXPECT(length == 1 && same_frame(&found, &values[1], dim));
    EXPECT_OK(carom_frames_clear(frames));
    EXPECT_OK(carom_frames_length(frames, &length));
    EXPECT(length == 0);
    carom_frames_destroy(copy);
    carom_frames_destroy(frames);
}

/* The same frames from structures, from an array of structures of the caller, and from one array a number. */
static void batches(void) {
    const double x[2] = {0.0, 3.0}, y[2] = {0.0, 1.0}, one[2] = {1.0, 1.0}, none[2] = {0.0, 0.0};
    const double *origins[2], *components[4];
    const uint8_t kinds[2] = {CAROM_CUBOID, CAROM_TETRAHEDRON};
    entity entities[2];
    carom_frames *frames = NULL;
    carom_frame found[6];
    carom_frame_batch batch;
    size_t first = 9, i;
    memset(entities, 0, sizeof entities);
    for (i = 0; i < 2; i++) {
        entities[i].kind = kinds[i];
        entities[i].at[0] = x[i], entities[i].at[1] = y[i];
        entities[i].edges[0][0] = entities[i].edges[1][1] = 1.0;
        entities[i].body = cube(x[i], y[i], 0.0, 1.0);
        entities[i].body.kind = kinds[i];
    }
    EXPECT_OK(carom_frames_create(2, NULL, &frames));
    EXPECT_OK(carom_frames_add_many(frames, &entities->body, 2, sizeof(entity), NULL));

    EXPECT_OK(carom_frame_batch_init(&batch, sizeof batch));
    batch.count = 2;
    batch.origin.data = entities->at;
    batch.components.data = &entities->edges[0][0];
    batch.velocity.data = entities->velocity;
    batch.origin.stride = batch.components.stride = batch.velocity.stride = sizeof(entity);
    batch.kinds = &entities->kind;
    batch.kinds_stride = sizeof(entity);
    EXPECT_OK(carom_frames_add_batch(frames, &batch, &first));
    EXPECT(first == 2);

    origins[0] = x, origins[1] = y;
    components[0] = one, components[1] = none, components[2] = none, components[3] = one;
    EXPECT_OK(carom_frame_batch_init(&batch, sizeof batch));
    batch.count = 2;
    batch.kind = CAROM_TETRAHEDRON;
    batch.origin.columns = origins;
    batch.components.columns = components;
    EXPECT_OK(carom_frames_add_batch(frames, &batch, &first));
    EXPECT(first == 4);
    EXPECT_OK(carom_frames_read(frames, 0, 6, found, 0));
    EXPECT(same_frame(&found[0], &entities[0].body, 2) && same_frame(&found[1], &entities[1].body, 2));
    EXPECT(same_frame(&found[2], &found[0], 2) && same_frame(&found[3], &found[1], 2));
    EXPECT(found[4].kind == CAROM_TETRAHEDRON && same_frame(&found[5], &found[1], 2));
    carom_frames_destroy(frames);
}

static size_t count_hits(carom_intersections *found, const carom_frames *frames) {
    size_t hits = 99;
    EXPECT_OK(carom_intersections_find(found, NULL, frames));
    EXPECT_OK(carom_intersections_hits(found, &hits));
    return hits;
}

/* A pointer to a column is written through step by step; carom_frames_update() comes before every test. */
static void columns(void) {
    carom_frames *frames = NULL;
    carom_intersections *found = NULL;
    carom_frame values[2];
    carom_column_mut x;
    carom_column readable;
    size_t hits = 0;
    int step;
    values[0] = cube(0.0, 0.0, 0.0, 1.0), values[1] = cube(5.0, 0.25, 0.25, 1.0);
    EXPECT_OK(carom_frames_create(3, NULL, &frames));
    EXPECT_OK(carom_intersections_create(3, 0, &found));
    EXPECT_OK(carom_frames_add_many(frames, values, 2, 0, NULL));
    EXPECT(count_hits(found, frames) == 0);
    EXPECT_OK(carom_frames_column_mut(frames, CAROM_FRAME_ORIGIN, 0, 0, &x));
    EXPECT_OK(carom_frames_column(frames, CAROM_FRAME_ORIGIN, 0, 0, &readable));
    EXPECT(x.data == readable.data && x.length == 2 && x.capacity == readable.capacity && x.capacity >= 2);
    EXPECT((uintptr_t)x.data % CAROM_ALIGNMENT == 0 && x.data[1] == 5.0);
    EXPECT_STATUS(CAROM_STALE, carom_intersections_find(found, NULL, frames));
    for (step = 0; step < 5; step++) {
        x.data[1] -= 1.0;
        EXPECT_OK(carom_frames_update(frames, NULL));
        hits += count_hits(found, frames);
    }
    EXPECT(hits == 1);
    EXPECT_OK(carom_frames_column(frames, CAROM_FRAME_COMPONENT, 2, 2, &readable));
    EXPECT(readable.data[0] == 1.0);
    carom_intersections_destroy(found);
    carom_frames_destroy(frames);
}

/* Three squares: the second reaches the first after half a second and never the third, which the first only touches. */
static carom_frames *squares(void) {
    const double duration = 1.0;
    carom_frames *frames = NULL;
    carom_frame values[3];
    values[0] = cube(0.0, 0.0, 0.0, 1.0), values[1] = cube(-2.0, 0.0, 0.0, 1.0), values[2] = cube(1.0, 0.0, 0.0, 1.0);
    values[1].velocity[0] = 2.0;
    EXPECT_OK(carom_frames_create(2, &duration, &frames));
    EXPECT_OK(carom_frames_add_many(frames, values, 3, 0, NULL));
    return frames;
}

static int near(double a, double b) {
    return fabs(a - b) < 1e-12;
}

static void everything_about_one_hit(const carom_intersections *found) {
    carom_index_view list;
    carom_pair_view pairs;
    carom_interval_view times;
    carom_box_view boxes, local;
    carom_normal_view normals;
    EXPECT_OK(carom_intersections_list(found, &list));
    EXPECT_OK(carom_intersections_pairs(found, &pairs));
    EXPECT_OK(carom_intersections_times(found, &times));
    EXPECT_OK(carom_intersections_boxes(found, &boxes));
    EXPECT_OK(carom_intersections_local_boxes(found, &local));
    EXPECT_OK(carom_intersections_normals(found, &normals));
    EXPECT(normals.length == 1);
    if (normals.length != 1) return;
    /* Frame 1 arrives from the left. */
    EXPECT(normals.data[0] == -1.0 && normals.data[1] == 0.0 && normals.data[2] == 0.0);
    EXPECT(near(normals.data[3], 0.0) && near(normals.data[4], 0.5));
    EXPECT(list.length == 1 && pairs.length == 1 && times.length == 1 && boxes.length == 1 && local.length == 1);
    if (pairs.length != 1 || times.length != 1 || boxes.length != 1 || local.length != 1) return;
    EXPECT(pairs.data[0].first == 0 && pairs.data[0].second == 1);
    EXPECT(near(times.data[0].first, 0.5) && near(times.data[0].last, 1.0));
    EXPECT(near(boxes.data[0], 0.0) && near(boxes.data[1], 0.0) && near(boxes.data[2], 1.0) && near(boxes.data[3], 1.0));
    EXPECT(near(local.data[0], 0.0) && near(local.data[3], 1.0));
}

static void outcomes(void) {
    const carom_frame_pair pairs[3] = {{1, 2}, {0, 2}, {0, 1}};
    const carom_request all = CAROM_HIT_BITS | CAROM_HIT_LIST | CAROM_HIT_PAIRS | CAROM_HIT_TIMES | CAROM_HIT_BOXES |
                              CAROM_HIT_LOCAL_BOXES | CAROM_HIT_NORMALS;
    carom_frames *frames = squares();
    carom_intersections *found = NULL, *count = NULL;
    carom_context *context = NULL;
    carom_bit_view bits;
    carom_index_view list;
    carom_pair_view hit_pairs;
    carom_normal_view normals;
    size_t tested = 0, hits = 0, dim = 0;
    uint64_t redone = 99, bounds_redone = 99;
    EXPECT_OK(carom_context_create(2, &context));
    EXPECT_OK(carom_intersections_create(2, all, &found));
    EXPECT_OK(carom_intersections_dim(found, &dim));
    EXPECT_OK(carom_intersections_test_pairs(found, context, frames, frames, pairs, 3));
    EXPECT_OK(carom_intersections_tested(found, &tested));
    EXPECT_OK(carom_intersections_hits(found, &hits));
    EXPECT_OK(carom_intersections_redone(found, &redone));
    EXPECT_OK(carom_intersections_bounds_redone(found, &bounds_redone));
    EXPECT(dim == 2 && tested == 3 && hits == 1 && redone <= 3 && bounds_redone == 0);
    EXPECT_OK(carom_intersections_bits(found, &bits));
    EXPECT(bits.length == 1 && bits.data[0] == 4);
    EXPECT_OK(carom_intersections_list(found, &list));
    EXPECT(list.length == 1 && list.data[0] == 2);
    everything_about_one_hit(found);
    EXPECT_OK(carom_intersections_find(found, context, frames));
    everything_about_one_hit(found);

    EXPECT_OK(carom_intersections_test_one(found, NULL, frames, 1, frames));
    EXPECT_OK(carom_intersections_pairs(found, &hit_pairs));
    EXPECT(hit_pairs.length == 2 && hit_pairs.data[0].first == 1 && hit_pairs.data[0].second == 0);
    EXPECT_OK(carom_intersections_test_paired(found, NULL, frames, frames));
    EXPECT_OK(carom_intersections_pairs(found, &hit_pairs));
    EXPECT(hit_pairs.length == 3 && hit_pairs.data[2].first == 2 && hit_pairs.data[2].second == 2);
    EXPECT_OK(carom_intersections_find_between(found, context, frames, frames));
    EXPECT_OK(carom_intersections_pairs(found, &hit_pairs));
    EXPECT(hit_pairs.length == 5 && hit_pairs.data[1].first == 0 && hit_pairs.data[1].second == 1);
    EXPECT_OK(carom_intersections_test_pairs(found, NULL, frames, frames, NULL, 0));
    EXPECT_OK(carom_intersections_bits(found, &bits));
    EXPECT(bits.length == 0 && bits.data == NULL);

    /* What is not asked for is empty. */
    EXPECT_OK(carom_intersections_create(2, 0, &count));
    EXPECT_OK(carom_intersections_find(count, NULL, frames));
    EXPECT_OK(carom_intersections_hits(count, &hits));
    EXPECT_OK(carom_intersections_list(count, &list));
    EXPECT_OK(carom_intersections_normals(count, &normals));
    EXPECT(normals.length == 0 && normals.data == NULL);
    EXPECT_OK(carom_intersections_bits(count, &bits));
    EXPECT_OK(carom_intersections_pairs(count, &hit_pairs));
    EXPECT(hits == 1 && list.length == 0 && bits.length == 0 && hit_pairs.length == 0);
    carom_intersections_destroy(count);
    carom_intersections_destroy(found);
    carom_context_destroy(context);
    carom_frames_destroy(frames);
}

/* Small cubes that fly about in a box with an edge of 10 m. */
static carom_frames *swarm(size_t dim, size_t count, uint64_t seed) {
    const double duration = 0.5;
    carom_frames *frames = NULL;
    size_t i, axis;
    EXPECT_OK(carom_frames_create(dim, &duration, &frames));
    for (i = 0; i < count; i++) {
        carom_frame frame = cube(0.0, 0.0, 0.0, 0.5);
        frame.kind = i % 3 ? CAROM_CUBOID : CAROM_TETRAHEDRON;
        for (axis = 0; axis < dim; axis++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            frame.origin[axis] = 10.0 * (double)(seed >> 40) / 16777216.0;
            frame.velocity[axis] = (double)(seed >> 16 & 0xffff) / 16384.0 - 2.0;
        }
        EXPECT_OK(carom_frames_add(frames, &frame, NULL));
    }
    return frames;
}

static int comes_before(carom_frame_pair a, carom_frame_pair b) {
    return a.first < b.first || (a.first == b.first && a.second < b.second);
}

/* Candidates ascend; the pairs that intersect are some of them, in the same order. */
static void hold_all_hits(const carom_candidates *candidates, const carom_intersections *found) {
    carom_pair_view pairs, hits;
    size_t count = 0, tested = 0, k, next = 0;
    EXPECT_OK(carom_candidates_pairs(candidates, &pairs));
    EXPECT_OK(carom_candidates_count(candidates, &count));
    EXPECT_OK(carom_intersections_pairs(found, &hits));
    EXPECT_OK(carom_intersections_tested(found, &tested));
    EXPECT(count == pairs.length && tested == count && hits.length > 0 && hits.length < count);
    for (k = 0; k < pairs.length; k++) {
        EXPECT(k == 0 || comes_before(pairs.data[k - 1], pairs.data[k]));
        next += next < hits.length && memcmp(&hits.data[next], &pairs.data[k], sizeof *pairs.data) == 0;
    }
    EXPECT(next == hits.length);
}

static void candidates_hold_all_hits(size_t dim) {
    carom_frames *few = swarm(dim, 60, 1), *many = swarm(dim, 400, 2);
    carom_candidates *candidates = NULL;
    carom_intersections *found = NULL;
    carom_context *context = NULL;
    carom_pair_view pairs;
    size_t count = 9, k, hits = 0, again = 0;
    EXPECT_OK(carom_context_create(2, &context));
    EXPECT_OK(carom_candidates_create(&candidates));
    EXPECT_OK(carom_intersections_create(dim, CAROM_HIT_PAIRS, &found));
    EXPECT_OK(carom_candidates_count(candidates, &count));
    EXPECT_OK(carom_candidates_pairs(candidates, &pairs));
    EXPECT(count == 0 && pairs.length == 0 && pairs.data == NULL);

    EXPECT_OK(carom_candidates_find(candidates, context, many));
    EXPECT_OK(carom_intersections_find(found, NULL, many));
    hold_all_hits(candidates, found);
    EXPECT_OK(carom_candidates_pairs(candidates, &pairs));
    for (k = 0; k < pairs.length; k++) EXPECT(pairs.data[k].first < pairs.data[k].second);
    EXPECT_OK(carom_intersections_hits(found, &hits));
    EXPECT_OK(carom_intersections_test_pairs(found, NULL, many, many, pairs.data, pairs.length));
    EXPECT_OK(carom_intersections_hits(found, &again));
    EXPECT(again == hits);

    EXPECT_OK(carom_candidates_find_between(candidates, NULL, few, many));
    EXPECT_OK(carom_intersections_find_between(found, context, few, many));
    hold_all_hits(candidates, found);
    carom_intersections_destroy(found);
    carom_candidates_destroy(candidates);
    carom_context_destroy(context);
    carom_frames_destroy(many);
    carom_frames_destroy(few);
}

static void one_pair(void) {
    const double duration = 1.0, nothing = 0.0;
    carom_frame a = cube(0.0, 0.0, 0.0, 1.0), b = cube(0.5, 0.5, 0.5, 1.0);
    carom_overlap overlap;
    int32_t hit = 7;
    EXPECT_OK(carom_frame_intersects(3, &a, &b, NULL, &hit, &overlap));
    EXPECT(hit == 1 && overlap.times.first == 0.0 && overlap.times.last == 0.0);
    EXPECT(near(overlap.world.min[2], 0.5) && near(overlap.world.max[2], 1.0) && near(overlap.local.max[0], 0.5));
    b = cube(1.0, 0.0, 0.0, 1.0);
    EXPECT_OK(carom_frame_intersects(3, &a, &b, &nothing, &hit, &overlap));
    EXPECT(hit == 0 && near(overlap.world.max[2], 1.0));
    b.velocity[0] = -0.25;
    EXPECT_OK(carom_frame_intersects(2, &a, &b, &duration, &hit, &overlap));
    EXPECT(hit == 1 && near(overlap.times.last, 1.0) && near(overlap.world.min[0], 0.75));
    EXPECT(overlap.world.max[2] == 0.0 && overlap.local.max[2] == 0.0);
    EXPECT_OK(carom_frame_intersects(2, &a, &b, &duration, &hit, NULL));
    EXPECT(hit == 1);
}

static void one_contact(void) {
    const double duration = 1.0;
    carom_frame a = cube(0.0, 0.0, 0.0, 1.0), b = cube(0.25, 0.25, 0.75, 1.0);
    carom_frame_contact contact;
    int32_t hit = 7;
    EXPECT_OK(carom_frame_find_contact(3, &a, &b, NULL, &hit, &contact));
    EXPECT(hit == 1 && contact.depth == 0.25);
    EXPECT(contact.normal[0] == 0.0 && contact.normal[1] == 0.0 && contact.normal[2] == 1.0);
    EXPECT(near(contact.point[0], 0.625) && near(contact.point[1], 0.625) && near(contact.point[2], 0.875));
    EXPECT_OK(carom_frame_find_contact(3, &b, &a, NULL, &hit, &contact));
    EXPECT(hit == 1 && contact.depth == 0.25 && contact.normal[2] == -1.0);
    b = cube(2.0, 0.5, 0.0, 1.0);
    EXPECT_OK(carom_frame_find_contact(2, &a, &b, NULL, &hit, &contact));
    EXPECT(hit == 0 && contact.normal[2] == -1.0);
    b.velocity[0] = -2.0;
    EXPECT_OK(carom_frame_find_contact(2, &a, &b, &duration, &hit, &contact));
    EXPECT(hit == 1 && contact.depth == 0.0 && contact.normal[0] == 1.0 && contact.normal[2] == 0.0);
    EXPECT(near(contact.point[0], 1.0) && near(contact.point[1], 0.75) && contact.point[2] == 0.0);
}

/* The frame of a particle moves with it in a set that moves, and rests in one that rests. */
static void frames_of_particles(void) {
    const double position[2] = {10.0, 20.0}, velocity[2] = {1.0, 0.0}, axes[4] = {2.0, 0.0, 0.0, 4.0}, duration = 1.0;
    carom_particles *particles = NULL, *solid = NULL;
    carom_frames *resting = NULL, *moving = NULL;
    carom_particle_desc desc;
    carom_frame found;
    size_t index = 9, length = 9;
    EXPECT_OK(carom_particles_create(2, &particles));
    EXPECT_OK(carom_particles_create(3, &solid));
    EXPECT_OK(carom_particle_desc_init(&desc, sizeof desc));
    EXPECT_OK(carom_particles_add(particles, &desc, NULL));
    EXPECT_OK(carom_particles_add(solid, &desc, NULL));
    desc.kind = CAROM_FACOID;
    desc.position = position;
    desc.velocity = velocity;
    desc.axes = axes;
    EXPECT_OK(carom_particles_add(particles, &desc, NULL));
    EXPECT_OK(carom_frames_create(2, NULL, &resting));
    EXPECT_OK(carom_frames_create(2, &duration, &moving));
    EXPECT_OK(carom_frames_add_particle(resting, particles, 1, &index));
    EXPECT_OK(carom_frames_get(resting, 0, &found));
    EXPECT(index == 0 && found.kind == CAROM_CUBOID && found.velocity[0] == 0.0);
    EXPECT(found.origin[0] == 9.0 && found.origin[1] == 18.0 && found.components[1][1] == 4.0);
    EXPECT_OK(carom_frames_add_particle(moving, particles, 1, NULL));
    EXPECT_OK(carom_frames_get(moving, 0, &found));
    EXPECT(found.velocity[0] == 1.0);

    EXPECT_STATUS(CAROM_NO_FRAME, carom_frames_add_particle(moving, particles, 0, &index));
    EXPECT(detail_has("particle 0"));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_frames_add_particle(moving, particles, 2, &index));
    EXPECT_STATUS(CAROM_BAD_DIMENSION, carom_frames_add_particle(moving, solid, 0, &index));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_frames_add_particle(moving, NULL, 0, &index));
    EXPECT_OK(carom_frames_length(moving, &length));
    EXPECT(length == 1 && index == 0);
    carom_frames_destroy(moving);
    carom_frames_destroy(resting);
    carom_particles_destroy(solid);
    carom_particles_destroy(particles);
}

static void durations(void) {
    const double longer = 4.0, none = 0.0;
    carom_frames *frames = squares();
    carom_frame frame;
    carom_box bounds;
    double duration = 0.0;
    EXPECT_OK(carom_frames_set_duration(frames, &longer));
    EXPECT_OK(carom_frames_duration(frames, &duration));
    EXPECT_OK(carom_frames_bounds(frames, 1, &bounds));
    EXPECT(duration == 4.0 && bounds.max[0] == 7.0);
    EXPECT_STATUS(CAROM_RESTING, carom_frames_set_duration(frames, NULL));
    EXPECT(detail_has("velocity[1]"));
    frame = cube(0.0, 0.0, 0.0, 1.0);
    EXPECT_OK(carom_frames_set(frames, 1, &frame));
    EXPECT_OK(carom_frames_set_duration(frames, &none));
    EXPECT_OK(carom_frames_duration(frames, &duration));
    EXPECT(duration == 0.0);
    carom_frames_destroy(frames);
}

int main(void) {
    rows(2);
    rows(3);
    batches();
    columns();
    outcomes();
    candidates_hold_all_hits(2);
    candidates_hold_all_hits(3);
    one_pair();
    one_contact();
    durations();
    frames_of_particles();
    return report("frames");
}
