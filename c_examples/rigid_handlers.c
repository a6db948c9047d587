/* A player jumps through a platform from below, lands on it, and picks up a coin: handlers and a post-step callback. */
#include "example.h"

enum { PLAYER = 1, PLATFORM = 2, COIN = 3 };

typedef struct game {
    int coins;
    int landed;
} game;

static carom_vec2 vec2(double x, double y) {
    carom_vec2 vector;
    vector.x = x;
    vector.y = y;
    return vector;
}

/* The platform holds what comes from above, and ignores anything else until it is through. */
static int32_t one_way(carom_arbiter *arbiter, carom_space *space, void *user) {
    game *state = (game *)user;
    carom_vec2 normal;
    (void)space;
    /* The player is A: the normal points from it to the platform. */
    CHECK(carom_arbiter_normal(arbiter, &normal));
    if (normal.y > -0.5) {
        CHECK(carom_arbiter_ignore(arbiter));
        return 0;
    }
    state->landed = 1;
    return 1;
}

/* Called after the step: now shapes and bodies can be removed. */
static void remove_coin(carom_space *space, uint64_t key, void *user) {
    carom_body coin;
    (void)user;
    coin.index = (uint32_t)key;
    coin.generation = (uint32_t)(key >> 32);
    CHECK(carom_body_remove(space, coin));
}

static int32_t pick_up(carom_arbiter *arbiter, carom_space *space, void *user) {
    game *state = (game *)user;
    carom_body player, coin;
    carom_status refused;
    int32_t added = 0;
    CHECK(carom_arbiter_bodies(arbiter, &player, &coin));
    /* The space is in the middle of a step. */
    refused = carom_body_remove(space, coin);
    printf("remove it at once: %s\n", carom_status_string(refused));
    /* The id as key: a coin is removed once, however many contacts it has. */
    CHECK(carom_space_post_step(space, (uint64_t)coin.generation << 32 | coin.index, remove_coin, NULL, &added));
    state->coins += added;
    return 0;
}

static carom_body add_body(carom_space *space, carom_body_kind kind, double y) {
    carom_body_options options;
    carom_body body;
    CHECK(carom_body_options_init(&options, sizeof options));
    options.kind = kind;
    options.position = vec2(0.0, y);
    CHECK(carom_body_add(space, &options, &body));
    return body;
}

int main(void) {
    game state = {0, 0};
    carom_space_options options;
    carom_shape_options material;
    carom_handler handler;
    carom_space *space = NULL;
    carom_body player, platform, coin;
    carom_vec2 position;
    int32_t exists = 1;

    CHECK(carom_space_options_init(&options, sizeof options));
    options.gravity = vec2(0.0, -10.0);
    CHECK(carom_space_create(&options, &space));
    CHECK(carom_shape_options_init(&material, sizeof material));

    platform = add_body(space, CAROM_BODY_STATIC, 2.0);
    material.collision_type = PLATFORM;
    CHECK(carom_shape_add_box(space, platform, 4.0, 0.25, 0.0, &material, NULL));

    coin = add_body(space, CAROM_BODY_STATIC, 3.5);
    material.collision_type = COIN;
    material.sensor = 1;
    CHECK(carom_shape_add_circle(space, coin, 0.25, vec2(0.0, 0.0), &material, NULL));

    player = add_body(space, CAROM_BODY_DYNAMIC, 0.0);
    material.collision_type = PLAYER;
    material.sensor = 0;
    material.mass = 70.0;
    CHECK(carom_shape_add_box(space, player, 0.5, 1.0, 0.0, &material, NULL));
    CHECK(carom_body_set_velocity(space, player, vec2(0.0, 9.0)));

    CHECK(carom_handler_init(&handler, sizeof handler));
    handler.user = &state;
    handler.begin = one_way;
    CHECK(carom_space_set_handler(space, PLAYER, PLATFORM, &handler));
    handler.begin = pick_up;
    CHECK(carom_space_set_handler(space, PLAYER, COIN, &handler));

    CHECK(carom_space_step_many(space, 1.0 / 60.0, 180, NULL));
    CHECK(carom_body_get_position(space, player, &position));
    CHECK(carom_body_exists(space, coin, &exists));
    printf("%d coin; %s\n", state.coins, exists ? "it is still there" : "it is gone");
    printf("the player %s the platform, at y = %.2f m\n", state.landed ? "stands on" : "fell through", position.y);
    carom_space_destroy(space);
    return 0;
}
