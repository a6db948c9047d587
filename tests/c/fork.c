/* The threads of a context are not in a child of the process: what would use them is refused there, and nothing hangs. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rigid.h"

#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 6000, SECONDS = 60 };

static carom_context *context;
static carom_world *world;
static carom_frames *frames;
static carom_candidates *candidates;
static carom_intersections *found;
static carom_spaces *spaces;
static carom_study *study;

static const char *const STUDY =
    "kind = \"encounter\"\nreplicas = 2000\n[encounter]\nduration = 20\n[encounter.a]\nradius = 20\n"
    "position = [0, 0, 0]\nvelocity = [7500, 0, 0]\n[encounter.b]\nradius = 5\n"
    "position = { normal = { mean = [75_000, 75_060, 20], sd = [100, 200, 50] } }\nvelocity = [0, -7500, 0]\n";

static void make_world(void) {
    carom_particle_desc ball;
    double position[2] = {0.0, 0.0};
    int i;
    EXPECT_OK(carom_world_create(2, context, &world));
    EXPECT_OK(carom_particle_desc_init(&ball, sizeof ball));
    ball.position = position, ball.mass = 1.0, ball.radius = 0.4;
    for (i = 0; i < COUNT; i++) {
        position[0] = i % 100, position[1] = i / 100;
        if (carom_particles_add(carom_world_particles(world), &ball, NULL) != CAROM_OK) failures++;
    }
}

static void make_frames(void) {
    carom_frame frame;
    int i;
    memset(&frame, 0, sizeof frame);
    frame.kind = CAROM_CUBOID;
    frame.components[0][0] = frame.components[1][1] = 1.1;
    EXPECT_OK(carom_frames_create(2, NULL, &frames));
    for (i = 0; i < COUNT; i++) {
        frame.origin[0] = i % 100, frame.origin[1] = i / 100;
        if (carom_frames_add(frames, &frame, NULL) != CAROM_OK) failures++;
    }
    EXPECT_OK(carom_candidates_create(&candidates));
    EXPECT_OK(carom_intersections_create(2, CAROM_HIT_PAIRS, &found));
}

static void make_all(void) {
    const scene s = make_scene();
    EXPECT_OK(carom_context_create(2, &context));
    make_world();
    make_frames();
    EXPECT_OK(carom_spaces_create(s.space, 40, context, &spaces));
    EXPECT_OK(carom_study_from_toml(STUDY, NULL, &study));
    carom_space_destroy(s.space);
}

/* Everything that uses threads. */
static void use_all(carom_status expected, const carom_context *threads) {
    carom_approach approach;
    double energy, momentum[2];
    EXPECT_STATUS(expected, carom_world_next(world, 0.001));
    EXPECT_STATUS(expected, carom_world_step(world, 0.001, NULL));
    EXPECT_STATUS(expected, carom_world_step_to_collision(world, 0.001, &approach));
    EXPECT_STATUS(expected, carom_world_time_to_collision(world, 0, 1, 0.001, &energy));
    EXPECT_STATUS(expected, carom_world_kinetic_energy(world, &energy));
    EXPECT_STATUS(expected, carom_world_potential_energy(world, &energy));
    EXPECT_STATUS(expected, carom_world_momentum(world, momentum, 2));
    EXPECT_STATUS(expected, carom_world_centre_of_mass(world, momentum, 2));
    EXPECT_STATUS(expected, carom_spaces_step(spaces, 0.01));
    EXPECT_STATUS(expected, carom_candidates_find(candidates, threads, frames));
    EXPECT_STATUS(expected, carom_intersections_find(found, threads, frames));
    EXPECT_STATUS(expected, carom_world_set_context(world, threads));
    EXPECT_STATUS(expected, carom_spaces_set_context(spaces, threads));
}

/* Without the context of the parent everything works, also with a context of the child. */
static void use_in_child(void) {
    const carom_particles *particles = carom_world_particles_const(world);
    carom_column before, after;
    carom_context *own = NULL;
    carom_world *other = NULL;
    double time = -1.0;
    size_t needed = 0;
    EXPECT_OK(carom_particles_column(particles, CAROM_POSITION, 0, &before));
    use_all(CAROM_FORKED, context);
    EXPECT(detail_has("fork"));
    EXPECT_STATUS(CAROM_FORKED, carom_world_create(2, context, &other));
    EXPECT(other == NULL);
    EXPECT_OK(carom_particles_column(particles, CAROM_POSITION, 0, &after));
    EXPECT_OK(carom_world_get_time(world, &time));
    EXPECT(time == 0.0 && before.data == after.data && after.data[1] == 1.0);
    EXPECT_OK(carom_world_to_memory(world, CAROM_FORMAT_SNAPSHOT, NULL, 0, &needed));
    EXPECT(needed > COUNT);
    EXPECT_OK(carom_world_set_context(world, NULL));
    EXPECT_OK(carom_spaces_set_context(spaces, NULL));
    use_all(CAROM_OK, NULL);
    EXPECT_OK(carom_context_create(2, &own));
    EXPECT_OK(carom_world_set_context(world, own));
    EXPECT_OK(carom_spaces_set_context(spaces, own));
    use_all(CAROM_OK, own);
    EXPECT_OK(carom_study_run(study, NULL, NULL, NULL, NULL));
    carom_context_destroy(own);
}

static void destroy_all(void) {
    carom_study_destroy(study);
    carom_spaces_destroy(spaces);
    carom_intersections_destroy(found);
    carom_candidates_destroy(candidates);
    carom_frames_destroy(frames);
    carom_world_destroy(world);
    carom_context_destroy(context);
}

/* Runs a test in a child, which is ended if it hangs, and counts its failures. */
static void in_child(void (*test)(void)) {
    const pid_t child = fork();
    int end = 0;
    if (child == 0) {
        alarm(SECONDS);
        failures = 0;
        test();
        destroy_all();
        _exit(failures == 0 ? 0 : 1);
    }
    EXPECT(child > 0 && waitpid(child, &end, 0) == child);
    EXPECT(WIFEXITED(end) && WEXITSTATUS(end) == 0);
}

static void nothing(void) {}

int main(void) {
    int i;
    make_all();
    in_child(use_in_child);
    use_all(CAROM_OK, context);
    /* At any moment of the life of the threads. */
    for (i = 0; i < 20; i++) {
        EXPECT_OK(carom_world_step(world, 0.001, NULL));
        in_child(nothing);
    }
    use_all(CAROM_OK, context);
    destroy_all();
    return report("fork");
}
