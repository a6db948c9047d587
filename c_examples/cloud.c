/*
 * A bouncing cloud: 10,000 spheres in a box, on all cores. The number of steps may be given; without it 100.
 *
 * carom has no walls of its own here: after every step the program looks at the shared columns and turns the velocity of
 * each sphere that has left the box. No number is copied; the library and the program work on the same memory.
 */
#include "example.h"

#define COUNT 10000
#define BOX 27.5
#define DT 0.02

typedef struct ball {
    float colour[4]; /* carom reads around what it does not know */
    double position[3];
    double velocity[3];
} ball;

/* A small generator with the same numbers on every machine, from -1 to 1. */
static double next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 4503599627370496.0 - 1.0;
}

/* One sphere in each cell of a lattice, so that none overlap. */
static void fill(ball *balls) {
    uint64_t state = 1;
    size_t i, axis;
    for (i = 0; i < COUNT; i++) {
        const size_t cell[3] = {i % 22, i / 22 % 22, i / 484};
        for (axis = 0; axis < 3; axis++) {
            balls[i].position[axis] = 0.6 + 1.25 * (double)cell[axis];
            balls[i].velocity[axis] = 5.0 * next_random(&state);
        }
    }
}

static void add(carom_particles *particles, const ball *balls) {
    static double mass[COUNT];
    carom_batch batch;
    size_t i;
    for (i = 0; i < COUNT; i++) mass[i] = 1.0;
    CHECK(carom_batch_init(&batch, sizeof batch));
    batch.count = COUNT;
    batch.position.data = balls->position;
    batch.position.stride = sizeof *balls;
    batch.velocity.data = balls->velocity;
    batch.velocity.stride = sizeof *balls;
    batch.mass.data = mass;
    CHECK(carom_particles_add_batch(particles, &batch, NULL));
}

/* Turns the velocity of every sphere beyond a wall back into the box; returns how many. */
static size_t bounce(const carom_column *position, const carom_column_mut *velocity) {
    size_t turned = 0, i;
    for (i = 0; i < velocity->length; i++) {
        const int below = position->data[i] < 0.5 && velocity->data[i] < 0.0;
        const int above = position->data[i] > BOX - 0.5 && velocity->data[i] > 0.0;
        if (below || above) {
            velocity->data[i] = -velocity->data[i];
            turned++;
        }
    }
    return turned;
}

int main(int argc, char **argv) {
    const int steps = argc > 1 ? atoi(argv[1]) : 100;
    static ball balls[COUNT];
    carom_context *context = NULL;
    carom_world *world = NULL;
    carom_particles *particles;
    carom_column position[3];
    carom_column_mut velocity[3];
    size_t threads = 0, turned = 0, axis;
    uint64_t collisions = 0;
    double before = 0.0, after = 0.0;
    int step;

    CHECK(carom_context_create(0, &context));
    CHECK(carom_context_threads(context, &threads));
    CHECK(carom_world_create(3, context, &world));
    particles = carom_world_particles(world);
    fill(balls);
    add(particles, balls);
    CHECK(carom_world_kinetic_energy(world, &before));

    /* The pointers stay valid until particles are added or removed: a step does neither. */
    for (axis = 0; axis < 3; axis++) {
        CHECK(carom_particles_column(particles, CAROM_POSITION, axis, &position[axis]));
        CHECK(carom_particles_column_mut(particles, CAROM_VELOCITY, axis, &velocity[axis]));
    }
    for (step = 0; step < steps; step++) {
        uint64_t found = 0;
        CHECK(carom_world_step(world, DT, &found));
        collisions += found;
        for (axis = 0; axis < 3; axis++) turned += bounce(&position[axis], &velocity[axis]);
    }
    CHECK(carom_world_kinetic_energy(world, &after));
    CHECK(carom_particles_read(particles, CAROM_POSITION, 0, COUNT, balls->position, sizeof *balls));

    fprintf(stderr, "%d threads\n", (int)threads);
    printf("%d spheres, %d steps: %ld collisions, %ld bounces off the walls\n", COUNT, steps, (long)collisions,
           (long)turned);
    printf("kinetic energy %.9g J, at the start %.9g J\n", after, before);
    printf("sphere 0 is at (%.6f, %.6f, %.6f)\n", balls[0].position[0], balls[0].position[1],
           balls[0].position[2]);
    carom_world_destroy(world);
    carom_context_destroy(context);
    return 0;
}
