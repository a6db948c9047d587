/* A small space of rigid bodies for the C tests. */
#ifndef RIGID_H
#define RIGID_H

#include "expect.h"

#include <math.h>

static carom_vec2 vec2(double x, double y) {
    carom_vec2 vector;
    vector.x = x;
    vector.y = y;
    return vector;
}

static carom_shape_options material(double mass) {
    carom_shape_options options;
    EXPECT_OK(carom_shape_options_init(&options, sizeof options));
    options.mass = mass;
    options.friction = 0.5;
    return options;
}

static carom_body add_body(carom_space *space, carom_body_kind kind, double x, double y) {
    carom_body_options options;
    carom_body body = {0, 0};
    EXPECT_OK(carom_body_options_init(&options, sizeof options));
    options.kind = kind;
    options.position = vec2(x, y);
    EXPECT_OK(carom_body_add(space, &options, &body));
    return body;
}

static carom_shape add_circle(carom_space *space, carom_body body, uint64_t type) {
    carom_shape_options options = material(1.0);
    carom_shape shape = {0, 0};
    options.collision_type = type;
    EXPECT_OK(carom_shape_add_circle(space, body, 0.5, vec2(0.0, 0.0), &options, &shape));
    return shape;
}

/* Gravity, a floor of type 1 and a ball of type 2 that touches it. */
typedef struct scene {
    carom_space *space;
    carom_body ground, ball;
    carom_shape floor, round;
} scene;

static scene make_scene(void) {
    carom_space_options options;
    carom_shape_options stone = material(0.0);
    scene made;
    made.space = NULL;
    stone.collision_type = 1;
    EXPECT_OK(carom_space_options_init(&options, sizeof options));
    options.gravity = vec2(0.0, -10.0);
    EXPECT_OK(carom_space_create(&options, &made.space));
    EXPECT_OK(carom_space_get_static_body(made.space, &made.ground));
    EXPECT_OK(carom_shape_add_segment(made.space, made.ground, vec2(-9.0, 0.0), vec2(9.0, 0.0), 0.0, &stone, &made.floor));
    made.ball = add_body(made.space, CAROM_BODY_DYNAMIC, 0.0, 0.49);
    made.round = add_circle(made.space, made.ball, 2);
    return made;
}

/* Something that changes whenever a body does. */
static inline uint64_t hash(const carom_space *space) {
    uint64_t found = 0;
    EXPECT_OK(carom_space_state_hash(space, &found));
    return found;
}

#endif
