/* Everything a caller can get wrong with event-driven runs gives a status, changes nothing and never crashes. */
#include "expect.h"

#include <math.h>
#include <stdlib.h>

static carom_enclosure box(double edge) {
    carom_enclosure enclosure;
    EXPECT_OK(carom_enclosure_init(&enclosure, sizeof enclosure));
    enclosure.boundaries[0] = enclosure.boundaries[1] = CAROM_REFLECTING;
    enclosure.upper[0] = enclosure.upper[1] = edge;
    return enclosure;
}

static carom_limit until(double time) {
    carom_limit limit;
    EXPECT_OK(carom_limit_init(&limit, sizeof limit));
    limit.time = time;
    return limit;
}

static void add_ball(carom_particles *particles, double x, double vx) {
    double position[2], velocity[2] = {0.0, 0.0};
    carom_particle_desc ball;
    position[0] = x, position[1] = 5.0, velocity[0] = vx;
    EXPECT_OK(carom_particle_desc_init(&ball, sizeof ball));
    ball.position = position;
    ball.velocity = velocity;
    ball.mass = 1.0;
    EXPECT_OK(carom_particles_add(particles, &ball, NULL));
}

/* Balls of radius 0.5 at x = 2 and 6; the first moves at 1 m/s and hits the other at t = 3. */
static carom_particles *two_balls(void) {
    carom_particles *particles = NULL;
    EXPECT_OK(carom_particles_create(2, &particles));
    add_ball(particles, 2.0, 1.0);
    add_ball(particles, 6.0, 0.0);
    return particles;
}

static carom_events *two_in_a_box(void) {
    carom_particles *particles = two_balls();
    carom_enclosure enclosure = box(10.0);
    carom_events *events = NULL;
    EXPECT_OK(carom_events_create(particles, &enclosure, NULL, &events));
    carom_particles_destroy(particles);
    return events;
}

/* Whether both runs have the same bits. */
static int same(const carom_events *events, const carom_events *other) {
    static char bytes[2][8192];
    size_t needed[2] = {0, 1};
    EXPECT_OK(carom_events_to_memory(events, bytes[0], sizeof bytes[0], &needed[0]));
    EXPECT_OK(carom_events_to_memory(other, bytes[1], sizeof bytes[1], &needed[1]));
    return needed[0] == needed[1] && memcmp(bytes[0], bytes[1], needed[0]) == 0;
}

static void null_pointers(carom_events *events) {
    carom_particles *particles = two_balls();
    const carom_enclosure enclosure = box(10.0);
    const carom_limit limit = until(1.0);
    carom_events *made = NULL;
    carom_enclosure *no_enclosure = NULL;
    carom_event event;
    carom_measurements *no_measurements = NULL;
    carom_stop stop = 77;
    size_t listed = 42;
    double time = 42.0;
    memset(&event, 0, sizeof event);
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_events_create(NULL, &enclosure, NULL, &made));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_events_create(particles, NULL, NULL, &made));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_events_create(particles, &enclosure, NULL, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_events_from_scene(NULL, NULL, &made));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_events_from_scene("oblique", &time, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_events_from_toml(NULL, NULL, NULL, &made));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_events_load(NULL, &made));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_events_clone(NULL, &made));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_events_run(events, NULL, &stop));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_events_run(NULL, &limit, &stop));
    EXPECT(detail_has("events"));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_events_run_observed(events, &limit, NULL, NULL, &stop));
    EXPECT(detail_has("callback"));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_events_next(events, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_events_next(NULL, &event));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_events_set_particles(events, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_events_set_settings(events, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_events_get_time(NULL, &time));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_events_get_enclosure(events, no_enclosure));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_events_measurements(events, no_measurements));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_events_speed_histogram(events, NULL, 4, &time));
    EXPECT(detail_has("counts"));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_events_speed_histogram(NULL, NULL, 0, &time));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_events_synchronise(NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_last_overlaps(NULL, 0, NULL, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_last_overlaps(NULL, 1, &listed, NULL));
    EXPECT_STATUS(CAROM_MISALIGNED, carom_events_get_time((const carom_events *)((const char *)events + 1), &time));
    EXPECT(carom_events_particles(NULL) == NULL && carom_scene_name(99) == NULL);
    EXPECT(made == NULL && stop == 77 && listed == 42 && time == 42.0);
    carom_events_destroy(NULL);
    carom_particles_destroy(particles);
}

/* A box or a setting that is refused; nothing is created. */
static void bad_starts(void) {
    const double nonsense[] = {NAN, INFINITY, -1.0, 0.0};
    carom_particles *particles = two_balls(), *four = NULL;
    carom_event_settings settings;
    carom_enclosure enclosure;
    carom_events *made = NULL;
    const double fast[2] = {0.0, 1.0};
    size_t i;
    for (i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        enclosure = box(10.0);
        enclosure.upper[1] = nonsense[i];
        EXPECT_STATUS(i < 2 ? CAROM_NOT_FINITE : CAROM_OUT_OF_RANGE,
                      carom_events_create(particles, &enclosure, NULL, &made));
    }
    enclosure = box(10.0);
    enclosure.boundaries[1] = 3;
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_events_create(particles, &enclosure, NULL, &made));
    EXPECT(detail_has("boundaries"));
    enclosure = box(6.25);
    EXPECT_STATUS(CAROM_OUTSIDE_BOX, carom_events_create(particles, &enclosure, NULL, &made));
    EXPECT(detail_has("particle 1 is outside the box along axis 0"));
    enclosure = box(10.0);
    EXPECT_OK(carom_event_settings_init(&settings, sizeof settings));
    settings.restitution = NAN;
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_events_create(particles, &enclosure, &settings, &made));
    settings.restitution = 1.5;
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_events_create(particles, &enclosure, &settings, &made));
    settings.restitution = 1.0;
    settings.max_rate = 0;
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_events_create(particles, &enclosure, &settings, &made));
    settings.max_rate = 1;
    settings.reserved = 1;
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_events_create(particles, &enclosure, &settings, &made));
    EXPECT_OK(carom_particles_set(particles, CAROM_ACCELERATION, 0, fast, 2));
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_events_create(particles, &enclosure, NULL, &made));
    EXPECT(detail_has("acceleration"));
    EXPECT_OK(carom_particles_create(4, &four));
    EXPECT_STATUS(CAROM_BAD_DIMENSION, carom_events_create(four, &enclosure, NULL, &made));
    EXPECT(made == NULL);
    carom_particles_destroy(four);
    carom_particles_destroy(particles);
}

static void overlapping_start(void) {
    carom_particles *particles = two_balls();
    const carom_enclosure enclosure = box(100.0);
    carom_events *made = NULL;
    carom_pair pairs[16];
    size_t listed = 99, total = 99;
    int i;
    add_ball(particles, 6.75, 0.0);
    EXPECT_STATUS(CAROM_OVERLAP, carom_events_create(particles, &enclosure, NULL, &made));
    EXPECT(detail_has("1 pair of particles overlaps: [[1, 2]]") && made == NULL);
    EXPECT_OK(carom_last_overlaps(pairs, 16, &listed, &total));
    EXPECT(listed == 1 && total == 1 && pairs[0].first == 1 && pairs[0].second == 2);
    EXPECT_OK(carom_last_overlaps(NULL, 0, &listed, &total));
    EXPECT(listed == 0 && total == 1);

    /* More pairs than are kept: the number of all is still told. */
    for (i = 0; i < 30; i++) add_ball(particles, 20.0 + 1.5 * i, 0.0), add_ball(particles, 20.5 + 1.5 * i, 0.0);
    EXPECT_STATUS(CAROM_OVERLAP, carom_events_create(particles, &enclosure, NULL, &made));
    EXPECT_OK(carom_last_overlaps(pairs, 2, &listed, NULL));
    EXPECT(listed == 2 && pairs[0].first < pairs[0].second);
    EXPECT_OK(carom_last_overlaps(pairs, 16, &listed, &total));
    EXPECT(listed == 16 && total >= 31);

    /* Any other failure takes their place. */
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_events_synchronise(NULL));
    EXPECT_OK(carom_last_overlaps(pairs, 16, &listed, &total));
    EXPECT(listed == 0 && total == 0);
    carom_particles_destroy(particles);
}

/* A program built with a later header: the same struct with something behind it. */
typedef struct newer_measurements {
    carom_measurements measurements;
    double later;
} newer_measurements;

static void sizes_of_options(carom_events *events) {
    const uint32_t nonsense[] = {0, 4, 7, 12, 5000, UINT32_MAX};
    carom_particles *particles = two_balls();
    carom_events *made = NULL;
    newer_measurements newer;
    carom_measurements measurements;
    carom_event_settings settings;
    carom_enclosure enclosure = box(10.0);
    carom_limit limit = until(1.0);
    size_t i;
    EXPECT_OK(carom_measurements_init(&measurements, sizeof measurements));
    EXPECT_OK(carom_event_settings_init(&settings, sizeof settings));
    EXPECT(settings.struct_size == sizeof settings && settings.restitution == 1.0 && settings.max_rate == 10000);
    EXPECT(settings.contact_duration == CAROM_CONTACT_DURATION_BY_GRAVITY);
    for (i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        measurements.struct_size = settings.struct_size = enclosure.struct_size = limit.struct_size = nonsense[i];
        EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_events_measurements(events, &measurements));
        EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_events_set_settings(events, &settings));
        EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_events_get_settings(events, &settings));
        EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_events_create(particles, &enclosure, NULL, &made));
        EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_events_get_enclosure(events, &enclosure));
        EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_events_run(events, &limit, NULL));
        EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_limit_init(&limit, nonsense[i]));
    }
    EXPECT(made == NULL);

    /* Older: nothing is written behind the end. Newer: what this library does not know stays 0. */
    EXPECT_OK(carom_measurements_init(&measurements, sizeof measurements));
    measurements.struct_size = (uint32_t)offsetof(carom_measurements, wall_collisions);
    measurements.kinetic_energy = -5.0;
    EXPECT_OK(carom_events_measurements(events, &measurements));
    EXPECT(measurements.kinetic_energy == -5.0 && measurements.struct_size == 16);
    newer.later = 5.0;
    EXPECT_OK(carom_measurements_init(&newer.measurements, sizeof newer));
    EXPECT_OK(carom_events_measurements(events, &newer.measurements));
    EXPECT(newer.later == 0.0 && newer.measurements.kinetic_energy == 0.5);
    EXPECT(isnan(newer.measurements.mean_free_path) && newer.measurements.momentum[0] == 1.0);
    EXPECT_OK(carom_events_measurements(events, &newer.measurements));
    carom_particles_destroy(particles);
}

/* One ball moves at 1 m/s, one rests. */
static void speeds_in_bins(const carom_events *events) {
    uint64_t counts[5] = {9, 9, 9, 9, 9};
    double width = 42.0;
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_events_speed_histogram(events, counts, SIZE_MAX / 2, &width));
    EXPECT(counts[0] == 9 && width == 42.0);
    EXPECT_OK(carom_events_speed_histogram(events, counts, 4, &width));
    EXPECT(counts[0] == 1 && counts[1] == 0 && counts[2] == 0 && counts[3] == 1 && counts[4] == 9 && width == 0.25);
    EXPECT_OK(carom_events_speed_histogram(events, counts, 1, NULL));
    EXPECT(counts[0] == 2);
    EXPECT_OK(carom_events_speed_histogram(events, NULL, 0, &width));
    EXPECT(width == 0.0);
}

static void bad_limits(carom_events *events) {
    carom_limit limit = until(NAN);
    carom_stop stop = 77;
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_events_run(events, &limit, &stop));
    limit = until(1.0);
    limit.reserved = 1;
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_events_run(events, &limit, &stop));
    EXPECT(stop == 77);
    limit = until(-1.0);
    EXPECT_OK(carom_events_run(events, &limit, &stop));
    EXPECT(stop == CAROM_STOP_TIME);
    limit = until(INFINITY);
    limit.collisions = 0;
    EXPECT_OK(carom_events_run(events, &limit, &stop));
    EXPECT(stop == CAROM_STOP_COLLISIONS);
}

/* The particles of a run are const; a cast gets a status, not a crash. */
static void borrowed_particles(carom_events *events) {
    carom_particles *borrowed = (carom_particles *)(uintptr_t)carom_events_particles(events);
    const double place[2] = {5.0, 5.0};
    carom_column_mut column;
    size_t length = 0;
    EXPECT_STATUS(CAROM_READ_ONLY, carom_particles_set(borrowed, CAROM_POSITION, 0, place, 2));
    EXPECT(detail_has("particles can only be read"));
    EXPECT_STATUS(CAROM_READ_ONLY, carom_particles_clear(borrowed));
    EXPECT_STATUS(CAROM_READ_ONLY, carom_particles_column_mut(borrowed, CAROM_MASS, 0, &column));
    carom_particles_destroy(borrowed);
    EXPECT_OK(carom_particles_length(borrowed, &length));
    EXPECT(length == 2);
}

/* An edit that is refused leaves the run as it was; a good one is taken over at the current time. */
static void edits(void) {
    carom_events *events = two_in_a_box(), *before = NULL;
    carom_particles *copy = NULL;
    const double there[2] = {5.75, 5.0}, elsewhere[2] = {2.0, 2.0}, bad[2] = {NAN, 5.0};
    double found[2] = {0.0, 0.0}, time = 0.0;
    carom_limit limit = until(1.0);
    carom_column_mut column;
    size_t length = 0;
    EXPECT_OK(carom_events_run(events, &limit, NULL));
    EXPECT_OK(carom_events_synchronise(events));
    EXPECT_OK(carom_events_clone(events, &before));
    EXPECT_OK(carom_particles_clone(carom_events_particles(events), &copy));
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_particles_set(copy, CAROM_POSITION, 0, bad, 2));
    EXPECT_OK(carom_particles_set(copy, CAROM_POSITION, 0, there, 2));
    EXPECT_STATUS(CAROM_OVERLAP, carom_events_set_particles(events, copy));
    EXPECT_OK(carom_particles_set(copy, CAROM_POSITION, 0, elsewhere, 2));
    EXPECT_OK(carom_particles_column_mut(copy, CAROM_VELOCITY, 1, &column));
    column.data[1] = NAN;
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_events_set_particles(events, copy));
    EXPECT(same(events, before));
    column.data[1] = 0.0;
    EXPECT_OK(carom_events_set_particles(events, copy));
    EXPECT_OK(carom_particles_get(carom_events_particles(events), CAROM_POSITION, 0, found, 2));
    EXPECT_OK(carom_events_get_time(events, &time));
    EXPECT(found[0] == 2.0 && found[1] == 2.0 && time == 1.0);

    /* Its own particles, and none at all. */
    EXPECT_OK(carom_events_set_particles(events, carom_events_particles(events)));
    EXPECT_OK(carom_particles_clear(copy));
    EXPECT_OK(carom_events_set_particles(events, copy));
    EXPECT_OK(carom_particles_length(carom_events_particles(events), &length));
    EXPECT(length == 0);
    limit = until(INFINITY);
    EXPECT_OK(carom_events_run(events, &limit, NULL));
    carom_particles_destroy(copy);
    carom_events_destroy(before);
    carom_events_destroy(events);
}

/* What a callback tries with the run that calls it. */
typedef struct intruder {
    carom_events *events;
    int calls;
} intruder;

static int32_t intrude(const carom_event *event, void *user) {
    intruder *self = (intruder *)user;
    const carom_particles *particles = carom_events_particles(self->events);
    const carom_limit limit = until(9.0);
    carom_events *copy = NULL;
    carom_event next;
    carom_column column;
    double value = 0.0;
    size_t needed = 0;
    self->calls++;
    EXPECT(event->kind == CAROM_EVENT_COLLISION && event->time == 3.0 && event->found == 1);
    EXPECT(event->first == 0 && event->second == 1 && event->normal[0] == -1.0 && event->impulse == 1.0);
    EXPECT_STATUS(CAROM_BUSY, carom_events_run(self->events, &limit, NULL));
    EXPECT(detail_has("events"));
    EXPECT_STATUS(CAROM_BUSY, carom_events_next(self->events, &next));
    EXPECT_STATUS(CAROM_BUSY, carom_events_get_time(self->events, &value));
    EXPECT_STATUS(CAROM_BUSY, carom_events_synchronise(self->events));
    EXPECT_STATUS(CAROM_BUSY, carom_events_clone(self->events, &copy));
    EXPECT_STATUS(CAROM_BUSY, carom_events_reset_measurements(self->events));
    EXPECT_STATUS(CAROM_BUSY, carom_events_set_particles(self->events, particles));
    EXPECT_STATUS(CAROM_BUSY, carom_events_to_memory(self->events, NULL, 0, &needed));
    EXPECT_STATUS(CAROM_BUSY, carom_particles_column(particles, CAROM_MASS, 0, &column));
    EXPECT(copy == NULL && needed == 0);
    return 1;
}

static int32_t destroy_the_caller(const carom_event *event, void *user) {
    EXPECT(event->found == 1);
    carom_events_destroy((carom_events *)user);
    return 1;
}

static void callbacks(void) {
    carom_events *events = two_in_a_box();
    const carom_limit limit = until(20.0);
    intruder self = {NULL, 0};
    carom_stop stop = 77;
    carom_event next;
    double time = 0.0;
    self.events = events;
    EXPECT_OK(carom_events_run_observed(events, &limit, intrude, &self, &stop));
    EXPECT_OK(carom_events_get_time(events, &time));
    EXPECT(self.calls == 1 && stop == CAROM_STOP_CALLBACK && time == 3.0);
    EXPECT_OK(carom_events_next(events, &next));
    EXPECT(next.kind == CAROM_EVENT_WALL && next.first == 1 && next.second == 1 && next.time == 6.5);
    EXPECT_OK(carom_events_run_observed(events, &limit, destroy_the_caller, events, &stop));
}

/* No restitution in gravity: the ball ends on the floor, bouncing without end in no time. */
static void collapse(void) {
    carom_particles *particles = NULL;
    carom_events *events = NULL;
    carom_enclosure enclosure = box(10.0);
    carom_event_settings settings;
    carom_limit limit = until(100.0);
    carom_stop stop = 77;
    double time = 0.0;
    EXPECT_OK(carom_event_settings_init(&settings, sizeof settings));
    settings.down_gravity = 10.0;
    settings.wall_restitution = 0.5;
    settings.contact_duration = 0.0;
    EXPECT_OK(carom_particles_create(2, &particles));
    add_ball(particles, 5.0, 0.0);
    EXPECT_OK(carom_events_create(particles, &enclosure, &settings, &events));
    EXPECT_STATUS(CAROM_COLLAPSE, carom_events_run(events, &limit, &stop));
    EXPECT_OK(carom_events_get_time(events, &time));
    EXPECT(stop == 77 && time > 1.0 && time < 100.0);
    EXPECT_OK(carom_events_synchronise(events));
    settings.contact_duration = -2.0;
    EXPECT_STATUS(CAROM_NEGATIVE, carom_events_set_settings(events, &settings));
    settings.contact_duration = CAROM_CONTACT_DURATION_BY_GRAVITY;
    EXPECT_OK(carom_events_set_particles(events, particles));
    EXPECT_OK(carom_events_set_settings(events, &settings));
    EXPECT_OK(carom_events_run(events, &limit, &stop));
    EXPECT_OK(carom_events_get_time(events, &time));
    EXPECT(stop == CAROM_STOP_TIME && time == 100.0);
    carom_events_destroy(events);
    carom_particles_destroy(particles);
}

static void scenes(void) {
    const char latin1[] = {'\xe9', '\0'};
    const uint64_t seed = 7;
    carom_events *events = NULL;
    double time = 42.0;
    size_t i;
    EXPECT_STATUS(CAROM_UNKNOWN_NAME, carom_events_from_scene("billard", &time, &events));
    EXPECT(detail_has("\"billard\"") && detail_has("billiard-break"));
    EXPECT_STATUS(CAROM_BAD_STRING, carom_events_from_scene(latin1, &time, &events));
    EXPECT_STATUS(CAROM_SYNTAX, carom_events_from_toml("dimension = 2\nbox = 3\n", NULL, &time, &events));
    EXPECT(detail_has("line 2"));
    EXPECT(events == NULL && time == 42.0);
    for (i = 0; carom_scene_name(i) != NULL; i++) {
        EXPECT_OK(carom_events_from_scene(carom_scene_name(i), &time, &events));
        EXPECT(time > 0.0);
        carom_events_destroy(events);
    }
    EXPECT(i == 7);
    EXPECT_OK(carom_events_from_toml("dimension = 2\n[gas]\nparticles = 10\ndensity = 0.1\n", &seed, NULL, &events));
    carom_events_destroy(events);
}

static void files_and_memory(carom_events *events) {
    char bytes[8192], small[16] = "untouched";
    const char latin1[] = {'\xe9', '\0'};
    size_t needed = 0;
    carom_events *loaded = NULL;
    EXPECT_STATUS(CAROM_IO, carom_events_load("/no/such/file.run", &loaded));
    EXPECT(detail_has("/no/such/file.run"));
    EXPECT_STATUS(CAROM_IO, carom_events_save(events, "/no/such/directory/x.run"));
    EXPECT(detail_has("/no/such/directory"));
    EXPECT_STATUS(CAROM_BAD_STRING, carom_events_load(latin1, &loaded));
    EXPECT_STATUS(CAROM_BUFFER_TOO_SMALL, carom_events_to_memory(events, small, sizeof small, &needed));
    EXPECT(strcmp(small, "untouched") == 0 && needed > sizeof small && needed <= sizeof bytes);
    EXPECT_OK(carom_events_to_memory(events, bytes, sizeof bytes, &needed));
    EXPECT_STATUS(CAROM_TRUNCATED, carom_events_from_memory(bytes, needed - 1, &loaded));
    bytes[needed - 1] = (char)(bytes[needed - 1] ^ 1);
    EXPECT_STATUS(CAROM_CORRUPT, carom_events_from_memory(bytes, needed, &loaded));
    EXPECT(carom_events_from_memory(NULL, 0, &loaded) != CAROM_OK);
    EXPECT_STATUS(CAROM_UNKNOWN_FORMAT, carom_events_from_memory("hello, this is no saved run at all", 34, &loaded));
    EXPECT(loaded == NULL);
    bytes[needed - 1] = (char)(bytes[needed - 1] ^ 1);
    EXPECT_OK(carom_events_from_memory(bytes, needed, &loaded));
    EXPECT(same(events, loaded));
    carom_events_destroy(loaded);
}

/* The columns stay where they are; a run shows in them when it is synchronised. */
static void columns(void) {
    carom_events *events = two_in_a_box();
    const carom_particles *particles = carom_events_particles(events);
    carom_limit limit = until(1.0);
    carom_column x, again;
    EXPECT_OK(carom_particles_column(particles, CAROM_POSITION, 0, &x));
    EXPECT(x.length == 2 && (uintptr_t)x.data % CAROM_ALIGNMENT == 0);
    EXPECT_OK(carom_events_run(events, &limit, NULL));
    EXPECT(x.data[0] == 2.0);
    EXPECT_OK(carom_events_synchronise(events));
    EXPECT(x.data[0] == 3.0 && x.data[1] == 6.0);
    EXPECT_OK(carom_particles_column(particles, CAROM_POSITION, 0, &again));
    EXPECT(again.data == x.data);
    limit = until(INFINITY);
    limit.collisions = 1000;
    EXPECT_OK(carom_events_run(events, &limit, NULL));
    EXPECT_OK(carom_events_synchronise(events));
    EXPECT(x.data[0] >= 0.5 && x.data[1] <= 9.5 && x.data[1] - x.data[0] > 0.999);
    carom_events_destroy(events);
}

int main(void) {
    carom_events *events = two_in_a_box(), *before = NULL;
    EXPECT_OK(carom_events_clone(events, &before));
    null_pointers(events);
    sizes_of_options(events);
    speeds_in_bins(events);
    bad_limits(events);
    borrowed_particles(events);
    files_and_memory(events);
    EXPECT(same(events, before));
    carom_events_destroy(before);
    carom_events_destroy(events);
    bad_starts();
    overlapping_start();
    edits();
    callbacks();
    collapse();
    scenes();
    columns();
    return report("events_misuse");
}
