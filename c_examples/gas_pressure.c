/* A gas of hard spheres in a periodic box: its pressure against theory. */
#include "example.h"

#include <math.h>

#define CELLS 6
#define COUNT (4 * CELLS * CELLS * CELLS)
#define DENSITY 0.5 /* spheres a cubic metre; their diameter is 1 m */

/* From -1 to 1. */
static double next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) / 4503599627370496.0 - 1.0;
}

/* Spheres on a face-centred cubic lattice, with random velocities. */
static carom_particles *make_spheres(double edge) {
    static const double SITES[4][3] = {{0.0, 0.0, 0.0}, {0.0, 0.5, 0.5}, {0.5, 0.0, 0.5}, {0.5, 0.5, 0.0}};
    static double position[COUNT][3], velocity[COUNT][3], mass[COUNT];
    carom_particles *particles = NULL;
    carom_batch batch;
    uint64_t state = 1;
    size_t i, axis;
    for (i = 0; i < COUNT; i++) {
        const size_t cell = i / 4;
        const size_t place[3] = {cell % CELLS, cell / CELLS % CELLS, cell / CELLS / CELLS};
        for (axis = 0; axis < 3; axis++) {
            position[i][axis] = ((double)place[axis] + SITES[i % 4][axis]) * edge / CELLS;
            velocity[i][axis] = next_random(&state);
        }
        mass[i] = 1.0;
    }
    CHECK(carom_particles_create(3, &particles));
    CHECK(carom_batch_init(&batch, sizeof batch));
    batch.count = COUNT;
    batch.position.data = position[0];
    batch.velocity.data = velocity[0];
    batch.mass.data = mass;
    CHECK(carom_particles_add_batch(particles, &batch, NULL));
    return particles;
}

static carom_events *make_gas(void) {
    const double edge = cbrt(COUNT / DENSITY);
    carom_particles *spheres = make_spheres(edge);
    carom_events *events = NULL;
    carom_enclosure box;
    size_t axis;
    CHECK(carom_enclosure_init(&box, sizeof box));
    for (axis = 0; axis < 3; axis++) {
        box.boundaries[axis] = CAROM_PERIODIC;
        box.upper[axis] = edge;
    }
    CHECK(carom_events_create(spheres, &box, NULL, &events));
    carom_particles_destroy(spheres); /* the run has a copy */
    return events;
}

/* Lets every sphere collide so many times, in the mean. */
static void run(carom_events *events, uint64_t collisions_each) {
    carom_limit limit;
    CHECK(carom_limit_init(&limit, sizeof limit));
    limit.collisions = collisions_each * COUNT / 2;
    CHECK(carom_events_run(events, &limit, NULL));
}

/* P V / (N kT) by the virial series in the packing fraction, up to the tenth coefficient. */
static double virial_series(double packing) {
    static const double COEFFICIENTS[10] = {1.0,     4.0,     10.0,   18.364768, 28.2245,
                                            39.8151, 53.3444, 68.538, 85.813,    105.775};
    double sum = 0.0;
    int i;
    for (i = 9; i >= 0; i--) sum = sum * packing + COEFFICIENTS[i];
    return sum;
}

static double carnahan_starling(double packing) {
    const double rest = 1.0 - packing;
    return (1.0 + packing * (1.0 + packing * (1.0 - packing))) / (rest * rest * rest);
}

int main(void) {
    const double pi = 3.14159265358979323846, packing = DENSITY * pi / 6.0, theory = virial_series(packing);
    carom_events *events = make_gas();
    carom_measurements told;
    double measured, deviation;

    run(events, 50); /* away from the lattice, to Maxwell's speeds */
    CHECK(carom_events_reset_measurements(events));
    run(events, 400);

    CHECK(carom_measurements_init(&told, sizeof told));
    CHECK(carom_events_measurements(events, &told));
    measured = told.virial_pressure / (DENSITY * told.temperature);
    deviation = 100.0 * (measured / theory - 1.0);
    printf("%d spheres, packing %.4f, %d collisions in %.2f s\n", COUNT, packing, (int)told.collisions,
           told.duration);
    printf("temperature %.4f J, pressure %.4f Pa, mean free path %.4f m\n", told.temperature, told.virial_pressure,
           told.mean_free_path);
    printf("P V / (N kT): measured %.4f, virial series %.4f, Carnahan-Starling %.4f\n", measured, theory,
           carnahan_starling(packing));
    printf("deviation from the series %+.2f %%, energy drift %.1e\n", deviation, told.energy_drift);
    carom_events_destroy(events);
    return fabs(deviation) < 1.0 ? 0 : 1;
}
