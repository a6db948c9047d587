/* A first program: two balls meet head-on. */
#include <carom.h>
#include <stdlib.h>

static void check(carom_status status) {
    char detail[256];
    if (status == CAROM_OK) return;
    carom_last_error(detail, sizeof detail, NULL);
    fprintf(stderr, "%s: %s\n", carom_status_string(status), detail);
    exit(1);
}

int main(void) {
    const double left[2] = {0.0, 0.0}, right[2] = {3.0, 0.0};
    const double east[2] = {1.0, 0.0}, west[2] = {-1.0, 0.0};
    carom_world *world = NULL;
    carom_particle_desc ball;
    uint64_t collisions = 0;
    double velocity[2] = {0.0, 0.0};

    check(carom_world_create(2, NULL, &world));
    check(carom_particle_desc_init(&ball, sizeof ball));
    ball.mass = 1.0;
    ball.position = left, ball.velocity = east;
    check(carom_particles_add(carom_world_particles(world), &ball, NULL));
    ball.position = right, ball.velocity = west;
    check(carom_particles_add(carom_world_particles(world), &ball, NULL));

    check(carom_world_step(world, 2.0, &collisions));
    check(carom_particles_get(carom_world_particles(world), CAROM_VELOCITY, 0, velocity, 2));
    printf("%d collision; ball 0 now moves at (%g, %g) m/s\n", (int)collisions, velocity[0], velocity[1]);
    carom_world_destroy(world);
    return collisions == 1 ? 0 : 1;
}
