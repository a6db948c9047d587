/*
 * carom_rigid2d_bodies.hpp: the parts of a space of carom_rigid2d.hpp, which includes it: forms, bodies, shapes and contacts.
 *
 * Body and Shape are a space and an id: cheap to copy, valid as long as the space, and errors once what they name was removed.
 */
#ifndef CAROM_RIGID2D_BODIES_HPP
#define CAROM_RIGID2D_BODIES_HPP

#include <carom.hpp>

inline bool operator==(const carom_body &a, const carom_body &b) noexcept {
    return a.index == b.index && a.generation == b.generation;
}
inline bool operator!=(const carom_body &a, const carom_body &b) noexcept { return !(a == b); }
inline bool operator==(const carom_shape &a, const carom_shape &b) noexcept {
    return a.index == b.index && a.generation == b.generation;
}
inline bool operator!=(const carom_shape &a, const carom_shape &b) noexcept { return !(a == b); }

namespace carom {

/* Options of a space, filled with the defaults. */
inline carom_space_options space_options() {
    carom_space_options options;
    check(carom_space_options_init(&options, sizeof options));
    return options;
}

/* Options of a body, filled with the defaults: a dynamic body at the origin. */
inline carom_body_options body_options() {
    carom_body_options options;
    check(carom_body_options_init(&options, sizeof options));
    return options;
}

/* Options of a shape, filled with the defaults. */
inline carom_shape_options shape_options() {
    carom_shape_options options;
    check(carom_shape_options_init(&options, sizeof options));
    return options;
}

/* A filter that accepts every shape. */
inline carom_filter every_shape() noexcept { return {0, 0, UINT64_MAX, UINT64_MAX}; }

/* A circle, in the coordinates of its body. */
inline carom_geometry circle(double radius, carom_vec2 centre = {0.0, 0.0}) {
    carom_geometry geometry;
    check(carom_geometry_init(&geometry, sizeof geometry));
    geometry.radius = radius;
    geometry.a = centre;
    return geometry;
}

/* A segment with a rounding radius. */
inline carom_geometry segment(carom_vec2 a, carom_vec2 b, double radius = 0.0) {
    carom_geometry geometry = circle(radius, a);
    geometry.kind = CAROM_SEGMENT;
    geometry.b = b;
    return geometry;
}

/* The convex hull of points, which must exist as long as the result is used. */
inline carom_geometry polygon(const std::vector<carom_vec2> &points, double radius = 0.0) {
    carom_geometry geometry = circle(radius);
    geometry.kind = CAROM_POLYGON;
    geometry.points = points.data();
    geometry.count = points.size();
    return geometry;
}

namespace detail {

/* Everything that a call lists in an array of its caller. */
template <class T, class Call, class... Arguments>
std::vector<T> list(Call call, Arguments... arguments) {
    std::size_t count = 0;
    check(call(arguments..., nullptr, std::size_t{0}, &count));
    std::vector<T> items(count);
    check(call(arguments..., items.data(), items.size(), &count));
    return items;
}

/* What a query has found, if anything. */
template <class Hit>
std::optional<Hit> found(const Hit &hit) {
    return hit.found != 0 ? std::make_optional(hit) : std::nullopt;
}

}  // namespace detail

/* A shape of a space. */
class Shape {
public:
    Shape(carom_space *space, carom_shape id) noexcept : space_(space), id_(id) {}

    carom_shape id() const noexcept { return id_; }
    bool exists() const { return get<std::int32_t>(carom_shape_exists) != 0; }
    void remove() const { check(carom_shape_remove(space_, id_)); }

    carom_body body() const { return get<carom_body>(carom_shape_body); }
    carom_geometry_kind kind() const { return get<carom_geometry_kind>(carom_shape_get_kind); }
    carom_shape_options options() const {
        carom_shape_options options = shape_options();
        check(carom_shape_get_options(space_, id_, &options));
        return options;
    }
    double mass() const { return get<double>(carom_shape_get_mass); }
    double area() const { return get<double>(carom_shape_area); }
    double radius() const { return get<double>(carom_shape_get_radius); }
    carom_bounds bounding_box() const { return get<carom_bounds>(carom_shape_bounding_box); }
    std::vector<carom_vec2> vertices() const {
        return detail::list<carom_vec2>(carom_shape_vertices, constant(), id_);
    }
    std::uint64_t user_data() const { return get<std::uint64_t>(carom_shape_get_user_data); }
    /* The nearest point of its surface. */
    carom_point_hit nearest(carom_vec2 point) const {
        return detail::get<carom_point_hit>(carom_shape_point_query, constant(), id_, point);
    }
    /* Where a circle first hits it on its way along a segment. */
    std::optional<carom_segment_hit> segment_query(carom_vec2 start, carom_vec2 end, double radius = 0.0) const {
        return detail::found(
            detail::get<carom_segment_hit>(carom_shape_segment_query, constant(), id_, start, end, radius));
    }

    void set_elasticity(double elasticity) const { check(carom_shape_set_elasticity(space_, id_, elasticity)); }
    void set_friction(double friction) const { check(carom_shape_set_friction(space_, id_, friction)); }
    void set_surface_velocity(carom_vec2 velocity) const {
        check(carom_shape_set_surface_velocity(space_, id_, velocity));
    }
    void set_collision_type(std::uint64_t type) const { check(carom_shape_set_collision_type(space_, id_, type)); }
    void set_filter(std::uint32_t group, std::uint64_t categories, std::uint64_t mask) const {
        check(carom_shape_set_filter(space_, id_, group, categories, mask));
    }
    void set_sensor(bool sensor) const { check(carom_shape_set_sensor(space_, id_, sensor ? 1 : 0)); }
    void set_mass(double mass) const { check(carom_shape_set_mass(space_, id_, mass)); }
    void set_density(double density) const { check(carom_shape_set_density(space_, id_, density)); }
    void set_radius(double radius) const { check(carom_shape_set_radius(space_, id_, radius)); }
    void set_geometry(const carom_geometry &geometry) const {
        check(carom_shape_set_geometry(space_, id_, &geometry));
    }
    void set_user_data(std::uint64_t data) const { check(carom_shape_set_user_data(space_, id_, data)); }

private:
    const carom_space *constant() const noexcept { return space_; }
    template <class T, class Call>
    T get(Call call) const {
        return detail::get<T>(call, constant(), id_);
    }

    carom_space *space_;
    carom_shape id_;
};

/* A body of a space. */
class Body {
public:
    Body(carom_space *space, carom_body id) noexcept : space_(space), id_(id) {}

    carom_body id() const noexcept { return id_; }
    bool exists() const { return get<std::int32_t>(carom_body_exists) != 0; }
    void remove() const { check(carom_body_remove(space_, id_)); }

    /* Shapes are added with these options. */
    Shape add_circle(double radius, carom_vec2 offset = {0.0, 0.0},
                     const carom_shape_options &options = shape_options()) const {
        return add(carom_shape_add_circle, options, radius, offset);
    }
    Shape add_segment(carom_vec2 a, carom_vec2 b, double radius = 0.0,
                      const carom_shape_options &options = shape_options()) const {
        return add(carom_shape_add_segment, options, a, b, radius);
    }
    Shape add_box(double width, double height, double radius = 0.0,
                  const carom_shape_options &options = shape_options()) const {
        return add(carom_shape_add_box, options, width, height, radius);
    }
    /* The convex hull of any points. */
    Shape add_polygon(const std::vector<carom_vec2> &points, double radius = 0.0,
                      const carom_shape_options &options = shape_options()) const {
        return add(carom_shape_add_polygon, options, points.data(), points.size(), radius);
    }
    /* Exactly these vertices, convex and counter-clockwise. */
    Shape add_convex_polygon(const std::vector<carom_vec2> &vertices, double radius = 0.0,
                             const carom_shape_options &options = shape_options()) const {
        return add(carom_shape_add_convex_polygon, options, vertices.data(), vertices.size(), radius);
    }
    Shape add(const carom_geometry &geometry, const carom_shape_options &options = shape_options()) const {
        return add(carom_shape_add, options, &geometry);
    }

    carom_body_kind kind() const { return get<carom_body_kind>(carom_body_get_kind); }
    double mass() const { return get<double>(carom_body_get_mass); }
    double moment() const { return get<double>(carom_body_get_moment); }
    carom_vec2 centre_of_mass() const { return get<carom_vec2>(carom_body_get_centre_of_mass); }
    carom_vec2 world_centre_of_mass() const { return get<carom_vec2>(carom_body_world_centre_of_mass); }
    carom_vec2 position() const { return get<carom_vec2>(carom_body_get_position); }
    double angle() const { return get<double>(carom_body_get_angle); }
    carom_vec2 velocity() const { return get<carom_vec2>(carom_body_get_velocity); }
    double angular_velocity() const { return get<double>(carom_body_get_angular_velocity); }
    carom_vec2 force() const { return get<carom_vec2>(carom_body_get_force); }
    double torque() const { return get<double>(carom_body_get_torque); }
    double kinetic_energy() const { return get<double>(carom_body_kinetic_energy); }
    bool is_bullet() const { return get<std::int32_t>(carom_body_get_bullet) != 0; }
    bool is_asleep() const { return get<std::int32_t>(carom_body_is_asleep) != 0; }
    std::uint64_t user_data() const { return get<std::uint64_t>(carom_body_get_user_data); }
    std::vector<carom_shape> shapes() const {
        return detail::list<carom_shape>(carom_body_shapes, constant(), id_);
    }
    std::vector<carom_contact> contacts() const {
        return detail::list<carom_contact>(carom_body_contacts, constant(), id_);
    }
    carom_vec2 to_world(carom_vec2 local) const {
        return detail::get<carom_vec2>(carom_body_to_world, constant(), id_, local);
    }
    carom_vec2 to_local(carom_vec2 point) const {
        return detail::get<carom_vec2>(carom_body_to_local, constant(), id_, point);
    }
    carom_vec2 velocity_at(carom_vec2 point) const {
        return detail::get<carom_vec2>(carom_body_velocity_at, constant(), id_, point);
    }

    void set_kind(carom_body_kind kind) const { check(carom_body_set_kind(space_, id_, kind)); }
    void set_mass(double mass) const { check(carom_body_set_mass(space_, id_, mass)); }
    void set_moment(double moment) const { check(carom_body_set_moment(space_, id_, moment)); }
    void set_centre_of_mass(carom_vec2 centre) const { check(carom_body_set_centre_of_mass(space_, id_, centre)); }
    void set_position(carom_vec2 position) const { check(carom_body_set_position(space_, id_, position)); }
    void set_angle(double angle) const { check(carom_body_set_angle(space_, id_, angle)); }
    void set_pose(carom_vec2 position, double angle) const {
        check(carom_body_set_pose(space_, id_, position, angle));
    }
    void set_velocity(carom_vec2 velocity) const { check(carom_body_set_velocity(space_, id_, velocity)); }
    void set_angular_velocity(double velocity) const {
        check(carom_body_set_angular_velocity(space_, id_, velocity));
    }
    void set_force(carom_vec2 force) const { check(carom_body_set_force(space_, id_, force)); }
    void set_torque(double torque) const { check(carom_body_set_torque(space_, id_, torque)); }
    void apply_force(carom_vec2 force, carom_vec2 point) const {
        check(carom_body_apply_force(space_, id_, force, point));
    }
    void apply_impulse(carom_vec2 impulse, carom_vec2 point) const {
        check(carom_body_apply_impulse(space_, id_, impulse, point));
    }
    void set_bullet(bool bullet) const { check(carom_body_set_bullet(space_, id_, bullet ? 1 : 0)); }
    void set_user_data(std::uint64_t data) const { check(carom_body_set_user_data(space_, id_, data)); }
    void wake() const { check(carom_body_wake(space_, id_)); }
    void sleep() const { check(carom_body_sleep(space_, id_)); }

private:
    const carom_space *constant() const noexcept { return space_; }
    template <class T, class Call>
    T get(Call call) const {
        return detail::get<T>(call, constant(), id_);
    }
    template <class Call, class... Arguments>
    Shape add(Call call, const carom_shape_options &options, Arguments... arguments) const {
        return Shape(space_, detail::get<carom_shape>(call, space_, id_, arguments..., &options));
    }

    carom_space *space_;
    carom_body id_;
};

/* A contact in a callback, valid until it returns. */
class Arbiter {
public:
    explicit Arbiter(carom_arbiter *handle) noexcept : handle_(handle) {}

    carom_arbiter *handle() const noexcept { return handle_; }
    carom_contact contact() const { return get<carom_contact>(carom_arbiter_contact); }
    carom_contact_event event() const { return get<carom_contact_event>(carom_arbiter_event); }
    bool is_first() const { return get<std::int32_t>(carom_arbiter_is_first) != 0; }
    bool is_removal() const { return get<std::int32_t>(carom_arbiter_is_removal) != 0; }
    std::array<carom_shape, 2> shapes() const {
        std::array<carom_shape, 2> pair{};
        check(carom_arbiter_shapes(handle_, &pair[0], &pair[1]));
        return pair;
    }
    std::array<carom_body, 2> bodies() const {
        std::array<carom_body, 2> pair{};
        check(carom_arbiter_bodies(handle_, &pair[0], &pair[1]));
        return pair;
    }
    carom_vec2 normal() const { return get<carom_vec2>(carom_arbiter_normal); }
    carom_contact_set contact_set() const { return get<carom_contact_set>(carom_arbiter_get_contact_set); }
    void set_contact_set(const carom_contact_set &set) const { check(carom_arbiter_set_contact_set(handle_, &set)); }
    double restitution() const { return get<double>(carom_arbiter_get_restitution); }
    void set_restitution(double restitution) const { check(carom_arbiter_set_restitution(handle_, restitution)); }
    double friction() const { return get<double>(carom_arbiter_get_friction); }
    void set_friction(double friction) const { check(carom_arbiter_set_friction(handle_, friction)); }
    carom_vec2 surface_velocity() const { return get<carom_vec2>(carom_arbiter_get_surface_velocity); }
    void set_surface_velocity(carom_vec2 velocity) const {
        check(carom_arbiter_set_surface_velocity(handle_, velocity));
    }
    carom_vec2 total_impulse() const { return get<carom_vec2>(carom_arbiter_total_impulse); }
    double total_energy_lost() const { return get<double>(carom_arbiter_total_energy_lost); }
    /* Returns false, so that it can be the last word of a callback. */
    bool ignore() const {
        check(carom_arbiter_ignore(handle_));
        return false;
    }

private:
    template <class T, class Call>
    T get(Call call) const {
        return detail::get<T>(call, static_cast<const carom_arbiter *>(handle_));
    }

    carom_arbiter *handle_;
};

}  // namespace carom

#endif
