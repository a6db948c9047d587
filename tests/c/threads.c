/* A const handle may be shared by threads, a context by worlds of different threads; errors belong to their thread. */
#define _POSIX_C_SOURCE 200809L
#include "expect.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>

#define THREADS 4
#define ROUNDS 200
#define SIDE 12

typedef struct job {
    const carom_world *shared;
    const carom_context *context;
    double energy;
    int32_t same;
    int errors;
} job;

static void add_lattice(carom_world *world) {
    double position[SIDE * SIDE][2], velocity[SIDE * SIDE][2], mass[SIDE * SIDE];
    carom_batch batch;
    size_t i;
    for (i = 0; i < SIDE * SIDE; i++) {
        position[i][0] = 1.5 * (double)(i % SIDE), position[i][1] = 1.5 * (double)(i / SIDE);
        velocity[i][0] = (double)(i % 7) - 3.0, velocity[i][1] = (double)(i % 5) - 2.0;
        mass[i] = 1.0 + (double)(i % 3);
    }
    EXPECT_OK(carom_batch_init(&batch, sizeof batch));
    batch.count = SIDE * SIDE;
    batch.position.data = &position[0][0];
    batch.velocity.data = &velocity[0][0];
    batch.mass.data = mass;
    EXPECT_OK(carom_particles_add_batch(carom_world_particles(world), &batch, NULL));
}

static int reads_well(job *self) {
    const carom_particles *particles = carom_world_particles_const(self->shared);
    carom_column column;
    double energy = 0.0, last = 0.0;
    size_t needed = 0;
    if (carom_world_kinetic_energy(self->shared, &energy) != CAROM_OK || energy != self->energy) return 0;
    if (carom_particles_column(particles, CAROM_POSITION, 1, &column) != CAROM_OK) return 0;
    if (carom_particles_get(particles, CAROM_MASS, column.length - 1, &last, 1) != CAROM_OK) return 0;
    if (carom_world_to_memory(self->shared, CAROM_FORMAT_SNAPSHOT, NULL, 0, &needed) != CAROM_OK) return 0;
    return column.data[column.length - 1] == 1.5 * (SIDE - 1) && last == 1.0 + (SIDE * SIDE - 1) % 3 && needed > 0;
}

/* Each thread steps a copy of its own on the shared context, while the others still read the original. */
static void *work(void *argument) {
    job *self = (job *)argument;
    carom_world *copy = NULL, *alone = NULL;
    char detail[256] = "?";
    double unused = 0.0;
    int round;
    carom_last_error(detail, sizeof detail, NULL);
    if (detail[0] != '\0') self->errors++;
    for (round = 0; round < ROUNDS; round++) self->errors += !reads_well(self);
    if (carom_particles_get(carom_world_particles_const(self->shared), 99, 0, &unused, 1) != CAROM_UNKNOWN_VALUE)
        self->errors++;
    self->errors += carom_world_clone(self->shared, &copy) != CAROM_OK;
    self->errors += carom_world_clone(self->shared, &alone) != CAROM_OK;
    self->errors += carom_world_set_context(copy, self->context) != CAROM_OK;
    self->errors += carom_world_step(copy, 0.5, NULL) != CAROM_OK;
    self->errors += carom_world_step(alone, 0.5, NULL) != CAROM_OK;
    self->errors += carom_world_is_close(copy, alone, 0.0, &self->same) != CAROM_OK;
    carom_world_destroy(copy);
    carom_world_destroy(alone);
    return NULL;
}

/* How many threads this process has; 0 where the system does not tell. */
static int count_threads(void) {
    DIR *tasks = opendir("/proc/self/task");
    const struct dirent *task;
    int count = 0;
    if (tasks == NULL) return 0;
    while ((task = readdir(tasks)) != NULL) count += task->d_name[0] != '.';
    closedir(tasks);
    return count;
}

/* Without a context nothing is started, also for many particles. */
static void stays_on_this_thread(void) {
    static double mass[50000];
    const int before = count_threads();
    carom_world *world = NULL;
    carom_batch batch;
    size_t i;
    for (i = 0; i < 50000; i++) mass[i] = 0.0;
    EXPECT_OK(carom_world_create(3, NULL, &world));
    EXPECT_OK(carom_batch_init(&batch, sizeof batch));
    batch.count = 50000;
    batch.mass.data = mass;
    EXPECT_OK(carom_particles_add_batch(carom_world_particles(world), &batch, NULL));
    EXPECT_OK(carom_world_step(world, 0.1, NULL));
    EXPECT_OK(carom_world_next(world, 0.1));
    EXPECT(count_threads() == before);
    carom_world_destroy(world);
}

int main(void) {
    carom_context *context = NULL;
    carom_world *world = NULL;
    pthread_t threads[THREADS];
    job jobs[THREADS];
    double energy = 0.0;
    size_t i;
    stays_on_this_thread();
    EXPECT_OK(carom_context_create(3, &context));
    EXPECT_OK(carom_world_create(2, NULL, &world));
    add_lattice(world);
    EXPECT_OK(carom_world_kinetic_energy(world, &energy));
    EXPECT_STATUS(CAROM_NEGATIVE, carom_world_step(world, -1.0, NULL));
    EXPECT(detail_has("dt"));
    for (i = 0; i < THREADS; i++) {
        jobs[i].shared = world, jobs[i].context = context, jobs[i].energy = energy;
        jobs[i].same = jobs[i].errors = 0;
        EXPECT(pthread_create(&threads[i], NULL, work, &jobs[i]) == 0);
    }
    for (i = 0; i < THREADS; i++) {
        EXPECT(pthread_join(threads[i], NULL) == 0);
        EXPECT(jobs[i].errors == 0 && jobs[i].same == 1);
    }
    EXPECT(detail_has("dt"));

    /* A world keeps the threads of its context alive. */
    EXPECT_OK(carom_world_set_context(world, context));
    carom_context_destroy(context);
    EXPECT_OK(carom_world_step(world, 0.1, NULL));
    carom_world_destroy(world);
    return report("threads");
}
