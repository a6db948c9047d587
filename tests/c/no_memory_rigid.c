/* Out of memory is a status: entries of rigid bodies that allocate much are called as those of tests/c/no_memory.c are. */
#include "limits.h"

static carom_space *space;
static carom_spaces *spaces;
static char *bytes;
static size_t size;

static void no_preparation(void) {}

static uint64_t hash_of_space(void) {
    uint64_t hash = 0, steps = 0;
    size_t bodies = 0, shapes = 0;
    must(carom_space_state_hash(space, &hash));
    must(carom_space_step_count(space, &steps));
    must(carom_space_body_count(space, &bodies));
    must(carom_space_shape_count(space, &shapes));
    return mixed(mixed(mixed(hash, &steps, sizeof steps), &bodies, sizeof bodies), &shapes, sizeof shapes);
}

static uint64_t hash_of_spaces(void) {
    uint64_t hash = 0;
    must(carom_spaces_batch_hash(spaces, &hash));
    return hash;
}

static void some_space(void) {
    size_t room = 0;
    must(carom_space_from_scene("pyramid", NULL, NULL, NULL, &space));
    must(carom_space_to_memory(space, CAROM_FORMAT_SNAPSHOT, NULL, 0, &room));
    bytes = (char *)claim(room);
    must(carom_space_to_memory(space, CAROM_FORMAT_SNAPSHOT, bytes, room, &size));
}

/* A disc at rest. */
static carom_status add_disc(double x, double y) {
    carom_body_options options;
    carom_shape_options material;
    carom_vec2 origin = {0.0, 0.0};
    carom_body body;
    carom_shape shape;
    carom_status status;
    must(carom_body_options_init(&options, sizeof options));
    must(carom_shape_options_init(&material, sizeof material));
    options.position.x = x, options.position.y = y;
    material.mass = 1.0, material.elasticity = 0.5;
    status = carom_body_add(space, &options, &body);
    if (status != CAROM_OK) return status;
    status = carom_shape_add_circle(space, body, 0.5, origin, &material, &shape);
    /* A dynamic body without mass would stop the next step. That it goes takes no memory. */
    if (status != CAROM_OK) must(carom_body_remove(space, body));
    return status;
}

static void discs(size_t count, double distance) {
    size_t i;
    must(carom_space_create(NULL, &space));
    for (i = 0; i < count; i++) must(add_disc(distance * (double)(i % 64), distance * (double)(i / 64)));
}

/* Discs far from each other, after some steps. */
static void scattered(size_t count) {
    discs(count, 10.0);
    must(carom_space_step_many(space, 0.01, 3, NULL));
}

/* Brings all discs to almost one place, so that all pairs of them touch. */
static void gather(void) {
    carom_body *bodies;
    size_t i;
    must(carom_space_body_count(space, &size));
    bodies = (carom_body *)claim(size * sizeof *bodies);
    must(carom_space_bodies(space, bodies, size, &size));
    for (i = 1; i < size; i++) {
        const carom_vec2 place = {1e-3 * (double)(i % 17), 1e-3 * (double)(i / 17)};
        must(carom_body_set_position(space, bodies[i], place));
    }
    free(bodies);
}

static void many_discs(void) { scattered(20000); }
static void few_discs(void) { scattered(50); }

static void gathered(void) {
    scattered(300);
    gather();
}

static void gathered_spaces(void) {
    scattered(30);
    gather();
    must(carom_spaces_create(space, 64, NULL, &spaces));
}

static void some_spaces(void) {
    some_space();
    must(carom_spaces_create(space, 16, NULL, &spaces));
}

static carom_status create_space(void) { return carom_space_create(NULL, &space); }
static carom_status space_from_scene(void) {
    carom_space *made = NULL;
    return carom_space_from_scene("pyramid", NULL, NULL, NULL, &made);
}
static carom_status clone_space(void) {
    carom_space *copy = NULL;
    return carom_space_clone(space, &copy);
}
static carom_status step_space(void) { return carom_space_step(space, 0.01); }
/* Adds bodies and shapes to a space that steps meanwhile. */
static carom_status add_and_step_space(void) {
    carom_status status = CAROM_OK;
    size_t i;
    for (i = 0; i < 3000 && status == CAROM_OK; i++) {
        status = add_disc((double)(i % 64), 1000.0 + (double)(i / 64));
        if (i % 300 == 299 && status == CAROM_OK) status = carom_space_step(space, 0.001);
    }
    return status;
}
static carom_status point_query(void) {
    const carom_vec2 point = {0.0, 0.0};
    return carom_space_point_query(space, point, 1e6, NULL, NULL, 0, &size);
}
static carom_status segment_query(void) {
    const carom_vec2 start = {-10.0, 1000.0}, end = {2000.0, 1000.0};
    return carom_space_segment_query(space, start, end, 1e4, NULL, NULL, 0, &size);
}
static carom_status box_query(void) {
    const carom_bounds all = {{-1e6, -1e6}, {1e6, 1e6}};
    return carom_space_box_query(space, all, NULL, NULL, 0, &size);
}
static carom_status shape_query(void) {
    const carom_vec2 origin = {0.0, 0.0};
    carom_geometry form;
    must(carom_geometry_init(&form, sizeof form));
    form.kind = CAROM_CIRCLE, form.radius = 1e6;
    return carom_space_shape_query(space, &form, origin, 0.0, NULL, NULL, 0, &size);
}
static carom_status point_queries(void) {
    carom_point_query queries[100];
    size_t ends[100], i;
    memset(queries, 0, sizeof queries);
    for (i = 0; i < 100; i++) {
        queries[i].distance = 1e4;
        queries[i].filter.categories = queries[i].filter.mask = UINT64_MAX;
    }
    return carom_space_point_queries(space, queries, 100, NULL, NULL, 0, ends);
}
static carom_status list_contacts(void) { return carom_space_contacts(space, NULL, 0, &size); }
static carom_status remove_a_body(void) {
    carom_body first[2];
    size_t bodies = 0;
    must(carom_space_bodies(space, first, 2, &bodies));
    return carom_body_remove(space, first[1]);
}
static void gathered_and_stepped(void) {
    gathered();
    must(carom_space_step(space, 0.001));
}
static carom_status space_to_json(void) { return carom_space_to_memory(space, CAROM_FORMAT_JSON, NULL, 0, &size); }
static carom_status space_from_memory(void) {
    carom_space *loaded = NULL;
    return carom_space_from_memory(bytes, size, &loaded);
}
static carom_status create_spaces(void) {
    carom_spaces *made = NULL;
    return carom_spaces_create(space, 64, NULL, &made);
}
static carom_status step_spaces(void) { return carom_spaces_step(spaces, 0.01); }
static carom_status snapshot(void) {
    carom_space_snapshot *taken = NULL;
    return carom_spaces_snapshot(spaces, 3, &taken);
}

static const entry ENTRIES[] = {
    {"carom_space_create", no_preparation, create_space, NULL, 64 * MIB},
    {"carom_space_from_scene", no_preparation, space_from_scene, NULL, 64 * MIB},
    {"carom_space_clone", some_space, clone_space, hash_of_space, 64 * MIB},
    {"carom_space_step", some_space, step_space, hash_of_space, 64 * MIB},
    {"carom_body_add, carom_shape_add_circle and carom_space_step", few_discs, add_and_step_space, NULL, 64 * MIB},
    {"carom_space_step, all pairs", gathered, step_space, hash_of_space, 256 * MIB},
    {"carom_spaces_step, all pairs", gathered_spaces, step_spaces, NULL, 256 * MIB},
    {"carom_space_point_query", many_discs, point_query, hash_of_space, 64 * MIB},
    {"carom_space_segment_query", many_discs, segment_query, hash_of_space, 64 * MIB},
    {"carom_space_box_query", many_discs, box_query, hash_of_space, 64 * MIB},
    {"carom_space_shape_query", many_discs, shape_query, hash_of_space, 64 * MIB},
    {"carom_space_point_queries", many_discs, point_queries, hash_of_space, 512 * MIB},
    {"carom_space_contacts", gathered_and_stepped, list_contacts, hash_of_space, 64 * MIB},
    {"carom_body_remove", gathered_and_stepped, remove_a_body, hash_of_space, 128 * MIB},
    {"carom_space_to_memory", some_space, space_to_json, hash_of_space, 64 * MIB},
    {"carom_space_from_memory", some_space, space_from_memory, hash_of_space, 64 * MIB},
    {"carom_spaces_create", some_space, create_spaces, hash_of_space, 256 * MIB},
    {"carom_spaces_step", some_spaces, step_spaces, hash_of_spaces, 128 * MIB},
    {"carom_spaces_snapshot", some_spaces, snapshot, hash_of_spaces, 64 * MIB},
};

int main(int argc, char **argv) {
    walk_all(ENTRIES, sizeof ENTRIES / sizeof *ENTRIES, argc > 1 ? argv[1] : "");
    return report("no_memory_rigid");
}
