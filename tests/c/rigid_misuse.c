/* Everything a caller can get wrong with rigid bodies gives a status, changes nothing and never crashes. */
#include "rigid.h"

static void null_pointers(scene *s) {
    carom_space *made = NULL;
    double number = 42.0;
    size_t count = 42;
    carom_column column;
    memset(&column, 0, sizeof column);
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_space_create(NULL, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_space_step(NULL, 0.1));
    EXPECT(detail_has("space must not be NULL"));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_space_set_options(s->space, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_space_get_time(s->space, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_space_bodies(s->space, NULL, 1, &count));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_space_bodies(s->space, NULL, 0, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_space_contacts(s->space, NULL, 5, &count));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_space_column(s->space, CAROM_BODY_X, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_space_set_column(s->space, CAROM_BODY_TORQUE, NULL, 2));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_body_get_mass(NULL, s->ball, &number));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_body_get_mass(s->space, s->ball, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_shape_add(s->space, s->ball, NULL, NULL, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_shape_add_polygon(s->space, s->ball, NULL, 3, 0.0, NULL, NULL));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_space_post_step(s->space, 1, NULL, NULL, NULL));
    EXPECT(detail_has("callback"));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_arbiter_count(NULL, &count));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_spaces_create(NULL, 3, NULL, NULL));
    EXPECT_STATUS(CAROM_MISALIGNED, carom_space_get_time((const carom_space *)((const char *)s->space + 1), &number));
    EXPECT(made == NULL && number == 42.0 && count == 42 && column.data == NULL);
    carom_space_destroy(NULL);
    carom_spaces_destroy(NULL);
    carom_space_snapshot_destroy(NULL);
}

static void bad_options(carom_space *space) {
    const uint32_t nonsense[] = {0, 4, 12, 5000};
    carom_space_options options;
    carom_body_options body;
    carom_shape_options shape;
    carom_handler handler;
    carom_geometry geometry;
    carom_space *made = NULL;
    carom_body ground;
    size_t i;
    EXPECT_OK(carom_space_get_static_body(space, &ground));
    for (i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        options.struct_size = body.struct_size = shape.struct_size = handler.struct_size = geometry.struct_size = nonsense[i];
        EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_space_create(&options, &made));
        EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_space_get_options(space, &options));
        EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_body_add(space, &body, NULL));
        EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_shape_add_circle(space, ground, 1.0, vec2(0.0, 0.0), &shape, NULL));
        EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_shape_add(space, ground, &geometry, NULL, NULL));
        EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_space_set_handler(space, 1, 2, &handler));
        EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_handler_init(&handler, nonsense[i]));
    }
    EXPECT_OK(carom_space_options_init(&options, sizeof options));
    EXPECT(options.iterations == 10 && options.substeps == 4 && options.sleep_time == INFINITY);
    EXPECT(options.bounce_speed == CAROM_BOUNCE_BY_GRAVITY);
    /* The document's InvalidIter. */
    options.iterations = 0;
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_space_create(&options, &made));
    EXPECT(detail_has("iterations"));
    options.iterations = 10;
    options.solver = 2;
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_space_create(&options, &made));
    options.solver = CAROM_SOLVER_SEQUENTIAL;
    options.friction_mixing = 5;
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_space_create(&options, &made));
    options.friction_mixing = CAROM_MIXING_MAXIMUM;
    options.gravity.y = NAN;
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_space_create(&options, &made));
    options.gravity.y = 0.0;
    options.bounce_speed = -2.0;
    EXPECT_STATUS(CAROM_NEGATIVE, carom_space_create(&options, &made));
    options.bounce_speed = 0.0;
    options.sleep_time = NAN;
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_space_create(&options, &made));
    EXPECT(made == NULL);
    options.sleep_time = 1.0;
    options.precision = CAROM_PRECISION_MIXED;
    EXPECT_STATUS(CAROM_READ_ONLY, carom_space_set_options(space, &options));
    EXPECT_OK(carom_space_create(&options, &made));
    EXPECT_OK(carom_space_get_options(made, &options));
    EXPECT(options.precision == CAROM_PRECISION_MIXED && options.bounce_speed == 0.0 && options.sleep_time == 1.0);
    EXPECT(options.solver == CAROM_SOLVER_SEQUENTIAL && options.friction_mixing == CAROM_MIXING_MAXIMUM);
    carom_space_destroy(made);
}

/* IllegalBody, NaNMass, NegativeMass, InfiniteMass, NaNMoment, NegativeMoment, StaticBodyMass. */
static void bad_bodies(scene *s) {
    const double bad[] = {NAN, INFINITY, -INFINITY};
    const uint64_t before = hash(s->space);
    carom_body_options options;
    carom_body refused = {77, 77};
    size_t count = 0, i;
    double mass = 0.0;
    for (i = 0; i < 3; i++) {
        EXPECT_STATUS(CAROM_NOT_FINITE, carom_body_set_position(s->space, s->ball, vec2(bad[i], 0.0)));
        EXPECT_STATUS(CAROM_NOT_FINITE, carom_body_set_velocity(s->space, s->ball, vec2(0.0, bad[i])));
        EXPECT_STATUS(CAROM_NOT_FINITE, carom_body_set_force(s->space, s->ball, vec2(bad[i], 0.0)));
        EXPECT_STATUS(CAROM_NOT_FINITE, carom_body_set_angle(s->space, s->ball, bad[i]));
        EXPECT_STATUS(CAROM_NOT_FINITE, carom_body_set_angular_velocity(s->space, s->ball, bad[i]));
        EXPECT_STATUS(CAROM_NOT_FINITE, carom_body_set_torque(s->space, s->ball, bad[i]));
        EXPECT_STATUS(CAROM_NOT_FINITE, carom_body_apply_force(s->space, s->ball, vec2(1.0, bad[i]), vec2(0.0, 0.0)));
        EXPECT_STATUS(CAROM_NOT_FINITE, carom_body_apply_impulse(s->space, s->ball, vec2(1.0, 0.0), vec2(bad[i], 0.0)));
        EXPECT_STATUS(CAROM_NOT_FINITE, carom_body_set_centre_of_mass(s->space, s->ball, vec2(bad[i], 0.0)));
        EXPECT_STATUS(CAROM_NOT_FINITE, carom_space_set_gravity(s->space, vec2(bad[i], 0.0)));
        EXPECT_OK(carom_body_options_init(&options, sizeof options));
        options.position.y = bad[i];
        EXPECT_STATUS(CAROM_NOT_FINITE, carom_body_add(s->space, &options, &refused));
    }
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_body_set_mass(s->space, s->ball, NAN));
    EXPECT(detail_has("mass"));
    EXPECT_STATUS(CAROM_NEGATIVE, carom_body_set_mass(s->space, s->ball, -1.0));
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_body_set_mass(s->space, s->ball, INFINITY));
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_body_set_moment(s->space, s->ball, NAN));
    EXPECT_STATUS(CAROM_NEGATIVE, carom_body_set_moment(s->space, s->ball, -1.0));
    EXPECT_STATUS(CAROM_NOT_DYNAMIC, carom_body_set_mass(s->space, s->ground, 1.0));
    EXPECT_STATUS(CAROM_NOT_DYNAMIC, carom_body_set_velocity(s->space, s->ground, vec2(1.0, 0.0)));
    EXPECT_STATUS(CAROM_NOT_DYNAMIC, carom_body_sleep(s->space, s->ground));
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_body_set_kind(s->space, s->ball, 3));
    EXPECT_STATUS(CAROM_OWN_STATIC_BODY, carom_body_set_kind(s->space, s->ground, CAROM_BODY_DYNAMIC));
    EXPECT_OK(carom_body_options_init(&options, sizeof options));
    options.kind = CAROM_BODY_STATIC;
    options.mass = 1.0;
    EXPECT_STATUS(CAROM_NOT_DYNAMIC, carom_body_add(s->space, &options, &refused));
    options.mass = 0.0;
    options.reserved = 1;
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_body_add(s->space, &options, &refused));
    EXPECT_OK(carom_body_get_mass(s->space, s->ball, &mass));
    EXPECT_OK(carom_space_body_count(s->space, &count));
    EXPECT(mass == 1.0 && count == 2 && refused.index == 77 && hash(s->space) == before);
}

/* NegativeRadius, NegativeHalfDimensions, NegativeElasticity, NegativeFriction, NotCircleShape, NotSegmentShape, NotPolyShape,
   IndexOutOfBounds. */
static void bad_shapes(scene *s) {
    const carom_vec2 line[] = {{0.0, 0.0}, {1.0, 0.0}, {2.0, 0.0}};
    const carom_vec2 clockwise[] = {{0.0, 0.0}, {0.0, 1.0}, {1.0, 0.0}};
    const carom_vec2 origin = {0.0, 0.0};
    carom_shape_options options = material(1.0);
    carom_geometry geometry;
    carom_bounds flat = {{1.0, 0.0}, {0.0, 1.0}};
    carom_shape shape = {77, 77};
    carom_vec2 point = {42.0, 42.0};
    size_t count = 0;
    carom_space *space = s->space;
    EXPECT_STATUS(CAROM_NEGATIVE, carom_shape_add_circle(space, s->ball, -1.0, origin, NULL, &shape));
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_shape_add_circle(space, s->ball, NAN, origin, NULL, &shape));
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_shape_add_circle(space, s->ball, 1.0, vec2(0.0, INFINITY), NULL, &shape));
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_shape_add_segment(space, s->ball, origin, origin, 0.1, NULL, &shape));
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_shape_add_box(space, s->ball, -1.0, 1.0, 0.0, NULL, &shape));
    EXPECT_STATUS(CAROM_NEGATIVE, carom_shape_add_box(space, s->ball, 1.0, 1.0, -0.5, NULL, &shape));
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_shape_add_box_from(space, s->ball, flat, 0.0, NULL, &shape));
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_shape_add_polygon(space, s->ball, line, 3, 0.0, NULL, &shape));
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_shape_add_polygon(space, s->ball, NULL, 0, 0.0, NULL, &shape));
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_shape_add_convex_polygon(space, s->ball, clockwise, 2, 0.0, NULL, &shape));
    EXPECT_STATUS(CAROM_NOT_CONVEX, carom_shape_add_convex_polygon(space, s->ball, clockwise, 3, 0.0, NULL, &shape));
    EXPECT_OK(carom_geometry_init(&geometry, sizeof geometry));
    geometry.kind = 3;
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_shape_add(space, s->ball, &geometry, NULL, &shape));
    geometry.kind = CAROM_POLYGON;
    geometry.points = clockwise;
    geometry.count = SIZE_MAX / 8;
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_shape_add(space, s->ball, &geometry, NULL, &shape));
    options.density = 2.0;
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_shape_add_circle(space, s->ball, 1.0, origin, &options, &shape));
    EXPECT(detail_has("density"));
    options = material(-1.0);
    EXPECT_STATUS(CAROM_NEGATIVE, carom_shape_add_circle(space, s->ball, 1.0, origin, &options, &shape));
    EXPECT_STATUS(CAROM_NEGATIVE, carom_shape_set_elasticity(space, s->round, -0.1));
    EXPECT_STATUS(CAROM_NEGATIVE, carom_shape_set_friction(space, s->round, -0.1));
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_shape_set_friction(space, s->round, NAN));
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_shape_set_surface_velocity(space, s->round, vec2(NAN, 0.0)));
    EXPECT_STATUS(CAROM_NEGATIVE, carom_shape_set_mass(space, s->round, -1.0));
    EXPECT_STATUS(CAROM_NEGATIVE, carom_shape_set_density(space, s->round, -1.0));
    EXPECT_STATUS(CAROM_WRONG_SHAPE, carom_shape_set_circle_radius(space, s->floor, 1.0));
    EXPECT(detail_has("the shape is a segment, not a circle"));
    EXPECT_STATUS(CAROM_WRONG_SHAPE, carom_shape_get_circle_offset(space, s->floor, &point));
    EXPECT_STATUS(CAROM_WRONG_SHAPE, carom_shape_set_segment_ends(space, s->round, origin, vec2(1.0, 0.0)));
    EXPECT_STATUS(CAROM_WRONG_SHAPE, carom_shape_set_segment_neighbours(space, s->round, NULL, NULL));
    EXPECT_STATUS(CAROM_WRONG_SHAPE, carom_shape_polygon_vertex(space, s->round, 0, &point));
    EXPECT_STATUS(CAROM_WRONG_SHAPE, carom_shape_set_polygon_radius(space, s->round, 1.0));
    EXPECT(shape.index == 77 && point.x == 42.0);
    EXPECT_OK(carom_space_shape_count(space, &count));
    EXPECT(count == 2);
    options = material(0.0);
    EXPECT_OK(carom_shape_add_box(space, s->ball, 1.0, 1.0, 0.0, &options, &shape));
    EXPECT_STATUS(CAROM_BAD_INDEX, carom_shape_polygon_vertex(space, shape, 4, &point));
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_shape_set_polygon_points(space, shape, line, 3, NULL));
    EXPECT_STATUS(CAROM_NOT_CONVEX, carom_shape_set_polygon_vertices(space, shape, clockwise, 3));
    EXPECT_OK(carom_shape_polygon_vertex(space, shape, 0, &point));
    EXPECT(point.x == -0.5 && point.y == -0.5);
    EXPECT_OK(carom_shape_remove(space, shape));
}

/* BodyNotFound, ShapeNotFound, MainStaticBody, AttachedStaticBody; a body or a shape cannot be added twice or to two spaces:
   both are made by their space, and ids of another one are dead or name its own. */
static void dead_ids(void) {
    scene s = make_scene();
    const carom_body never = {1000, 0}, wrong = {s.ball.index, 7};
    const carom_shape nowhere = {1000, 0};
    carom_body other, again;
    carom_shape shape;
    double mass = 42.0;
    int32_t found = 42;
    size_t count = 0;
    EXPECT_STATUS(CAROM_OWN_STATIC_BODY, carom_body_remove(s.space, s.ground));
    EXPECT_STATUS(CAROM_DEAD_ID, carom_body_remove(s.space, never));
    EXPECT_STATUS(CAROM_DEAD_ID, carom_body_get_mass(s.space, wrong, &mass));
    EXPECT_STATUS(CAROM_DEAD_ID, carom_shape_remove(s.space, nowhere));
    other = add_body(s.space, CAROM_BODY_STATIC, 5.0, 5.0);
    EXPECT_STATUS(CAROM_HAS_SHAPES, carom_space_set_static_body(s.space, other));
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_space_set_static_body(s.space, s.ball));
    shape = add_circle(s.space, other, 3);
    EXPECT_OK(carom_body_remove(s.space, other));
    EXPECT_STATUS(CAROM_DEAD_ID, carom_body_remove(s.space, other));
    EXPECT(detail_has("does not exist"));
    EXPECT_STATUS(CAROM_DEAD_ID, carom_shape_set_friction(s.space, shape, 1.0));
    EXPECT_STATUS(CAROM_DEAD_ID, carom_shape_add_circle(s.space, other, 1.0, vec2(0.0, 0.0), NULL, NULL));
    EXPECT_STATUS(CAROM_DEAD_ID, carom_body_contacts(s.space, other, NULL, 0, &count));
    EXPECT_STATUS(CAROM_DEAD_ID, carom_body_set_velocity_callback(s.space, other, NULL, NULL));
    /* The row is used again, the id is not. */
    again = add_body(s.space, CAROM_BODY_KINEMATIC, 5.0, 5.0);
    EXPECT(again.index == other.index && again.generation != other.generation);
    EXPECT_STATUS(CAROM_DEAD_ID, carom_body_wake(s.space, other));
    EXPECT_OK(carom_body_exists(s.space, other, &found));
    EXPECT(found == 0 && mass == 42.0);
    EXPECT_OK(carom_body_exists(s.space, again, &found));
    EXPECT(found == 1);
    carom_space_destroy(s.space);
}

static void bad_steps(scene *s) {
    const uint64_t before = hash(s->space);
    carom_body light;
    uint64_t done = 42;
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_space_step(s->space, NAN));
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_space_step(s->space, INFINITY));
    EXPECT_STATUS(CAROM_NEGATIVE, carom_space_step(s->space, -0.1));
    EXPECT_STATUS(CAROM_NEGATIVE, carom_space_step_many(s->space, -0.1, 5, &done));
    EXPECT(done == 0);
    EXPECT_OK(carom_space_step(s->space, 0.0));
    light = add_body(s->space, CAROM_BODY_DYNAMIC, 50.0, 0.0);
    EXPECT_STATUS(CAROM_NO_MASS, carom_space_step(s->space, 0.1));
    EXPECT_OK(carom_body_remove(s->space, light));
    EXPECT(hash(s->space) == before);
    EXPECT_OK(carom_space_step_many(s->space, 1.0 / 60.0, 5, &done));
    EXPECT(done == 5 && hash(s->space) != before);
}

static void columns(void) {
    scene s = make_scene();
    carom_column x, force;
    double values[2] = {0.0, 3.0};
    carom_vec2 velocity;
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_space_column(s.space, 9, &x));
    EXPECT_OK(carom_space_column(s.space, CAROM_BODY_Y, &x));
    EXPECT_OK(carom_space_column(s.space, CAROM_BODY_FORCE_X, &force));
    EXPECT(x.length == 2 && (uintptr_t)x.data % CAROM_ALIGNMENT == 0 && x.data[s.ball.index] == 0.49);
    EXPECT_STATUS(CAROM_READ_ONLY, carom_space_set_column(s.space, CAROM_BODY_X, values, 2));
    EXPECT_STATUS(CAROM_WRONG_LENGTH, carom_space_set_column(s.space, CAROM_BODY_FORCE_X, values, 1));
    EXPECT_STATUS(CAROM_UNKNOWN_VALUE, carom_space_set_column(s.space, 9, values, 2));
    values[0] = 1.0;
    EXPECT_STATUS(CAROM_NOT_DYNAMIC, carom_space_set_column(s.space, CAROM_BODY_FORCE_X, values, 2));
    values[0] = NAN;
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_space_set_column(s.space, CAROM_BODY_FORCE_X, values, 2));
    EXPECT(force.data[0] == 0.0 && force.data[1] == 0.0);
    values[0] = 0.0;
    EXPECT_OK(carom_space_set_column(s.space, CAROM_BODY_VELOCITY_X, values, 2));
    EXPECT_OK(carom_body_get_velocity(s.space, s.ball, &velocity));
    EXPECT(velocity.x == 3.0);
    /* A column can be the source of another one. */
    EXPECT_OK(carom_space_set_column(s.space, CAROM_BODY_VELOCITY_Y, force.data, force.length));
    carom_space_destroy(s.space);
}

/* Lists write what fits, and tell how much there is. */
static void lists(scene *s) {
    carom_body bodies[3] = {{9, 9}, {9, 9}, {9, 9}};
    carom_shape shapes[1];
    carom_vec2 vertices[4];
    size_t count = 0;
    EXPECT_OK(carom_space_bodies(s->space, bodies, 1, &count));
    EXPECT(count == 2 && bodies[0].index == s->ground.index && bodies[1].index == 9);
    EXPECT_OK(carom_space_bodies(s->space, bodies, 3, &count));
    EXPECT(count == 2 && bodies[1].index == s->ball.index && bodies[2].index == 9);
    EXPECT_OK(carom_space_shapes(s->space, NULL, 0, &count));
    EXPECT(count == 2);
    EXPECT_OK(carom_body_shapes(s->space, s->ball, shapes, 1, &count));
    EXPECT(count == 1 && shapes[0].index == s->round.index);
    EXPECT_OK(carom_shape_vertices(s->space, s->floor, vertices, 4, &count));
    EXPECT(count == 2 && vertices[1].x == 9.0);
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_space_bodies(s->space, bodies, SIZE_MAX / 2, &count));
}

/* Queries see the ball of radius 0.5 at (0, 0.49) on the floor; bad numbers are refused. */
static void queries(scene *s) {
    const carom_filter nothing = {0, 0, 0, 0};
    const carom_bounds around = {{-1.0, 0.25}, {1.0, 1.0}}, inverted = {{1.0, 0.0}, {0.0, 1.0}};
    carom_point_hit points[2], nearest;
    carom_segment_hit hits[2], first;
    carom_shape shapes[2];
    carom_shape_hit touching[2];
    carom_segment_query rays[2];
    carom_contact_set set;
    carom_closest closest;
    carom_geometry geometry;
    carom_mass_properties properties;
    size_t count = 42, ends[2] = {42, 42};
    const carom_vec2 above = {0.0, 2.0}, below = {0.0, -2.0};
    EXPECT_OK(carom_space_point_query(s->space, vec2(0.0, 0.5), 0.0, NULL, points, 2, &count));
    EXPECT(count == 1 && points[0].shape.index == s->round.index && points[0].distance < 0.0);
    EXPECT_OK(carom_space_point_query_nearest(s->space, above, INFINITY, NULL, &nearest));
    EXPECT(nearest.found == 1 && nearest.shape.index == s->round.index && nearest.gradient.y == 1.0);
    EXPECT_OK(carom_space_point_query_nearest(s->space, above, INFINITY, &nothing, &nearest));
    EXPECT(nearest.found == 0 && nearest.distance == 0.0);
    EXPECT_OK(carom_space_segment_query(s->space, above, below, 0.0, NULL, hits, 2, &count));
    EXPECT(count == 2 && hits[0].shape.index == s->round.index && hits[0].fraction < hits[1].fraction);
    EXPECT_OK(carom_space_segment_query_first(s->space, above, below, 0.0, NULL, &first));
    EXPECT(first.found == 1 && first.normal.y == 1.0 && first.shape.index == s->round.index);
    EXPECT_OK(carom_space_box_query(s->space, around, NULL, shapes, 2, &count));
    EXPECT(count == 1 && shapes[0].index == s->round.index);
    EXPECT_OK(carom_geometry_init(&geometry, sizeof geometry));
    geometry.radius = 0.5;
    EXPECT_OK(carom_space_shape_query(s->space, &geometry, vec2(0.75, 0.75), 0.0, NULL, touching, 2, &count));
    EXPECT(count == 1 && touching[0].shape.index == s->round.index && touching[0].set.count == 1);
    EXPECT_OK(carom_shapes_collide(s->space, s->floor, s->round, &set));
    EXPECT(set.count == 1 && set.normal.y == 1.0);
    EXPECT_OK(carom_geometry_closest(&geometry, vec2(0.0, 0.0), 0.0, &geometry, vec2(3.0, 0.0), 0.0, &closest));
    EXPECT(fabs(closest.distance - 2.0) < 1e-12 && closest.normal.x == 1.0);
    EXPECT_OK(carom_geometry_mass_properties(&geometry, &properties));
    EXPECT(fabs(properties.moment_per_mass - 0.125) < 1e-15);
    rays[0].start = above, rays[0].end = below, rays[0].radius = 0.0;
    rays[0].filter.group = rays[0].filter.reserved = 0;
    rays[0].filter.categories = rays[0].filter.mask = UINT64_MAX;
    rays[1] = rays[0];
    rays[1].end = vec2(0.0, 3.0);
    EXPECT_OK(carom_space_segment_queries(s->space, rays, 2, NULL, hits, 1, ends));
    EXPECT(ends[0] == 2 && ends[1] == 2 && hits[0].shape.index == s->round.index);
    EXPECT_OK(carom_space_segment_queries_first(s->space, rays, 2, NULL, hits));
    EXPECT(hits[0].found == 1 && hits[1].found == 0);
    count = 42;
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_space_point_query(s->space, vec2(NAN, 0.0), 0.0, NULL, points, 2, &count));
    EXPECT_STATUS(CAROM_NEGATIVE, carom_space_point_query(s->space, above, -1.0, NULL, points, 2, &count));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_space_point_query(s->space, above, 1.0, NULL, NULL, 2, &count));
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_space_segment_query_first(s->space, above, vec2(0.0, NAN), 0.0, NULL, &first));
    EXPECT_STATUS(CAROM_NEGATIVE, carom_space_segment_query(s->space, above, below, -1.0, NULL, hits, 2, &count));
    EXPECT_STATUS(CAROM_OUT_OF_RANGE, carom_space_box_query(s->space, inverted, NULL, shapes, 2, &count));
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_space_shape_query(s->space, &geometry, above, NAN, NULL, touching, 2, &count));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_space_shape_query(s->space, NULL, above, 0.0, NULL, touching, 2, &count));
    rays[1].radius = NAN;
    EXPECT_STATUS(CAROM_NOT_FINITE, carom_space_segment_queries_first(s->space, rays, 2, NULL, hits));
    EXPECT(count == 42);
}

/* A static body that is moved is noticed without a call to re-index. */
static void moved_ground(void) {
    scene s = make_scene();
    carom_body wall = add_body(s.space, CAROM_BODY_STATIC, 50.0, 50.0);
    carom_shape shape = add_circle(s.space, wall, 3);
    const carom_shape no_shape = {999, 0};
    carom_point_hit hit;
    carom_vec2 position;
    EXPECT_OK(carom_space_step(s.space, 1.0 / 60.0));
    EXPECT_OK(carom_body_set_position(s.space, wall, vec2(-0.9, 0.49)));
    EXPECT_OK(carom_space_point_query_nearest(s.space, vec2(-0.9, 0.49), 0.1, NULL, &hit));
    EXPECT(hit.found == 1 && hit.shape.index == shape.index);
    EXPECT_OK(carom_space_step_many(s.space, 1.0 / 60.0, 5, NULL));
    EXPECT_OK(carom_body_get_position(s.space, s.ball, &position));
    EXPECT(position.x > 0.02);
    EXPECT_OK(carom_space_reindex_static(s.space));
    EXPECT_OK(carom_body_reindex(s.space, wall));
    EXPECT_OK(carom_shape_reindex(s.space, shape));
    EXPECT_STATUS(CAROM_DEAD_ID, carom_shape_reindex(s.space, no_shape));
    carom_space_destroy(s.space);
}

/* Ids of another space: dead, or those of a body of this one. */
static void ids_of_another_space(void) {
    scene s = make_scene(), other = make_scene();
    carom_body second = add_body(other.space, CAROM_BODY_KINEMATIC, 7.0, 7.0);
    carom_body unknown = add_body(other.space, CAROM_BODY_KINEMATIC, 8.0, 8.0);
    carom_vec2 position = {42.0, 42.0};
    carom_shape shape = add_circle(other.space, unknown, 4);
    EXPECT_STATUS(CAROM_DEAD_ID, carom_body_get_position(s.space, unknown, &position));
    EXPECT_STATUS(CAROM_DEAD_ID, carom_body_remove(s.space, second));
    EXPECT_STATUS(CAROM_DEAD_ID, carom_shape_remove(s.space, shape));
    EXPECT_STATUS(CAROM_DEAD_ID, carom_shape_add_circle(s.space, unknown, 1.0, vec2(0.0, 0.0), NULL, NULL));
    EXPECT_STATUS(CAROM_DEAD_ID, carom_space_set_static_body(s.space, unknown));
    EXPECT_STATUS(CAROM_DEAD_ID, carom_body_end_contacts(s.space, s.ball, &shape));
    EXPECT(position.x == 42.0);
    EXPECT_OK(carom_body_get_position(s.space, other.ball, &position));
    EXPECT(position.y == 0.49);
    carom_space_destroy(other.space);
    carom_space_destroy(s.space);
}

static void scenes(void) {
    carom_space *space = NULL;
    double dt = 42.0, until = 42.0;
    size_t i;
    EXPECT_STATUS(CAROM_UNKNOWN_NAME, carom_space_from_scene("nothing", NULL, &dt, &until, &space));
    EXPECT_STATUS(CAROM_SYNTAX, carom_space_from_toml("= broken", NULL, &dt, &until, &space));
    EXPECT_STATUS(CAROM_NULL_POINTER, carom_space_from_scene(NULL, NULL, NULL, NULL, &space));
    EXPECT(space == NULL && dt == 42.0 && until == 42.0 && carom_space_scene_name(999) == NULL);
    for (i = 0; carom_space_scene_name(i) != NULL; i++) {
        EXPECT_OK(carom_space_from_scene(carom_space_scene_name(i), NULL, &dt, &until, &space));
        EXPECT_OK(carom_space_step(space, dt));
        carom_space_destroy(space);
    }
    EXPECT(i >= 10);
}

int main(void) {
    scene s = make_scene();
    null_pointers(&s);
    bad_options(s.space);
    bad_bodies(&s);
    bad_shapes(&s);
    lists(&s);
    queries(&s);
    bad_steps(&s);
    carom_space_destroy(s.space);
    dead_ids();
    columns();
    moved_ground();
    ids_of_another_space();
    scenes();
    return report("rigid_misuse");
}
