/* Everything a caller can get wrong with frames gives a status, changes nothing and never crashes. */
#include "expect.h"

#include <math.h>
#include <pthread.h>

#define THREADS 3
#define ROUNDS 50

static carom_frame cube(double x, double edge) {
    carom_frame frame;
    memset(&frame, 0, sizeof frame);
    frame.origin[0] = x;
    frame.components[0][0] = frame.components[1][1] = frame.components[2][2] = edge;
    return frame;
}

static carom_frames *three(size_t dim, const double *duration) {
    carom_frames *frames = NULL;
    carom_frame values[3];
    values[0] = cube(0.0, 1.0), values[1] = cube(0.5, 1.0), values[2] = cube(1.0, 1.0);
    EXPECT_OK(carom_frames_create(dim, duration, &frames));
    EXPECT_OK(carom_frames_add_many(frames, values, 3, 0, NULL));
    return frames;
}

static size_t length_of(const carom_frames *frames) {
    size_t length = 99;
    EXPECT_OK(carom_frames_length(frames, &length));
    return length;
}

static void null_pointers(carom_frames *frames, carom_intersections *found) {
    carom_frame frame = cube(0.0, 1.0);
    carom_frame_batch *no_batch = NULL;
    carom_column column = {NULL, 77, 77};
    carom_box bounds;
    carom_frame_contact contact;
    double values[9];
    size_t number = 42;
    int32_t hit = 7;
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_frames_create(2, NULL, NULL));
    EXPECT(detail_has("frames"));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_frames_add(frames, NULL, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_frames_add(NULL, &frame, &number));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_frames_add_many(frames, NULL, 2, 0, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_frames_add_batch(frames, NULL, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_frame_batch_init(no_batch, sizeof(carom_frame_batch)));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_frames_length(NULL, &number));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_frames_get(frames, 0, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_frames_set(frames, 0, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_frames_read(frames, 0, 1, NULL, 0));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_frames_write(frames, 0, 1, NULL, 0));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_frames_bounds(NULL, 0, &bounds));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_frames_inverse(frames, 0, NULL, 4));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_frames_inverse(NULL, 0, values, 4));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_frames_column(NULL, CAROM_FRAME_ORIGIN, 0, 0, &column));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_frames_update(NULL, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_intersections_create(2, 0, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_intersections_find(found, NULL, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_intersections_find(NULL, NULL, frames));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_intersections_test_paired(found, NULL, frames, NULL));
    EXPECT(detail_has("b"));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_intersections_test_pairs(found, NULL, frames, frames, NULL, 3));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_intersections_hits(found, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_intersections_bits(found, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_frame_intersects(2, &frame, NULL, NULL, &hit, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_frame_intersects(2, &frame, &frame, NULL, NULL, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_frame_find_contact(2, &frame, &frame, NULL, &hit, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_frame_find_contact(2, &frame, NULL, NULL, &hit, &contact));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_intersections_normals(found, NULL));
    EXPECT(column.length == 77 && number == 42 && hit == 7);
    carom_frames_destroy(NULL);
    carom_intersections_destroy(NULL);
}

static void wrong_dimensions(carom_intersections *found) {
    carom_frames *flat = three(2, NULL), *solid = three(3, NULL), *none = NULL;
    carom_intersections *nothing = NULL;
    carom_frame frame = cube(0.0, 1.0);
    carom_frame_contact contact;
    double values[9];
    int32_t hit = 7;
    EXPECT_STATUS(CAROM_BAD_DIMENSION, carom_frames_create(0, NULL, &none));
    EXPECT_STATUS(CAROM_BAD_DIMENSION, carom_frames_create(4, NULL, &none));
    EXPECT(detail_has("2 or 3"));
    EXPECT_STATUS(CAROM_BAD_DIMENSION, carom_intersections_create(1, 0, &nothing));
    EXPECT_STATUS(CAROM_BAD_DIMENSION, carom_intersections_find(found, NULL, solid));
    EXPECT(detail_has("the dimension is 3"));
    EXPECT_STATUS(CAROM_BAD_DIMENSION, carom_intersections_test_paired(found, NULL, flat, solid));
    EXPECT_STATUS(CAROM_BAD_DIMENSION, carom_intersections_find_between(found, NULL, solid, flat));
    EXPECT_STATUS(CAROM_BAD_DIMENSION, carom_frame_intersects(5, &frame, &frame, NULL, &hit, NULL));
    EXPECT_STATUS(CAROM_BAD_DIMENSION, carom_frame_find_contact(4, &frame, &frame, NULL, &hit, &contact));
    EXPECT_STATUS(CAROM_WRONG_LENGTH, carom_frames_inverse(solid, 0, values, 4));
    EXPECT_STATUS(CAROM_WRONG_LENGTH, carom_frames_inverse(flat, 0, values, 9));
    EXPECT(none == NULL && nothing == NULL && hit == 7);
    carom_frames_destroy(flat);
    carom_frames_destroy(solid);
}

/* One bad frame in the middle: it is named, and none of the others is added. */
static void bad_frames(carom_frames *frames) {
    const double never = -1.0, nan_duration = NAN, edges[2][4] = {{1.0, 0.0, 0.0, 1.0}, {1.0, 1.0, 2.0, 2.0}};
    const uint8_t kinds[2] = {CAROM_CUBOID, 2};
    carom_frame values[3], found;
    carom_frame_contact contact;
    carom_frame_batch batch;
    carom_frames *none = NULL;
    size_t first = 42;
    int32_t hit = 7;
    values[0] = values[1] = values[2] = cube(9.0, 1.0);
    values[1].components[1][0] = 1.0, values[1].components[1][1] = 0.0;
    EXPECT_STATUS(CAROM_DEGENERATE, carom_frames_add_many(frames, values, 3, 0, &first));
    EXPECT(detail_has("components[1]"));
    EXPECT_STATUS(CAROM_DEGENERATE, carom_frames_write(frames, 1, 2, values, 0));
    EXPECT(detail_has("components[2]"));
    values[1] = cube(9.0, 1.0);
    values[2].origin[1] = NAN;
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_frames_add_many(frames, values, 3, 0, &first));
    EXPECT(detail_has("origin[2] is NaN"));
    values[2] = cube(1e200, 1.0);
    EXPECT_STATUS(CAROM_OVERFLOW, carom_frames_add_many(frames, values, 3, 0, &first));
    EXPECT(detail_has("origin[2] would reach 1e200"));
    values[2] = cube(9.0, 1.0);
    values[2].velocity[0] = 1.0;
    EXPECT_STATUS(CAROM_RESTING, carom_frames_add_many(frames, values, 3, 0, &first));
    EXPECT(detail_has("velocity[2]"));
    EXPECT_STATUS(CAROM_RESTING, carom_frames_set(frames, 1, &values[2]));
    EXPECT_STATUS(CAROM_RESTING, carom_frame_intersects(2, &values[0], &values[2], NULL, &hit, NULL));
    EXPECT(detail_has("velocity[1]") && detail_has("give the duration"));
    EXPECT_STATUS(CAROM_RESTING, carom_frame_find_contact(2, &values[0], &values[2], NULL, &hit, &contact));
    values[2] = cube(9.0, 1.0);
    values[2].kind = 2;
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_frames_add_many(frames, values, 3, 0, &first));
    values[2].kind = 256;
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_frames_add(frames, &values[2], &first));
    values[2].kind = CAROM_CUBOID;
    values[2].reserved = 1;
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_frames_add(frames, &values[2], &first));

    EXPECT_OK(carom_frame_batch_init(&batch, sizeof batch));
    batch.count = 2;
    EXPECT_STATUS(CAROM_WRONG_LENGTH, carom_frames_add_batch(frames, &batch, &first));
    EXPECT(detail_has("components"));
    batch.components.data = &edges[0][0];
    EXPECT_STATUS(CAROM_DEGENERATE, carom_frames_add_batch(frames, &batch, &first));
    EXPECT(detail_has("components[1]"));
    batch.kinds = kinds;
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_frames_add_batch(frames, &batch, &first));
    batch.kinds = NULL;
    batch.count = SIZE_MAX / 2;
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_frames_add_batch(frames, &batch, &first));
    batch.struct_size = 12;
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_frames_add_batch(frames, &batch, &first));
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_frame_batch_init(&batch, 7));
    EXPECT_STATUS(CAROM_OUT_OF_MEMORY, carom_frames_reserve(frames, SIZE_MAX / 4));
    EXPECT_STATUS(CAROM_NEGATIVE, carom_frames_create(2, &never, &none));
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_frames_create(2, &nan_duration, &none));
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_frames_set_duration(frames, &nan_duration));

    EXPECT(length_of(frames) == 3 && first == 42 && none == NULL && hit == 7);
    EXPECT_OK(carom_frames_get(frames, 1, &found));
    EXPECT(found.origin[0] == 0.5 && found.velocity[0] == 0.0);
}

static void bad_indices(carom_frames *frames, carom_intersections *found) {
    const carom_frame_pair pairs[2] = {{0, 1}, {0, 3}}, huge = {UINT32_MAX, 0};
    const size_t bad_rows[3] = {9, 0, 0};
    carom_frame frame = cube(0.0, 1.0), many[2];
    carom_column column;
    carom_box bounds;
    carom_intersections *nothing = NULL;
    carom_frames *empty = NULL;
    many[0] = many[1] = frame;
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_intersections_test_pairs(found, NULL, frames, frames, pairs, 2));
    EXPECT(detail_has("frame index 3"));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_intersections_test_pairs(found, NULL, frames, frames, &huge, 1));
    EXPECT_STATUS(CAROM_OUT_OF_RANGE,
                  carom_intersections_test_pairs(found, NULL, frames, frames, pairs, (size_t)UINT32_MAX + 1));
    EXPECT(detail_has("at most 4294967295"));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_intersections_test_one(found, NULL, frames, 3, frames));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_intersections_test_one(found, NULL, frames, SIZE_MAX, frames));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_frames_get(frames, 3, &frame));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_frames_set(frames, 3, &frame));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_frames_remove(frames, SIZE_MAX));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_frames_remove_many(frames, bad_rows, 2));
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_frames_remove_many(frames, bad_rows + 1, 2));
    EXPECT(detail_has("listed only once"));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_frames_remove_many(frames, NULL, 1));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_frames_bounds(frames, 3, &bounds));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_frames_read(frames, 2, 2, many, 0));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_frames_read(frames, SIZE_MAX, 2, many, 0));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_frames_write(frames, 2, 2, many, 0));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_frames_column(frames, CAROM_FRAME_ORIGIN, 0, 2, &column));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_frames_column(frames, CAROM_FRAME_ORIGIN, 1, 0, &column));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_frames_column(frames, CAROM_FRAME_COMPONENT, 2, 0, &column));
    EXPECT_STATUS(CAROM_RESTING, carom_frames_column(frames, CAROM_FRAME_VELOCITY, 0, 0, &column));
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_frames_column(frames, 3, 0, 0, &column));
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_intersections_create(2, 256, &nothing));
    EXPECT_OK(carom_frames_create(2, NULL, &empty));
    EXPECT_STATUS(CAROM_WRONG_LENGTH, carom_intersections_test_paired(found, NULL, frames, empty));
    EXPECT_OK(carom_intersections_find_between(found, NULL, frames, empty));
    EXPECT_OK(carom_intersections_find(found, NULL, empty));
    EXPECT_OK(carom_frames_read(frames, 3, 0, NULL, 0));
    EXPECT(nothing == NULL && length_of(frames) == 3);
    carom_frames_destroy(empty);
}

static void durations_that_differ(carom_intersections *found) {
    const double one = 1.0, two = 2.0;
    carom_frames *shorter = three(2, &one), *longer = three(2, &two), *resting = three(2, NULL);
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_intersections_test_paired(found, NULL, shorter, longer));
    EXPECT(detail_has("duration is 2"));
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_intersections_find_between(found, NULL, shorter, longer));
    EXPECT_OK(carom_intersections_test_paired(found, NULL, resting, longer));
    EXPECT_OK(carom_intersections_find_between(found, NULL, shorter, resting));
    carom_frames_destroy(shorter);
    carom_frames_destroy(longer);
    carom_frames_destroy(resting);
}

static void misaligned(carom_frames *frames, carom_intersections *found) {
    union {
        carom_frame frames[2];
        carom_frame_pair pairs[2];
        double numbers[16];
        char bytes[1];
    } place;
    carom_frame *crooked = (carom_frame *)(void *)&place.bytes[1];
    double *crooked_number = (double *)(void *)&place.bytes[1];
    memset(&place, 0, sizeof place);
    place.frames[0] = place.frames[1] = cube(0.0, 1.0);
    EXPECT_STATUS(CAROM_MISALIGNED, carom_frames_add(frames, crooked, NULL));
    EXPECT_STATUS(CAROM_MISALIGNED, carom_frames_add_many(frames, crooked, 1, 0, NULL));
    EXPECT_STATUS(CAROM_MISALIGNED, carom_frames_add_many(frames, place.frames, 2, sizeof(carom_frame) + 1, NULL));
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_frames_add_many(frames, place.frames, 2, 8, NULL));
    EXPECT_STATUS(CAROM_MISALIGNED, carom_frames_get(frames, 0, crooked));
    EXPECT_STATUS(CAROM_MISALIGNED, carom_frames_inverse(frames, 0, crooked_number, 4));
    EXPECT_STATUS(CAROM_MISALIGNED, carom_frames_set_duration(frames, crooked_number));
    EXPECT_STATUS(CAROM_MISALIGNED, carom_intersections_test_pairs(found, NULL, frames, frames,
                                                                   (carom_frame_pair *)(void *)crooked, 1));
    EXPECT_STATUS(CAROM_MISALIGNED, carom_frames_clear((carom_frames *)(void *)crooked));
    EXPECT(length_of(frames) == 3);
}

/* What is written through a shared column is not believed before it is checked. */
static void poisoned_columns(carom_intersections *found) {
    const double one = 1.0;
    carom_frames *frames = three(2, &one);
    carom_column_mut velocity, edge;
    EXPECT_OK(carom_frames_column_mut(frames, CAROM_FRAME_VELOCITY, 0, 1, &velocity));
    EXPECT_OK(carom_frames_column_mut(frames, CAROM_FRAME_COMPONENT, 1, 1, &edge));
    velocity.data[1] = INFINITY;
    EXPECT_STATUS(CAROM_STALE, carom_intersections_find(found, NULL, frames));
    EXPECT_STATUS(CAROM_STALE, carom_intersections_test_paired(found, NULL, frames, frames));
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_frames_update(frames, NULL));
    EXPECT(detail_has("velocity[1] is inf"));
    EXPECT_STATUS(CAROM_STALE, carom_intersections_find(found, NULL, frames));
    velocity.data[1] = 1.0;
    EXPECT_OK(carom_frames_update(frames, NULL));
    EXPECT_OK(carom_intersections_find(found, NULL, frames));

    /* Whoever forgets the update gets an answer for old or new numbers, but no crash. */
    edge.data[0] = NAN, edge.data[2] = 0.0;
    EXPECT_OK(carom_intersections_find(found, NULL, frames));
    EXPECT_OK(carom_intersections_test_paired(found, NULL, frames, frames));
    edge.data[0] = 1.0;
    EXPECT_STATUS(CAROM_DEGENERATE, carom_frames_update(frames, NULL));
    EXPECT(detail_has("components[2]"));
    EXPECT_STATUS(CAROM_STALE, carom_intersections_find(found, NULL, frames));
    carom_frames_destroy(frames);
}

/* A search that fails leaves no pairs behind. */
static void candidates_of_nothing(const carom_frames *frames) {
    const double one = 1.0, two = 2.0;
    carom_frames *shorter = three(2, &one), *longer = three(2, &two), *solid = three(3, NULL), *stale = three(2, NULL);
    carom_candidates *candidates = NULL;
    carom_pair_view pairs = {NULL, 77};
    carom_column_mut edge;
    size_t count = 42;
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_candidates_create(NULL));
    EXPECT_OK(carom_candidates_create(&candidates));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_candidates_find(NULL, NULL, frames));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_candidates_count(candidates, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_candidates_count(NULL, &count));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_candidates_pairs(candidates, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_candidates_pairs(NULL, &pairs));
    EXPECT(count == 42 && pairs.length == 77);

    EXPECT_OK(carom_candidates_find(candidates, NULL, frames));
    EXPECT_OK(carom_candidates_count(candidates, &count));
    EXPECT(count == 3);
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_candidates_find(candidates, NULL, NULL));
    EXPECT(detail_has("frames"));
    EXPECT_OK(carom_candidates_pairs(candidates, &pairs));
    EXPECT(pairs.length == 0 && pairs.data == NULL);
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_candidates_find_between(candidates, NULL, frames, NULL));
    EXPECT(detail_has("b"));
    EXPECT_STATUS(CAROM_BAD_DIMENSION, carom_candidates_find_between(candidates, NULL, frames, solid));
    EXPECT(detail_has("the dimension is 3"));
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_candidates_find_between(candidates, NULL, shorter, longer));
    EXPECT(detail_has("duration is 2"));
    EXPECT_OK(carom_frames_column_mut(stale, CAROM_FRAME_COMPONENT, 0, 0, &edge));
    EXPECT_STATUS(CAROM_STALE, carom_candidates_find(candidates, NULL, stale));
    EXPECT_STATUS(CAROM_STALE, carom_candidates_find_between(candidates, NULL, frames, stale));
    EXPECT_OK(carom_candidates_find(candidates, NULL, solid));
    EXPECT_OK(carom_candidates_count(candidates, &count));
    EXPECT(count == 3);
    carom_candidates_destroy(candidates);
    carom_candidates_destroy(NULL);
    carom_frames_destroy(shorter);
    carom_frames_destroy(longer);
    carom_frames_destroy(solid);
    carom_frames_destroy(stale);
}

typedef struct job {
    const carom_frames *shared;
    const carom_context *context;
    int errors;
} job;

/* Threads that share a const set, each with an outcome of its own. */
static void *work(void *argument) {
    job *self = (job *)argument;
    carom_intersections *found = NULL;
    int round;
    self->errors += carom_intersections_create(2, CAROM_HIT_PAIRS, &found) != CAROM_OK;
    for (round = 0; round < ROUNDS; round++) {
        carom_pair_view pairs = {NULL, 0};
        self->errors += carom_intersections_find(found, round % 2 ? self->context : NULL, self->shared) != CAROM_OK;
        self->errors += carom_intersections_pairs(found, &pairs) != CAROM_OK || pairs.length != 2;
    }
    carom_intersections_destroy(found);
    return NULL;
}

static void const_sets_are_shared(const carom_frames *frames) {
    carom_context *context = NULL;
    pthread_t threads[THREADS];
    job jobs[THREADS];
    size_t i;
    EXPECT_OK(carom_context_create(2, &context));
    for (i = 0; i < THREADS; i++) {
        jobs[i].shared = frames, jobs[i].context = context, jobs[i].errors = 0;
        EXPECT(pthread_create(&threads[i], NULL, work, &jobs[i]) == 0);
    }
    for (i = 0; i < THREADS; i++) {
        EXPECT(pthread_join(threads[i], NULL) == 0);
        EXPECT(jobs[i].errors == 0);
    }
    carom_context_destroy(context);
}

int main(void) {
    carom_frames *frames = three(2, NULL);
    carom_intersections *found = NULL;
    EXPECT_OK(carom_intersections_create(2, CAROM_HIT_BITS | CAROM_HIT_PAIRS, &found));
    null_pointers(frames, found);
    wrong_dimensions(found);
    bad_frames(frames);
    bad_indices(frames, found);
    durations_that_differ(found);
    misaligned(frames, found);
    poisoned_columns(found);
    candidates_of_nothing(frames);
    const_sets_are_shared(frames);
    carom_intersections_destroy(found);
    carom_frames_destroy(frames);
    return report("frame_misuse");
}
