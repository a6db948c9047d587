/* Everything a caller can get wrong with studies gives a status, changes nothing and never crashes. */
#include "expect.h"

#include <math.h>
#include <stdlib.h>

/* Whether two random squares at rest intersect, of two sizes: a study that is over in no time. */
static const char *const SQUARES =
    "kind = \"frames\"\n"
    "replicas = 5000\n"
    "[frames]\n"
    "dimension = 2\n"
    "kinds = \"CC\"\n"
    "[frames.a]\n"
    "origin = [0, 0]\n"
    "sides = [1, 1]\n"
    "[frames.b]\n"
    "origin = { uniform_is_no_vector = 1 }\n"
    "sides = [1, 1]\n"
    "[sweep]\n"
    "\"frames.a.sides[0]\" = [1, 2]\n";

static const char *const WRONG = "origin = { uniform_is_no_vector = 1 }";
static const char *const RIGHT = "origin = [{ uniform = [-2, 2] }, { uniform = [-2, 2] }]";

/* The study without its mistake. */
static carom_study *squares(void) {
    static char text[1024];
    const char *wrong = strstr(SQUARES, WRONG);
    carom_study *study = NULL;
    memset(text, 0, sizeof text);
    memcpy(text, SQUARES, (size_t)(wrong - SQUARES));
    strcat(text, RIGHT);
    strcat(text, wrong + strlen(WRONG));
    EXPECT_OK(carom_study_from_toml(text, NULL, &study));
    return study;
}

static carom_study_options options(void) {
    carom_study_options options;
    EXPECT_OK(carom_study_options_init(&options, sizeof options));
    return options;
}

static carom_estimate estimate_of(const carom_study *study, size_t point) {
    carom_estimate estimate;
    EXPECT_OK(carom_estimate_init(&estimate, sizeof estimate));
    EXPECT_OK(carom_study_estimate(study, point, "hit", &estimate));
    return estimate;
}

static void bad_texts(void) {
    carom_study *study = NULL;
    EXPECT_STATUS(CAROM_SYNTAX, carom_study_from_toml("", NULL, &study));
    EXPECT_STATUS(CAROM_SYNTAX, carom_study_from_toml("kind = \"fames\"\n", NULL, &study));
    EXPECT(detail_has("line 1") && detail_has("frames"));
    EXPECT_STATUS(CAROM_SYNTAX, carom_study_from_toml(SQUARES, NULL, &study));
    EXPECT(detail_has("line 10") && detail_has("uniform_is_no_vector"));
    EXPECT_STATUS(CAROM_BAD_STRING, carom_study_from_toml("\xff", NULL, &study));
    EXPECT_STATUS(CAROM_BAD_STRING, carom_study_from_toml("kind = \"gas\"\n", "\xff", &study));
    EXPECT_STATUS(CAROM_IO, carom_study_from_toml("kind = \"scene\"\n[scene]\nfile = \"none.toml\"\n", "/nowhere", &study));
    EXPECT(study == NULL);
}

static void null_pointers(carom_study *study) {
    carom_estimate estimate;
    carom_estimate *no_estimate = NULL;
    size_t needed = 42;
    double value = 42.0;
    char byte = 'x';
    EXPECT_OK(carom_estimate_init(&estimate, sizeof estimate));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_study_from_toml(NULL, NULL, &study));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_study_from_toml("", NULL, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_study_run(NULL, NULL, NULL, NULL, NULL));
    EXPECT(detail_has("study"));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_study_point_count(study, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_study_axis_count(NULL, &needed));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_study_parameter(study, 0, 0, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_study_parameter(NULL, 0, 0, &value));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_study_estimate(study, 0, NULL, &estimate));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_study_estimate(study, 0, "hit", no_estimate));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_study_estimate(NULL, 0, "hit", &estimate));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_study_summary_json(study, NULL, 1, &needed));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_study_summary_json(study, &byte, 1, NULL));
    EXPECT_STATUS(CAROM_MISALIGNED, carom_study_point_count((const carom_study *)((const char *)study + 1), &needed));
    EXPECT(needed == 42 && value == 42.0 && byte == 'x' && estimate.found == 0 && isnan(estimate.value));
    carom_study_destroy(NULL);
}

static void bad_options(carom_study *study) {
    carom_study_options bad = options();
    carom_study_end end = 77;
    bad.struct_size = 7;
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_study_run(study, &bad, NULL, NULL, &end));
    bad = options(), bad.reserved = 1;
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_study_run(study, &bad, NULL, NULL, &end));
    bad = options(), bad.has_seed = 2;
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_study_run(study, &bad, NULL, NULL, &end));
    bad = options(), bad.threads = 1025;
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_study_run(study, &bad, NULL, NULL, &end));
    bad = options(), bad.replicas = UINT64_MAX;
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_study_run(study, &bad, NULL, NULL, &end));
    bad = options(), bad.relative = NAN;
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_study_run(study, &bad, NULL, NULL, &end));
    bad = options(), bad.absolute = -1.0;
    EXPECT_STATUS(CAROM_NEGATIVE, carom_study_run(study, &bad, NULL, NULL, &end));
    bad = options(), bad.relative = bad.absolute = 0.1;
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_study_run(study, &bad, NULL, NULL, &end));
    EXPECT(end == 77 && estimate_of(study, 0).found == 0);
}

static void wrong_names_and_indices(carom_study *study) {
    carom_estimate estimate;
    size_t count = 0;
    double value = 42.0;
    EXPECT_OK(carom_study_point_count(study, &count));
    EXPECT(count == 2);
    EXPECT_OK(carom_study_axis_count(study, &count));
    EXPECT(count == 1);
    EXPECT_OK(carom_estimate_init(&estimate, sizeof estimate));
    EXPECT_STATUS(CAROM_UNKNOWN_NAME, carom_study_estimate(study, 0, "hits", &estimate));
    EXPECT(detail_has("hit"));
    EXPECT_STATUS(CAROM_BAD_STRING, carom_study_estimate(study, 0, "\xff", &estimate));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_study_estimate(study, 2, "hit", &estimate));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_study_parameter(study, 2, 0, &value));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_study_parameter(study, 0, 1, &value));
    estimate.struct_size = 12;
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_study_estimate(study, 0, "hit", &estimate));
    EXPECT(value == 42.0);
    EXPECT_OK(carom_study_parameter(study, 1, 0, &value));
    EXPECT(value == 2.0);
}

static char *json(const carom_study *study) {
    size_t needed = 0, again = 0;
    char *text;
    EXPECT_OK(carom_study_summary_json(study, NULL, 0, &needed));
    text = (char *)malloc(needed + 1);
    memset(text, 'x', needed + 1);
    EXPECT_STATUS(CAROM_BUFFER_TOO_SMALL, carom_study_summary_json(study, text, needed - 1, &again));
    EXPECT(again == needed && text[0] == 'x');
    EXPECT_OK(carom_study_summary_json(study, text, needed, &again));
    EXPECT(strlen(text) + 1 == needed && text[needed] == 'x');
    return text;
}

typedef struct watched {
    carom_study *study;
    int calls;
    int destroys;
} watched;

/* Uses the study that is calling, which is refused; destroys it on demand; has enough at once. */
static int32_t meddle(const carom_study_progress *progress, void *user) {
    watched *seen = (watched *)user;
    size_t count = 42;
    if (seen->study == NULL) return 1;
    EXPECT_STATUS(CAROM_BUSY, carom_study_point_count(seen->study, &count));
    EXPECT_STATUS(CAROM_BUSY, carom_study_run(seen->study, NULL, NULL, NULL, NULL));
    EXPECT(count == 42 && progress->replicas <= progress->planned && progress->failed == 0 && progress->round >= 1);
    if (seen->destroys && seen->calls == 0) carom_study_destroy(seen->study), seen->destroys = 0, seen->study = NULL;
    seen->calls++;
    return 1;
}

/* A run that was ended goes on to the same bits; another seed gives other ones. */
static void runs(carom_study *study) {
    carom_study *other = squares();
    carom_study_options chosen = options();
    watched seen;
    carom_study_end end = 77;
    carom_estimate first, second;
    char *one, *two;
    memset(&seen, 0, sizeof seen);
    seen.study = study;
    chosen.threads = 2;
    EXPECT_OK(carom_study_run(study, &chosen, meddle, &seen, &end));
    EXPECT(seen.calls >= 1);
    EXPECT_OK(carom_study_run(study, &chosen, NULL, NULL, &end));
    EXPECT(end == CAROM_STUDY_COMPLETE);
    EXPECT_OK(carom_study_run(other, NULL, NULL, NULL, NULL));
    first = estimate_of(study, 1), second = estimate_of(other, 1);
    EXPECT(first.found == 1 && first.samples == 5000 && first.hits > 0 && isnan(first.deviation) && isnan(first.reference));
    EXPECT(first.low < first.value && first.value < first.high && estimate_of(study, 0).value < first.value);
    EXPECT(memcmp(&first, &second, sizeof first) == 0);
    chosen.replicas = 8000;
    EXPECT_OK(carom_study_run(study, &chosen, NULL, NULL, &end));
    EXPECT(estimate_of(study, 1).samples == 8000);
    chosen.seed = 2, chosen.has_seed = 1, chosen.replicas = 5000;
    EXPECT_OK(carom_study_run(other, &chosen, NULL, NULL, &end));
    EXPECT(estimate_of(other, 1).samples == 5000 && estimate_of(other, 1).hits != second.hits);
    one = json(study), two = json(other);
    EXPECT(strstr(one, "\"carom study summary\"") != NULL && strcmp(one, two) != 0);
    free(one), free(two);
    carom_study_destroy(other);
}

/* The study lives on until its run is over. */
static void destruction_from_within(void) {
    watched seen;
    memset(&seen, 0, sizeof seen);
    seen.study = squares();
    seen.destroys = 1;
    EXPECT_OK(carom_study_run(seen.study, NULL, meddle, &seen, NULL));
}

int main(void) {
    carom_study *study = squares();
    bad_texts();
    null_pointers(study);
    bad_options(study);
    wrong_names_and_indices(study);
    runs(study);
    destruction_from_within();
    carom_study_destroy(study);
    return report("study_misuse");
}
