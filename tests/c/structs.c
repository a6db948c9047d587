/* Particles, frames and hits in arrays of structures of the caller: every type, stride and offset, and every misuse. */
#include "expect.h"

#include <math.h>
#include <stddef.h>

#define COUNT 100

/* As an engine has it: a matrix of floats, one column after the other, and things that carom does not know. */
typedef struct entity {
    uint8_t colour[4];
    float matrix[16];
    float velocity[3];
    uint32_t kind;
} entity;

typedef struct ball {
    float position[3];
    float radius;
    uint64_t name;
    float velocity[3];
    float mass;
    uint8_t fixed;
    uint8_t unknown[7];
} ball;

typedef struct contact {
    uint32_t pair_number;
    carom_frame_pair pair;
    float times[2];
    float bounds[6];
    float local_bounds[6];
    char unknown[4];
} contact;

static carom_frame_layout entity_layout(void) {
    carom_frame_layout layout;
    EXPECT_OK(carom_frame_layout_init(&layout, sizeof layout));
    layout.numbers = CAROM_FLOAT;
    layout.stride = sizeof(entity);
    layout.components = offsetof(entity, matrix);
    layout.component_stride = 4 * sizeof(float);
    layout.origin = offsetof(entity, matrix) + 12 * sizeof(float);
    layout.velocity = offsetof(entity, velocity);
    layout.kinds = offsetof(entity, kind);
    return layout;
}

static carom_particle_layout ball_layout(void) {
    carom_particle_layout layout;
    EXPECT_OK(carom_particle_layout_init(&layout, sizeof layout));
    layout.numbers = CAROM_FLOAT;
    layout.stride = sizeof(ball);
    layout.position = offsetof(ball, position);
    layout.radius = offsetof(ball, radius);
    layout.velocity = offsetof(ball, velocity);
    layout.mass = offsetof(ball, mass);
    layout.user_data = offsetof(ball, name);
    layout.fixed = offsetof(ball, fixed);
    return layout;
}

static carom_hit_layout contact_layout(void) {
    carom_hit_layout layout;
    EXPECT_OK(carom_hit_layout_init(&layout, sizeof layout));
    layout.numbers = CAROM_FLOAT;
    layout.stride = sizeof(contact);
    layout.pair_number = offsetof(contact, pair_number);
    layout.pair = offsetof(contact, pair);
    layout.times = offsetof(contact, times);
    layout.bounds = offsetof(contact, bounds);
    layout.local_bounds = offsetof(contact, local_bounds);
    return layout;
}

static void fill_entities(entity *entities) {
    size_t i, axis;
    memset(entities, 0, COUNT * sizeof *entities);
    for (i = 0; i < COUNT; i++) {
        for (axis = 0; axis < 3; axis++) entities[i].matrix[5 * axis] = 1.0f + 0.1f * (float)axis;
        entities[i].matrix[1] = 0.3f;
        entities[i].matrix[12] = 0.7f * (float)i;
        entities[i].velocity[0] = i % 2 ? 0.1f : -0.3f;
        entities[i].kind = i % 3 == 0 ? CAROM_TETRAHEDRON : CAROM_CUBOID;
        memset(entities[i].colour, 0xAB, sizeof entities[i].colour);
    }
}

static size_t frames_in(const carom_frames *frames) {
    size_t length = 99;
    EXPECT_OK(carom_frames_length(frames, &length));
    return length;
}

/* What goes in as floats is there as doubles, and comes back with the same bits. */
static void frames_of_floats(void) {
    static entity entities[COUNT], back[COUNT];
    carom_frame_layout layout = entity_layout();
    const double duration = 1.0;
    carom_frames *frames = NULL, *others = NULL;
    carom_frame frame;
    size_t first = 42, i;
    fill_entities(entities);
    EXPECT_OK(carom_frames_create(3, &duration, &frames));
    EXPECT_OK(carom_frames_create(3, &duration, &others));
    EXPECT_OK(carom_frames_add_structs(frames, &layout, entities, COUNT, &first));
    EXPECT(first == 0 && frames_in(frames) == COUNT);
    for (i = 0; i < COUNT; i++) {
        EXPECT_OK(carom_frames_get(frames, i, &frame));
        EXPECT(frame.kind == entities[i].kind && frame.origin[0] == entities[i].matrix[12]);
        EXPECT(frame.components[0][1] == entities[i].matrix[1] && frame.components[2][2] == entities[i].matrix[10]);
        EXPECT(frame.velocity[0] == entities[i].velocity[0]);
        EXPECT_OK(carom_frames_add(others, &frame, NULL));
    }
    memset(back, 0xAB, sizeof back);
    EXPECT_OK(carom_frames_read_structs(frames, &layout, 0, COUNT, back));
    for (i = 0; i < COUNT; i++) {
        EXPECT(memcmp(&back[i].matrix[0], &entities[i].matrix[0], 3 * sizeof(float)) == 0);
        EXPECT(memcmp(&back[i].matrix[12], &entities[i].matrix[12], 3 * sizeof(float)) == 0);
        EXPECT(memcmp(back[i].velocity, entities[i].velocity, sizeof back[i].velocity) == 0);
        EXPECT(back[i].kind == entities[i].kind && back[i].colour[0] == 0xAB);
        EXPECT(memcmp(&back[i].matrix[3], back[i].colour, 4) == 0); /* between two components */
    }
    entities[7].matrix[12] = 1000.0f;
    EXPECT_OK(carom_frames_write_structs(frames, &layout, 7, 2, &entities[7]));
    EXPECT_OK(carom_frames_get(frames, 7, &frame));
    EXPECT(frame.origin[0] == 1000.0);
    EXPECT_OK(carom_frames_swap_remove(frames, 0));
    EXPECT_OK(carom_frames_get(frames, 0, &frame));
    EXPECT(frame.origin[0] == entities[COUNT - 1].matrix[12] && frames_in(frames) == COUNT - 1);
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_frames_swap_remove(frames, COUNT - 1));
    EXPECT_OK(carom_frames_add_structs(frames, &layout, NULL, 0, &first));
    EXPECT(first == COUNT - 1);
    carom_frames_destroy(frames);
    carom_frames_destroy(others);
}

/* Boxes of floats contain those of doubles, and as tightly as floats can. */
/* Times and boxes in single precision are read as they are, and contain those in double precision. */
static void expect_single_precision(carom_frames *frames, const carom_box_view *boxes,
                                    const carom_interval_view *times) {
    static contact contacts[COUNT * 4];
    const double error = 1e-6;
    carom_hit_layout hits = contact_layout();
    carom_intersections *found = NULL;
    carom_box_view single;
    size_t count = 0, i, k;
    EXPECT_OK(carom_intersections_create(
        3, CAROM_HIT_PAIRS | CAROM_HIT_TIMES | CAROM_HIT_BOXES | CAROM_HIT_LOCAL_BOXES | CAROM_HIT_SINGLE,
        &found));
    EXPECT_OK(carom_intersections_find(found, NULL, frames));
    EXPECT_OK(carom_intersections_hits(found, &count));
    EXPECT(count == boxes->length && count == times->length);
    EXPECT_OK(carom_intersections_read_structs(found, &hits, 0, count, contacts));
    EXPECT_OK(carom_intersections_boxes(found, &single));
    for (i = 0; i < count; i++) {
        EXPECT(contacts[i].times[0] <= times->data[i].first + error);
        EXPECT(contacts[i].times[1] >= times->data[i].last - error);
        for (k = 0; k < 3; k++) {
            EXPECT((double)contacts[i].bounds[k] == single.data[6 * i + k]);
            EXPECT((double)contacts[i].bounds[3 + k] == single.data[6 * i + 3 + k]);
            EXPECT(single.data[6 * i + k] <= boxes->data[6 * i + k] + error);
            EXPECT(single.data[6 * i + 3 + k] >= boxes->data[6 * i + 3 + k] - error);
        }
    }
    carom_intersections_destroy(found);
}

static void hits_of_floats(void) {
    static entity entities[COUNT];
    static contact contacts[COUNT * 4];
    carom_frame_layout layout = entity_layout();
    carom_hit_layout hits = contact_layout();
    const double duration = 1.0;
    carom_frames *frames = NULL;
    carom_intersections *found = NULL;
    carom_box_view boxes, local;
    carom_interval_view times;
    carom_pair_view pairs;
    carom_index_view list;
    size_t count = 0, i, k;
    fill_entities(entities);
    EXPECT_OK(carom_frames_create(3, &duration, &frames));
    EXPECT_OK(carom_frames_add_structs(frames, &layout, entities, COUNT, NULL));
    EXPECT_OK(carom_intersections_create(
        3, CAROM_HIT_PAIRS | CAROM_HIT_TIMES | CAROM_HIT_BOXES | CAROM_HIT_LOCAL_BOXES, &found));
    EXPECT_OK(carom_intersections_find(found, NULL, frames));
    EXPECT_OK(carom_intersections_hits(found, &count));
    EXPECT(count > COUNT / 2 && count <= COUNT * 4);
    memset(contacts, 0xAB, sizeof contacts);
    EXPECT_OK(carom_intersections_read_structs(found, &hits, 0, count, contacts));
    EXPECT_OK(carom_intersections_boxes(found, &boxes));
    EXPECT_OK(carom_intersections_local_boxes(found, &local));
    EXPECT_OK(carom_intersections_times(found, &times));
    EXPECT_OK(carom_intersections_pairs(found, &pairs));
    EXPECT_OK(carom_intersections_list(found, &list));
    for (i = 0; i < count; i++) {
        EXPECT(contacts[i].pair_number == list.data[i] && contacts[i].pair.first == pairs.data[i].first);
        EXPECT(contacts[i].pair.second == pairs.data[i].second && (uint8_t)contacts[i].unknown[0] == 0xAB);
        EXPECT(contacts[i].times[0] == (float)times.data[i].first);
        EXPECT(contacts[i].times[1] == (float)times.data[i].last);
        for (k = 0; k < 3; k++) {
            EXPECT((double)contacts[i].bounds[k] <= boxes.data[6 * i + k]);
            EXPECT((double)nextafterf(contacts[i].bounds[k], INFINITY) > boxes.data[6 * i + k]);
            EXPECT((double)contacts[i].bounds[3 + k] >= boxes.data[6 * i + 3 + k]);
            EXPECT((double)nextafterf(contacts[i].bounds[3 + k], -INFINITY) < boxes.data[6 * i + 3 + k]);
            EXPECT((double)contacts[i].local_bounds[k] <= local.data[6 * i + k]);
            EXPECT((double)contacts[i].local_bounds[3 + k] >= local.data[6 * i + 3 + k]);
        }
    }
    /* From the middle, and as doubles without a gap. */
    {
        double numbers[2][6];
        EXPECT_OK(carom_hit_layout_init(&hits, sizeof hits));
        hits.bounds = 0;
        EXPECT_OK(carom_intersections_read_structs(found, &hits, count - 2, 2, numbers));
        EXPECT(memcmp(numbers, &boxes.data[6 * (count - 2)], sizeof numbers) == 0);
        EXPECT_STATUS(CAROM_BAD_INDEX, carom_intersections_read_structs(found, &hits, count - 1, 2, numbers));
        EXPECT_STATUS(CAROM_NULL_POINTER, carom_intersections_read_structs(found, &hits, 0, 1, NULL));
        EXPECT_STATUS(CAROM_NULL_POINTER, carom_intersections_read_structs(found, NULL, 0, 1, numbers));
        hits.stride = 5 * sizeof(double);
        EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_intersections_read_structs(found, &hits, 0, 1, numbers));
        EXPECT(memcmp(numbers, &boxes.data[6 * (count - 2)], sizeof numbers) == 0);
    }
    expect_single_precision(frames, &boxes, &times);
    carom_intersections_destroy(found);
    EXPECT_OK(carom_intersections_create(3, CAROM_HIT_LIST, &found));
    EXPECT_OK(carom_intersections_find(found, NULL, frames));
    hits = contact_layout();
    EXPECT_STATUS(CAROM_WRONG_LENGTH, carom_intersections_read_structs(found, &hits, 0, 1, contacts));
    carom_intersections_destroy(found);
    carom_frames_destroy(frames);
}

/* In two dimensions and as doubles, packed: the defaults. */
static void packed_doubles(void) {
    const double squares[2][6] = {{0.0, 0.0, 1.0, 0.0, 0.0, 1.0}, {0.5, 0.5, 2.0, 0.0, 1.0, 1.0}};
    double back[2][6];
    carom_frame_layout layout;
    carom_frames *frames = NULL;
    EXPECT_OK(carom_frame_layout_init(&layout, sizeof layout));
    EXPECT(layout.numbers == CAROM_DOUBLE && layout.origin == CAROM_ABSENT && layout.kind == CAROM_CUBOID);
    layout.origin = 0, layout.components = 2 * sizeof(double);
    EXPECT_OK(carom_frames_create(2, NULL, &frames));
    EXPECT_OK(carom_frames_add_structs(frames, &layout, squares, 2, NULL));
    EXPECT_OK(carom_frames_read_structs(frames, &layout, 0, 2, back));
    EXPECT(memcmp(back, squares, sizeof back) == 0);
    layout.kind = CAROM_TETRAHEDRON, layout.stride = 6 * sizeof(double);
    EXPECT_OK(carom_frames_add_structs(frames, &layout, squares, 1, NULL));
    EXPECT(frames_in(frames) == 3);
    carom_frames_destroy(frames);
}

/* Out of the columns of the set itself, which move when it grows: it doubles. */
static void frames_of_the_set_itself(void) {
    const double squares[2][6] = {{0.0, 0.0, 1.0, 0.0, 0.0, 1.0}, {0.5, 0.25, 2.0, 0.0, 1.0, 1.0}};
    carom_frame_layout layout;
    carom_frames *frames = NULL;
    size_t round, i, axis, first = 0;
    EXPECT_OK(carom_frame_layout_init(&layout, sizeof layout));
    layout.origin = 0, layout.components = 2 * sizeof(double);
    EXPECT_OK(carom_frames_create(2, NULL, &frames));
    EXPECT_OK(carom_frames_add_structs(frames, &layout, squares, 2, NULL));
    for (round = 0; round < 9; round++) {
        carom_frame_batch batch;
        carom_column column;
        const double *origins[2], *components[4];
        const size_t length = frames_in(frames);
        EXPECT_OK(carom_frame_batch_init(&batch, sizeof batch));
        for (axis = 0; axis < 2; axis++) {
            EXPECT_OK(carom_frames_column(frames, CAROM_FRAME_ORIGIN, 0, axis, &column));
            origins[axis] = column.data;
            for (i = 0; i < 2; i++) {
                EXPECT_OK(carom_frames_column(frames, CAROM_FRAME_COMPONENT, i, axis, &column));
                components[2 * i + axis] = column.data;
            }
        }
        batch.count = length, batch.origin.columns = origins, batch.components.columns = components;
        EXPECT_OK(carom_frames_add_batch(frames, &batch, &first));
        EXPECT(first == length && frames_in(frames) == 2 * length);
        for (i = 0; i < length; i++) {
            carom_frame frame;
            EXPECT_OK(carom_frames_get(frames, first + i, &frame));
            EXPECT(frame.origin[1] == squares[i % 2][1] && frame.components[1][0] == squares[i % 2][4]);
        }
    }
    carom_frames_destroy(frames);
}

static void misuse_of_frame_layouts(void) {
    static entity entities[COUNT];
    carom_frame_layout layout = entity_layout(), other;
    carom_frames *frames = NULL;
    const double duration = 1.0;
    size_t first = 42;
    fill_entities(entities);
    EXPECT_OK(carom_frames_create(3, &duration, &frames));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_frame_layout_init(NULL, sizeof layout));
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_frame_layout_init(&other, 3));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_frames_add_structs(NULL, &layout, entities, 1, &first));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_frames_add_structs(frames, NULL, entities, 1, &first));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_frames_add_structs(frames, &layout, NULL, 1, &first));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_frames_read_structs(frames, NULL, 0, 0, entities));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_frames_write_structs(NULL, &layout, 0, 0, entities));
    EXPECT_STATUS(CAROM_MISALIGNED,
                  carom_frames_add_structs(frames, &layout, (const char *)entities + 1, 1, &first));
    other = layout, other.numbers = 2;
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_frames_add_structs(frames, &other, entities, 1, &first));
    EXPECT(detail_has("numbers"));
    other = layout, other.reserved = 1;
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_frames_add_structs(frames, &other, entities, 1, &first));
    other = layout, other.struct_size = 12;
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_frames_add_structs(frames, &other, entities, 1, &first));
    other = layout, other.stride = 8;
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_frames_add_structs(frames, &other, entities, 2, &first));
    other = layout, other.stride = sizeof(entity) + 2;
    EXPECT_STATUS(CAROM_MISALIGNED, carom_frames_add_structs(frames, &other, entities, 2, &first));
    other = layout, other.velocity = sizeof(entity) - 2 * sizeof(float);
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_frames_add_structs(frames, &other, entities, 1, &first));
    other = layout, other.velocity = CAROM_ABSENT - 3;
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_frames_add_structs(frames, &other, entities, 1, &first));
    other = layout, other.origin += 2;
    EXPECT_STATUS(CAROM_MISALIGNED, carom_frames_add_structs(frames, &other, entities, 1, &first));
    other = layout, other.component_stride = sizeof(float);
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_frames_add_structs(frames, &other, entities, 1, &first));
    other = layout, other.component_stride = CAROM_ABSENT / 2;
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_frames_add_structs(frames, &other, entities, 1, &first));
    other = layout, other.components = CAROM_ABSENT;
    EXPECT_STATUS(CAROM_WRONG_LENGTH, carom_frames_add_structs(frames, &other, entities, 1, &first));
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_frames_add_structs(frames, &layout, entities, SIZE_MAX / 8, &first));
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_frames_add_structs(frames, &layout, entities, SIZE_MAX, &first));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_frames_read_structs(frames, &layout, 0, 1, entities));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_frames_write_structs(frames, &layout, 1, 1, entities));
    /* One bad number far behind good ones: it is named, and none of them is added. */
    entities[70].matrix[12] = NAN;
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_frames_add_structs(frames, &layout, entities, COUNT, &first));
    EXPECT(detail_has("origin[70]") && frames_in(frames) == 0);
    entities[70].matrix[12] = 0.0f, entities[60].kind = 2;
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_frames_add_structs(frames, &layout, entities, COUNT, &first));
    entities[60].kind = CAROM_CUBOID;
    memset(entities[50].matrix, 0, sizeof entities[50].matrix);
    EXPECT_STATUS(CAROM_DEGENERATE, carom_frames_add_structs(frames, &layout, entities, COUNT, &first));
    EXPECT(detail_has("components[50]") && frames_in(frames) == 0 && first == 42);
    EXPECT_OK(carom_frames_add_structs(frames, &layout, entities, 50, &first));
    EXPECT_STATUS(CAROM_DEGENERATE, carom_frames_write_structs(frames, &layout, 3, 2, &entities[49]));
    EXPECT(detail_has("components[4]"));
    entities[2].velocity[1] = 1.0f;
    EXPECT_OK(carom_frames_clear(frames));
    EXPECT_OK(carom_frames_set_duration(frames, NULL));
    EXPECT_STATUS(CAROM_RESTING, carom_frames_add_structs(frames, &layout, entities, 3, &first));
    layout.velocity = CAROM_ABSENT;
    EXPECT_OK(carom_frames_add_structs(frames, &layout, entities, 3, &first));
    carom_frames_destroy(frames);
}

static void fill_balls(ball *balls) {
    size_t i;
    memset(balls, 0, COUNT * sizeof *balls);
    for (i = 0; i < COUNT; i++) {
        balls[i].position[0] = 0.1f * (float)i, balls[i].position[2] = -1.5f;
        balls[i].radius = 0.3f, balls[i].mass = 1.0f + 0.2f * (float)i, balls[i].name = i;
        balls[i].fixed = i == 3;
        balls[i].velocity[1] = i == 3 ? 0.0f : 0.7f;
    }
}

static void particles_of_floats(void) {
    static ball balls[COUNT], back[COUNT];
    carom_particle_layout layout = ball_layout(), some;
    carom_particles *particles = NULL;
    double values[9];
    size_t first = 42, length = 0, i;
    fill_balls(balls);
    EXPECT_OK(carom_particles_create(3, &particles));
    EXPECT_OK(carom_particles_add_structs(particles, &layout, balls, COUNT, &first));
    EXPECT_OK(carom_particles_length(particles, &length));
    EXPECT(first == 0 && length == COUNT);
    memset(back, 0xAB, sizeof back);
    EXPECT_OK(carom_particles_read_structs(particles, &layout, 0, COUNT, back));
    for (i = 0; i < COUNT; i++) {
        EXPECT(memcmp(&back[i], &balls[i], offsetof(ball, unknown)) == 0 && back[i].unknown[0] == 0xAB);
    }
    EXPECT_OK(carom_particles_get(particles, CAROM_MASS, 9, values, 1));
    EXPECT(values[0] == (double)balls[9].mass);
    /* Only what the layout has is replaced. */
    EXPECT_OK(carom_particle_layout_init(&some, sizeof some));
    some.numbers = CAROM_FLOAT, some.stride = sizeof(ball), some.mass = offsetof(ball, mass);
    balls[5].mass = 77.0f;
    EXPECT_OK(carom_particles_write_structs(particles, &some, 5, 2, &balls[5]));
    EXPECT_OK(carom_particles_get(particles, CAROM_MASS, 5, values, 1));
    EXPECT(values[0] == 77.0);
    EXPECT_OK(carom_particles_get(particles, CAROM_VELOCITY, 5, values, 3));
    EXPECT(values[1] == (double)0.7f);
    EXPECT_OK(carom_particles_swap_remove(particles, 0));
    EXPECT_OK(carom_particles_get(particles, CAROM_MASS, 0, values, 1));
    EXPECT(values[0] == (double)balls[COUNT - 1].mass);
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_particles_swap_remove(particles, COUNT - 1));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_particles_swap_remove(NULL, 0));
    /* Axes of cuboids. */
    {
        const float axes[9] = {1.0f, 0.0f, 0.0f, 0.0f, 2.0f, 0.0f, 0.0f, 0.0f, 3.0f};
        float axes_back[9];
        EXPECT_OK(carom_particle_layout_init(&some, sizeof some));
        some.numbers = CAROM_FLOAT, some.axes = 0, some.kind = CAROM_FACOID;
        EXPECT_OK(carom_particles_add_structs(particles, &some, axes, 1, &first));
        EXPECT_OK(carom_particles_read_structs(particles, &some, first, 1, axes_back));
        EXPECT(memcmp(axes, axes_back, sizeof axes) == 0);
        EXPECT_OK(carom_particles_get_axes(particles, 1, values, 9));
        EXPECT(values[0] == 2.0 * (double)0.3f && values[1] == 0.0);
    }
    carom_particles_destroy(particles);
}

static void misuse_of_particle_layouts(void) {
    static ball balls[COUNT];
    carom_particle_layout layout = ball_layout(), other;
    carom_particles *particles = NULL;
    size_t first = 42, length = 99;
    fill_balls(balls);
    EXPECT_OK(carom_particles_create(3, &particles));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_particle_layout_init(NULL, sizeof layout));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_particles_add_structs(particles, NULL, balls, 1, &first));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_particles_add_structs(particles, &layout, NULL, 1, &first));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_particles_add_structs(NULL, &layout, balls, 1, &first));
    EXPECT_STATUS(CAROM_MISALIGNED,
                  carom_particles_add_structs(particles, &layout, (const char *)balls + 2, 1, &first));
    other = layout, other.stride = 4;
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_particles_add_structs(particles, &other, balls, 1, &first));
    other = layout, other.user_data += 4;
    EXPECT_STATUS(CAROM_MISALIGNED, carom_particles_add_structs(particles, &other, balls, 1, &first));
    other = layout, other.numbers = 9;
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_particles_add_structs(particles, &other, balls, 1, &first));
    other = layout, other.kind = 9;
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_particles_add_structs(particles, &other, balls, 1, &first));
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_particles_add_structs(particles, &layout, balls, SIZE_MAX / 8, &first));
    balls[50].mass = NAN;
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_particles_add_structs(particles, &layout, balls, COUNT, &first));
    EXPECT(detail_has("mass[50]"));
    balls[50].mass = -1.0f;
    EXPECT_STATUS(CAROM_NEGATIVE, carom_particles_add_structs(particles, &layout, balls, COUNT, &first));
    balls[50].mass = 1.0f, balls[3].velocity[0] = 1.0f;
    EXPECT_STATUS(CAROM_FIXED, carom_particles_add_structs(particles, &layout, balls, COUNT, &first));
    EXPECT_OK(carom_particles_length(particles, &length));
    EXPECT(length == 0 && first == 42);
    balls[3].velocity[0] = 0.0f;
    EXPECT_OK(carom_particles_add_structs(particles, &layout, balls, COUNT, &first));
    balls[1].radius = INFINITY, balls[0].mass = 5.0f;
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_particles_write_structs(particles, &layout, 0, 2, balls));
    {
        double mass = 0.0;
        EXPECT_OK(carom_particles_get(particles, CAROM_MASS, 0, &mass, 1));
        EXPECT(mass == 1.0);
    }
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_particles_write_structs(particles, &layout, COUNT - 1, 2, balls));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_particles_read_structs(particles, &layout, COUNT, 1, balls));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_particles_read_structs(particles, &layout, 0, 1, NULL));
    EXPECT_OK(carom_particles_read_structs(particles, &layout, 0, 0, NULL));
    carom_particles_destroy(particles);
}

int main(void) {
    frames_of_floats();
    hits_of_floats();
    packed_doubles();
    frames_of_the_set_itself();
    misuse_of_frame_layouts();
    particles_of_floats();
    misuse_of_particle_layouts();
    return report("structs");
}
