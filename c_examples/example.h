/* What every example does with a status: go on, or say what is wrong and stop. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <carom.h>
#include <stdlib.h>

#define CHECK(call) check_status((call), #call)

static void check_status(carom_status status, const char *call) {
    char detail[512];
    if (status == CAROM_OK) return;
    carom_last_error(detail, sizeof detail, NULL);
    fprintf(stderr, "%s: %s: %s\n", call, carom_status_string(status), detail);
    exit(1);
}

#endif
