/* A number written through a shared column is checked by every call that uses it, and the call has then changed nothing. */
#include "rigid.h"

enum { COUNT = 5 };

static carom_world *world;

static void make_world(void) {
    carom_particle_desc ball;
    double position[2] = {0.0, 0.0}, velocity[2] = {1.0, 0.0};
    int i;
    EXPECT_OK(carom_world_create(2, NULL, &world));
    EXPECT_OK(carom_particle_desc_init(&ball, sizeof ball));
    ball.position = position, ball.velocity = velocity, ball.mass = 1.0, ball.radius = 0.4;
    for (i = 0; i < COUNT; i++) {
        position[0] = 2.0 * i, velocity[0] = -1.0 * i;
        if (i == COUNT - 1) ball.fixed = 1, velocity[0] = 0.0;
        EXPECT_OK(carom_particles_add(carom_world_particles(world), &ball, NULL));
    }
}

static carom_column_mut column_of(carom_field field, size_t axis) {
    carom_column_mut column = {NULL, 0, 0};
    EXPECT_OK(carom_particles_column_mut(carom_world_particles(world), field, axis, &column));
    return column;
}

/* Numbers of all columns, and the time. */
static void copy_state(double *state) {
    const carom_field fields[5] = {CAROM_POSITION, CAROM_VELOCITY, CAROM_ACCELERATION, CAROM_MASS, CAROM_DRAG};
    const carom_particles *particles = carom_world_particles_const(world);
    carom_column column;
    size_t i;
    EXPECT_OK(carom_world_get_time(world, state++));
    for (i = 0; i < 5; i++) {
        EXPECT_OK(carom_particles_column(particles, fields[i], 0, &column));
        memcpy(state + i * COUNT, column.data, COUNT * sizeof(double));
    }
}

/* Calls that use all numbers of all particles, or of the particles 0 and 1. */
static void use_all(carom_status expected) {
    carom_approach approach;
    carom_events *events = NULL;
    carom_enclosure box;
    double times[COUNT], one, accelerations[2 * COUNT];
    const carom_pair pair = {0, 1};
    size_t needed = 0;
    uint64_t collisions;
    EXPECT_STATUS(expected, carom_particles_check(carom_world_particles_const(world)));
    EXPECT_STATUS(expected, carom_world_next(world, 0.1));
    EXPECT_STATUS(expected, carom_world_step(world, 0.1, &collisions));
    EXPECT_STATUS(expected, carom_world_step_to_collision(world, 0.1, &approach));
    EXPECT_STATUS(expected, carom_world_collide(world, 0, 1, &one));
    EXPECT_STATUS(expected, carom_world_collide(world, 1, 0, NULL));
    EXPECT_STATUS(expected, carom_world_time_to_collision(world, 0, 1, 1.0, &one));
    EXPECT_STATUS(expected, carom_world_times_against_all(world, 0, 1.0, times, COUNT));
    EXPECT_STATUS(expected, carom_world_times_of_pairs(world, &pair, 1, 1.0, times));
    EXPECT_STATUS(expected, carom_world_earliest_collision(world, 1.0, &approach));
    EXPECT_STATUS(expected, carom_world_system_accelerations(world, accelerations, 0, COUNT));
    EXPECT_STATUS(expected, carom_world_to_memory(world, CAROM_FORMAT_JSON, NULL, 0, &needed));
    EXPECT_STATUS(expected, carom_world_to_memory(world, CAROM_FORMAT_PBPHYS, NULL, 0, &needed));
    EXPECT_STATUS(expected, carom_world_to_memory(world, CAROM_FORMAT_SNAPSHOT, NULL, 0, &needed));
    EXPECT_STATUS(expected, carom_world_save(world, "shared_columns.carom", CAROM_FORMAT_BY_NAME));
    EXPECT_OK(carom_enclosure_init(&box, sizeof box));
    if (expected != CAROM_OK) {
        EXPECT_STATUS(expected, carom_events_create(carom_world_particles_const(world), &box, NULL, &events));
        EXPECT(events == NULL);
    }
}

/* Sums use the fields that they are about. */
static void use_totals(carom_status with_position, carom_status with_velocity) {
    double one, two[2];
    EXPECT_STATUS(with_velocity, carom_world_kinetic_energy(world, &one));
    EXPECT_STATUS(with_position, carom_world_potential_energy(world, &one));
    EXPECT_STATUS(with_velocity, carom_world_momentum(world, two, 2));
    EXPECT_STATUS(with_position, carom_world_centre_of_mass(world, two, 2));
}

/* Writes a number that is not allowed, uses it everywhere, and puts the old one back. */
static void write_bad(carom_field field, size_t row, double bad, carom_status expected) {
    carom_column_mut column = column_of(field, 0);
    const double good = column.data[row];
    const int in_position = field == CAROM_POSITION || field == CAROM_MASS;
    const int in_velocity = field == CAROM_VELOCITY || field == CAROM_MASS;
    double before[1 + 5 * COUNT], after[1 + 5 * COUNT];
    column.data[row] = bad;
    copy_state(before);
    use_all(expected);
    use_totals(in_position ? expected : CAROM_OK, in_velocity ? expected : CAROM_OK);
    copy_state(after);
    EXPECT(memcmp(before, after, sizeof before) == 0);
    column.data[row] = good;
}

static void particles(void) {
    const carom_field fields[5] = {CAROM_POSITION, CAROM_VELOCITY, CAROM_ACCELERATION, CAROM_MASS, CAROM_DRAG};
    carom_column_mut radius = {NULL, 0, 0};
    carom_particles *store;
    double impulse = 0.0;
    size_t i;
    make_world();
    store = carom_world_particles(world);
    for (i = 0; i < 5; i++) {
        write_bad(fields[i], 1, NAN, CAROM_NOT_FINITE);
        write_bad(fields[i], 1, INFINITY, CAROM_NOT_FINITE);
        write_bad(fields[i], 0, -INFINITY, CAROM_NOT_FINITE);
    }
    write_bad(CAROM_MASS, 1, -1.0, CAROM_NEGATIVE);
    EXPECT(detail_has("mass[1] is -1"));
    write_bad(CAROM_DRAG, 0, -1e-300, CAROM_NEGATIVE);
    /* The radius follows from the shape. */
    EXPECT_STATUS(CAROM_READ_ONLY, carom_particles_column_mut(store, CAROM_RADIUS, 0, &radius));
    EXPECT_STATUS(CAROM_NEGATIVE, carom_particles_set_radius(store, 0, -1.0));
    /* A collision asks for its two particles alone. */
    column_of(CAROM_MASS, 0).data[3] = -1.0;
    EXPECT_OK(carom_world_collide(world, 0, 1, &impulse));
    EXPECT_STATUS(CAROM_NEGATIVE, carom_world_collide(world, 0, 3, &impulse));
    column_of(CAROM_MASS, 0).data[3] = 1.0;
    column_of(CAROM_VELOCITY, 0).data[COUNT - 1] = 1.0;
    EXPECT_STATUS(CAROM_FIXED, carom_world_collide(world, COUNT - 1, 0, &impulse));
    EXPECT_STATUS(CAROM_FIXED, carom_world_kinetic_energy(world, &impulse));
    EXPECT_STATUS(CAROM_FIXED, carom_world_step(world, 0.1, NULL));
    column_of(CAROM_VELOCITY, 0).data[COUNT - 1] = 0.0;
    use_all(CAROM_OK);
    use_totals(CAROM_OK, CAROM_OK);
    carom_world_destroy(world);
}

/* Frames whose columns were written are not tested before they have been checked. */
static void frames(void) {
    carom_frames *set = NULL;
    carom_intersections *found = NULL;
    carom_column_mut origin;
    carom_frame frame;
    memset(&frame, 0, sizeof frame);
    frame.kind = CAROM_CUBOID;
    frame.components[0][0] = frame.components[1][1] = 1.0;
    EXPECT_OK(carom_frames_create(2, NULL, &set));
    EXPECT_OK(carom_frames_add(set, &frame, NULL));
    EXPECT_OK(carom_frames_add(set, &frame, NULL));
    EXPECT_OK(carom_intersections_create(2, CAROM_HIT_LIST, &found));
    EXPECT_OK(carom_frames_column_mut(set, CAROM_FRAME_ORIGIN, 0, 0, &origin));
    origin.data[1] = NAN;
    EXPECT_STATUS(CAROM_STALE, carom_intersections_find(found, NULL, set));
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_frames_update(set, NULL));
    EXPECT_STATUS(CAROM_STALE, carom_intersections_find(found, NULL, set));
    origin.data[1] = 0.5;
    EXPECT_OK(carom_frames_update(set, NULL));
    EXPECT_OK(carom_intersections_find(found, NULL, set));
    carom_intersections_destroy(found);
    carom_frames_destroy(set);
}

/* Columns of rigid bodies: steps and copies check them. */
static void bodies(void) {
    scene s = make_scene();
    carom_spaces *spaces = NULL;
    carom_space_snapshot *snapshot = NULL;
    carom_space *copy = NULL;
    size_t field;
    uint64_t before = 0, after = 1;
    EXPECT_OK(carom_spaces_create(s.space, 3, NULL, &spaces));
    for (field = CAROM_BODY_X; field <= CAROM_BODY_TORQUE; field++) {
        carom_column_mut column;
        double good;
        EXPECT_OK(carom_spaces_column_mut(spaces, (carom_body_field)field, &column));
        good = column.data[s.ball.index];
        column.data[s.ball.index] = field % 2 == 0 ? NAN : INFINITY;
        EXPECT_OK(carom_spaces_batch_hash(spaces, &before));
        EXPECT_STATUS(CAROM_NOT_FINITE, carom_spaces_step(spaces, 0.01));
        EXPECT_STATUS(CAROM_NOT_FINITE, carom_spaces_snapshot(spaces, 0, &snapshot));
        EXPECT_STATUS(CAROM_NOT_FINITE, carom_spaces_space(spaces, 0, s.space, &copy));
        EXPECT(snapshot == NULL && copy == NULL);
        EXPECT_OK(carom_spaces_batch_hash(spaces, &after));
        EXPECT(before == after);
        column.data[s.ball.index] = good;
    }
    EXPECT_OK(carom_spaces_step(spaces, 0.01));
    EXPECT_OK(carom_spaces_snapshot(spaces, 0, &snapshot));
    carom_space_snapshot_destroy(snapshot);
    carom_spaces_destroy(spaces);
    carom_space_destroy(s.space);
}

int main(void) {
    particles();
    frames();
    bodies();
    remove("shared_columns.carom");
    return report("shared_columns");
}
