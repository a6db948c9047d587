/* Saves a world in every format, loads it again and goes on: no bit is lost. */
#include "example.h"

#include <string.h>

static carom_world *make_world(void) {
    const double position[3] = {0.1, 0.2, 0.3}, velocity[3] = {1.0, 2.0, 3.0};
    carom_world *world = NULL;
    carom_settings settings;
    carom_particle_desc ball;
    CHECK(carom_world_create(3, NULL, &world));
    CHECK(carom_settings_init(&settings, sizeof settings));
    settings.down_gravity = CAROM_STANDARD_GRAVITY;
    CHECK(carom_world_set_settings(world, &settings));
    CHECK(carom_particle_desc_init(&ball, sizeof ball));
    ball.position = position;
    ball.velocity = velocity;
    ball.mass = 0.25;
    CHECK(carom_particles_add(carom_world_particles(world), &ball, NULL));
    return world;
}

/* Steps both worlds once and says whether they still agree. */
static int goes_on_the_same(const carom_world *world, carom_world *loaded) {
    carom_world *original = NULL;
    int32_t same = 0;
    CHECK(carom_world_clone(world, &original));
    CHECK(carom_world_step(original, 0.01, NULL));
    CHECK(carom_world_step(loaded, 0.01, NULL));
    CHECK(carom_world_is_close(original, loaded, 0.0, &same));
    carom_world_destroy(original);
    carom_world_destroy(loaded);
    return same;
}

static int through_file(const carom_world *world, const char *directory, const char *name) {
    char path[1024];
    carom_world *loaded = NULL;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    CHECK(carom_world_save(world, path, CAROM_FORMAT_BY_NAME));
    CHECK(carom_world_load(path, NULL, &loaded));
    remove(path);
    return goes_on_the_same(world, loaded);
}

static int through_stream(const carom_world *world, carom_format format) {
    carom_world *loaded = NULL;
    FILE *stream = tmpfile();
    if (stream == NULL) return 0;
    CHECK(carom_world_save_file(world, stream, format));
    rewind(stream);
    CHECK(carom_world_load_file(stream, NULL, &loaded));
    fclose(stream);
    return goes_on_the_same(world, loaded);
}

static int through_memory(const carom_world *world, carom_format format) {
    carom_world *loaded = NULL;
    size_t size = 0;
    void *bytes;
    CHECK(carom_world_to_memory(world, format, NULL, 0, &size));
    bytes = malloc(size);
    if (bytes == NULL) return 0;
    CHECK(carom_world_to_memory(world, format, bytes, size, &size));
    CHECK(carom_world_from_memory(bytes, size, NULL, &loaded));
    free(bytes);
    return goes_on_the_same(world, loaded);
}

int main(int argc, char **argv) {
    const char *directory = argc > 1 ? argv[1] : ".";
    carom_world *world = make_world();
    const int json = through_file(world, directory, "save_load.json");
    const int snapshot = through_file(world, directory, "save_load.carom");
    const int stream = through_stream(world, CAROM_FORMAT_JSON_COMPACT);
    const int memory = through_memory(world, CAROM_FORMAT_SNAPSHOT);
    CHECK(carom_world_print(world, stdout));
    printf("the same to the bit: JSON file %d, snapshot file %d, stream %d, memory %d\n", json, snapshot, stream,
           memory);
    carom_world_destroy(world);
    return json && snapshot && stream && memory ? 0 : 1;
}
