/* Batches of spaces, and spaces in files, streams and memory: misuse gives a status, and what comes back has the same bits. */
#include "rigid.h"

static void nonsense(carom_velocity_update *update, void *user) {
    (void)user;
    update->velocity.x = NAN;
}

static void batches(void) {
    scene s = make_scene();
    const carom_space *prototypes[2];
    const uint32_t which[3] = {0, 1, 0}, beyond[1] = {2};
    const size_t outside[2] = {0, 3};
    carom_spaces *spaces = NULL, *refused = NULL;
    carom_space_snapshot *snapshot = NULL;
    carom_column_mut speeds;
    carom_space_event events[1];
    carom_space *other = NULL;
    size_t count = 0, rows = 0;
    uint64_t done = 0, alone, hashes[2] = {0, 1};
    double time = 42.0;
    EXPECT_OK(carom_space_create(NULL, &other));
    prototypes[0] = s.space, prototypes[1] = other;
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_spaces_create(NULL, 3, NULL, &refused));
    EXPECT_STATUS(CAROM_OUT_OF_MEMORY, carom_spaces_create(s.space, SIZE_MAX / 2, NULL, &refused));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_spaces_from_prototypes(prototypes, 2, beyond, 1, NULL, &refused));
    prototypes[1] = NULL;
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_spaces_from_prototypes(prototypes, 2, which, 3, NULL, &refused));
    prototypes[1] = other;
    EXPECT_OK(carom_body_set_velocity_callback(s.space, s.ball, nonsense, NULL));
    EXPECT_STATUS(CAROM_MISMATCH, carom_spaces_create(s.space, 3, NULL, &refused));
    EXPECT_OK(carom_body_set_velocity_callback(s.space, s.ball, NULL, NULL));
    EXPECT(refused == NULL);
    EXPECT_OK(carom_spaces_from_prototypes(prototypes, 2, which, 3, NULL, &spaces));
    EXPECT_OK(carom_spaces_length(spaces, &count));
    EXPECT_OK(carom_spaces_bodies_per_space(spaces, &rows));
    EXPECT(count == 3 && rows == 2);
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_spaces_column_mut(spaces, 9, &speeds));
    EXPECT_OK(carom_spaces_column_mut(spaces, CAROM_BODY_VELOCITY_X, &speeds));
    EXPECT(speeds.length == 6);
    EXPECT_STATUS(CAROM_NEGATIVE, carom_spaces_step(spaces, -1.0));
    speeds.data[s.ball.index] = NAN;
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_spaces_step_many(spaces, 0.1, 3, &done));
    EXPECT(done == 0 && detail_has("velocity x"));
    speeds.data[s.ball.index] = 0.0;
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_spaces_snapshot(spaces, 3, &snapshot));
    EXPECT_OK(carom_spaces_snapshot(spaces, 0, &snapshot));
    EXPECT_OK(carom_spaces_step_many(spaces, 1.0 / 60.0, 10, &done));
    EXPECT_OK(carom_space_step_many(s.space, 1.0 / 60.0, 10, NULL));
    EXPECT_OK(carom_spaces_state_hash(spaces, 0, &hashes[0]));
    EXPECT_OK(carom_spaces_state_hash(spaces, 2, &hashes[1]));
    alone = hash(s.space);
    EXPECT(done == 10 && hashes[0] == alone && hashes[1] == alone);
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_spaces_reset(spaces, outside, 2));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_spaces_state_hash(spaces, 3, &hashes[0]));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_spaces_set_gravity(spaces, 3, vec2(0.0, 0.0)));
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_spaces_set_gravity(spaces, 0, vec2(0.0, NAN)));
    EXPECT_STATUS(CAROM_MISMATCH, carom_spaces_restore(spaces, 1, snapshot));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_spaces_restore(spaces, 0, NULL));
    EXPECT_OK(carom_spaces_state_hash(spaces, 0, &hashes[0]));
    EXPECT(hashes[0] == alone);
    /* Once more from the start. */
    EXPECT_OK(carom_spaces_restore(spaces, 2, snapshot));
    EXPECT_OK(carom_spaces_reset(spaces, outside, 1));
    EXPECT_OK(carom_spaces_step(spaces, 1.0 / 60.0));
    EXPECT_OK(carom_spaces_events(spaces, events, 1, &count));
    EXPECT(count == 2 && events[0].space == 0 && events[0].begins == 1);
    EXPECT_OK(carom_spaces_step_many(spaces, 1.0 / 60.0, 9, NULL));
    EXPECT_OK(carom_spaces_state_hash(spaces, 0, &hashes[0]));
    EXPECT_OK(carom_spaces_state_hash(spaces, 2, &hashes[1]));
    EXPECT(hashes[0] == alone && hashes[1] == alone);
    EXPECT_OK(carom_spaces_get_time(spaces, &time));
    EXPECT(fabs(time - 20.0 / 60.0) < 1e-12);
    carom_space_snapshot_destroy(snapshot);
    carom_spaces_destroy(spaces);
    carom_space_destroy(other);
    carom_space_destroy(s.space);
}

/* Numbers beyond all measure stay in their own space, which a reset mends. */
static void too_large(void) {
    scene s = make_scene();
    const size_t first = 0;
    carom_spaces *spaces = NULL;
    carom_column_mut speeds, heights;
    uint64_t untouched = 0;
    EXPECT_OK(carom_spaces_create(s.space, 2, NULL, &spaces));
    EXPECT_OK(carom_spaces_column_mut(spaces, CAROM_BODY_VELOCITY_Y, &speeds));
    EXPECT_OK(carom_spaces_column_mut(spaces, CAROM_BODY_Y, &heights));
    speeds.data[s.ball.index] = 1.7e308;
    heights.data[s.ball.index] = 1.79e308;
    EXPECT_OK(carom_spaces_step(spaces, 1.0 / 60.0));
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_spaces_step(spaces, 1.0 / 60.0));
    EXPECT_OK(carom_spaces_reset(spaces, &first, 1));
    EXPECT_OK(carom_spaces_step(spaces, 1.0 / 60.0));
    EXPECT_OK(carom_space_step_many(s.space, 1.0 / 60.0, 2, NULL));
    EXPECT_OK(carom_spaces_state_hash(spaces, 1, &untouched));
    EXPECT(untouched == hash(s.space));
    carom_spaces_destroy(spaces);
    carom_space_destroy(s.space);
}

/* A space of a batch on its own, and copies: the same bits. */
static void copies(void) {
    scene s = make_scene();
    carom_space *copy = NULL, *alone = NULL, *other = NULL;
    carom_spaces *spaces = NULL;
    carom_body extra;
    size_t count = 0;
    EXPECT_OK(carom_space_step_many(s.space, 1.0 / 60.0, 7, NULL));
    EXPECT_OK(carom_space_clone(s.space, &copy));
    EXPECT_OK(carom_spaces_create(s.space, 2, NULL, &spaces));
    EXPECT_OK(carom_spaces_step_many(spaces, 1.0 / 60.0, 20, NULL));
    EXPECT_OK(carom_space_create(NULL, &other));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_spaces_space(spaces, 2, s.space, &alone));
    EXPECT_STATUS(CAROM_MISMATCH, carom_spaces_space(spaces, 1, other, &alone));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_spaces_space(spaces, 1, NULL, &alone));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_spaces_space(NULL, 1, s.space, &alone));
    EXPECT(alone == NULL);
    EXPECT_OK(carom_spaces_space(spaces, 1, s.space, &alone));
    EXPECT_OK(carom_space_step_many(s.space, 1.0 / 60.0, 20, NULL));
    EXPECT_OK(carom_space_step_many(copy, 1.0 / 60.0, 20, NULL));
    EXPECT(hash(alone) == hash(s.space) && hash(copy) == hash(s.space));
    /* Each of them is on its own from here on. */
    extra = add_body(copy, CAROM_BODY_KINEMATIC, 50.0, 0.0);
    EXPECT_OK(carom_space_body_count(s.space, &count));
    EXPECT(extra.index == 2 && count == 2);
    carom_space_destroy(s.space);
    EXPECT_OK(carom_space_step(alone, 1.0 / 60.0));
    EXPECT_OK(carom_space_step(copy, 1.0 / 60.0));
    carom_spaces_destroy(spaces);
    carom_space_destroy(other);
    carom_space_destroy(alone);
    carom_space_destroy(copy);
}

static unsigned char bytes[65536];

/* Whether a space that was loaded continues as the original does. It is destroyed. */
static int continues(const carom_space *space, carom_space *loaded) {
    carom_space *original = NULL;
    int same;
    EXPECT_OK(carom_space_clone(space, &original));
    EXPECT_OK(carom_space_step_many(original, 1.0 / 60.0, 30, NULL));
    EXPECT_OK(carom_space_step_many(loaded, 1.0 / 60.0, 30, NULL));
    same = hash(original) == hash(loaded);
    carom_space_destroy(original);
    carom_space_destroy(loaded);
    return same;
}

static void memory(const carom_space *space, carom_format format) {
    carom_space *loaded = NULL;
    size_t size = 0, needed = 42, i;
    const size_t cuts[] = {0, 1, 7, 8, 20, 100};
    EXPECT_OK(carom_space_to_memory(space, format, NULL, 0, &size));
    EXPECT(size > 100 && size < sizeof bytes);
    memset(bytes, 0xA5, sizeof bytes);
    EXPECT_STATUS(CAROM_BUFFER_TOO_SMALL, carom_space_to_memory(space, format, bytes, size - 1, &needed));
    EXPECT(needed == size && bytes[0] == 0xA5 && detail_has("buffer holds"));
    EXPECT_OK(carom_space_to_memory(space, format, bytes, sizeof bytes, &needed));
    EXPECT(needed == size && bytes[0] != 0xA5 && bytes[size] == 0xA5);
    for (i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        const carom_status status = carom_space_from_memory(bytes, cuts[i], &loaded);
        EXPECT(status == CAROM_TRUNCATED || status == CAROM_UNKNOWN_FORMAT);
    }
    EXPECT_STATUS(CAROM_TRUNCATED, carom_space_from_memory(bytes, size - 2, &loaded));
    EXPECT(loaded == NULL);
    EXPECT_OK(carom_space_from_memory(bytes, size, &loaded));
    EXPECT(continues(space, loaded));
}

/* Whatever is written over a snapshot, it is not loaded: its checksum differs. */
static void corruption(const carom_space *space) {
    const char *world = "{\"format\": \"carom-world\", \"version\": 1}";
    carom_space *loaded = NULL;
    size_t size = 0, i;
    EXPECT_OK(carom_space_to_memory(space, CAROM_FORMAT_SNAPSHOT, bytes, sizeof bytes, &size));
    for (i = 0; i < size; i += 13) {
        carom_status status;
        bytes[i] ^= 0x10;
        status = carom_space_from_memory(bytes, size, &loaded);
        EXPECT(status != CAROM_OK && status != CAROM_PANIC && loaded == NULL);
        calls++;
        bytes[i] ^= 0x10;
    }
    EXPECT_STATUS(CAROM_UNKNOWN_FORMAT, carom_space_from_memory("nothing at all", 14, &loaded));
    EXPECT_STATUS(CAROM_UNKNOWN_FORMAT, carom_space_from_memory(world, strlen(world), &loaded));
    EXPECT_STATUS(CAROM_SYNTAX, carom_space_from_memory("{\"format\": 7}", 13, &loaded));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_space_from_memory(NULL, 5, &loaded));
    EXPECT(loaded == NULL);
}

static void streams(const carom_space *space, carom_format format) {
    carom_space *loaded = NULL;
    FILE *stream = tmpfile();
    EXPECT(stream != NULL);
    if (stream == NULL) return;
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_space_save_file(space, NULL, format));
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_space_save_file(space, stream, CAROM_FORMAT_BY_NAME));
    EXPECT_OK(carom_space_save_file(space, stream, format));
    rewind(stream);
    EXPECT_OK(carom_space_load_file(stream, &loaded));
    EXPECT(continues(space, loaded));
    fclose(stream);
}

static void named_files(const carom_space *space) {
    const char *names[] = {"rigid_batches.carom", "rigid_batches.json"};
    carom_space *loaded = NULL;
    size_t i;
    EXPECT_STATUS(CAROM_UNKNOWN_FORMAT, carom_space_save(space, "rigid_batches.xyz", CAROM_FORMAT_BY_NAME));
    EXPECT_STATUS(CAROM_UNKNOWN_FORMAT, carom_space_save(space, "rigid_batches.pbphys", CAROM_FORMAT_BY_NAME));
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_space_save(space, names[0], CAROM_FORMAT_PBPHYS));
    EXPECT_STATUS(CAROM_BAD_STRING, carom_space_save(space, "\xff.json", CAROM_FORMAT_JSON));
    EXPECT_STATUS(CAROM_IO, carom_space_save(space, "no/such/folder/rigid.json", CAROM_FORMAT_JSON));
    EXPECT_STATUS(CAROM_IO, carom_space_load("no/such/folder/rigid.json", &loaded));
    EXPECT(detail_has("no/such/folder") && loaded == NULL);
    for (i = 0; i < 2; i++) {
        EXPECT_OK(carom_space_save(space, names[i], CAROM_FORMAT_BY_NAME));
        EXPECT_OK(carom_space_load(names[i], &loaded));
        EXPECT(continues(space, loaded));
        EXPECT(remove(names[i]) == 0);
        loaded = NULL;
    }
}

/* Ids and user data come back, callbacks do not. */
static void files(void) {
    scene s = make_scene();
    carom_space *loaded = NULL;
    carom_handler handler;
    carom_body gone = add_body(s.space, CAROM_BODY_DYNAMIC, 3.0, 9.0);
    size_t size = 0;
    uint64_t data = 0;
    int32_t exists = 1;
    EXPECT_OK(carom_handler_init(&handler, sizeof handler));
    EXPECT_OK(carom_space_set_handler(s.space, 1, 2, &handler));
    EXPECT_OK(carom_body_set_velocity_callback(s.space, s.ball, nonsense, NULL));
    EXPECT_OK(carom_body_remove(s.space, gone));
    EXPECT_OK(carom_body_set_user_data(s.space, s.ball, 77));
    EXPECT_OK(carom_space_to_memory(s.space, CAROM_FORMAT_JSON, bytes, sizeof bytes, &size));
    EXPECT_OK(carom_space_from_memory(bytes, size, &loaded));
    EXPECT_OK(carom_body_get_user_data(loaded, s.ball, &data));
    EXPECT_OK(carom_body_exists(loaded, gone, &exists));
    EXPECT(data == 77 && exists == 0);
    EXPECT_OK(carom_body_set_velocity_callback(s.space, s.ball, NULL, NULL));
    EXPECT_OK(carom_space_set_handler(s.space, 1, 2, NULL));
    EXPECT(continues(s.space, loaded));
    EXPECT_OK(carom_space_step_many(s.space, 1.0 / 60.0, 11, NULL));
    memory(s.space, CAROM_FORMAT_JSON);
    memory(s.space, CAROM_FORMAT_SNAPSHOT);
    corruption(s.space);
    streams(s.space, CAROM_FORMAT_JSON);
    streams(s.space, CAROM_FORMAT_SNAPSHOT);
    named_files(s.space);
    carom_space_destroy(s.space);
}

int main(void) {
    batches();
    too_large();
    copies();
    files();
    return report("rigid_batches");
}
