/* Every function of the header, but for those of rigid bodies, which tests/c_abi/sweep.rs calls: with small objects, and with next
   to no memory. It succeeds, or it says that there is no memory and has changed nothing; then it succeeds with memory. Those that
   take none always succeed. "--list" prints the names. */
#include "limits.h"

enum { BALLS = 6, FRAMES = 5, ROWS = 64 };

static carom_particles *particles, *other_particles;
static carom_world *world, *other_world;
static carom_context *context;
static carom_frames *frames, *others;
static carom_candidates *candidates;
static carom_intersections *found;
static carom_events *events;
static carom_study *study;
static carom_particle_desc ball;
static carom_batch batch;
static carom_particle_layout layout;
static carom_frame_batch frame_batch;
static carom_frame_layout frame_layout;
static carom_hit_layout hit_layout;
static carom_settings settings;
static carom_enclosure enclosure;
static carom_event_settings event_settings;
static carom_limit limit;
static carom_measurements measurements;
static carom_study_options study_options;
static carom_estimate estimate;
static carom_frame frame_values[FRAMES];
static carom_frame_pair frame_pairs[FRAMES];
static carom_pair pairs[BALLS];
static char world_bytes[1 << 15], events_bytes[1 << 15], text[1 << 14];
static size_t world_size, events_size;
static char world_path[64], events_path[64];
static FILE *stream;

/* Where outputs go. */
static struct {
    void *object;
    double numbers[ROWS];
    uint64_t words[ROWS];
    size_t count, total;
    int32_t flag;
    carom_column column;
    carom_column_mut column_mut;
    carom_byte_column bytes;
    carom_data_column data;
    carom_data_column_mut data_mut;
    carom_approach approach;
    carom_shape_kind kind;
    carom_frame frame;
    carom_box box;
    carom_overlap overlap;
    carom_frame_contact contact;
    carom_bit_view bits;
    carom_index_view indices;
    carom_pair_view pairs;
    carom_interval_view times;
    carom_box_view boxes;
    carom_normal_view normals;
    carom_event event;
    carom_stop stop;
    carom_study_end end;
} out;

static const size_t ROW_NUMBERS[2] = {0, 2};
static const double SECOND = 1.0;

static void look(const carom_collision *collision, void *user) { (void)collision, (void)user; }

static int32_t keep_stepping(const carom_collision *collision, void *user) {
    (void)collision, (void)user;
    return 0;
}

static int32_t keep_running(const carom_event *event, void *user) {
    (void)event, (void)user;
    return 0;
}

static const char *const STUDY =
    "kind = \"encounter\"\nreplicas = 200\n[encounter]\nduration = 20\n[encounter.a]\nradius = 20\n"
    "position = { normal = { mean = [0, 0, 0], sd = [50, 200, 50] } }\nvelocity = [7500, 0, 0]\n[encounter.b]\nradius = 5\n"
    "position = { normal = { mean = [75_000, 75_060, 20], sd = [100, 200, 50] } }\nvelocity = [0, -7500, 0]\n";

static void make_particles(void) {
    static double position[2], velocity[2];
    size_t i;
    must(carom_particle_desc_init(&ball, sizeof ball));
    ball.mass = 1.0, ball.radius = 0.4, ball.position = position, ball.velocity = velocity;
    must(carom_particles_create(2, &particles));
    for (i = 0; i < BALLS; i++) {
        position[0] = (double)i, velocity[0] = i % 2 == 0 ? 1.0 : -1.0;
        must(carom_particles_add(particles, &ball, NULL));
    }
    position[0] = 20.0;
    must(carom_particles_clone(particles, &other_particles));
    must(carom_particles_set_kind(other_particles, 0, CAROM_FACOID));
    must(carom_batch_init(&batch, sizeof batch));
    batch.count = 2;
    batch.position.data = out.numbers, batch.velocity.data = out.numbers, batch.mass.data = out.numbers;
    batch.radius.data = out.numbers;
    must(carom_particle_layout_init(&layout, sizeof layout));
    layout.stride = 4 * sizeof(double), layout.position = 0;
}

static void make_worlds(void) {
    must(carom_world_from_particles(particles, NULL, &world));
    must(carom_world_clone(world, &other_world));
    must(carom_settings_init(&settings, sizeof settings));
    must(carom_world_to_memory(world, CAROM_FORMAT_JSON, world_bytes, sizeof world_bytes, &world_size));
    must(carom_world_save(world, world_path, CAROM_FORMAT_SNAPSHOT));
    pairs[0].second = 1, pairs[1].first = 2, pairs[1].second = 3;
}

static void make_frames(void) {
    size_t i;
    must(carom_frames_create(2, NULL, &frames));
    for (i = 0; i < FRAMES; i++) {
        carom_frame *one = &frame_values[i];
        one->kind = CAROM_CUBOID;
        one->origin[0] = (double)i;
        one->components[0][0] = one->components[1][1] = 1.5;
        frame_pairs[i].first = (uint32_t)i, frame_pairs[i].second = (uint32_t)((i + 1) % FRAMES);
    }
    must(carom_frames_add_many(frames, frame_values, FRAMES, 0, NULL));
    must(carom_frames_clone(frames, &others));
    must(carom_candidates_create(&candidates));
    must(carom_candidates_find(candidates, NULL, frames));
    must(carom_intersections_create(2, 127, &found));
    must(carom_intersections_find(found, NULL, frames));
    must(carom_frame_batch_init(&frame_batch, sizeof frame_batch));
    must(carom_frame_layout_init(&frame_layout, sizeof frame_layout));
    frame_layout.stride = sizeof(carom_frame), frame_layout.component_stride = 3 * sizeof(double);
    frame_layout.origin = offsetof(carom_frame, origin), frame_layout.components = offsetof(carom_frame, components);
    must(carom_hit_layout_init(&hit_layout, sizeof hit_layout));
    hit_layout.stride = 8 * sizeof(double);
}

static void make_events(void) {
    must(carom_enclosure_init(&enclosure, sizeof enclosure));
    enclosure.boundaries[0] = enclosure.boundaries[1] = CAROM_REFLECTING;
    enclosure.lower[0] = enclosure.lower[1] = -1.0;
    enclosure.upper[0] = enclosure.upper[1] = 30.0;
    must(carom_events_create(particles, &enclosure, NULL, &events));
    must(carom_event_settings_init(&event_settings, sizeof event_settings));
    event_settings.restitution = 0.9;
    must(carom_limit_init(&limit, sizeof limit));
    limit.collisions = 3;
    must(carom_measurements_init(&measurements, sizeof measurements));
    must(carom_events_to_memory(events, events_bytes, sizeof events_bytes, &events_size));
    must(carom_events_save(events, events_path));
}

static void make_study(void) {
    must(carom_study_from_toml(STUDY, NULL, &study));
    must(carom_study_options_init(&study_options, sizeof study_options));
    study_options.threads = 1;
    must(carom_estimate_init(&estimate, sizeof estimate));
}

static void prepare(void) {
    make_particles();
    make_worlds();
    make_frames();
    make_events();
    make_study();
    must(carom_context_create(1, &context));
    stream = tmpfile();
    if (stream == NULL || fwrite(world_bytes, 1, world_size, stream) != world_size) exit(1);
    rewind(stream);
    memset(&out, 0, sizeof out);
}

/* Something of every object. */
static uint64_t state(void) {
    size_t sizes[2];
    double times[2];
    uint64_t hash = 0;
    carom_column column;
    must(carom_particles_length(particles, &sizes[0]));
    must(carom_frames_length(frames, &sizes[1]));
    must(carom_world_get_time(world, &times[0]));
    must(carom_events_get_time(events, &times[1]));
    must(carom_particles_column(carom_world_particles_const(world), CAROM_POSITION, 0, &column));
    memcpy(&hash, &column.data[1], sizeof hash);
    return (hash * 31) ^ (sizes[0] << 8) ^ (sizes[1] << 16) ^ (uint64_t)(1e6 * times[0]) ^ (uint64_t)(1e9 * times[1]);
}

/* ---- The functions, with their arguments ---- */

/* The stream at its beginning, also after a call that has read some of it. */
static FILE *rewound(void) {
    rewind(stream);
    return stream;
}

#define OBJECT(type) ((type **)&out.object)

/* Those that may take memory. */
#define TAKES(X)                                                                                               \
    X(carom_context_create, (1, OBJECT(carom_context)))                                                        \
    X(carom_particles_create, (2, OBJECT(carom_particles)))                                                    \
    X(carom_particles_clone, (particles, OBJECT(carom_particles)))                                             \
    X(carom_particles_reserve, (particles, 1000))                                                              \
    X(carom_particles_add, (particles, &ball, NULL))                                                           \
    X(carom_particles_remove_many, (particles, ROW_NUMBERS, 2))                                                \
    X(carom_particles_add_batch, (particles, &batch, NULL))                                                    \
    X(carom_particles_add_structs, (particles, &layout, out.numbers, 2, NULL))                                 \
    X(carom_particles_write_structs, (particles, &layout, 0, 2, out.numbers))                                  \
    X(carom_particles_read_structs, (particles, &layout, 0, 2, out.numbers))                                   \
    X(carom_particles_read, (particles, CAROM_POSITION, 0, 2, out.numbers, 0))                                 \
    X(carom_particles_write, (particles, CAROM_POSITION, 0, 2, out.numbers, 0))                                \
    X(carom_particles_set_all_axes, (particles, out.numbers, 4 * BALLS))                                       \
    X(carom_particles_shrink, (particles))                                      \
    X(carom_particles_get, (particles, CAROM_POSITION, 0, out.numbers, 2))      \
    X(carom_particles_set, (particles, CAROM_POSITION, 0, out.numbers, 2))      \
    X(carom_particles_get_kind, (particles, 0, &out.kind))                      \
    X(carom_particles_set_kind, (particles, 0, CAROM_SPHEROID))                 \
    X(carom_particles_get_axes, (particles, 0, out.numbers, 4))                 \
    X(carom_particles_set_axes, (particles, 0, out.numbers, 4))                 \
    X(carom_particles_set_radius, (particles, 0, 0.3))                          \
    X(carom_particles_axes, (particles, &out.column))                           \
    X(carom_particles_print, (particles, 0, stream))                                                           \
    X(carom_world_create, (2, NULL, OBJECT(carom_world)))                                                      \
    X(carom_world_from_particles, (particles, NULL, OBJECT(carom_world)))                                      \
    X(carom_world_clone, (world, OBJECT(carom_world)))                                                         \
    X(carom_world_momentum, (world, out.numbers, 2))                                                           \
    X(carom_world_centre_of_mass, (world, out.numbers, 2))                                                     \
    X(carom_world_kinetic_energy, (world, out.numbers))                                                        \
    X(carom_world_potential_energy, (world, out.numbers))                                                      \
    X(carom_world_next, (world, 0.01))                                                                         \
    X(carom_world_step, (world, 0.3, NULL))                                                                    \
    X(carom_world_step_observed, (world, 0.3, look, NULL, NULL))                                              \
    X(carom_world_step_stoppable, (world, 0.3, keep_stepping, NULL, NULL, NULL))                               \
    X(carom_world_step_to_collision, (world, 0.3, &out.approach))                                              \
    X(carom_world_collide, (world, 0, 1, out.numbers))                                                         \
    X(carom_world_time_to_collision, (world, 0, 1, 1.0, out.numbers))                                          \
    X(carom_world_times_against_all, (world, 0, 1.0, out.numbers, BALLS))                                      \
    X(carom_world_times_of_pairs, (world, pairs, 2, 1.0, out.numbers))                                         \
    X(carom_world_earliest_collision, (world, 1.0, &out.approach))                                             \
    X(carom_world_system_accelerations, (world, out.numbers, 0, BALLS))                                        \
    X(carom_world_save, (world, world_path, CAROM_FORMAT_SNAPSHOT))                                            \
    X(carom_world_load, (world_path, NULL, OBJECT(carom_world)))                                               \
    X(carom_world_save_file, (world, stream, CAROM_FORMAT_JSON))                                               \
    X(carom_world_load_file, (rewound(), NULL, OBJECT(carom_world)))                                           \
    X(carom_world_print, (world, stream))                                                                      \
    X(carom_world_to_memory, (world, CAROM_FORMAT_JSON, text, sizeof text, &out.count))                        \
    X(carom_world_from_memory, (world_bytes, world_size, NULL, OBJECT(carom_world)))                           \
    X(carom_frames_create, (2, NULL, OBJECT(carom_frames)))                                                    \
    X(carom_frames_clone, (frames, OBJECT(carom_frames)))                                                      \
    X(carom_frames_set_duration, (frames, &SECOND))                                                            \
    X(carom_frames_reserve, (frames, 1000))                                                                    \
    X(carom_frames_remove_many, (frames, ROW_NUMBERS, 2))                                                      \
    X(carom_frames_add, (frames, &frame_values[0], NULL))                                                      \
    X(carom_frames_add_many, (frames, frame_values, FRAMES, 0, NULL))                                          \
    X(carom_frames_add_particle, (frames, other_particles, 0, NULL))                                           \
    X(carom_frames_set, (frames, 0, &frame_values[1]))                                                         \
    X(carom_frames_read, (frames, 0, 2, frame_values, 0))                                                      \
    X(carom_frames_write, (frames, 0, 2, frame_values, 0))                                                     \
    X(carom_frames_inverse, (frames, 0, out.numbers, 4))                                                       \
    X(carom_frames_update, (frames, NULL))                                                                     \
    X(carom_frames_add_batch, (frames, &frame_batch, NULL))                                                    \
    X(carom_frames_add_structs, (frames, &frame_layout, frame_values, 2, NULL))                                \
    X(carom_frames_write_structs, (frames, &frame_layout, 0, 2, frame_values))                                 \
    X(carom_frames_read_structs, (frames, &frame_layout, 0, 2, frame_values))                                  \
    X(carom_intersections_create, (2, 127, OBJECT(carom_intersections)))                                       \
    X(carom_intersections_test_pairs, (found, NULL, frames, others, frame_pairs, FRAMES))                      \
    X(carom_intersections_test_paired, (found, NULL, frames, others))                                          \
    X(carom_intersections_test_one, (found, NULL, frames, 0, others))                                          \
    X(carom_intersections_find, (found, NULL, frames))                                                         \
    X(carom_intersections_find_between, (found, NULL, frames, others))                                         \
    X(carom_frame_intersects, (2, frame_values, frame_values + 1, NULL, &out.flag, &out.overlap))              \
    X(carom_frame_find_contact, (2, frame_values, frame_values + 1, NULL, &out.flag, &out.contact))            \
    X(carom_candidates_create, (OBJECT(carom_candidates)))                                                     \
    X(carom_candidates_find, (candidates, NULL, frames))                                                       \
    X(carom_candidates_find_between, (candidates, NULL, frames, others))                                       \
    X(carom_events_create, (particles, &enclosure, NULL, OBJECT(carom_events)))                                \
    X(carom_events_clone, (events, OBJECT(carom_events)))                                                      \
    X(carom_events_set_particles, (events, particles))                                                         \
    X(carom_events_set_settings, (events, &event_settings))                                                    \
    X(carom_events_run, (events, &limit, NULL))                                                                \
    X(carom_events_run_observed, (events, &limit, keep_running, NULL, NULL))                                   \
    X(carom_events_next, (events, &out.event))                                                                 \
    X(carom_events_measurements, (events, &measurements))                                                      \
    X(carom_events_speed_histogram, (events, out.words, ROWS, NULL))                                           \
    X(carom_events_from_scene, ("billiard-break", NULL, OBJECT(carom_events)))                                 \
    X(carom_events_from_toml, ("dimension = 2\n[gas]\nparticles = 9\npacking = 0.1\n", NULL, NULL, OBJECT(carom_events))) \
    X(carom_events_save, (events, events_path))                                                                \
    X(carom_events_load, (events_path, OBJECT(carom_events)))                                                  \
    X(carom_events_to_memory, (events, text, sizeof text, &out.count))                                         \
    X(carom_events_from_memory, (events_bytes, events_size, OBJECT(carom_events)))                             \
    X(carom_study_from_toml, (STUDY, NULL, OBJECT(carom_study)))                                               \
    X(carom_study_run, (study, &study_options, NULL, NULL, &out.end))                                          \
    X(carom_study_estimate, (study, 0, "hit", &estimate))                                                      \
    X(carom_study_summary_json, (study, text, sizeof text, &out.count))

/* Those that take none. */
#define TAKES_NONE(X)                                                           \
    X(carom_last_error, (text, sizeof text, NULL))                              \
    X(carom_last_overlaps, (pairs, BALLS, &out.count, NULL))                    \
    X(carom_context_threads, (context, &out.count))                             \
    X(carom_particles_is_close, (particles, other_particles, 0.1, &out.flag))   \
    X(carom_particles_dim, (particles, &out.count))                             \
    X(carom_particles_length, (particles, &out.count))                          \
    X(carom_particles_capacity, (particles, &out.count))                        \
    X(carom_particles_memory_bytes, (particles, &out.count))                    \
    X(carom_particles_clear, (particles))                                       \
    X(carom_particles_remove, (particles, 0))                                   \
    X(carom_particles_swap_remove, (particles, 0))                              \
    X(carom_particles_get_fixed, (particles, 0, &out.flag))                     \
    X(carom_particles_set_fixed, (particles, 0, 1))                             \
    X(carom_particles_get_user_data, (particles, 0, out.words))                 \
    X(carom_particles_set_user_data, (particles, 0, 7))                         \
    X(carom_particles_column, (particles, CAROM_POSITION, 0, &out.column))      \
    X(carom_particles_column_mut, (particles, CAROM_POSITION, 0, &out.column_mut)) \
    X(carom_particles_kinds, (particles, &out.bytes))                           \
    X(carom_particles_fixed, (particles, &out.bytes))                           \
    X(carom_particles_user_data, (particles, &out.data))                        \
    X(carom_particles_user_data_mut, (particles, &out.data_mut))                \
    X(carom_particles_check, (particles))                                       \
    X(carom_world_is_close, (world, other_world, 0.1, &out.flag))               \
    X(carom_world_get_time, (world, out.numbers))                               \
    X(carom_world_set_time, (world, 1.0))                                       \
    X(carom_world_get_settings, (world, &settings))                             \
    X(carom_world_set_settings, (world, &settings))                             \
    X(carom_world_set_context, (world, NULL))                                   \
    X(carom_world_set_broad_phase, (world, CAROM_BROAD_GRID))                   \
    X(carom_frames_dim, (frames, &out.count))                                   \
    X(carom_frames_duration, (frames, out.numbers))                             \
    X(carom_frames_length, (frames, &out.count))                                \
    X(carom_frames_memory_bytes, (frames, &out.count))                          \
    X(carom_frames_clear, (frames))                                             \
    X(carom_frames_remove, (frames, 0))                                         \
    X(carom_frames_swap_remove, (frames, 0))                                    \
    X(carom_frames_get, (frames, 0, &out.frame))                                \
    X(carom_frames_bounds, (frames, 0, &out.box))                               \
    X(carom_frames_column, (frames, CAROM_FRAME_ORIGIN, 0, 0, &out.column))     \
    X(carom_frames_column_mut, (frames, CAROM_FRAME_ORIGIN, 0, 0, &out.column_mut)) \
    X(carom_frames_kinds, (frames, &out.bytes))                                 \
    X(carom_intersections_dim, (found, &out.count))                             \
    X(carom_intersections_tested, (found, &out.count))                          \
    X(carom_intersections_hits, (found, &out.count))                            \
    X(carom_intersections_redone, (found, out.words))                           \
    X(carom_intersections_bounds_redone, (found, out.words))                    \
    X(carom_intersections_bits, (found, &out.bits))                             \
    X(carom_intersections_list, (found, &out.indices))                          \
    X(carom_intersections_pairs, (found, &out.pairs))                           \
    X(carom_intersections_times, (found, &out.times))                           \
    X(carom_intersections_boxes, (found, &out.boxes))                           \
    X(carom_intersections_local_boxes, (found, &out.boxes))                     \
    X(carom_intersections_normals, (found, &out.normals))                       \
    X(carom_intersections_read_structs, (found, &hit_layout, 0, 2, out.numbers)) \
    X(carom_candidates_count, (candidates, &out.count))                         \
    X(carom_candidates_pairs, (candidates, &out.pairs))                         \
    X(carom_events_synchronise, (events))                                       \
    X(carom_events_get_time, (events, out.numbers))                             \
    X(carom_events_get_enclosure, (events, &enclosure))                         \
    X(carom_events_get_settings, (events, &event_settings))                     \
    X(carom_events_memory_bytes, (events, &out.count))                          \
    X(carom_events_reset_measurements, (events))                                \
    X(carom_study_point_count, (study, &out.count))                             \
    X(carom_study_axis_count, (study, &out.count))                              \
    X(carom_particle_desc_init, (&ball, sizeof ball))                           \
    X(carom_batch_init, (&batch, sizeof batch))                                 \
    X(carom_particle_layout_init, (&layout, sizeof layout))                     \
    X(carom_settings_init, (&settings, sizeof settings))                        \
    X(carom_frame_batch_init, (&frame_batch, sizeof frame_batch))               \
    X(carom_frame_layout_init, (&frame_layout, sizeof frame_layout))            \
    X(carom_hit_layout_init, (&hit_layout, sizeof hit_layout))                  \
    X(carom_enclosure_init, (&enclosure, sizeof enclosure))                     \
    X(carom_event_settings_init, (&event_settings, sizeof event_settings))      \
    X(carom_limit_init, (&limit, sizeof limit))                                 \
    X(carom_measurements_init, (&measurements, sizeof measurements))            \
    X(carom_study_options_init, (&study_options, sizeof study_options))         \
    X(carom_estimate_init, (&estimate, sizeof estimate))

#define CALL(name, arguments) \
    static carom_status call_##name(void) { return name arguments; }
#define ENTRY(name, arguments) {#name, prepare, call_##name, state, 512 * MIB},

TAKES(CALL)
TAKES_NONE(CALL)

static const entry WITH[] = {TAKES(ENTRY)};
static const entry WITHOUT[] = {TAKES_NONE(ENTRY)};

static void try_all(const entry *one, int takes_memory) {
    int seen[2] = {0, 0};
    /* Each in a process of its own, so that none begins with the memory of another. */
    const pid_t child = fork();
    if (child == 0) {
        walk_counting(one, 8, seen);
        if (!takes_memory && seen[LACKS_MEMORY] > 0) {
            fprintf(stderr, "%s lacks memory %d times\n", one->name, seen[LACKS_MEMORY]);
            failures++;
        }
        if (seen[SUCCEEDS] == 0) {
            fprintf(stderr, "%s never succeeds\n", one->name);
            failures++;
        }
        _exit(failures == 0 ? 0 : 1);
    }
    if (outcome_of(child) != 0) failures++;
    calls += 15;
}

int main(int argc, char **argv) {
    size_t i;
    const size_t with = sizeof WITH / sizeof *WITH, without = sizeof WITHOUT / sizeof *WITHOUT;
    snprintf(world_path, sizeof world_path, "without_memory-%ld.carom", (long)getpid());
    snprintf(events_path, sizeof events_path, "without_memory-%ld.run", (long)getpid());
    for (i = 0; i < with + without; i++) {
        const entry *one = i < with ? &WITH[i] : &WITHOUT[i - with];
        if (argc > 1 && strcmp(argv[1], "--list") == 0) printf("%s\n", one->name);
        else if (argc == 1 || strcmp(argv[1], one->name) == 0) try_all(one, i < with);
    }
    remove(world_path), remove(events_path);
    return argc > 1 && strcmp(argv[1], "--list") == 0 ? 0 : report("without_memory");
}
