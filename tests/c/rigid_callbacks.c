/* Callbacks of rigid bodies: what they may not do gives a status, and they may destroy the space that calls them. */
#include "rigid.h"

/* What callbacks try, and what they get. */
typedef struct visit {
    scene *s;
    int begun, solved, separated, removals, late, nested;
    int destroy;
} visit;

static void try_everything(carom_arbiter *arbiter, carom_space *space, visit *v) {
    scene *s = v->s;
    carom_body_options body;
    carom_contact_set set;
    carom_handler handler;
    carom_vec2 point;
    double number = 42.0;
    size_t count = 42;
    int32_t locked = 0;
    /* The handle that is being stepped. */
    EXPECT_STATUS(CAROM_BUSY, carom_space_get_time(s->space, &number));
    EXPECT_STATUS(CAROM_BUSY, carom_space_step(s->space, 0.1));
    EXPECT_STATUS(CAROM_BUSY, carom_body_remove(s->space, s->ball));
    EXPECT_STATUS(CAROM_BUSY, carom_space_post_step(s->space, 1, NULL, NULL, NULL));
    EXPECT(number == 42.0);
    /* SpaceLocked: the space of the callback is in the middle of its step. */
    EXPECT_OK(carom_space_is_locked(space, &locked));
    EXPECT(locked == 1);
    EXPECT_OK(carom_body_options_init(&body, sizeof body));
    EXPECT_STATUS(CAROM_LOCKED, carom_body_add(space, &body, NULL));
    EXPECT(detail_has("post-step callback"));
    EXPECT_STATUS(CAROM_LOCKED, carom_body_remove(space, s->ball));
    EXPECT_STATUS(CAROM_LOCKED, carom_shape_add_circle(space, s->ball, 1.0, vec2(0.0, 0.0), NULL, NULL));
    EXPECT_STATUS(CAROM_LOCKED, carom_shape_remove(space, s->round));
    EXPECT_STATUS(CAROM_LOCKED, carom_space_step(space, 0.1));
    EXPECT_STATUS(CAROM_LOCKED, carom_space_reindex_static(space));
    EXPECT_STATUS(CAROM_LOCKED, carom_shape_reindex(space, s->round));
    EXPECT_STATUS(CAROM_LOCKED, carom_body_reindex(space, s->ball));
    EXPECT_STATUS(CAROM_LOCKED, carom_body_set_kind(space, s->ball, CAROM_BODY_STATIC));
    EXPECT_STATUS(CAROM_LOCKED, carom_shape_set_radius(space, s->round, 1.0));
    EXPECT_STATUS(CAROM_LOCKED, carom_shape_set_mass(space, s->round, 2.0));
    EXPECT_STATUS(CAROM_LOCKED, carom_space_set_gravity(space, vec2(0.0, 1.0)));
    EXPECT_STATUS(CAROM_LOCKED, carom_body_end_contacts(space, s->ball, NULL));
    EXPECT_OK(carom_handler_init(&handler, sizeof handler));
    EXPECT_STATUS(CAROM_LOCKED, carom_space_set_handler(space, 8, 9, &handler));
    EXPECT_STATUS(CAROM_LOCKED, carom_space_set_default_handler(space, NULL));
    /* Destroying what belongs to the library does nothing. */
    carom_space_destroy(space);
    EXPECT_OK(carom_body_get_mass(space, s->ball, &number));
    EXPECT(number == 1.0);
    /* ContactIndexOutOfBounds, ImmutableNumContacts, CollisionContactOverflow. */
    EXPECT_OK(carom_arbiter_count(arbiter, &count));
    EXPECT(count == 1);
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_arbiter_point_a(arbiter, 1, &point));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_arbiter_depth(arbiter, 1, &number));
    EXPECT_OK(carom_arbiter_get_contact_set(arbiter, &set));
    EXPECT(set.count == 1 && set.normal.y == 1.0);
    set.count = 2;
    EXPECT_STATUS(CAROM_WRONG_LENGTH, carom_arbiter_set_contact_set(arbiter, &set));
    set.count = 3;
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_arbiter_set_contact_set(arbiter, &set));
    set.count = 1;
    set.normal.y = 2.0;
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_arbiter_set_contact_set(arbiter, &set));
    set.normal.y = NAN;
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_arbiter_set_contact_set(arbiter, &set));
    EXPECT_STATUS(CAROM_NEGATIVE, carom_arbiter_set_friction(arbiter, -1.0));
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_arbiter_set_restitution(arbiter, NAN));
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_arbiter_set_surface_velocity(arbiter, vec2(NAN, 0.0)));
    EXPECT_OK(carom_arbiter_set_friction(arbiter, 0.25));
    EXPECT_OK(carom_arbiter_get_friction(arbiter, &number));
    EXPECT(number == 0.25);
}

static int32_t on_begin(carom_arbiter *arbiter, carom_space *space, void *user) {
    visit *v = (visit *)user;
    carom_shape a, b;
    carom_contact contact;
    v->begun++;
    EXPECT_OK(carom_arbiter_shapes(arbiter, &a, &b));
    EXPECT(a.index == v->s->floor.index && b.index == v->s->round.index);
    EXPECT_OK(carom_arbiter_contact(arbiter, &contact));
    EXPECT(contact.state == CAROM_ARBITER_FIRST && contact.body_b.index == v->s->ball.index && contact.sensor == 0);
    try_everything(arbiter, space, v);
    return 1;
}

static void late(carom_space *space, uint64_t key, void *user) {
    visit *v = (visit *)user;
    carom_body extra;
    int32_t locked = 1;
    double time = 0.0;
    v->late++;
    EXPECT(key == 5);
    if (v->s->space != NULL) EXPECT_STATUS(CAROM_BUSY, carom_space_get_time(v->s->space, &time));
    EXPECT_OK(carom_space_is_locked(space, &locked));
    EXPECT(locked == 0);
    extra = add_body(space, CAROM_BODY_KINEMATIC, 100.0, 0.0);
    EXPECT_OK(carom_body_remove(space, extra));
    carom_space_destroy(space);
    EXPECT_OK(carom_space_get_time(space, &time));
}

static int32_t on_post_solve(carom_arbiter *arbiter, carom_space *space, void *user) {
    visit *v = (visit *)user;
    carom_vec2 impulse;
    int32_t added = 42;
    v->solved++;
    EXPECT_OK(carom_arbiter_total_impulse(arbiter, &impulse));
    if (v->solved == 1) {
        EXPECT_OK(carom_space_post_step(space, 5, late, v, &added));
        EXPECT(added == 1);
        EXPECT_OK(carom_space_post_step(space, 5, late, v, &added));
        EXPECT(added == 0);
    }
    if (v->destroy) {
        carom_space_destroy(v->s->space);
        v->s->space = NULL;
    }
    return 0;
}

static int32_t on_separate(carom_arbiter *arbiter, carom_space *space, void *user) {
    visit *v = (visit *)user;
    int32_t removal = 0;
    (void)space;
    v->separated++;
    EXPECT_OK(carom_arbiter_is_removal(arbiter, &removal));
    v->removals += removal;
    EXPECT_STATUS(CAROM_LOCKED, carom_body_remove(space, v->s->ball));
    return 0;
}

static void set_handler(scene *s, visit *v) {
    carom_handler handler;
    EXPECT_OK(carom_handler_init(&handler, sizeof handler));
    handler.begin = on_begin;
    handler.post_solve = on_post_solve;
    handler.separate = on_separate;
    handler.user = v;
    EXPECT_OK(carom_space_set_handler(s->space, 1, 2, &handler));
    handler.reserved = 1;
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_space_set_handler(s->space, 1, 2, &handler));
}

static void callbacks(void) {
    scene s = make_scene();
    visit v;
    memset(&v, 0, sizeof v);
    v.s = &s;
    set_handler(&s, &v);
    EXPECT_OK(carom_space_step_many(s.space, 1.0 / 60.0, 10, NULL));
    EXPECT(v.begun == 1 && v.solved == 10 && v.late == 1 && v.separated == 0);
    EXPECT_OK(carom_body_remove(s.space, s.ball));
    EXPECT(v.separated == 1 && v.removals == 1);
    carom_space_destroy(s.space);
}

/* A callback destroys its own space: the step is completed, and nothing is left (AddressSanitizer would tell). */
static void suicide(void) {
    scene s = make_scene();
    visit v;
    memset(&v, 0, sizeof v);
    v.s = &s;
    v.destroy = 1;
    set_handler(&s, &v);
    EXPECT_OK(carom_space_step(s.space, 1.0 / 60.0));
    EXPECT(v.begun == 1 && v.solved == 1 && v.late == 1);
}

static void destroy_late(carom_space *space, uint64_t key, void *user) {
    double time = 0.0;
    (void)key;
    carom_space_destroy((carom_space *)user);
    EXPECT_OK(carom_space_get_time(space, &time));
    EXPECT(time > 0.0);
}

static void suicide_after_the_step(void) {
    scene s = make_scene();
    EXPECT_OK(carom_space_post_step(s.space, 1, destroy_late, s.space, NULL));
    EXPECT_OK(carom_space_step(s.space, 1.0 / 60.0));
    /* One that is never called. */
    s = make_scene();
    EXPECT_OK(carom_space_post_step(s.space, 1, destroy_late, s.space, NULL));
    carom_space_destroy(s.space);
}

/* Every kind of callback destroys the space that calls it; the call goes on and nothing is left. */
static int32_t destroy_in_contact(carom_arbiter *arbiter, carom_space *space, void *user) {
    carom_space **own = (carom_space **)user;
    size_t count = 0;
    carom_space_destroy(*own);
    *own = NULL;
    EXPECT_OK(carom_arbiter_count(arbiter, &count));
    EXPECT_OK(carom_space_body_count(space, &count));
    EXPECT(count == 2);
    return 1;
}

static void destroy_in_velocity(carom_velocity_update *update, void *user) {
    carom_space **own = (carom_space **)user;
    carom_space_destroy(*own);
    *own = NULL;
    update->velocity.x = 1.0;
}

static void destroy_in_position(carom_position_update *update, void *user) {
    carom_space **own = (carom_space **)user;
    carom_space_destroy(*own);
    *own = NULL;
    update->position.x = 1.0;
}

static void every_callback_destroys(void) {
    carom_handler handler;
    uint64_t done = 0;
    int which;
    for (which = 0; which < 6; which++) {
        scene s = make_scene();
        EXPECT_OK(carom_handler_init(&handler, sizeof handler));
        handler.user = &s.space;
        if (which == 0) handler.begin = destroy_in_contact;
        if (which == 1) handler.pre_solve = destroy_in_contact;
        if (which == 2) handler.post_solve = destroy_in_contact;
        if (which == 3) handler.separate = destroy_in_contact;
        EXPECT_OK(carom_space_set_default_handler(s.space, &handler));
        if (which == 4) EXPECT_OK(carom_body_set_velocity_callback(s.space, s.ball, destroy_in_velocity, &s.space));
        if (which == 5) EXPECT_OK(carom_body_set_position_callback(s.space, s.ball, destroy_in_position, &s.space));
        /* All steps are made, and `done` is told. */
        EXPECT_OK(carom_space_step_many(s.space, 1.0 / 60.0, which == 3 ? 2 : 1, &done));
        EXPECT(done == (which == 3 ? 2u : 1u));
        /* `separate` is called by a removal outside of a step. */
        if (which == 3) EXPECT_OK(carom_body_remove(s.space, s.ball));
        EXPECT(s.space == NULL);
    }
}

/* A post-step callback may do everything, also step: what it adds then is called, too. */
typedef struct chain {
    carom_space *outer;
    int depth;
} chain;

static void step_again(carom_space *space, uint64_t key, void *user) {
    chain *c = (chain *)user;
    carom_body extra;
    c->depth++;
    EXPECT_STATUS(CAROM_BUSY, carom_space_step(c->outer, 1.0 / 60.0));
    if (c->depth < 4) {
        EXPECT_OK(carom_space_post_step(space, key + 1, step_again, c, NULL));
        extra = add_body(space, CAROM_BODY_DYNAMIC, 3.0 * c->depth, 5.0);
        add_circle(space, extra, 9);
        EXPECT_OK(carom_space_step(space, 1.0 / 60.0));
    }
}

static void steps_in_callbacks(void) {
    scene s = make_scene();
    chain c;
    uint64_t steps = 0;
    size_t count = 0;
    c.outer = s.space, c.depth = 0;
    EXPECT_OK(carom_space_post_step(s.space, 1, step_again, &c, NULL));
    EXPECT_OK(carom_space_step(s.space, 1.0 / 60.0));
    EXPECT_OK(carom_space_step_count(s.space, &steps));
    EXPECT_OK(carom_space_body_count(s.space, &count));
    EXPECT(c.depth == 4 && steps == 4 && count == 5);
    carom_space_destroy(s.space);
}

/* A callback may use other spaces in every way. */
static int32_t use_another(carom_arbiter *arbiter, carom_space *space, void *user) {
    carom_space *other = (carom_space *)user;
    carom_spaces *batch = NULL;
    (void)arbiter;
    add_body(other, CAROM_BODY_KINEMATIC, 0.0, 0.0);
    EXPECT_OK(carom_space_step(other, 1.0 / 60.0));
    EXPECT_OK(carom_spaces_create(other, 4, NULL, &batch));
    EXPECT_OK(carom_spaces_step(batch, 1.0 / 60.0));
    carom_spaces_destroy(batch);
    /* But the space in the middle of its step cannot be copied. */
    EXPECT_STATUS(CAROM_LOCKED, carom_spaces_create(space, 4, NULL, &batch));
    EXPECT_STATUS(CAROM_LOCKED, carom_space_clone(space, &other));
    return 1;
}

static void other_spaces(void) {
    scene s = make_scene(), other = make_scene();
    carom_handler handler;
    size_t count = 0;
    EXPECT_OK(carom_handler_init(&handler, sizeof handler));
    handler.pre_solve = use_another;
    handler.user = other.space;
    EXPECT_OK(carom_space_set_handler(s.space, 1, 2, &handler));
    EXPECT_OK(carom_space_step_many(s.space, 1.0 / 60.0, 3, NULL));
    EXPECT_OK(carom_space_body_count(other.space, &count));
    EXPECT(count == 5);
    carom_space_destroy(other.space);
    carom_space_destroy(s.space);
}

/* Handlers that call the wildcards themselves. */
static int32_t on_wild(carom_arbiter *arbiter, carom_space *space, void *user) {
    visit *v = (visit *)user;
    size_t count = 0;
    v->nested++;
    EXPECT_OK(carom_arbiter_count(arbiter, &count));
    EXPECT_OK(carom_space_body_count(space, &count));
    return 0;
}

static int32_t on_main(carom_arbiter *arbiter, carom_space *space, void *user) {
    visit *v = (visit *)user;
    int32_t agrees = 42;
    (void)space;
    v->begun++;
    EXPECT_OK(carom_arbiter_call_wildcard_a(arbiter, &agrees));
    EXPECT(agrees == 1);
    EXPECT_OK(carom_arbiter_call_wildcard_b(arbiter, &agrees));
    EXPECT(agrees == 0);
    return agrees;
}

static void wildcards(void) {
    scene s = make_scene();
    carom_handler handler;
    carom_contact contacts[2];
    carom_vec2 velocity;
    size_t count = 0;
    visit v;
    memset(&v, 0, sizeof v);
    EXPECT_OK(carom_handler_init(&handler, sizeof handler));
    handler.user = &v;
    handler.begin = on_main;
    EXPECT_OK(carom_space_set_handler(s.space, 1, 2, &handler));
    handler.begin = on_wild;
    EXPECT_OK(carom_space_set_wildcard_handler(s.space, 2, &handler));
    EXPECT_OK(carom_space_step_many(s.space, 1.0 / 60.0, 2, NULL));
    EXPECT(v.begun == 1 && v.nested == 1);
    EXPECT_OK(carom_space_contacts(s.space, contacts, 2, &count));
    EXPECT(count == 1 && contacts[0].state == CAROM_ARBITER_IGNORED);
    EXPECT_OK(carom_body_get_velocity(s.space, s.ball, &velocity));
    EXPECT(velocity.y < -0.3);
    EXPECT_OK(carom_space_set_handler(s.space, 2, 1, NULL));
    EXPECT_OK(carom_space_set_wildcard_handler(s.space, 2, NULL));
    EXPECT_OK(carom_space_set_wildcard_handler(s.space, 99, NULL));
    carom_space_destroy(s.space);
}

/* Own integration: half of gravity, positions on a grid, nonsense. */
static void half_gravity(carom_velocity_update *update, void *user) {
    EXPECT_STATUS(CAROM_BUSY, carom_space_step((carom_space *)user, 0.1));
    EXPECT(update->mass == 1.0 && update->usual_velocity.y == update->velocity.y + update->gravity.y * update->time_step);
    update->velocity.y += 0.5 * update->gravity.y * update->time_step;
}

static void on_a_grid(carom_position_update *update, void *user) {
    EXPECT_STATUS(CAROM_BUSY, carom_space_step((carom_space *)user, 0.1));
    update->position.x = floor(update->usual_position.x);
    update->position.y = update->usual_position.y;
}

static void nonsense(carom_velocity_update *update, void *user) {
    (void)user;
    update->velocity.x = NAN;
}

static void own_integration(void) {
    scene s = make_scene();
    carom_body flyer = add_body(s.space, CAROM_BODY_DYNAMIC, 0.25, 5.0);
    carom_vec2 velocity, position;
    add_circle(s.space, flyer, 7);
    EXPECT_OK(carom_body_set_velocity_callback(s.space, flyer, half_gravity, s.space));
    EXPECT_OK(carom_body_set_position_callback(s.space, flyer, on_a_grid, s.space));
    EXPECT_OK(carom_space_step(s.space, 0.125));
    EXPECT_OK(carom_body_get_velocity(s.space, flyer, &velocity));
    EXPECT_OK(carom_body_get_position(s.space, flyer, &position));
    EXPECT(fabs(velocity.y + 0.625) < 1e-12 && position.x == 0.0 && position.y < 5.0);
    EXPECT_OK(carom_body_set_velocity_callback(s.space, flyer, nonsense, NULL));
    EXPECT_OK(carom_body_set_position_callback(s.space, flyer, NULL, NULL));
    EXPECT_OK(carom_space_step(s.space, 0.125));
    EXPECT_OK(carom_body_get_velocity(s.space, flyer, &velocity));
    EXPECT(fabs(velocity.y + 0.625) < 1e-12 && velocity.x == 0.0);
    carom_space_destroy(s.space);
}

int main(void) {
    callbacks();
    suicide();
    suicide_after_the_step();
    every_callback_destroys();
    steps_in_callbacks();
    other_spaces();
    wildcards();
    own_integration();
    return report("rigid_callbacks");
}
