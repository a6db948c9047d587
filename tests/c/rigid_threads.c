/* Threads share a const space and a context; each steps copies of its own, alone and in a batch. */
#define _POSIX_C_SOURCE 200809L
#include "rigid.h"

#include <pthread.h>

#define THREADS 4
#define ROUNDS 100
#define STEPS 20

typedef struct job {
    const carom_space *shared;
    const carom_context *context;
    uint64_t before, after;
    int errors;
} job;

/* What a thread finds in the shared space, while others look. */
static int reads_well(const job *self) {
    carom_segment_hit hit;
    carom_contact contacts[4];
    carom_column column;
    size_t count = 0, needed = 0;
    uint64_t found = 0;
    if (carom_space_state_hash(self->shared, &found) != CAROM_OK || found != self->before) return 0;
    if (carom_space_segment_query_first(self->shared, vec2(0.0, 3.0), vec2(0.0, -3.0), 0.0, NULL, &hit) != CAROM_OK) return 0;
    if (carom_space_contacts(self->shared, contacts, 4, &count) != CAROM_OK) return 0;
    if (carom_space_column(self->shared, CAROM_BODY_Y, &column) != CAROM_OK) return 0;
    if (carom_space_to_memory(self->shared, CAROM_FORMAT_SNAPSHOT, NULL, 0, &needed) != CAROM_OK) return 0;
    return hit.found == 1 && count == 1 && column.length == 2 && needed > 100;
}

static void *work(void *argument) {
    job *self = (job *)argument;
    carom_space *copy = NULL;
    carom_spaces *batch = NULL;
    uint64_t found = 0;
    int round;
    for (round = 0; round < ROUNDS; round++) self->errors += !reads_well(self);
    self->errors += carom_space_step(NULL, 0.1) != CAROM_NULL_POINTER;
    self->errors += carom_space_clone(self->shared, &copy) != CAROM_OK;
    self->errors += carom_space_step_many(copy, 1.0 / 60.0, STEPS, NULL) != CAROM_OK;
    self->errors += carom_space_state_hash(copy, &found) != CAROM_OK || found != self->after;
    self->errors += carom_spaces_create(self->shared, 500, self->context, &batch) != CAROM_OK;
    self->errors += carom_spaces_step_many(batch, 1.0 / 60.0, STEPS, NULL) != CAROM_OK;
    self->errors += carom_spaces_state_hash(batch, 499, &found) != CAROM_OK || found != self->after;
    carom_spaces_destroy(batch);
    carom_space_destroy(copy);
    return NULL;
}

int main(void) {
    scene s = make_scene();
    carom_space *copy = NULL;
    carom_context *context = NULL;
    pthread_t threads[THREADS];
    job jobs[THREADS];
    uint64_t after;
    size_t i;
    EXPECT_OK(carom_context_create(3, &context));
    EXPECT_OK(carom_space_step_many(s.space, 1.0 / 60.0, 5, NULL));
    EXPECT_OK(carom_space_clone(s.space, &copy));
    EXPECT_OK(carom_space_step_many(copy, 1.0 / 60.0, STEPS, NULL));
    after = hash(copy);
    carom_space_destroy(copy);
    for (i = 0; i < THREADS; i++) {
        jobs[i].shared = s.space, jobs[i].context = context;
        jobs[i].before = hash(s.space), jobs[i].after = after, jobs[i].errors = 0;
        EXPECT(pthread_create(&threads[i], NULL, work, &jobs[i]) == 0);
    }
    for (i = 0; i < THREADS; i++) {
        EXPECT(pthread_join(threads[i], NULL) == 0);
        EXPECT(jobs[i].errors == 0);
    }
    carom_context_destroy(context);
    carom_space_destroy(s.space);
    return report("rigid_threads");
}
