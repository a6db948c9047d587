/* A break in pool, event by event: a callback prints the first collisions and counts what the cushions get. */
#include "example.h"

#define PRINTED 12

static const char *const CUSHIONS[4] = {"left", "right", "bottom", "top"};

/* What the callback keeps. */
typedef struct tally {
    int events;
    int hits[4];
} tally;

static int32_t observe(const carom_event *event, void *user) {
    tally *self = (tally *)user;
    const int is_wall = event->kind == CAROM_EVENT_WALL;
    if (is_wall) self->hits[event->second]++;
    if (self->events++ < PRINTED) {
        printf("t = %.6f s: ball %d hits ", event->time, (int)event->first);
        if (is_wall) printf("the %s cushion", CUSHIONS[event->second]);
        else printf("ball %d", (int)event->second);
        printf(" with %.4f N s\n", event->impulse);
    }
    return 0; /* go on */
}

static void print_balls(carom_events *events) {
    const carom_particles *balls = carom_events_particles(events);
    carom_column x, y;
    size_t i;
    CHECK(carom_particles_column(balls, CAROM_POSITION, 0, &x));
    CHECK(carom_particles_column(balls, CAROM_POSITION, 1, &y));
    /* A run leaves the columns alone until it is asked. */
    CHECK(carom_events_synchronise(events));
    for (i = 0; i < x.length; i++) printf("ball %d is at (%.3f, %.3f) m\n", (int)i, x.data[i], y.data[i]);
}

int main(void) {
    carom_events *events = NULL;
    carom_limit limit;
    carom_stop stop;
    carom_event next;
    carom_measurements told;
    tally counted = {0, {0, 0, 0, 0}};
    int i;

    CHECK(carom_limit_init(&limit, sizeof limit));
    CHECK(carom_measurements_init(&told, sizeof told));
    CHECK(carom_events_from_scene("billiard-break", &limit.time, &events));
    CHECK(carom_events_next(events, &next));
    printf("the first collision will be at t = %.6f s\n", next.time);

    CHECK(carom_events_run_observed(events, &limit, observe, &counted, &stop));
    CHECK(carom_events_measurements(events, &told));
    printf("...\n%s after %g s: %d collisions of balls, %d with cushions:", stop == CAROM_STOP_TIME ? "stopped" : "ended",
           limit.time, (int)told.collisions, (int)told.wall_collisions);
    for (i = 0; i < 4; i++) printf(" %s %d", CUSHIONS[i], counted.hits[i]);
    printf("\nkinetic energy %.6f J, drift below 1e-12: %s\n", told.kinetic_energy,
           told.energy_drift < 1e-12 ? "yes" : "no");
    print_balls(events);
    carom_events_destroy(events);
    return told.energy_drift < 1e-12 ? 0 : 1;
}
