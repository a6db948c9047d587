/* A step with collisions without end is stopped by its callback, and leaves a valid world. */
#define _POSIX_C_SOURCE 200809L
#include "expect.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

/* A ball between two fixed ones, which it reaches in turns, every second. */
static carom_world *trapped(void) {
    const double places[3] = {-1.0, 0.5, 2.0}, speed = 1.0;
    carom_world *world = NULL;
    carom_settings settings;
    carom_particle_desc ball;
    int i;
    EXPECT_OK(carom_world_create(1, NULL, &world));
    EXPECT_OK(carom_settings_init(&settings, sizeof settings));
    settings.max_collisions = UINT64_MAX;
    EXPECT_OK(carom_world_set_settings(world, &settings));
    for (i = 0; i < 3; i++) {
        EXPECT_OK(carom_particle_desc_init(&ball, sizeof ball));
        ball.mass = 1.0;
        ball.radius = 0.5;
        ball.position = &places[i];
        ball.velocity = i == 1 ? &speed : NULL;
        ball.fixed = i != 1;
        EXPECT_OK(carom_particles_add(carom_world_particles(world), &ball, NULL));
    }
    return world;
}

struct seen {
    const carom_world *world;
    uint64_t collisions, stop_at;
    double last;
};

static int32_t count(const carom_collision *collision, void *user) {
    struct seen *seen = (struct seen *)user;
    double time = 0.0;
    if (collision == NULL) return 0;
    EXPECT(carom_world_get_time(seen->world, &time) == CAROM_BUSY);
    seen->collisions++;
    seen->last = collision->time;
    return seen->collisions == seen->stop_at;
}

static double time_of(const carom_world *world) {
    double time = -1.0;
    EXPECT_OK(carom_world_get_time(world, &time));
    return time;
}

static void stops_at_a_collision(void) {
    carom_world *world = trapped();
    struct seen seen;
    uint64_t collisions = 0;
    int32_t stopped = -1;
    double place = 0.0;
    seen.world = world, seen.collisions = 0, seen.stop_at = 1000, seen.last = 0.0;
    EXPECT_OK(carom_world_step_stoppable(world, 1e9, count, &seen, &collisions, &stopped));
    EXPECT(stopped == 1 && collisions == 1000 && seen.collisions == 1000);
    EXPECT(time_of(world) == seen.last && fabs(seen.last - 999.5) < 1e-6);
    /* It goes on from there, to an end without a stop. */
    EXPECT_OK(carom_world_step_stoppable(world, 10.0, count, &seen, &collisions, &stopped));
    EXPECT(stopped == 0 && collisions == 10);
    EXPECT_OK(carom_particles_get(carom_world_particles(world), CAROM_POSITION, 1, &place, 1));
    EXPECT(place > -1e-6 && place < 1.0 + 1e-6);
    EXPECT_OK(carom_world_step_stoppable(world, 1.0, count, &seen, NULL, NULL));
    carom_world_destroy(world);
}

static volatile sig_atomic_t requested = 0;

static void request(int signal_number) {
    (void)signal_number;
    requested = 1;
}

static int32_t ask(const carom_collision *collision, void *user) {
    (void)collision;
    (void)user;
    return requested;
}

static void stops_on_a_signal(void) {
    carom_world *world = trapped();
    int32_t stopped = 0;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = request;
    EXPECT(sigaction(SIGALRM, &action, NULL) == 0);
    alarm(1);
    EXPECT_OK(carom_world_step_stoppable(world, 1e12, ask, NULL, NULL, &stopped));
    EXPECT(stopped == 1 && time_of(world) > 0.0 && time_of(world) < 1e12);
    carom_world_destroy(world);
}

static void misuse(void) {
    carom_world *world = trapped();
    struct seen seen;
    seen.world = world, seen.collisions = 0, seen.stop_at = 0, seen.last = 0.0;
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_world_step_stoppable(world, 1.0, NULL, NULL, NULL, NULL));
    EXPECT(detail_has("callback"));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_world_step_stoppable(NULL, 1.0, count, &seen, NULL, NULL));
    EXPECT_STATUS(CAROM_NEGATIVE, carom_world_step_stoppable(world, -1.0, count, &seen, NULL, NULL));
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_world_step_stoppable(world, NAN, count, &seen, NULL, NULL));
    EXPECT(time_of(world) == 0.0 && seen.collisions == 0);
    carom_world_destroy(world);
}

int main(void) {
    stops_at_a_collision();
    stops_on_a_signal();
    misuse();
    return report("stopping");
}
