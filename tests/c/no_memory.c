/* Out of memory is a status: entries that allocate much are called under many limits of address space, and with next to no heap, each in
   a process of its own; tests/c/without_memory.c and tests/c_abi/sweep.rs call all of them with small objects. It succeeds, or it says that there is no memory and has changed nothing; then it succeeds without the limit. */
#include "limits.h"

#include <sys/mman.h>

/* In a world, and in one whose columns do not fit into what is free anyway. */
enum { BALLS = 6000, MANY_BALLS = 20000 };

static carom_particles *particles;
static carom_world *world;
static carom_context *context;
static carom_frames *frames, *others;
static carom_candidates *candidates;
static carom_intersections *found;
static carom_events *events;
static carom_study *study;
static size_t *indices;
static carom_pair *pairs;
static carom_frame_pair *frame_pairs;
static double *numbers;
static char *bytes;
static size_t size;
static char path[64];

/* ---- Objects ---- */

static uint64_t hash_of(const carom_particles *store) {
    const carom_field fields[3] = {CAROM_POSITION, CAROM_VELOCITY, CAROM_MASS};
    uint64_t hash = UINT64_C(14695981039346656037);
    carom_column column;
    size_t i;
    for (i = 0; i < 3; i++) {
        must(carom_particles_column(store, fields[i], 0, &column));
        hash = mixed(hash, column.data, column.length * sizeof(double));
    }
    return hash;
}

static uint64_t hash_of_particles(void) { return hash_of(particles); }

static uint64_t hash_of_world(void) {
    double time = 0.0;
    must(carom_world_get_time(world, &time));
    return mixed(hash_of(carom_world_particles_const(world)), &time, sizeof time);
}

static uint64_t hash_of_events(void) {
    double time = 0.0;
    must(carom_events_get_time(events, &time));
    return mixed(hash_of(carom_events_particles(events)), &time, sizeof time);
}

static uint64_t hash_of_frames(void) {
    size_t length = 0;
    carom_column column;
    must(carom_frames_length(frames, &length));
    must(carom_frames_column(frames, CAROM_FRAME_ORIGIN, 0, 0, &column));
    return mixed(length, column.data, column.length * sizeof(double));
}

static uint64_t hash_of_study(void) {
    carom_estimate estimate;
    must(carom_estimate_init(&estimate, sizeof estimate));
    must(carom_study_estimate(study, 0, "hit", &estimate));
    return estimate.samples;
}

/* Balls of radius 0.4 on a square lattice, in motion. */
static void fill(carom_particles *store, size_t count) {
    carom_batch batch;
    double *position = (double *)claim(2 * count * sizeof(double));
    double *velocity = (double *)claim(2 * count * sizeof(double));
    double *mass = (double *)claim(count * sizeof(double)), *radius = (double *)claim(count * sizeof(double));
    size_t i;
    for (i = 0; i < count; i++) {
        position[2 * i] = (double)(i % 256), position[2 * i + 1] = (double)(i / 256);
        velocity[2 * i] = (i % 7) * 0.1, velocity[2 * i + 1] = (i % 5) * -0.1;
        mass[i] = 1.0, radius[i] = 0.4;
    }
    must(carom_batch_init(&batch, sizeof batch));
    batch.count = count;
    batch.position.data = position, batch.velocity.data = velocity;
    batch.mass.data = mass, batch.radius.data = radius;
    must(carom_particles_add_batch(store, &batch, NULL));
    free(position), free(velocity), free(mass), free(radius);
}

static carom_frame square(double x, double y) {
    carom_frame frame;
    memset(&frame, 0, sizeof frame);
    frame.kind = CAROM_CUBOID;
    frame.origin[0] = x, frame.origin[1] = y;
    frame.components[0][0] = frame.components[1][1] = 1.1;
    return frame;
}

static void fill_frames(carom_frames *set, size_t count) {
    carom_frame *all = (carom_frame *)claim(count * sizeof *all);
    size_t i;
    for (i = 0; i < count; i++) all[i] = square((double)(i % 256), (double)(i / 256));
    must(carom_frames_add_many(set, all, count, 0, NULL));
    free(all);
}

static void no_preparation(void) {}

static void some_particles(void) {
    must(carom_particles_create(2, &particles));
    fill(particles, 30000);
    indices = (size_t *)claim(20000 * sizeof *indices);
    for (size = 0; size < 20000; size++) indices[size] = size;
}

static void empty_particles(void) { must(carom_particles_create(2, &particles)); }

static void some_world(void) {
    must(carom_world_create(2, NULL, &world));
    fill(carom_world_particles(world), BALLS);
    numbers = (double *)claim(2 * BALLS * sizeof(double));
}

static void large_world(void) {
    must(carom_world_create(2, NULL, &world));
    fill(carom_world_particles(world), MANY_BALLS);
    numbers = (double *)claim(2 * MANY_BALLS * sizeof(double));
}

static void overlapping_world(void) {
    carom_particle_desc ball;
    double velocity[2] = {0.0, 0.0}, position[2] = {0.0, 0.0};
    size_t i;
    must(carom_world_create(2, NULL, &world));
    must(carom_world_set_broad_phase(world, CAROM_BROAD_GRID));
    must(carom_particle_desc_init(&ball, sizeof ball));
    ball.mass = 1.0, ball.radius = 100.0, ball.position = position, ball.velocity = velocity;
    for (i = 0; i < 600; i++) {
        position[0] = (double)(i % 40), position[1] = (double)(i / 40);
        velocity[0] = -position[0], velocity[1] = -position[1];
        must(carom_particles_add(carom_world_particles(world), &ball, NULL));
    }
}

static void some_pairs(void) {
    size_t i;
    some_world();
    size = 1 << 17;
    pairs = (carom_pair *)claim(size * sizeof *pairs);
    numbers = (double *)claim(size * sizeof *numbers);
    for (i = 0; i < size; i++) pairs[i].first = i % BALLS, pairs[i].second = (i + 1) % BALLS;
}

static void saved_world(carom_format format) {
    size_t room = 0;
    some_world();
    must(carom_world_to_memory(world, format, NULL, 0, &room));
    bytes = (char *)claim(room);
    must(carom_world_to_memory(world, format, bytes, room, &size));
}

static void world_as_json(void) { saved_world(CAROM_FORMAT_JSON_COMPACT); }
static void world_as_pbphys(void) { saved_world(CAROM_FORMAT_PBPHYS_COMPACT); }
static void world_as_snapshot(void) { saved_world(CAROM_FORMAT_SNAPSHOT); }

static void world_in_file(void) {
    some_world();
    must(carom_world_save(world, path, CAROM_FORMAT_SNAPSHOT));
}

static void some_frames(void) {
    size_t i;
    must(carom_frames_create(2, NULL, &frames));
    must(carom_frames_create(2, NULL, &others));
    fill_frames(frames, 5000);
    fill_frames(others, 5000);
    must(carom_candidates_create(&candidates));
    must(carom_intersections_create(2, 127, &found));
    size = 1 << 15;
    frame_pairs = (carom_frame_pair *)claim(size * sizeof *frame_pairs);
    for (i = 0; i < size; i++) frame_pairs[i].first = (uint32_t)(i % 5000), frame_pairs[i].second = (uint32_t)(i % 4999);
}

static void empty_frames(void) {
    must(carom_frames_create(2, NULL, &frames));
    must(carom_intersections_create(2, CAROM_HIT_PAIRS, &found));
}

static carom_enclosure large_box(void) {
    carom_enclosure box;
    must(carom_enclosure_init(&box, sizeof box));
    box.boundaries[0] = box.boundaries[1] = CAROM_REFLECTING;
    box.lower[0] = box.lower[1] = -1.0;
    box.upper[0] = box.upper[1] = 300.0;
    return box;
}

static void some_events(void) {
    const carom_enclosure box = large_box();
    size_t room = 0;
    must(carom_particles_create(2, &particles));
    fill(particles, 1200);
    must(carom_events_create(particles, &box, NULL, &events));
    must(carom_events_to_memory(events, NULL, 0, &room));
    bytes = (char *)claim(room);
    must(carom_events_to_memory(events, bytes, room, &size));
    numbers = (double *)claim(MIB * sizeof(double));
}

static const char *const STUDY =
    "kind = \"encounter\"\nreplicas = 20_000\n[encounter]\nduration = 20\n[encounter.a]\nradius = 20\n"
    "position = { normal = { mean = [0, 0, 0], sd = [50, 200, 50] } }\nvelocity = [7500, 0, 0]\n[encounter.b]\nradius = 5\n"
    "position = { normal = { mean = [75_000, 75_060, 20], sd = [100, 200, 50] } }\nvelocity = [0, -7500, 0]\n";

static const char *const GAS =
    "dimension = 2\n[gas]\nparticles = 400\npacking = 0.3\n";

static void some_study(void) { must(carom_study_from_toml(STUDY, NULL, &study)); }

/* ---- Calls ---- */

static carom_status create_particles(void) { return carom_particles_create(3, &particles); }
static carom_status reserve_particles(void) { return carom_particles_reserve(particles, 200000); }
static carom_status clone_particles(void) {
    carom_particles *copy = NULL;
    return carom_particles_clone(particles, &copy);
}
static carom_status remove_particles(void) { return carom_particles_remove_many(particles, indices, 20000); }

/* Adds particles one by one. Those that were added are there, and no others. */
static carom_status add_particles(void) {
    carom_particle_desc ball;
    carom_status status = carom_particle_desc_init(&ball, sizeof ball);
    size_t before = 0, after = 0, i;
    must(carom_particles_length(particles, &before));
    for (i = 0; i < 60000 && status == CAROM_OK; i++) status = carom_particles_add(particles, &ball, NULL);
    must(carom_particles_length(particles, &after));
    return status != CAROM_OK && after != before + i - 1 ? CAROM_PANIC : status;
}

static carom_status add_a_batch(void) {
    carom_batch batch;
    must(carom_batch_init(&batch, sizeof batch));
    batch.count = 100000;
    return carom_particles_add_batch(particles, &batch, NULL);
}

static carom_status create_world(void) { return carom_world_create(3, NULL, &world); }
static carom_status world_from_particles(void) { return carom_world_from_particles(particles, NULL, &world); }
static carom_status clone_world(void) {
    carom_world *copy = NULL;
    return carom_world_clone(world, &copy);
}
static carom_status step(void) { return carom_world_step(world, 0.01, NULL); }
static carom_status step_to_collision(void) { return carom_world_step_to_collision(world, 0.01, NULL); }
static carom_status time_of_pair(void) { return carom_world_time_to_collision(world, 0, 1, 1.0, numbers); }
static carom_status times_against_all(void) { return carom_world_times_against_all(world, 0, 1.0, numbers, MANY_BALLS); }
static carom_status times_of_pairs(void) { return carom_world_times_of_pairs(world, pairs, size, 1.0, numbers); }
static carom_status accelerations(void) { return carom_world_system_accelerations(world, numbers, 0, MANY_BALLS); }
static carom_status world_to_json(void) { return carom_world_to_memory(world, CAROM_FORMAT_JSON, NULL, 0, &size); }
static carom_status world_to_pbphys(void) { return carom_world_to_memory(world, CAROM_FORMAT_PBPHYS, NULL, 0, &size); }
static carom_status world_to_snapshot(void) {
    return carom_world_to_memory(world, CAROM_FORMAT_SNAPSHOT, NULL, 0, &size);
}
static carom_status world_from_memory(void) {
    carom_world *loaded = NULL;
    return carom_world_from_memory(bytes, size, NULL, &loaded);
}
static carom_status load_world(void) {
    carom_world *loaded = NULL;
    return carom_world_load(path, NULL, &loaded);
}

/* Adds particles to a world that steps meanwhile. */
static carom_status add_and_step(void) {
    carom_status status = CAROM_OK;
    carom_particle_desc ball;
    double position[2] = {0.0, 300.0};
    size_t i;
    must(carom_particle_desc_init(&ball, sizeof ball));
    ball.position = position, ball.mass = 1.0, ball.radius = 0.3;
    for (i = 0; i < 8000 && status == CAROM_OK; i++) {
        position[0] = (double)(i % 100), position[1] = 300.0 + (double)(i / 100);
        status = carom_particles_add(carom_world_particles(world), &ball, NULL);
        if (i % 2000 == 1999 && status == CAROM_OK) status = carom_world_step(world, 0.001, NULL);
    }
    return status;
}

static carom_status threads_200(void) { return carom_context_create(200, &context); }
static carom_status threads_2(void) { return carom_context_create(2, &context); }
static carom_status step_with_threads(void) {
    carom_status status = carom_context_create(2, &context);
    if (status == CAROM_OK) status = carom_world_set_context(world, context);
    if (status == CAROM_OK) status = carom_world_step(world, 0.01, NULL);
    must(carom_world_set_context(world, NULL));
    return status;
}

static carom_status create_frames(void) { return carom_frames_create(3, NULL, &frames); }
static carom_status clone_frames(void) {
    carom_frames *copy = NULL;
    return carom_frames_clone(frames, &copy);
}
static carom_status reserve_frames(void) { return carom_frames_reserve(frames, 100000); }
static carom_status find_candidates(void) { return carom_candidates_find(candidates, NULL, frames); }
static carom_status candidates_between(void) { return carom_candidates_find_between(candidates, NULL, frames, others); }
static carom_status find(void) { return carom_intersections_find(found, NULL, frames); }
static carom_status find_between(void) { return carom_intersections_find_between(found, NULL, frames, others); }
static carom_status test_pairs(void) {
    return carom_intersections_test_pairs(found, NULL, frames, others, frame_pairs, size);
}

/* Adds frames to a set that is searched meanwhile. */
static carom_status add_and_find(void) {
    carom_status status = CAROM_OK;
    size_t i;
    for (i = 0; i < 6000 && status == CAROM_OK; i++) {
        const carom_frame frame = square((double)(i % 128), (double)(i / 128));
        status = carom_frames_add(frames, &frame, NULL);
        if (i % 3000 == 2999 && status == CAROM_OK) status = carom_intersections_find(found, NULL, frames);
    }
    return status;
}

static carom_status create_events(void) {
    const carom_enclosure box = large_box();
    carom_events *made = NULL;
    return carom_events_create(particles, &box, NULL, &made);
}
static carom_status clone_events(void) {
    carom_events *copy = NULL;
    return carom_events_clone(events, &copy);
}
static carom_status run_events(void) {
    carom_limit limit;
    must(carom_limit_init(&limit, sizeof limit));
    limit.collisions = 20;
    return carom_events_run(events, &limit, NULL);
}
/* A run may have gone on when it lacks memory. */
static carom_status run_events_long(void) {
    carom_limit limit;
    must(carom_limit_init(&limit, sizeof limit));
    limit.collisions = 100000;
    return carom_events_run(events, &limit, NULL);
}
static carom_status next_event(void) {
    carom_event event;
    return carom_events_next(events, &event);
}
static carom_status replace_particles(void) { return carom_events_set_particles(events, particles); }
static carom_status events_to_memory(void) { return carom_events_to_memory(events, NULL, 0, &size); }
static carom_status events_from_memory(void) {
    carom_events *loaded = NULL;
    return carom_events_from_memory(bytes, size, &loaded);
}
static carom_status events_from_scene(void) { return carom_events_from_scene("billiard-break", NULL, &events); }
static carom_status events_from_toml(void) { return carom_events_from_toml(GAS, NULL, NULL, &events); }
static carom_status histogram(void) { return carom_events_speed_histogram(events, (uint64_t *)numbers, MIB, NULL); }

static carom_status create_study(void) {
    carom_study *made = NULL;
    return carom_study_from_toml(STUDY, NULL, &made);
}
static carom_status run_study(void) {
    carom_study_options options;
    must(carom_study_options_init(&options, sizeof options));
    options.threads = 2;
    return carom_study_run(study, &options, NULL, NULL, NULL);
}
static carom_status summary(void) { return carom_study_summary_json(study, NULL, 0, &size); }

/* ---- The walk ---- */

static const entry ENTRIES[] = {
    {"carom_particles_create", no_preparation, create_particles, NULL, 64 * MIB},
    {"carom_particles_reserve", some_particles, reserve_particles, hash_of_particles, 256 * MIB},
    {"carom_particles_clone", some_particles, clone_particles, hash_of_particles, 64 * MIB},
    {"carom_particles_remove_many", some_particles, remove_particles, hash_of_particles, 64 * MIB},
    {"carom_particles_add", empty_particles, add_particles, NULL, 64 * MIB},
    {"carom_particles_add_batch", some_particles, add_a_batch, hash_of_particles, 256 * MIB},
    {"carom_world_create", no_preparation, create_world, NULL, 64 * MIB},
    {"carom_world_from_particles", some_particles, world_from_particles, hash_of_particles, 64 * MIB},
    {"carom_world_clone", some_world, clone_world, hash_of_world, 64 * MIB},
    {"carom_world_step", some_world, step, hash_of_world, 64 * MIB},
    {"carom_world_step_to_collision", some_world, step_to_collision, hash_of_world, 64 * MIB},
    {"carom_world_step_to_collision, overlapping", overlapping_world, step_to_collision, hash_of_world, 64 * MIB},
    {"carom_world_time_to_collision", large_world, time_of_pair, hash_of_world, 64 * MIB},
    {"carom_world_times_against_all", large_world, times_against_all, hash_of_world, 64 * MIB},
    {"carom_world_times_of_pairs", some_pairs, times_of_pairs, hash_of_world, 64 * MIB},
    {"carom_world_system_accelerations", large_world, accelerations, hash_of_world, 64 * MIB},
    {"carom_world_to_memory, JSON", some_world, world_to_json, hash_of_world, 64 * MIB},
    {"carom_world_to_memory, PBPhys", some_world, world_to_pbphys, hash_of_world, 64 * MIB},
    {"carom_world_to_memory, snapshot", some_world, world_to_snapshot, hash_of_world, 64 * MIB},
    {"carom_world_from_memory, JSON", world_as_json, world_from_memory, hash_of_world, 64 * MIB},
    {"carom_world_from_memory, PBPhys", world_as_pbphys, world_from_memory, hash_of_world, 64 * MIB},
    {"carom_world_from_memory, snapshot", world_as_snapshot, world_from_memory, hash_of_world, 64 * MIB},
    {"carom_world_load", world_in_file, load_world, hash_of_world, 64 * MIB},
    {"carom_particles_add and carom_world_step", some_world, add_and_step, NULL, 256 * MIB},
    {"carom_context_create, 2 threads", no_preparation, threads_2, NULL, 1024 * MIB},
    {"carom_context_create, 200 threads", no_preparation, threads_200, NULL, (size_t)1 << 37},
    {"carom_world_step with threads", some_world, step_with_threads, NULL, 1024 * MIB},
    {"carom_frames_create", no_preparation, create_frames, NULL, 64 * MIB},
    {"carom_frames_clone", some_frames, clone_frames, hash_of_frames, 64 * MIB},
    {"carom_frames_reserve", some_frames, reserve_frames, hash_of_frames, 256 * MIB},
    {"carom_frames_add and carom_intersections_find", empty_frames, add_and_find, NULL, 64 * MIB},
    {"carom_candidates_find", some_frames, find_candidates, hash_of_frames, 64 * MIB},
    {"carom_candidates_find_between", some_frames, candidates_between, hash_of_frames, 64 * MIB},
    {"carom_intersections_find", some_frames, find, hash_of_frames, 128 * MIB},
    {"carom_intersections_find_between", some_frames, find_between, hash_of_frames, 256 * MIB},
    {"carom_intersections_test_pairs", some_frames, test_pairs, hash_of_frames, 128 * MIB},
    {"carom_events_create", some_events, create_events, hash_of_events, 128 * MIB},
    {"carom_events_clone", some_events, clone_events, hash_of_events, 64 * MIB},
    {"carom_events_run", some_events, run_events, hash_of_events, 64 * MIB},
    {"carom_events_run, long", some_events, run_events_long, NULL, 64 * MIB},
    {"carom_events_next", some_events, next_event, hash_of_events, 64 * MIB},
    {"carom_events_set_particles", some_events, replace_particles, hash_of_events, 128 * MIB},
    {"carom_events_to_memory", some_events, events_to_memory, hash_of_events, 64 * MIB},
    {"carom_events_from_memory", some_events, events_from_memory, hash_of_events, 128 * MIB},
    {"carom_events_from_scene", no_preparation, events_from_scene, NULL, 64 * MIB},
    {"carom_events_from_toml", no_preparation, events_from_toml, NULL, 64 * MIB},
    {"carom_events_speed_histogram", some_events, histogram, hash_of_events, 64 * MIB},
    {"carom_study_from_toml", no_preparation, create_study, NULL, 64 * MIB},
    {"carom_study_run", some_study, run_study, hash_of_study, 1024 * MIB},
    {"carom_study_summary_json", some_study, summary, hash_of_study, 64 * MIB},
};

/* Counts that a caller can map, but for which there is no memory beside that. */
static void huge_counts(void) {
    const size_t count = (size_t)1 << 34, length = 3 * count * sizeof(double);
    void *mapped = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    carom_status status;
    if (mapped == MAP_FAILED) return;
    some_events();
    some_world();
    set_limit((rlim_t)(address_space() + 64 * MIB));
    EXPECT_STATUS(CAROM_OUT_OF_MEMORY, carom_events_speed_histogram(events, (uint64_t *)mapped, count, NULL));
    /* All of them are the pair of particle 0 with itself. */
    status = carom_world_times_of_pairs(world, (const carom_pair *)mapped, count, 1.0, (double *)mapped + 2 * count);
    EXPECT_STATUS(CAROM_SAME_PAIR, status);
    EXPECT_STATUS(CAROM_WRONG_LENGTH, carom_world_times_against_all(world, 0, 1.0, (double *)mapped, count));
    EXPECT_STATUS(CAROM_OUT_OF_MEMORY, carom_particles_remove_many(carom_world_particles(world), (size_t *)mapped, count));
    set_limit(RLIM_INFINITY);
    munmap(mapped, length);
}

int main(int argc, char **argv) {
    snprintf(path, sizeof path, "no_memory-%ld.carom", (long)getpid());
    walk_all(ENTRIES, sizeof ENTRIES / sizeof *ENTRIES, argc > 1 ? argv[1] : "");
    if (argc == 1) huge_counts();
    remove(path);
    return report("no_memory");
}
