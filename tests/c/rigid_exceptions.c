/* Every exception of the Tamias2D document (its appendix, table 1) is a status here, or cannot happen. */
#include "rigid.h"

typedef struct row {
    const char *exception;
    /* What it is here, and a call that gives it. */
    carom_status status;
    carom_status (*cause)(void);
    /* Or why it cannot happen. */
    const char *reason;
} row;

/* What a call gives for a scene, which is destroyed then. */
#define WITH_SCENE(name, call)          \
    static carom_status name(void) {    \
        const scene s = make_scene();   \
        const carom_status got = call;  \
        carom_space_destroy(s.space);   \
        return got;                     \
    }

/* What a call gives in a callback for the contact of ball and floor. */
#define IN_CALLBACK(name, call)                                                            \
    static int32_t name##_callback(carom_arbiter *arbiter, carom_space *space, void *user) { \
        (void)arbiter, (void)space;                                                        \
        *(carom_status *)user = call;                                                      \
        return 1;                                                                          \
    }                                                                                      \
    static carom_status name(void) { return in_callback(name##_callback); }

static carom_status in_callback(carom_contact_callback callback) {
    const scene s = make_scene();
    carom_status got = CAROM_OK;
    carom_handler handler;
    EXPECT_OK(carom_handler_init(&handler, sizeof handler));
    handler.pre_solve = callback;
    handler.user = &got;
    EXPECT_OK(carom_space_set_default_handler(s.space, &handler));
    EXPECT_OK(carom_space_step(s.space, 1.0 / 60.0));
    carom_space_destroy(s.space);
    return got;
}

static carom_status remove_body_twice(const scene *s) {
    EXPECT_OK(carom_body_remove(s->space, s->ball));
    return carom_body_remove(s->space, s->ball);
}

static carom_status remove_shape_twice(const scene *s) {
    EXPECT_OK(carom_shape_remove(s->space, s->round));
    return carom_shape_remove(s->space, s->round);
}

static carom_status replace_static_body(const scene *s) {
    return carom_space_set_static_body(s->space, add_body(s->space, CAROM_BODY_STATIC, 0.0, 0.0));
}

static carom_status fifth_vertex(const scene *s) {
    carom_shape box;
    carom_vec2 vertex;
    EXPECT_OK(carom_shape_add_box(s->space, s->ball, 1.0, 1.0, 0.0, NULL, &box));
    return carom_shape_polygon_vertex(s->space, box, 4, &vertex);
}

static carom_status no_iterations(const scene *s) {
    carom_space_options options;
    EXPECT_OK(carom_space_options_init(&options, sizeof options));
    options.iterations = 0;
    return carom_space_set_options(s->space, &options);
}

static carom_status inverted_box(const scene *s) {
    const carom_bounds bounds = {{0.0, 0.0}, {1.0, -1.0}};
    return carom_shape_add_box_from(s->space, s->ball, bounds, 0.0, NULL, NULL);
}

static carom_status step_without_mass(const scene *s) {
    add_body(s->space, CAROM_BODY_DYNAMIC, 5.0, 5.0);
    return carom_space_step(s->space, 1.0 / 60.0);
}

static carom_status third_point(carom_arbiter *arbiter) {
    carom_vec2 point;
    return carom_arbiter_point_a(arbiter, 2, &point);
}

static carom_status another_count(carom_arbiter *arbiter) {
    carom_contact_set set;
    EXPECT_OK(carom_arbiter_get_contact_set(arbiter, &set));
    set.count = 2;
    return carom_arbiter_set_contact_set(arbiter, &set);
}

static carom_status three_points(carom_arbiter *arbiter) {
    carom_contact_set set;
    EXPECT_OK(carom_arbiter_get_contact_set(arbiter, &set));
    set.count = 3;
    return carom_arbiter_set_contact_set(arbiter, &set);
}

WITH_SCENE(attached_static_body, replace_static_body(&s))
WITH_SCENE(body_not_found, remove_body_twice(&s))
IN_CALLBACK(contact_overflow, three_points(arbiter))
IN_CALLBACK(contact_index, third_point(arbiter))
WITH_SCENE(illegal_body, carom_body_set_velocity(s.space, s.ball, vec2(NAN, 0.0)))
IN_CALLBACK(immutable_count, another_count(arbiter))
WITH_SCENE(index_out_of_bounds, fifth_vertex(&s))
WITH_SCENE(infinite_mass, carom_body_set_mass(s.space, s.ball, INFINITY))
WITH_SCENE(invalid_iterations, no_iterations(&s))
WITH_SCENE(main_static_body, carom_body_remove(s.space, s.ground))
WITH_SCENE(nan_mass, carom_body_set_mass(s.space, s.ball, NAN))
WITH_SCENE(nan_moment, carom_body_set_moment(s.space, s.ball, NAN))
WITH_SCENE(negative_elasticity, carom_shape_set_elasticity(s.space, s.round, -1.0))
WITH_SCENE(negative_friction, carom_shape_set_friction(s.space, s.round, -1.0))
WITH_SCENE(negative_half_dimensions, inverted_box(&s))
WITH_SCENE(negative_mass, carom_body_set_mass(s.space, s.ball, -1.0))
WITH_SCENE(negative_moment, carom_body_set_moment(s.space, s.ball, -1.0))
WITH_SCENE(negative_radius, carom_shape_set_circle_radius(s.space, s.round, -1.0))
WITH_SCENE(not_circle, carom_shape_set_circle_offset(s.space, s.floor, vec2(1.0, 0.0)))
WITH_SCENE(not_segment, carom_shape_set_segment_radius(s.space, s.round, 1.0))
WITH_SCENE(not_polygon, carom_shape_set_polygon_radius(s.space, s.round, 1.0))
WITH_SCENE(shape_not_found, remove_shape_twice(&s))
IN_CALLBACK(space_locked, carom_body_add(space, NULL, NULL))
WITH_SCENE(static_body_mass, carom_body_set_mass(s.space, s.ground, 1.0))
WITH_SCENE(unsolvable_collision, step_without_mass(&s))

#define ADDED_ONCE "a space makes its bodies and shapes from descriptions: nothing exists outside of it"
#define GROWS "arrays grow, and a failed allocation is a status"
#define INTERNAL "nodes are indices that only the tree hands out and checks"

static const row rows[] = {
    {"AttachedBody", 0, NULL, ADDED_ONCE},
    {"AttachedShape", 0, NULL, ADDED_ONCE},
    {"AttachedStaticBody", CAROM_HAS_SHAPES, attached_static_body, NULL},
    {"AttachedStaticIndex", 0, NULL, "one tree has static and dynamic shapes"},
    {"BodyNotFound", CAROM_DEAD_ID, body_not_found, NULL},
    {"BufferOverflow", 0, NULL, GROWS},
    {"CollisionContactOverflow", CAROM_OUT_OF_RANGE, contact_overflow, NULL},
    {"CollisionError", 0, NULL, "pairs are put into the order of their class when they are made"},
    {"ContactIndexOutOfBounds", CAROM_BAD_INDEX, contact_index, NULL},
    {"DuplicateBody", 0, NULL, ADDED_ONCE},
    {"DuplicateShape", 0, NULL, ADDED_ONCE},
    {"EmptyArray", 0, NULL, "an empty list is a count of 0"},
    {"HighIterWarning", 0, NULL, "iterations of GJK and EPA are bounded, and the best answer so far is taken"},
    {"IllegalBody", CAROM_NOT_FINITE, illegal_body, NULL},
    {"IllegalSize", 0, NULL, GROWS},
    {"ImmutableNumContacts", CAROM_WRONG_LENGTH, immutable_count, NULL},
    {"IndexOutOfBounds", CAROM_BAD_INDEX, index_out_of_bounds, NULL},
    {"InfiniteMass", CAROM_NOT_FINITE, infinite_mass, NULL},
    {"InsufficientBufferSize", 0, NULL, GROWS},
    {"InvalidChild", 0, NULL, INTERNAL},
    {"InvalidIter", CAROM_OUT_OF_RANGE, invalid_iterations, NULL},
    {"LeafError", 0, NULL, INTERNAL},
    {"MainStaticBody", CAROM_OWN_STATIC_BODY, main_static_body, NULL},
    {"NaNMass", CAROM_NOT_FINITE, nan_mass, NULL},
    {"NaNMoment", CAROM_NOT_FINITE, nan_moment, NULL},
    {"NegativeElasticity", CAROM_NEGATIVE, negative_elasticity, NULL},
    {"NegativeFriction", CAROM_NEGATIVE, negative_friction, NULL},
    {"NegativeHalfDimensions", CAROM_OUT_OF_RANGE, negative_half_dimensions, NULL},
    {"NegativeMass", CAROM_NEGATIVE, negative_mass, NULL},
    {"NegativeMoment", CAROM_NEGATIVE, negative_moment, NULL},
    {"NegativeRadius", CAROM_NEGATIVE, negative_radius, NULL},
    {"NotBBTreeWarn", 0, NULL, "there is one kind of spatial index"},
    {"NotCircleShape", CAROM_WRONG_SHAPE, not_circle, NULL},
    {"NotPolyShape", CAROM_WRONG_SHAPE, not_polygon, NULL},
    {"NotSegmentShape", CAROM_WRONG_SHAPE, not_segment, NULL},
    {"SameVertices", 0, NULL, "EPA stops where no vertex is new"},
    {"ShapeNotFound", CAROM_DEAD_ID, shape_not_found, NULL},
    {"SpaceLocked", CAROM_LOCKED, space_locked, NULL},
    {"SpaceLockUnderflow", 0, NULL, "a step locks and unlocks once"},
    {"StaticBodyMass", CAROM_NOT_DYNAMIC, static_body_mass, NULL},
    {"UnsolvableCollision", CAROM_NO_MASS, unsolvable_collision, NULL},
};

int main(void) {
    const size_t count = sizeof rows / sizeof *rows;
    size_t i;
    EXPECT(count == 41);
    for (i = 0; i < count; i++) {
        EXPECT((rows[i].cause == NULL) == (rows[i].reason != NULL));
        EXPECT(i == 0 || strcmp(rows[i - 1].exception, rows[i].exception) != 0);
        if (rows[i].cause != NULL) EXPECT_STATUS(rows[i].status, rows[i].cause());
    }
    return report("rigid_exceptions");
}
