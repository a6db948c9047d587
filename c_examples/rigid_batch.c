/* 4,096 spaces at once: each throws a ball at a tower from another angle. One of them is then stepped alone: the same bits. */
#include "example.h"

#include <math.h>

#define SPACES 4096
#define BOXES 5

static carom_vec2 vec2(double x, double y) {
    carom_vec2 vector;
    vector.x = x;
    vector.y = y;
    return vector;
}

static carom_body add(carom_space *space, double x, double y) {
    carom_body_options options;
    carom_body body;
    CHECK(carom_body_options_init(&options, sizeof options));
    options.position = vec2(x, y);
    CHECK(carom_body_add(space, &options, &body));
    return body;
}

/* Velocities of the ball of space k. */
static carom_vec2 throw_of(int k) {
    const double angle = 1.2 * k / SPACES;
    return vec2(12.0 * cos(angle), 12.0 * sin(angle));
}

int main(void) {
    carom_space_options options;
    carom_shape_options stone;
    carom_space *prototype = NULL;
    carom_spaces *spaces = NULL;
    carom_context *context = NULL;
    carom_column_mut vx, vy;
    carom_column heights;
    carom_body ground, ball, top = {0, 0};
    carom_vec2 chosen = throw_of(1000);
    size_t rows = 0;
    uint64_t hash[2] = {0, 1};
    int i, fallen = 0;

    CHECK(carom_space_options_init(&options, sizeof options));
    options.gravity = vec2(0.0, -10.0);
    CHECK(carom_space_create(&options, &prototype));
    CHECK(carom_shape_options_init(&stone, sizeof stone));
    stone.friction = 0.7;
    CHECK(carom_space_get_static_body(prototype, &ground));
    CHECK(carom_shape_add_segment(prototype, ground, vec2(-50.0, 0.0), vec2(50.0, 0.0), 0.0, &stone, NULL));
    stone.density = 1.0;
    ball = add(prototype, -6.0, 0.5);
    CHECK(carom_shape_add_circle(prototype, ball, 0.5, vec2(0.0, 0.0), &stone, NULL));
    for (i = 0; i < BOXES; i++) {
        top = add(prototype, 0.0, 0.5 + i);
        CHECK(carom_shape_add_box(prototype, top, 1.0, 1.0, 0.0, &stone, NULL));
    }

    CHECK(carom_context_create(0, &context));
    CHECK(carom_spaces_create(prototype, SPACES, context, &spaces));
    CHECK(carom_spaces_bodies_per_space(spaces, &rows));
    CHECK(carom_spaces_column_mut(spaces, CAROM_BODY_VELOCITY_X, &vx));
    CHECK(carom_spaces_column_mut(spaces, CAROM_BODY_VELOCITY_Y, &vy));
    for (i = 0; i < SPACES; i++) {
        const carom_vec2 velocity = throw_of(i);
        vx.data[(size_t)i * rows + ball.index] = velocity.x;
        vy.data[(size_t)i * rows + ball.index] = velocity.y;
    }
    CHECK(carom_spaces_step_many(spaces, 1.0 / 60.0, 90, NULL));

    CHECK(carom_spaces_column(spaces, CAROM_BODY_Y, &heights));
    for (i = 0; i < SPACES; i++) fallen += heights.data[(size_t)i * rows + top.index] < BOXES - 1.0;
    printf("%d spaces: between a tenth and all of the towers fell: %s\n", SPACES,
           fallen > SPACES / 10 && fallen < SPACES ? "yes" : "no");

    CHECK(carom_body_set_velocity(prototype, ball, chosen));
    CHECK(carom_space_step_many(prototype, 1.0 / 60.0, 90, NULL));
    CHECK(carom_space_state_hash(prototype, &hash[0]));
    CHECK(carom_spaces_state_hash(spaces, 1000, &hash[1]));
    printf("space 1000 alone: %s\n", hash[0] == hash[1] ? "the same to the bit" : "something else");
    carom_spaces_destroy(spaces);
    carom_space_destroy(prototype);
    carom_context_destroy(context);
    return 0;
}
