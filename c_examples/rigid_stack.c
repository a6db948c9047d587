/* A stack of ten boxes: how far does its own weight press it together? */
#include "example.h"

#define BOXES 10

static carom_vec2 vec2(double x, double y) {
    carom_vec2 vector;
    vector.x = x;
    vector.y = y;
    return vector;
}

int main(void) {
    carom_space_options options;
    carom_shape_options stone;
    carom_space *space = NULL;
    carom_body ground, boxes[BOXES];
    carom_column heights;
    double time = 0.0, energy = 0.0;
    size_t contacts = 0;
    int i;

    CHECK(carom_space_options_init(&options, sizeof options));
    options.gravity = vec2(0.0, -9.81);
    CHECK(carom_space_create(&options, &space));
    CHECK(carom_shape_options_init(&stone, sizeof stone));
    stone.friction = 0.8;

    /* What never moves belongs to the static body of the space. */
    CHECK(carom_space_get_static_body(space, &ground));
    CHECK(carom_shape_add_segment(space, ground, vec2(-10.0, 0.0), vec2(10.0, 0.0), 0.0, &stone, NULL));

    stone.density = 1000.0;
    for (i = 0; i < BOXES; i++) {
        carom_body_options box;
        CHECK(carom_body_options_init(&box, sizeof box));
        box.position = vec2(0.0, 0.5 + i);
        CHECK(carom_body_add(space, &box, &boxes[i]));
        CHECK(carom_shape_add_box(space, boxes[i], 1.0, 1.0, 0.0, &stone, NULL));
    }

    /* Ten seconds. No body is added from here on, so that the column stays where it is. */
    CHECK(carom_space_column(space, CAROM_BODY_Y, &heights));
    CHECK(carom_space_step_many(space, 1.0 / 60.0, 600, NULL));

    CHECK(carom_space_get_time(space, &time));
    CHECK(carom_space_kinetic_energy(space, &energy));
    CHECK(carom_space_contacts(space, NULL, 0, &contacts));
    printf("after %.1f s: %d contacts, the stack %s\n", time, (int)contacts, energy < 1e-3 ? "stands still" : "moves");
    for (i = 0; i < BOXES; i += 3) {
        printf("box %d is at %.4f m, %.1f mm too low\n", i, heights.data[boxes[i].index],
               1000.0 * (0.5 + i - heights.data[boxes[i].index]));
    }
    carom_space_destroy(space);
    return 0;
}
