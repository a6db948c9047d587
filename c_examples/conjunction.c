/* A conjunction: the probability that two satellites collide, by a Monte Carlo study, beside the analytic one. */
#include "example.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const STUDY =
    "kind = \"encounter\"\n"
    "replicas = 400_000\n"
    "[encounter]\n"
    "duration = 20\n"
    "[encounter.a]\n"
    "radius = 20\n"
    "position = { normal = { mean = [0, 0, 0], sd = [50, 200, 50] } }\n"
    "velocity = [7500, 0, 0]\n"
    "[encounter.b]\n"
    "radius = 5\n"
    "position = { normal = { mean = [75_000, 75_060, 20], sd = [100, 200, 50] } }\n"
    "velocity = [0, -7500, 0]\n";

/* Ends the first run once a tenth of the replicas is there. */
static int32_t watch(const carom_study_progress *progress, void *user) {
    int *calls = (int *)user;
    (*calls)++;
    return progress->replicas >= progress->planned / 10;
}

static void run(carom_study *study, carom_study_callback callback, int *calls) {
    carom_study_options options;
    carom_study_end end;
    CHECK(carom_study_options_init(&options, sizeof options));
    options.seed = 7;
    options.has_seed = 1;
    CHECK(carom_study_run(study, &options, callback, calls, &end));
    printf("%s\n", end == CAROM_STUDY_COMPLETE ? "complete" : "cancelled; the next run goes on from here");
}

static void show(const carom_study *study, const char *observable) {
    carom_estimate estimate;
    CHECK(carom_estimate_init(&estimate, sizeof estimate));
    CHECK(carom_study_estimate(study, 0, observable, &estimate));
    if (!estimate.found) {
        printf("%s: no estimate\n", observable);
        return;
    }
    printf("%s: %.6g, 95%% interval %.6g to %.6g, %llu samples\n", observable, estimate.value, estimate.low, estimate.high,
           (unsigned long long)estimate.samples);
    if (!isnan(estimate.reference)) printf("%s: %.6g without sampling\n", observable, estimate.reference);
}

/* The same as the summary.json of `carom run`. */
static void show_json(const carom_study *study) {
    size_t needed = 0;
    char *text;
    CHECK(carom_study_summary_json(study, NULL, 0, &needed));
    text = (char *)malloc(needed);
    if (text == NULL) exit(1);
    CHECK(carom_study_summary_json(study, text, needed, &needed));
    printf("complete in the JSON: %s\n", strstr(text, "\"complete\": true") != NULL ? "yes" : "no");
    free(text);
}

int main(void) {
    carom_study *study = NULL;
    int calls = 0;
    CHECK(carom_study_from_toml(STUDY, NULL, &study));
    run(study, watch, &calls);
    run(study, NULL, NULL);
    if (calls == 0) return 1;
    show(study, "hit");
    show(study, "miss_distance");
    show_json(study);
    carom_study_destroy(study);
    return 0;
}
