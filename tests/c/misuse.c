/* Everything a caller can get wrong gives a status, changes nothing and never crashes. */
#include "expect.h"

#include <math.h>
#include <stdlib.h>

/* A library built for tests exports it; it is not in the header. */
#ifdef __cplusplus
extern "C"
#endif
carom_status carom_test_panic(void);

static carom_world *two_balls(void) {
    const double positions[2][2] = {{0.0, 0.0}, {3.0, 0.0}}, east[2] = {1.0, 0.0};
    carom_world *world = NULL;
    carom_particle_desc ball;
    EXPECT_OK(carom_world_create(2, NULL, &world));
    EXPECT_OK(carom_particle_desc_init(&ball, sizeof ball));
    ball.mass = 1.0;
    ball.position = positions[0];
    ball.velocity = east;
    EXPECT_OK(carom_particles_add(carom_world_particles(world), &ball, NULL));
    ball.position = positions[1];
    ball.velocity = NULL;
    EXPECT_OK(carom_particles_add(carom_world_particles(world), &ball, NULL));
    return world;
}

static int same(const carom_world *world, const carom_world *other) {
    int32_t close = 0;
    EXPECT_OK(carom_world_is_close(world, other, 0.0, &close));
    return close;
}

static void null_pointers(carom_world *world) {
    carom_particles *particles = carom_world_particles(world);
    carom_column column = {NULL, 77, 77};
    double value = 42.0;
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_world_create(2, NULL, NULL));
    EXPECT(detail_has("world"));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_world_step(NULL, 1.0, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_world_get_time(NULL, &value));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_world_get_time(world, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_particles_get(particles, CAROM_POSITION, 0, NULL, 2));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_particles_set(particles, CAROM_POSITION, 0, NULL, 2));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_particles_read(particles, CAROM_MASS, 0, 2, NULL, 0));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_particles_column(NULL, CAROM_POSITION, 0, &column));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_particles_add(particles, NULL, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_particles_add_batch(particles, NULL, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_particle_desc_init(NULL, sizeof(carom_particle_desc)));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_world_set_settings(world, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_world_step_observed(world, 1.0, NULL, NULL, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_world_save(world, NULL, CAROM_FORMAT_JSON));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_world_print(world, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_world_from_memory(NULL, 8, NULL, &world));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_last_error(NULL, 10, NULL));
    EXPECT(value == 42.0 && column.length == 77);

    /* NULL is fine where it says so, and with a count of 0. */
    EXPECT_OK(carom_world_step(world, 0.0, NULL));
    EXPECT_OK(carom_particles_read(particles, CAROM_MASS, 0, 0, NULL, 0));
    EXPECT_OK(carom_particles_write(particles, CAROM_MASS, 2, 0, NULL, 0));
    EXPECT_OK(carom_world_times_of_pairs(world, NULL, 0, 1.0, NULL));
    EXPECT(carom_world_particles(NULL) == NULL && carom_world_particles_const(NULL) == NULL);
    carom_world_destroy(NULL);
    carom_particles_destroy(NULL);
    carom_context_destroy(NULL);
}

static void wrong_lengths_and_indices(carom_world *world) {
    carom_particles *particles = carom_world_particles(world);
    double values[4] = {1.0, 2.0, 3.0, 4.0};
    const carom_pair itself = {1, 1}, missing = {0, 9};
    const size_t bad_rows[3] = {9, 0, 0};
    carom_column column;
    EXPECT_STATUS(CAROM_WRONG_LENGTH, carom_particles_get(particles, CAROM_POSITION, 0, values, 3));
    EXPECT_STATUS(CAROM_WRONG_LENGTH, carom_particles_set(particles, CAROM_POSITION, 0, values, 1));
    EXPECT(detail_has("position[0] has 1 entries"));
    EXPECT_STATUS(CAROM_WRONG_LENGTH, carom_particles_set_axes(particles, 0, values, 3));
    EXPECT_STATUS(CAROM_WRONG_LENGTH, carom_particles_set_all_axes(particles, values, 4));
    EXPECT_STATUS(CAROM_WRONG_LENGTH, carom_world_momentum(world, values, 3));
    EXPECT_STATUS(CAROM_WRONG_LENGTH, carom_world_times_against_all(world, 0, 1.0, values, 3));
    EXPECT_STATUS(CAROM_WRONG_LENGTH, carom_world_system_accelerations(world, values, 0, 1));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_particles_get(particles, CAROM_POSITION, 2, values, 2));
    EXPECT(detail_has("particle index 2 out of range"));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_particles_set(particles, CAROM_VELOCITY, 2, values, 2));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_particles_read(particles, CAROM_MASS, 1, 2, values, 0));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_particles_read(particles, CAROM_MASS, 1, SIZE_MAX, values, 0));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_particles_write(particles, CAROM_MASS, SIZE_MAX, 2, values, 0));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_particles_remove(particles, SIZE_MAX));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_particles_remove_many(particles, bad_rows, 2));
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_particles_remove_many(particles, bad_rows + 1, 2));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_particles_remove_many(particles, NULL, 1));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_particles_column(particles, CAROM_POSITION, 2, &column));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_particles_set_fixed(particles, 2, 1));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_particles_set_user_data(particles, 2, 1));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_particles_print(particles, 2, stdout));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_world_collide(world, 0, 2, NULL));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_world_times_of_pairs(world, &missing, 1, 1.0, values));
    EXPECT_STATUS(CAROM_SAME_PAIR, carom_world_times_of_pairs(world, &itself, 1, 1.0, values));
    EXPECT_STATUS(CAROM_SAME_PAIR, carom_world_collide(world, 1, 1, NULL));
    EXPECT_STATUS(CAROM_OUT_OF_MEMORY, carom_particles_reserve(particles, SIZE_MAX / 4));
    EXPECT(values[0] == 1.0 && values[3] == 4.0);
}

static void bad_numbers(carom_world *world) {
    carom_particles *particles = carom_world_particles(world);
    const double nan_velocity[2] = {1.0, NAN}, negative = -1.0, rows[4] = {0.5, 0.5, 0.5, INFINITY};
    const double far[2] = {1.0, 1.0};
    carom_particle_desc desc;
    carom_settings settings;
    carom_batch batch;
    carom_world *other = NULL;
    int32_t close = 7;
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_particles_set(particles, CAROM_VELOCITY, 1, nan_velocity, 2));
    EXPECT(detail_has("velocity[1] is NaN"));
    EXPECT_STATUS(CAROM_NEGATIVE, carom_particles_set(particles, CAROM_MASS, 0, &negative, 1));
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_particles_write(particles, CAROM_POSITION, 0, 2, rows, 0));
    EXPECT(detail_has("position[1] is inf"));
    EXPECT_STATUS(CAROM_READ_ONLY, carom_particles_set(particles, CAROM_RADIUS, 0, far, 1));
    EXPECT_STATUS(CAROM_NEGATIVE, carom_particles_set_radius(particles, 0, -2.0));
    EXPECT_STATUS(CAROM_NEGATIVE, carom_world_step(world, -1.0, NULL));
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_world_next(world, NAN));
    EXPECT_STATUS(CAROM_OVERFLOW, carom_world_step(world, 1e300, NULL));
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_world_set_time(world, INFINITY));
    EXPECT_STATUS(CAROM_NEGATIVE, carom_world_is_close(world, world, -1.0, &close));
    EXPECT(close == 7);

    EXPECT_OK(carom_particle_desc_init(&desc, sizeof desc));
    desc.radius = -1.0;
    EXPECT_STATUS(CAROM_NEGATIVE, carom_particles_add(particles, &desc, NULL));
    desc.radius = 1.0;
    desc.mass = NAN;
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_particles_add(particles, &desc, NULL));
    desc.mass = 1.0;
    desc.fixed = 1;
    desc.velocity = far;
    EXPECT_STATUS(CAROM_FIXED, carom_particles_add(particles, &desc, NULL));

    EXPECT_OK(carom_batch_init(&batch, sizeof batch));
    batch.count = 2;
    batch.position.data = rows;
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_particles_add_batch(particles, &batch, NULL));
    batch.position.data = NULL;
    batch.radius.data = rows;
    batch.axes.data = rows;
    batch.count = 1;
    EXPECT_STATUS(CAROM_WRONG_LENGTH, carom_particles_add_batch(particles, &batch, NULL));
    batch.radius.data = batch.axes.data = NULL;
    batch.count = SIZE_MAX / 2;
    EXPECT_STATUS(CAROM_OUT_OF_MEMORY, carom_particles_add_batch(particles, &batch, NULL));
    batch.mass.data = rows;
    EXPECT_STATUS(CAROM_OUT_OF_MEMORY, carom_particles_add_batch(particles, &batch, NULL));

    EXPECT_OK(carom_settings_init(&settings, sizeof settings));
    settings.restitution = 1.5;
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_world_set_settings(world, &settings));
    EXPECT_STATUS(CAROM_BAD_DIMENSION, carom_world_create(0, NULL, &other));
    EXPECT_STATUS(CAROM_BAD_DIMENSION, carom_world_create(SIZE_MAX, NULL, &other));
    EXPECT(other == NULL);
}

static void misaligned(carom_world *world) {
    carom_particles *particles = carom_world_particles(world);
    double values[8] = {0.0};
    double *crooked = (double *)(void *)((char *)(void *)values + 1);
    carom_batch batch;
    EXPECT_STATUS(CAROM_MISALIGNED, carom_particles_get(particles, CAROM_POSITION, 0, crooked, 2));
    EXPECT_STATUS(CAROM_MISALIGNED, carom_particles_set(particles, CAROM_POSITION, 0, crooked, 2));
    EXPECT_STATUS(CAROM_MISALIGNED, carom_world_get_time(world, crooked));
    EXPECT_STATUS(CAROM_MISALIGNED, carom_world_step((carom_world *)(void *)crooked, 1.0, NULL));
    EXPECT_STATUS(CAROM_MISALIGNED, carom_particles_read(particles, CAROM_MASS, 0, 2, values, 12));
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_particles_read(particles, CAROM_POSITION, 0, 2, values, 8));
    EXPECT_OK(carom_batch_init(&batch, sizeof batch));
    batch.count = 2;
    batch.mass.data = values;
    batch.mass.stride = 9;
    EXPECT_STATUS(CAROM_MISALIGNED, carom_particles_add_batch(particles, &batch, NULL));
}

static void unknown_values(carom_world *world) {
    carom_particles *particles = carom_world_particles(world);
    double values[2] = {0.0, 0.0};
    carom_particle_desc desc;
    carom_settings settings;
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_particles_get(particles, 6, 0, values, 1));
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_particles_get(particles, UINT32_MAX, 0, values, 1));
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_particles_set_kind(particles, 0, 3));
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_particles_set_kind(particles, 0, 256));
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_world_set_broad_phase(world, 3));
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_world_save_file(world, stdout, 99));
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_world_save_file(world, stdout, CAROM_FORMAT_BY_NAME));
    EXPECT_STATUS(CAROM_UNKNOWN_FORMAT, carom_world_save(world, "world.txt", CAROM_FORMAT_BY_NAME));
    EXPECT_OK(carom_particle_desc_init(&desc, sizeof desc));
    desc.kind = 3;
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_particles_add(particles, &desc, NULL));
    desc.kind = CAROM_FACOID;
    desc.reserved = 1;
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_particles_add(particles, &desc, NULL));
    EXPECT_OK(carom_settings_init(&settings, sizeof settings));
    settings.attraction_law = 3;
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_world_set_settings(world, &settings));
    EXPECT(strcmp(carom_status_string(-5), "unknown status") == 0);
}

/* A program built with a later header: the same struct with something behind it. */
typedef struct newer_settings {
    carom_settings settings;
    double later;
} newer_settings;

static void sizes_of_options(carom_world *world) {
    const uint32_t nonsense[] = {0, 4, 7, 12, 5000, UINT32_MAX};
    newer_settings newer;
    carom_settings settings, older;
    carom_settings *before_start = NULL;
    size_t i;
    EXPECT_OK(carom_settings_init(&settings, sizeof settings));
    EXPECT(settings.struct_size == sizeof settings && settings.restitution == 1.0 && settings.dt == 0.01);
    for (i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        settings.struct_size = nonsense[i];
        EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_world_set_settings(world, &settings));
        EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_world_get_settings(world, &settings));
        EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_settings_init(&settings, nonsense[i]));
    }
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_settings_init(before_start, sizeof settings));

    /* Newer: zeros beyond the fields of this library are valid, anything else is not. */
    newer.later = 5.0;
    EXPECT_OK(carom_settings_init(&newer.settings, sizeof newer));
    EXPECT(newer.settings.struct_size == sizeof newer && newer.later == 0.0);
    EXPECT_OK(carom_world_set_settings(world, &newer.settings));
    newer.later = 1.0;
    newer.settings.restitution = 0.5;
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_world_set_settings(world, &newer.settings));
    EXPECT(detail_has("struct_size"));

    /* Older: what the struct lacks keeps its default, and nothing is written behind it. */
    EXPECT_OK(carom_settings_init(&older, sizeof older));
    older.down_gravity = 2.0;
    older.restitution = 0.25;
    older.struct_size = 24;
    EXPECT_OK(carom_world_set_settings(world, &older));
    EXPECT_OK(carom_settings_init(&settings, sizeof settings));
    EXPECT_OK(carom_world_get_settings(world, &settings));
    EXPECT(settings.down_gravity == 2.0 && settings.restitution == 1.0);
    older.down_gravity = 0.0;
    EXPECT_OK(carom_world_get_settings(world, &older));
    EXPECT(older.down_gravity == 2.0 && older.restitution == 0.25 && older.struct_size == 24);

    /* A struct from before there were exact shapes ends in front of them. */
    EXPECT_OK(carom_settings_init(&settings, sizeof settings));
    EXPECT(settings.exact_shapes == 0 && settings.integrator == CAROM_EULER && settings.opening == 0.5);
    settings.exact_shapes = 2;
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_world_set_settings(world, &settings));
    settings.exact_shapes = 1;
    settings.integrator = 3;
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_world_set_settings(world, &settings));
    settings.integrator = CAROM_FOURTH_ORDER;
    settings.attraction_law = CAROM_BARNES_HUT;
    settings.opening = 1.5;
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_world_set_settings(world, &settings));
    settings.opening = 0.75;
    EXPECT_OK(carom_world_set_settings(world, &settings));
    EXPECT_OK(carom_world_get_settings(world, &settings));
    EXPECT(settings.exact_shapes == 1 && settings.integrator == CAROM_FOURTH_ORDER);
    EXPECT(settings.attraction_law == CAROM_BARNES_HUT && settings.opening == 0.75);
    settings.struct_size = (uint32_t)offsetof(carom_settings, exact_shapes);
    EXPECT_OK(carom_world_set_settings(world, &settings));
    EXPECT_OK(carom_settings_init(&settings, sizeof settings));
    EXPECT_OK(carom_world_get_settings(world, &settings));
    EXPECT(settings.exact_shapes == 0);
    EXPECT_OK(carom_settings_init(&settings, sizeof settings));
    EXPECT_OK(carom_world_set_settings(world, &settings));
}

/* What a callback tries with the world that calls it. */
typedef struct intruder {
    carom_world *world;
    int calls;
} intruder;

static void intrude(const carom_collision *collision, void *user) {
    intruder *self = (intruder *)user;
    carom_particles *particles = carom_world_particles(self->world);
    carom_particle_desc desc;
    carom_column_mut column;
    carom_world *copy = NULL;
    double value = 0.0;
    self->calls++;
    EXPECT(collision->dim == 2 && fabs(collision->normal[0]) == 1.0 && collision->time == 2.0);
    EXPECT_OK(carom_particle_desc_init(&desc, sizeof desc));
    EXPECT_STATUS(CAROM_BUSY, carom_world_step(self->world, 1.0, NULL));
    EXPECT(detail_has("world"));
    EXPECT_STATUS(CAROM_BUSY, carom_world_get_time(self->world, &value));
    EXPECT_STATUS(CAROM_BUSY, carom_world_clone(self->world, &copy));
    EXPECT_STATUS(CAROM_BUSY, carom_world_print(self->world, stdout));
    EXPECT_STATUS(CAROM_BUSY, carom_particles_add(particles, &desc, NULL));
    EXPECT_STATUS(CAROM_BUSY, carom_particles_remove(particles, 0));
    EXPECT_STATUS(CAROM_BUSY, carom_particles_column_mut(particles, CAROM_MASS, 0, &column));
    EXPECT_STATUS(CAROM_BUSY, carom_particles_get(particles, CAROM_MASS, 0, &value, 1));
    EXPECT(copy == NULL);
}

static void destroy_the_caller(const carom_collision *collision, void *user) {
    EXPECT(collision->first == 0 && collision->second == 1);
    carom_world_destroy((carom_world *)user);
}

static void callbacks(void) {
    intruder self = {NULL, 0};
    uint64_t collisions = 0;
    carom_world *world = two_balls();
    self.world = world;
    EXPECT_OK(carom_world_step_observed(world, 5.0, intrude, &self, &collisions));
    EXPECT(self.calls == 1 && collisions == 1);
    EXPECT_OK(carom_world_step(world, 1.0, NULL));
    carom_world_destroy(world);

    world = two_balls();
    EXPECT_OK(carom_world_step_observed(world, 5.0, destroy_the_caller, world, NULL));
}

/* What is written through a shared column is caught by the next step, which then changes nothing. */
static void poisoned_columns(void) {
    carom_world *world = two_balls(), *before = NULL;
    carom_particles *particles = carom_world_particles(world);
    carom_column_mut mass, velocity;
    carom_column readable;
    double time = -1.0;
    EXPECT_OK(carom_particles_column_mut(particles, CAROM_MASS, 0, &mass));
    EXPECT_OK(carom_particles_column_mut(particles, CAROM_VELOCITY, 1, &velocity));
    EXPECT_OK(carom_particles_column(particles, CAROM_VELOCITY, 1, &readable));
    EXPECT(readable.data == velocity.data && mass.length == 2 && mass.capacity >= 2);
    EXPECT((uintptr_t)mass.data % CAROM_ALIGNMENT == 0 && (uintptr_t)velocity.data % CAROM_ALIGNMENT == 0);
    EXPECT_STATUS(CAROM_READ_ONLY, carom_particles_column_mut(particles, CAROM_RADIUS, 0, &mass));
    EXPECT_OK(carom_world_clone(world, &before));
    mass.data[1] = -3.0;
    EXPECT_STATUS(CAROM_NEGATIVE, carom_particles_check(particles));
    EXPECT_STATUS(CAROM_NEGATIVE, carom_world_step(world, 1.0, NULL));
    EXPECT(detail_has("mass[1] is -3"));
    mass.data[1] = 1.0;
    velocity.data[0] = NAN;
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_world_step(world, 1.0, NULL));
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_world_to_memory(world, CAROM_FORMAT_JSON, NULL, 0, &mass.length));
    velocity.data[0] = 0.0;
    EXPECT(same(world, before));
    EXPECT_OK(carom_world_get_time(world, &time));
    EXPECT(time == 0.0);
    EXPECT_OK(carom_world_step(world, 1.0, NULL));
    carom_world_destroy(before);
    carom_world_destroy(world);
}

static void files_and_memory(carom_world *world) {
    char bytes[4096], small[16] = "untouched";
    const char latin1[] = {'\xe9', '.', 'j', 's', 'o', 'n', '\0'};
    size_t needed = 0;
    carom_world *loaded = NULL;
    FILE *full = fopen("/dev/full", "w"), *readable = fopen("/dev/null", "r");
    EXPECT_STATUS(CAROM_IO, carom_world_load("/no/such/file.json", NULL, &loaded));
    EXPECT(detail_has("/no/such/file.json"));
    EXPECT_STATUS(CAROM_IO, carom_world_save(world, "/no/such/directory/x.json", CAROM_FORMAT_BY_NAME));
    EXPECT_STATUS(CAROM_BAD_STRING, carom_world_load(latin1, NULL, &loaded));
    EXPECT_STATUS(CAROM_BUFFER_TOO_SMALL,
                  carom_world_to_memory(world, CAROM_FORMAT_SNAPSHOT, small, sizeof small, &needed));
    EXPECT(strcmp(small, "untouched") == 0 && needed > sizeof small && needed <= sizeof bytes);
    EXPECT_OK(carom_world_to_memory(world, CAROM_FORMAT_SNAPSHOT, bytes, sizeof bytes, &needed));
    EXPECT_STATUS(CAROM_TRUNCATED, carom_world_from_memory(bytes, needed - 1, NULL, &loaded));
    bytes[needed - 1] = (char)(bytes[needed - 1] ^ 1);
    EXPECT_STATUS(CAROM_CORRUPT, carom_world_from_memory(bytes, needed, NULL, &loaded));
    EXPECT_STATUS(CAROM_UNKNOWN_FORMAT, carom_world_from_memory(NULL, 0, NULL, &loaded));
    EXPECT_STATUS(CAROM_UNKNOWN_FORMAT, carom_world_from_memory("hello", 5, NULL, &loaded));
    EXPECT_STATUS(CAROM_SYNTAX, carom_world_from_memory("{\"dim\": ]}", 10, NULL, &loaded));
    if (full != NULL) {
        EXPECT_STATUS(CAROM_IO, carom_world_save_file(world, full, CAROM_FORMAT_JSON));
        EXPECT_STATUS(CAROM_IO, carom_world_print(world, full));
        fclose(full);
    }
    if (readable != NULL) {
        EXPECT_STATUS(CAROM_IO, carom_world_save_file(world, readable, CAROM_FORMAT_JSON));
        fclose(readable);
    }
    EXPECT(loaded == NULL);
}

static void panics(void) {
    char cut[8] = "";
    size_t needed = 0;
    EXPECT_STATUS(CAROM_PANIC, carom_test_panic());
    EXPECT(detail_has("provoked on purpose"));
    EXPECT_OK(carom_last_error(NULL, 0, &needed));
    EXPECT_OK(carom_last_error(cut, sizeof cut, NULL));
    EXPECT(needed > sizeof cut && strlen(cut) == sizeof cut - 1);
}

/* The particles of a world are not the caller's to destroy; the world still has them afterwards. */
static void borrowed_particles(carom_world *world) {
    size_t length = 0;
    carom_particles_destroy(carom_world_particles(world));
    EXPECT_OK(carom_particles_length(carom_world_particles(world), &length));
    EXPECT(length == 2);
}

int main(void) {
    carom_world *world = two_balls(), *before = NULL;
    EXPECT_OK(carom_world_clone(world, &before));
    null_pointers(world);
    wrong_lengths_and_indices(world);
    bad_numbers(world);
    misaligned(world);
    unknown_values(world);
    sizes_of_options(world);
    files_and_memory(world);
    borrowed_particles(world);
    panics();
    EXPECT(same(world, before));
    carom_world_destroy(before);
    carom_world_destroy(world);
    callbacks();
    poisoned_columns();
    return report("misuse");
}
