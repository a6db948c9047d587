/* Input without an end gives a status, in little memory. */
#define _POSIX_C_SOURCE 200809L
#include "expect.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* A failure of the test cannot take the memory of the machine. Sanitizers need more address space than there is. */
static void confine(void) {
#if !defined(__SANITIZE_ADDRESS__)
    const struct rlimit limit = {(rlim_t)1 << 30, (rlim_t)1 << 30};
    EXPECT(setrlimit(RLIMIT_AS, &limit) == 0);
#endif
}

static void zeros(void) {
    carom_world *world = NULL;
    carom_events *events = NULL;
    carom_space *space = NULL;
    FILE *stream = fopen("/dev/zero", "rb");
    EXPECT(stream != NULL);
    EXPECT_STATUS(CAROM_UNKNOWN_FORMAT, carom_world_load("/dev/zero", NULL, &world));
    EXPECT(detail_has("nothing but zeros"));
    EXPECT_STATUS(CAROM_UNKNOWN_FORMAT, carom_world_load_file(stream, NULL, &world));
    EXPECT_STATUS(CAROM_UNKNOWN_FORMAT, carom_events_load("/dev/zero", &events));
    EXPECT(detail_has("nothing but zeros"));
    EXPECT_STATUS(CAROM_UNKNOWN_FORMAT, carom_space_load("/dev/zero", &space));
    EXPECT_STATUS(CAROM_UNKNOWN_FORMAT, carom_space_load_file(stream, &space));
    EXPECT(world == NULL && events == NULL && space == NULL);
    fclose(stream);
}

struct feed {
    int end;
    const char *beginning;
    const char *again;
};

/* Writes for ever, until the reader is gone. */
static void *feed(void *argument) {
    const struct feed *feed = (const struct feed *)argument;
    const size_t length = strlen(feed->again);
    char block[1 << 14];
    size_t filled = 0;
    while (filled + length <= sizeof block) {
        memcpy(block + filled, feed->again, length);
        filled += length;
    }
    if (write(feed->end, feed->beginning, strlen(feed->beginning)) > 0) {
        while (write(feed->end, block, filled) > 0) {
        }
    }
    close(feed->end);
    return NULL;
}

/* The status of reading a world or a space from a pipe that never ends. */
static carom_status read_endless(const char *beginning, const char *again, int is_space) {
    int ends[2];
    pthread_t writer;
    struct feed source;
    FILE *stream;
    carom_world *world = NULL;
    carom_space *space = NULL;
    carom_status status;
    if (pipe(ends) != 0) return CAROM_IO;
    source.end = ends[1];
    source.beginning = beginning;
    source.again = again;
    stream = fdopen(ends[0], "rb");
    if (stream == NULL || pthread_create(&writer, NULL, feed, &source) != 0) return CAROM_IO;
    status = is_space ? carom_space_load_file(stream, &space) : carom_world_load_file(stream, NULL, &world);
    EXPECT(world == NULL && space == NULL);
    fclose(stream);
    pthread_join(writer, NULL);
    return status;
}

static void pipes(void) {
    const char *world = "{\"format\": \"carom-world\", \"version\": 1, \"dim\": 1, \"particles\": [";
    const char *space = "{\"format\": \"carom-space\", \"version\": 1, \"space\": {\"shapes\": [";
    const uint64_t usual = carom_input_limit();
    EXPECT(usual == (uint64_t)1 << 30);
    carom_input_set_limit(2000000);
    EXPECT(carom_input_limit() == 2000000);
    EXPECT_STATUS(CAROM_INPUT_TOO_LONG, read_endless(world, "{\"position\": [1.5], \"axes\": [[0.5]]}, ", 0));
    EXPECT(detail_has("goes on after 2000000 bytes"));
    EXPECT_STATUS(CAROM_INPUT_TOO_LONG, read_endless(space, "{}, ", 1));
    EXPECT_STATUS(CAROM_UNKNOWN_FORMAT, read_endless("yes ", "yes ", 0));
    carom_input_set_limit(usual);
}

/* A limit is for streams: a file has its length. */
static void files(void) {
    carom_world *world = NULL, *again = NULL;
    EXPECT_OK(carom_world_create(2, NULL, &world));
    EXPECT_OK(carom_world_save(world, "world.carom", CAROM_FORMAT_BY_NAME));
    EXPECT_OK(carom_world_save(world, "world.json", CAROM_FORMAT_BY_NAME));
    carom_input_set_limit(1);
    EXPECT_OK(carom_world_load("world.carom", NULL, &again));
    carom_world_destroy(again);
    EXPECT_OK(carom_world_load("world.json", NULL, &again));
    carom_world_destroy(again);
    carom_input_set_limit((uint64_t)1 << 30);
    carom_world_destroy(world);
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    confine();
    zeros();
    pipes();
    files();
    return report("endless");
}
