/* What goes in comes out: every property, one by one and in bulk, and the answers of a world. */
#include "expect.h"

#include <math.h>
#include <stdlib.h>

typedef struct entity {
    float colour[3];
    unsigned char frozen;
    double at[2];
    double velocity[2];
    uint64_t id;
} entity;

static const entity ENTITIES[3] = {{{0.0f, 0.0f, 0.0f}, 0, {0.0, 0.0}, {1.0, 0.0}, 10},
                                   {{0.0f, 0.0f, 0.0f}, 1, {4.0, 0.0}, {0.0, 0.0}, 11},
                                   {{0.0f, 0.0f, 0.0f}, 0, {0.0, 5.0}, {0.0, -1.0}, 12}};

static carom_particles *from_structures(void) {
    const double masses[3] = {1.0, 2.0, 3.0}, radii[3] = {0.5, 0.25, 1.0};
    carom_particles *particles = NULL;
    carom_batch batch;
    size_t first = 9;
    EXPECT_OK(carom_particles_create(2, &particles));
    EXPECT_OK(carom_batch_init(&batch, sizeof batch));
    batch.count = 3;
    batch.position.data = ENTITIES->at;
    batch.position.stride = sizeof(entity);
    batch.velocity.data = ENTITIES->velocity;
    batch.velocity.stride = sizeof(entity);
    batch.mass.data = masses;
    batch.radius.data = radii;
    batch.fixed = &ENTITIES->frozen;
    batch.fixed_stride = sizeof(entity);
    batch.user_data = &ENTITIES->id;
    batch.user_data_stride = sizeof(entity);
    EXPECT_OK(carom_particles_add_batch(particles, &batch, &first));
    EXPECT(first == 0);
    return particles;
}

static carom_particles *from_columns(void) {
    const double x[3] = {0.0, 4.0, 0.0}, y[3] = {0.0, 0.0, 5.0}, u[3] = {1.0, 0.0, 0.0}, v[3] = {0.0, 0.0, -1.0};
    const double *positions[2], *velocities[2], *mass[1];
    const double masses[3] = {1.0, 2.0, 3.0};
    const double axes[3][4] = {{1.0, 0.0, 0.0, 1.0}, {0.5, 0.0, 0.0, 0.5}, {2.0, 0.0, 0.0, 2.0}};
    const uint8_t fixed[3] = {0, 1, 0};
    carom_particles *particles = NULL;
    carom_batch batch;
    positions[0] = x, positions[1] = y, velocities[0] = u, velocities[1] = v, mass[0] = masses;
    EXPECT_OK(carom_particles_create(2, &particles));
    EXPECT_OK(carom_batch_init(&batch, sizeof batch));
    batch.count = 3;
    batch.position.columns = positions;
    batch.velocity.columns = velocities;
    batch.mass.columns = mass;
    batch.axes.data = &axes[0][0];
    batch.fixed = fixed;
    EXPECT_OK(carom_particles_add_batch(particles, &batch, NULL));
    return particles;
}

static void stores(void) {
    carom_particles *one = from_structures(), *two = from_columns(), *copy = NULL;
    const size_t ends[2] = {2, 0};
    size_t length = 0, capacity = 0, dim = 0, bytes = 0;
    int32_t close = 0;
    EXPECT_OK(carom_particles_is_close(one, two, 0.0, &close));
    EXPECT(close == 1);
    EXPECT_OK(carom_particles_clone(one, &copy));
    EXPECT_OK(carom_particles_reserve(copy, 1000));
    EXPECT_OK(carom_particles_capacity(copy, &capacity));
    EXPECT_OK(carom_particles_dim(copy, &dim));
    EXPECT_OK(carom_particles_memory_bytes(copy, &bytes));
    EXPECT(capacity >= 1003 && dim == 2 && bytes >= 1003 * 10 * sizeof(double));
    EXPECT_OK(carom_particles_shrink(copy));
    EXPECT_OK(carom_particles_remove(copy, 0));
    EXPECT_OK(carom_particles_length(copy, &length));
    EXPECT(length == 2);
    EXPECT_OK(carom_particles_remove_many(two, ends, 2));
    EXPECT_OK(carom_particles_remove(copy, 1));
    EXPECT_OK(carom_particles_is_close(two, copy, 0.0, &close));
    EXPECT(close == 1);
    EXPECT_OK(carom_particles_is_close(one, copy, 1e9, &close));
    EXPECT(close == 0);
    EXPECT_OK(carom_particles_clear(copy));
    EXPECT_OK(carom_particles_length(copy, &length));
    EXPECT(length == 0);
    carom_particles_destroy(one);
    carom_particles_destroy(two);
    carom_particles_destroy(copy);
}

static void one_by_one(void) {
    const double acceleration[2] = {0.5, -0.5}, drag = 0.125, axes[4] = {3.0, 0.0, 0.0, 4.0};
    carom_particles *particles = from_structures();
    double found[4] = {0.0, 0.0, 0.0, 0.0};
    carom_shape_kind kind = 9;
    uint64_t data = 0;
    int32_t fixed = 0;
    EXPECT_OK(carom_particles_set(particles, CAROM_ACCELERATION, 0, acceleration, 2));
    EXPECT_OK(carom_particles_get(particles, CAROM_ACCELERATION, 0, found, 2));
    EXPECT(found[0] == 0.5 && found[1] == -0.5);
    EXPECT_OK(carom_particles_set(particles, CAROM_DRAG, 2, &drag, 1));
    EXPECT_OK(carom_particles_get(particles, CAROM_DRAG, 2, found, 1));
    EXPECT(found[0] == 0.125);
    EXPECT_OK(carom_particles_set_kind(particles, 0, CAROM_FACOID));
    EXPECT_OK(carom_particles_set_axes(particles, 0, axes, 4));
    EXPECT_OK(carom_particles_get_kind(particles, 0, &kind));
    EXPECT_OK(carom_particles_get_axes(particles, 0, found, 4));
    EXPECT(kind == CAROM_FACOID && found[0] == 3.0 && found[3] == 4.0);
    EXPECT_OK(carom_particles_get(particles, CAROM_RADIUS, 0, found, 1));
    EXPECT(found[0] == 2.5);
    EXPECT_OK(carom_particles_set_radius(particles, 1, 0.75));
    EXPECT_OK(carom_particles_get(particles, CAROM_RADIUS, 1, found, 1));
    EXPECT(found[0] == 0.75);
    EXPECT_OK(carom_particles_get_fixed(particles, 1, &fixed));
    EXPECT_OK(carom_particles_get_user_data(particles, 1, &data));
    EXPECT(fixed == 1 && data == 11);
    EXPECT_STATUS(CAROM_FIXED, carom_particles_set(particles, CAROM_VELOCITY, 1, acceleration, 2));
    EXPECT(detail_has("velocity[1]"));
    EXPECT_OK(carom_particles_set_fixed(particles, 0, 1));
    EXPECT_OK(carom_particles_get(particles, CAROM_VELOCITY, 0, found, 2));
    EXPECT(found[0] == 0.0);
    EXPECT_OK(carom_particles_set_user_data(particles, 1, 99));
    EXPECT_OK(carom_particles_get_user_data(particles, 1, &data));
    EXPECT(data == 99);
    carom_particles_destroy(particles);
}

static void in_bulk(void) {
    carom_particles *particles = from_structures();
    entity entities[3];
    carom_byte_column fixed, kinds;
    carom_data_column data;
    carom_data_column_mut writable;
    carom_column axes, x;
    double all[12];
    size_t i;
    memcpy(entities, ENTITIES, sizeof entities);
    for (i = 0; i < 3; i++) entities[i].at[0] += 1.0;
    EXPECT_OK(carom_particles_write(particles, CAROM_POSITION, 1, 2, entities[1].at, sizeof(entity)));
    EXPECT_OK(carom_particles_read(particles, CAROM_POSITION, 0, 3, entities->at, sizeof(entity)));
    EXPECT(entities[0].at[0] == 0.0 && entities[1].at[0] == 5.0 && entities[2].at[0] == 1.0);
    EXPECT(entities[2].at[1] == 5.0 && entities[2].velocity[1] == -1.0 && entities[2].id == 12);

    /* A column may be the source of its own store. */
    EXPECT_OK(carom_particles_column(particles, CAROM_POSITION, 0, &x));
    EXPECT_OK(carom_particles_write(particles, CAROM_MASS, 0, 3, x.data, 0));
    EXPECT_OK(carom_particles_read(particles, CAROM_MASS, 0, 3, all, 0));
    EXPECT(all[0] == 0.0 && all[1] == 5.0 && all[2] == 1.0);

    EXPECT_OK(carom_particles_fixed(particles, &fixed));
    EXPECT_OK(carom_particles_kinds(particles, &kinds));
    EXPECT(fixed.length == 3 && fixed.data[0] == 0 && fixed.data[1] == 1);
    EXPECT(kinds.length == 3 && kinds.data[0] == CAROM_SPHEROID);
    EXPECT_OK(carom_particles_user_data_mut(particles, &writable));
    writable.data[2] = 77;
    EXPECT_OK(carom_particles_user_data(particles, &data));
    EXPECT(data.length == 3 && data.data[0] == 10 && data.data[2] == 77);
    EXPECT_OK(carom_particles_axes(particles, &axes));
    EXPECT(axes.length == 12 && axes.data[0] == 1.0 && axes.data[4] == 0.5);
    for (i = 0; i < 12; i++) all[i] = 2.0 * axes.data[i];
    EXPECT_OK(carom_particles_set_all_axes(particles, all, 12));
    EXPECT_OK(carom_particles_get(particles, CAROM_RADIUS, 1, all, 1));
    EXPECT(all[0] == 0.5);
    EXPECT_OK(carom_particles_check(particles));
    carom_particles_destroy(particles);
}

static void answers(void) {
    const carom_pair pairs[2] = {{0, 1}, {1, 2}};
    carom_particles *particles = from_structures();
    carom_world *world = NULL;
    carom_settings settings;
    carom_approach hit;
    double times[3], vector[2], accelerations[3][2], number = 0.0;
    EXPECT_OK(carom_world_from_particles(particles, NULL, &world));
    carom_particles_destroy(particles);
    EXPECT_OK(carom_world_kinetic_energy(world, &number));
    EXPECT(number == 2.0);
    EXPECT_OK(carom_world_momentum(world, vector, 2));
    EXPECT(vector[0] == 1.0 && vector[1] == -3.0);
    EXPECT_OK(carom_world_centre_of_mass(world, vector, 2));
    EXPECT(fabs(vector[0] - 8.0 / 6.0) < 1e-15 && fabs(vector[1] - 2.5) < 1e-15);
    EXPECT_OK(carom_world_time_to_collision(world, 0, 1, 10.0, &number));
    EXPECT(number == 3.25);
    EXPECT_OK(carom_world_times_of_pairs(world, pairs, 2, 10.0, times));
    EXPECT(times[0] == 3.25 && times[1] == INFINITY);
    EXPECT_OK(carom_world_times_against_all(world, 1, 10.0, times, 3));
    EXPECT(times[0] == 3.25 && times[1] == INFINITY && times[2] == INFINITY);
    EXPECT_OK(carom_world_earliest_collision(world, 10.0, &hit));
    EXPECT(hit.found == 1 && hit.first == 0 && hit.second == 1 && hit.time == 3.25);
    EXPECT_OK(carom_world_earliest_collision(world, 1.0, &hit));
    EXPECT(hit.found == 0 && hit.time == INFINITY);
    EXPECT_OK(carom_world_set_time(world, 100.0));
    EXPECT_OK(carom_world_set_broad_phase(world, CAROM_BROAD_ALL_PAIRS));
    EXPECT_OK(carom_world_step_to_collision(world, 10.0, &hit));
    EXPECT(hit.found == 1 && hit.time == 103.25);
    EXPECT_OK(carom_world_collide(world, 0, 1, &number));
    EXPECT(number == 2.0);
    EXPECT_OK(carom_world_collide(world, 0, 1, &number));
    EXPECT(number == 0.0);

    EXPECT_OK(carom_settings_init(&settings, sizeof settings));
    settings.down_gravity = CAROM_STANDARD_GRAVITY;
    EXPECT_OK(carom_world_set_settings(world, &settings));
    EXPECT_OK(carom_world_system_accelerations(world, &accelerations[0][0], 0, 3));
    EXPECT(accelerations[2][0] == 0.0 && accelerations[2][1] == -CAROM_STANDARD_GRAVITY);
    settings.attraction = 1.0;
    settings.attraction_law = CAROM_AS_PRINTED;
    EXPECT_OK(carom_world_set_settings(world, &settings));
    EXPECT_OK(carom_world_potential_energy(world, &number));
    EXPECT(isnan(number));
    EXPECT_OK(carom_particles_clear(carom_world_particles(world)));
    EXPECT_OK(carom_world_centre_of_mass(world, vector, 2));
    EXPECT(isnan(vector[0]) && isnan(vector[1]));
    carom_world_destroy(world);
}

static void versions(void) {
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", CAROM_VERSION_MAJOR, CAROM_VERSION_MINOR, CAROM_VERSION_PATCH);
    EXPECT(strcmp(version, carom_version()) == 0);
    EXPECT(carom_abi_version() == CAROM_ABI_VERSION);
    EXPECT(strcmp(carom_level(), "portable") == 0 || strncmp(carom_level(), "avx", 3) == 0);
}

int main(void) {
    stores();
    one_by_one();
    in_bulk();
    answers();
    versions();
    return report("properties");
}
