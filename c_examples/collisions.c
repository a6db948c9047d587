/* Three balls, from collision to collision: go to the next one, look at it, resolve it, go on. */
#include "example.h"

static void add_ball(carom_particles *particles, double x, double y, double vx, double vy, double mass,
                     double radius) {
    carom_particle_desc ball;
    double position[2], velocity[2];
    position[0] = x, position[1] = y;
    velocity[0] = vx, velocity[1] = vy;
    CHECK(carom_particle_desc_init(&ball, sizeof ball));
    ball.position = position;
    ball.velocity = velocity;
    ball.mass = mass;
    ball.radius = radius;
    CHECK(carom_particles_add(particles, &ball, NULL));
}

int main(void) {
    const double end = 3.0;
    carom_world *world = NULL;
    carom_particles *particles;
    double time = 0.0, energy = 0.0;

    CHECK(carom_world_create(2, NULL, &world));
    particles = carom_world_particles(world);
    add_ball(particles, 0.0, 0.0, 1.0, 1.0, 1.0, 0.5);
    add_ball(particles, 0.0, 2.0, 0.5, -0.5, 1.0, 0.5);
    add_ball(particles, 2.0, 2.0, -1.0, -1.0, 2.0, 1.0);

    for (;;) {
        carom_approach hit;
        double impulse = 0.0;
        CHECK(carom_world_step_to_collision(world, end - time, &hit));
        CHECK(carom_world_get_time(world, &time));
        if (!hit.found) break;
        CHECK(carom_world_collide(world, hit.first, hit.second, &impulse));
        printf("t = %.6f s: balls %d and %d exchange %.6f N s\n", hit.time, (int)hit.first, (int)hit.second,
               impulse);
    }
    CHECK(carom_world_kinetic_energy(world, &energy));
    printf("t = %.6f s: no more collisions, kinetic energy %.6f J\n", time, energy);
    carom_world_destroy(world);
    return 0;
}
