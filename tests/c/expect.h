/* Expectations of the C tests: calls are counted, a failure is printed and counted, and the program ends with it. */
#ifndef EXPECT_H
#define EXPECT_H

#include <carom.h>
#include <string.h>

static int failures = 0;
static int calls = 0;

#define EXPECT(condition)                                                    \
    do {                                                                     \
        if (!(condition)) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            failures++;                                                      \
        }                                                                    \
    } while (0)

#define EXPECT_STATUS(expected, call)                                                                \
    do {                                                                                             \
        const carom_status status_ = (call);                                                         \
        calls++;                                                                                     \
        if (status_ != (expected)) {                                                                 \
            fprintf(stderr, "%s:%d: %s gives %d (%s), not %s\n", __FILE__, __LINE__, #call, status_, \
                    carom_status_string(status_), #expected);                                        \
            failures++;                                                                              \
        }                                                                                            \
    } while (0)

#define EXPECT_OK(call) EXPECT_STATUS(CAROM_OK, call)

/* Whether the detail of the last error has this text in it. */
static inline int detail_has(const char *text) {
    char detail[512] = "";
    carom_last_error(detail, sizeof detail, NULL);
    if (strstr(detail, text) != NULL) return 1;
    fprintf(stderr, "the detail is \"%s\"\n", detail);
    return 0;
}

static inline int report(const char *name) {
    if (failures == 0) printf("%s: all as expected\n%d calls\n", name, calls);
    return failures == 0 ? 0 : 1;
}

#endif
