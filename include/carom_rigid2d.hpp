/*
 * carom_rigid2d.hpp: rigid bodies in the plane, in the style of carom.hpp.
 *
 * Space owns what it wraps: it moves, and is copied by clone(). SpaceView is a space that something else owns, as in callbacks,
 * where it is valid until the callback returns. What callbacks throw is kept until the step is over and thrown again there; a
 * callback must not destroy its own Space. Bodies, shapes and contacts are in carom_rigid2d_bodies.hpp, batches of spaces in
 * carom_rigid2d_batch.hpp; both are included here. Units and meanings are those of carom.h.
 */
#ifndef CAROM_RIGID2D_HPP
#define CAROM_RIGID2D_HPP

#include <carom_rigid2d_bodies.hpp>

#include <functional>
#include <limits>

namespace carom {

class SpaceView;

/* Functions for contacts; what is empty is left to the wildcard handlers of both types. `begin` and `pre_solve` return
 * whether the contact has an effect. */
struct Handler {
    std::function<bool(const Arbiter &, const SpaceView &)> begin;
    std::function<bool(const Arbiter &, const SpaceView &)> pre_solve;
    std::function<void(const Arbiter &, const SpaceView &)> post_solve;
    std::function<void(const Arbiter &, const SpaceView &)> separate;
};

namespace detail {

struct DestroySpace {
    void operator()(carom_space *space) const noexcept { carom_space_destroy(space); }
};

/* What a space holds for its callbacks. It stays where it is when the space moves. */
struct Callbacks {
    struct Entry {
        Callbacks *owner;
        Handler handler;
    };
    struct PostStep {
        Callbacks *owner;
        std::function<void(const SpaceView &)> function;
    };

    std::exception_ptr thrown;
    std::vector<std::unique_ptr<Entry>> handlers;
    std::vector<std::unique_ptr<PostStep>> post_steps;

    /* Calls a function of the user and keeps what it throws: exceptions must not cross C. */
    template <class Function>
    void guard(Function &&function) noexcept {
        try {
            function();
        } catch (...) {
            if (!thrown) thrown = std::current_exception();
        }
    }
    /* Throws what was thrown, and only then what the status says. */
    void finish(carom_status status) {
        if (thrown) std::rethrow_exception(std::exchange(thrown, nullptr));
        check(status);
    }
};

}  // namespace detail

/* What many queries have found: any number of hits each. */
template <class Hit>
struct Hits {
    std::vector<Hit> hits;
    /* Where the hits of each query end. */
    std::vector<std::size_t> ends;

    std::size_t size() const noexcept { return ends.size(); }
    /* The hits of one query. */
    Span<const Hit> operator[](std::size_t query) const noexcept {
        const std::size_t start = query == 0 ? 0 : ends[query - 1];
        return {hits.data() + start, ends[query] - start};
    }
};

namespace detail {

/* Many queries that find any number of hits each. Most of them find few. */
template <class Hit, class Call, class Query>
Hits<Hit> hits(Call call, const carom_space *space, const std::vector<Query> &queries, const Context *context) {
    const carom_context *threads = context != nullptr ? context->handle() : nullptr;
    Hits<Hit> found{std::vector<Hit>(2 * queries.size()), std::vector<std::size_t>(queries.size())};
    const auto ask = [&] {
        check(call(space, queries.data(), queries.size(), threads, found.hits.data(), found.hits.size(),
                   found.ends.data()));
        return found.ends.empty() ? std::size_t{0} : found.ends.back();
    };
    const std::size_t count = ask();
    const bool fits = count <= found.hits.size();
    found.hits.resize(count);
    if (!fits) ask();
    return found;
}

}  // namespace detail

/* A space that something else owns. */
class SpaceView {
public:
    SpaceView(carom_space *handle, detail::Callbacks *callbacks) noexcept
        : handle_(handle), callbacks_(callbacks) {}

    carom_space *handle() const noexcept { return handle_; }

    Body body(carom_body id) const noexcept { return Body(handle_, id); }
    Shape shape(carom_shape id) const noexcept { return Shape(handle_, id); }
    Body static_body() const { return body(detail::get<carom_body>(carom_space_get_static_body, constant())); }
    Body add_body(const carom_body_options &options = body_options()) const {
        return body(detail::get<carom_body>(carom_body_add, handle_, &options));
    }
    std::vector<carom_body> bodies() const { return detail::list<carom_body>(carom_space_bodies, constant()); }
    std::vector<carom_shape> shapes() const { return detail::list<carom_shape>(carom_space_shapes, constant()); }
    std::vector<carom_contact> contacts() const {
        return detail::list<carom_contact>(carom_space_contacts, constant());
    }
    /* Valid until the next body is added; the row of a body is the index of its id. */
    Span<const double> column(carom_body_field field) const {
        const auto column = detail::get<carom_column>(carom_space_column, constant(), field);
        return {column.data, column.length};
    }
    void set_column(carom_body_field field, const std::vector<double> &values) const {
        check(carom_space_set_column(handle_, field, values.data(), values.size()));
    }

    carom_space_options options() const {
        carom_space_options options = space_options();
        check(carom_space_get_options(constant(), &options));
        return options;
    }
    void set_options(const carom_space_options &options) const { check(carom_space_set_options(handle_, &options)); }
    carom_vec2 gravity() const { return detail::get<carom_vec2>(carom_space_get_gravity, constant()); }
    void set_gravity(carom_vec2 gravity) const { check(carom_space_set_gravity(handle_, gravity)); }
    double time() const { return detail::get<double>(carom_space_get_time, constant()); }
    std::uint64_t step_count() const { return detail::get<std::uint64_t>(carom_space_step_count, constant()); }
    bool is_locked() const { return detail::get<std::int32_t>(carom_space_is_locked, constant()) != 0; }
    double kinetic_energy() const { return detail::get<double>(carom_space_kinetic_energy, constant()); }
    double potential_energy() const { return detail::get<double>(carom_space_potential_energy, constant()); }
    carom_vec2 momentum() const { return detail::get<carom_vec2>(carom_space_momentum, constant()); }
    double angular_momentum() const { return detail::get<double>(carom_space_angular_momentum, constant()); }
    std::size_t contact_count() const { return detail::get<std::size_t>(carom_space_contact_count, constant()); }
    double max_penetration() const { return detail::get<double>(carom_space_max_penetration, constant()); }
    std::uint64_t state_hash() const { return detail::get<std::uint64_t>(carom_space_state_hash, constant()); }
    std::size_t memory_bytes() const { return detail::get<std::size_t>(carom_space_memory_bytes, constant()); }

    /* Shapes near a point, sensors included. */
    std::vector<carom_point_hit> point_query(carom_vec2 point, double distance = 0.0,
                                             const carom_filter &filter = every_shape()) const {
        return detail::list<carom_point_hit>(carom_space_point_query, constant(), point, distance, &filter);
    }
    /* The shape nearest to a point, if one is near enough. */
    std::optional<carom_point_hit> nearest(carom_vec2 point,
                                           double distance = std::numeric_limits<double>::infinity(),
                                           const carom_filter &filter = every_shape()) const {
        return detail::found(detail::get<carom_point_hit>(carom_space_point_query_nearest, constant(), point, distance,
                                                          &filter));
    }
    /* What a circle hits on its way along a segment, sensors included; radius 0 is a ray. */
    std::vector<carom_segment_hit> segment_query(carom_vec2 start, carom_vec2 end, double radius = 0.0,
                                                 const carom_filter &filter = every_shape()) const {
        return detail::list<carom_segment_hit>(carom_space_segment_query, constant(), start, end, radius, &filter);
    }
    /* The first of them, without sensors. */
    std::optional<carom_segment_hit> first_hit(carom_vec2 start, carom_vec2 end, double radius = 0.0,
                                               const carom_filter &filter = every_shape()) const {
        return detail::found(detail::get<carom_segment_hit>(carom_space_segment_query_first, constant(), start, end,
                                                            radius, &filter));
    }
    /* Shapes whose bounding boxes touch a box. */
    std::vector<carom_shape> box_query(const carom_bounds &bounds, const carom_filter &filter = every_shape()) const {
        return detail::list<carom_shape>(carom_space_box_query, constant(), bounds, &filter);
    }
    /* Shapes that a form touches. */
    std::vector<carom_shape_hit> shape_query(const carom_geometry &geometry, carom_vec2 position, double angle = 0.0,
                                             const carom_filter &filter = every_shape()) const {
        return detail::list<carom_shape_hit>(carom_space_shape_query, constant(), &geometry, position, angle, &filter);
    }
    /* Many at once, on the threads of a context if there is one. */
    Hits<carom_point_hit> point_queries(const std::vector<carom_point_query> &queries,
                                        const Context *context = nullptr) const {
        return detail::hits<carom_point_hit>(carom_space_point_queries, constant(), queries, context);
    }
    Hits<carom_segment_hit> segment_queries(const std::vector<carom_segment_query> &queries,
                                            const Context *context = nullptr) const {
        return detail::hits<carom_segment_hit>(carom_space_segment_queries, constant(), queries, context);
    }
    Hits<carom_shape> box_queries(const std::vector<carom_box_query> &queries, const Context *context = nullptr) const {
        return detail::hits<carom_shape>(carom_space_box_queries, constant(), queries, context);
    }
    Hits<carom_shape_hit> shape_queries(const std::vector<carom_shape_query> &queries,
                                        const Context *context = nullptr) const {
        return detail::hits<carom_shape_hit>(carom_space_shape_queries, constant(), queries, context);
    }
    /* One answer per query; `found` of a hit says whether there is one. */
    std::vector<carom_point_hit> nearest(const std::vector<carom_point_query> &queries,
                                         const Context *context = nullptr) const {
        std::vector<carom_point_hit> answers(queries.size());
        check(carom_space_point_queries_nearest(constant(), queries.data(), queries.size(), threads(context),
                                                answers.data()));
        return answers;
    }
    std::vector<carom_segment_hit> first_hits(const std::vector<carom_segment_query> &queries,
                                              const Context *context = nullptr) const {
        std::vector<carom_segment_hit> answers(queries.size());
        check(carom_space_segment_queries_first(constant(), queries.data(), queries.size(), threads(context),
                                                answers.data()));
        return answers;
    }

    /* Everything but the callbacks, to a file or to memory. */
    void save(const std::string &path, carom_format format = CAROM_FORMAT_BY_NAME) const {
        check(carom_space_save(constant(), path.c_str(), format));
    }
    std::vector<std::uint8_t> to_memory(carom_format format = CAROM_FORMAT_SNAPSHOT) const {
        std::vector<std::uint8_t> bytes(
            detail::get<std::size_t>(carom_space_to_memory, constant(), format, nullptr, std::size_t{0}));
        std::size_t needed = 0;
        check(carom_space_to_memory(constant(), format, bytes.data(), bytes.size(), &needed));
        return bytes;
    }

    /* What a callback throws is thrown again after the step in which it was called. */
    void step(double dt) const { callbacks_->finish(carom_space_step(handle_, dt)); }
    void step(double dt, std::uint64_t steps) const {
        for (; steps > 0; steps--) step(dt);
    }

    void set_default_handler(Handler handler) const {
        const auto relay = relayed(std::move(handler));
        check(carom_space_set_default_handler(handle_, &relay));
    }
    void set_handler(std::uint64_t type_a, std::uint64_t type_b, Handler handler) const {
        const auto relay = relayed(std::move(handler));
        check(carom_space_set_handler(handle_, type_a, type_b, &relay));
    }
    void set_wildcard_handler(std::uint64_t type, Handler handler) const {
        const auto relay = relayed(std::move(handler));
        check(carom_space_set_wildcard_handler(handle_, type, &relay));
    }
    void remove_handler(std::uint64_t type_a, std::uint64_t type_b) const {
        check(carom_space_set_handler(handle_, type_a, type_b, nullptr));
    }
    void remove_wildcard_handler(std::uint64_t type) const {
        check(carom_space_set_wildcard_handler(handle_, type, nullptr));
    }
    /* Has a function called after the step; false if the key is taken. */
    bool post_step(std::uint64_t key, std::function<void(const SpaceView &)> function) const {
        auto entry = std::make_unique<detail::Callbacks::PostStep>(
            detail::Callbacks::PostStep{callbacks_, std::move(function)});
        callbacks_->post_steps.reserve(callbacks_->post_steps.size() + 1);
        const bool added =
            detail::get<std::int32_t>(carom_space_post_step, handle_, key, &call_post_step, entry.get()) != 0;
        if (added) callbacks_->post_steps.push_back(std::move(entry));
        return added;
    }

protected:
    const carom_space *constant() const noexcept { return handle_; }
    static const carom_context *threads(const Context *context) noexcept {
        return context != nullptr ? context->handle() : nullptr;
    }

    carom_space *handle_;
    detail::Callbacks *callbacks_;

private:
    using Entry = detail::Callbacks::Entry;

    template <class Function>
    static std::int32_t call(carom_arbiter *arbiter, carom_space *space, void *user, Function choose) noexcept {
        auto &entry = *static_cast<Entry *>(user);
        std::int32_t agrees = 1;
        entry.owner->guard([&] {
            auto &function = choose(entry.handler);
            const SpaceView view(space, entry.owner);
            if constexpr (std::is_void_v<decltype(function(Arbiter(arbiter), view))>) {
                function(Arbiter(arbiter), view);
            } else {
                agrees = function(Arbiter(arbiter), view) ? 1 : 0;
            }
        });
        return agrees;
    }
    static std::int32_t call_begin(carom_arbiter *arbiter, carom_space *space, void *user) noexcept {
        return call(arbiter, space, user, [](Handler &handler) -> auto & { return handler.begin; });
    }
    static std::int32_t call_pre_solve(carom_arbiter *arbiter, carom_space *space, void *user) noexcept {
        return call(arbiter, space, user, [](Handler &handler) -> auto & { return handler.pre_solve; });
    }
    static std::int32_t call_post_solve(carom_arbiter *arbiter, carom_space *space, void *user) noexcept {
        return call(arbiter, space, user, [](Handler &handler) -> auto & { return handler.post_solve; });
    }
    static std::int32_t call_separate(carom_arbiter *arbiter, carom_space *space, void *user) noexcept {
        return call(arbiter, space, user, [](Handler &handler) -> auto & { return handler.separate; });
    }
    static void call_post_step(carom_space *space, std::uint64_t, void *user) noexcept {
        auto *entry = static_cast<detail::Callbacks::PostStep *>(user);
        auto &owner = *entry->owner;
        owner.guard([&] { entry->function(SpaceView(space, &owner)); });
        /* It is called once. */
        for (auto place = owner.post_steps.begin(); place != owner.post_steps.end(); ++place) {
            if (place->get() == entry) {
                owner.post_steps.erase(place);
                break;
            }
        }
    }

    /* The callbacks of a handler, which lives as long as the space. */
    carom_handler relayed(Handler handler) const {
        callbacks_->handlers.push_back(std::make_unique<Entry>(Entry{callbacks_, std::move(handler)}));
        Entry &entry = *callbacks_->handlers.back();
        carom_handler relay;
        check(carom_handler_init(&relay, sizeof relay));
        if (entry.handler.begin) relay.begin = &call_begin;
        if (entry.handler.pre_solve) relay.pre_solve = &call_pre_solve;
        if (entry.handler.post_solve) relay.post_solve = &call_post_solve;
        if (entry.handler.separate) relay.separate = &call_separate;
        relay.user = &entry;
        return relay;
    }
};

/* Rigid bodies in the plane. */
class Space : public SpaceView {
public:
    explicit Space(const carom_space_options &options = space_options())
        : Space(detail::get<carom_space *>(carom_space_create, &options)) {}

    /* Takes ownership of a handle. */
    explicit Space(carom_space *handle)
        : SpaceView(handle, nullptr), owner_(handle), own_callbacks_(std::make_unique<detail::Callbacks>()) {
        callbacks_ = own_callbacks_.get();
    }

    static Space from_scene(const std::string &name, std::optional<std::uint64_t> seed = std::nullopt) {
        return of_scene(carom_space_from_scene, name, seed);
    }
    static Space from_toml(const std::string &text, std::optional<std::uint64_t> seed = std::nullopt) {
        return of_scene(carom_space_from_toml, text, seed);
    }
    static Space load(const std::string &path) {
        return Space(detail::get<carom_space *>(carom_space_load, path.c_str()));
    }
    static Space from_memory(const std::vector<std::uint8_t> &bytes) {
        return Space(detail::get<carom_space *>(carom_space_from_memory, bytes.data(), bytes.size()));
    }
    /* A copy without callbacks. */
    Space clone() const { return Space(detail::get<carom_space *>(carom_space_clone, constant())); }

private:
    template <class Call>
    static Space of_scene(Call call, const std::string &text, const std::optional<std::uint64_t> &seed) {
        const std::uint64_t *start = seed ? &*seed : nullptr;
        return Space(detail::get<carom_space *>(call, text.c_str(), start, nullptr, nullptr));
    }

    std::unique_ptr<carom_space, detail::DestroySpace> owner_;
    std::unique_ptr<detail::Callbacks> own_callbacks_;
};

}  // namespace carom

#include <carom_rigid2d_batch.hpp>

#endif
