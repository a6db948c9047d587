/*
 * carom.hpp: the C interface of carom.h with objects that clean up after themselves and errors as exceptions (C++17).
 *
 * Context, World, Frames and Intersections own what they wrap: they move, and World and Frames are copied by clone().
 * Particles and ConstParticles are views of the particles of a World and die with it. carom_events.hpp has the
 * event-driven runs. Spans are a pointer and a length; they die as carom.h says for the function
 * that gives them. Units, threads and meanings are those of carom.h, and every object gives its handle for the functions
 * that are not wrapped here.
 */
#ifndef CAROM_HPP
#define CAROM_HPP

#include <carom.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace carom {

/* What a call that failed throws: the status, and the detail as what(). */
class Error : public std::runtime_error {
public:
    Error(carom_status status, const std::string &detail) : std::runtime_error(detail), status_(status) {}

    carom_status status() const noexcept { return status_; }

private:
    carom_status status_;
};

/* The detail of the last call that failed on this thread. */
inline std::string last_error() {
    std::size_t needed = 0;
    if (carom_last_error(nullptr, 0, &needed) != CAROM_OK || needed <= 1) return {};
    std::vector<char> text(needed);
    carom_last_error(text.data(), text.size(), nullptr);
    return text.data();
}

/* Throws Error unless the status is CAROM_OK. */
inline void check(carom_status status) {
    if (status == CAROM_OK) return;
    const std::string detail = last_error();
    throw Error(status, detail.empty() ? carom_status_string(status) : detail);
}

/* A pointer and a length. */
template <class T>
class Span {
public:
    Span(T *data, std::size_t length) noexcept : data_(data), length_(length) {}

    T *data() const noexcept { return data_; }
    std::size_t size() const noexcept { return length_; }
    bool empty() const noexcept { return length_ == 0; }
    T *begin() const noexcept { return data_; }
    T *end() const noexcept { return data_ + length_; }
    T &operator[](std::size_t index) const noexcept { return data_[index]; }

private:
    T *data_;
    std::size_t length_;
};

/* A description of a particle, filled with the defaults. */
inline carom_particle_desc particle_desc() {
    carom_particle_desc desc;
    check(carom_particle_desc_init(&desc, sizeof desc));
    return desc;
}

/* A description of many particles, filled with the defaults. */
inline carom_batch batch() {
    carom_batch batch;
    check(carom_batch_init(&batch, sizeof batch));
    return batch;
}

/* Settings of a world, filled with the defaults. */
inline carom_settings settings() {
    carom_settings settings;
    check(carom_settings_init(&settings, sizeof settings));
    return settings;
}

namespace detail {

struct Destroy {
    void operator()(carom_context *context) const noexcept { carom_context_destroy(context); }
    void operator()(carom_world *world) const noexcept { carom_world_destroy(world); }
    void operator()(carom_frames *frames) const noexcept { carom_frames_destroy(frames); }
    void operator()(carom_intersections *found) const noexcept { carom_intersections_destroy(found); }
};

/* The one output of a call that takes `arguments` and then a pointer to it. */
template <class T, class Call, class... Arguments>
T get(Call call, Arguments... arguments) {
    T value{};
    check(call(arguments..., &value));
    return value;
}

/* Hands collisions to a callable and keeps what it throws until the step is over: exceptions must not cross C. */
template <class Observer>
struct Relay {
    Observer &observer;
    std::exception_ptr thrown;

    static void call(const carom_collision *collision, void *user) noexcept {
        auto &self = *static_cast<Relay *>(user);
        if (self.thrown) return;
        try {
            self.observer(*collision);
        } catch (...) {
            self.thrown = std::current_exception();
        }
    }
};

}  // namespace detail

/* Threads that share the work; 0 = one for each core, 1 = the caller's own. */
class Context {
public:
    explicit Context(std::size_t threads = 0)
        : handle_(detail::get<carom_context *>(carom_context_create, threads)) {}

    std::size_t threads() const { return detail::get<std::size_t>(carom_context_threads, handle()); }
    carom_context *handle() const noexcept { return handle_.get(); }

private:
    std::unique_ptr<carom_context, detail::Destroy> handle_;
};

/* Particles to be read. */
class ConstParticles {
public:
    explicit ConstParticles(const carom_particles *handle) noexcept : handle_(handle) {}

    const carom_particles *handle() const noexcept { return handle_; }
    std::size_t dim() const { return detail::get<std::size_t>(carom_particles_dim, handle_); }
    std::size_t size() const { return detail::get<std::size_t>(carom_particles_length, handle_); }

    Span<const double> column(carom_field field, std::size_t axis = 0) const {
        const auto column = detail::get<carom_column>(carom_particles_column, handle_, field, axis);
        return {column.data, column.length};
    }
    Span<const std::uint64_t> user_data() const {
        const auto column = detail::get<carom_data_column>(carom_particles_user_data, handle_);
        return {column.data, column.length};
    }
    /* One particle's values: D for vectors, 1 for scalars. */
    std::vector<double> get(carom_field field, std::size_t index) const {
        const bool vector = field <= CAROM_ACCELERATION;
        std::vector<double> values(vector ? dim() : 1);
        check(carom_particles_get(handle_, field, index, values.data(), values.size()));
        return values;
    }
    bool is_fixed(std::size_t index) const {
        return detail::get<std::int32_t>(carom_particles_get_fixed, handle_, index) != 0;
    }
    void print(std::size_t index, std::FILE *stream) const {
        check(carom_particles_print(handle_, index, stream));
    }

private:
    const carom_particles *handle_;
};

/* Particles to be read and changed. */
class Particles : public ConstParticles {
public:
    explicit Particles(carom_particles *handle) noexcept : ConstParticles(handle), handle_(handle) {}

    carom_particles *handle() const noexcept { return handle_; }
    std::size_t add(const carom_particle_desc &desc) const {
        return detail::get<std::size_t>(carom_particles_add, handle_, &desc);
    }
    std::size_t add(const carom_batch &batch) const {
        return detail::get<std::size_t>(carom_particles_add_batch, handle_, &batch);
    }
    void remove(std::size_t index) const { check(carom_particles_remove(handle_, index)); }
    void reserve(std::size_t additional) const { check(carom_particles_reserve(handle_, additional)); }
    void clear() const { check(carom_particles_clear(handle_)); }
    void set(carom_field field, std::size_t index, std::initializer_list<double> values) const {
        check(carom_particles_set(handle_, field, index, values.begin(), values.size()));
    }
    void set(carom_field field, std::size_t index, double value) const { set(field, index, {value}); }
    void set_fixed(std::size_t index, bool fixed) const {
        check(carom_particles_set_fixed(handle_, index, fixed ? 1 : 0));
    }
    Span<double> column_mut(carom_field field, std::size_t axis = 0) const {
        const auto column = detail::get<carom_column_mut>(carom_particles_column_mut, handle_, field, axis);
        return {column.data, column.length};
    }
    Span<std::uint64_t> user_data_mut() const {
        const auto column = detail::get<carom_data_column_mut>(carom_particles_user_data_mut, handle_);
        return {column.data, column.length};
    }

private:
    carom_particles *handle_;
};

/* Particles, the time and the forces that act on them. */
class World {
public:
    /* On the caller's own thread. */
    explicit World(std::size_t dim) : World(create(dim, nullptr)) {}
    World(std::size_t dim, const Context &context) : World(create(dim, context.handle())) {}

    /* Takes over a handle. */
    explicit World(carom_world *handle) noexcept : handle_(handle) {}

    static World load(const std::string &path) { return load(path, nullptr); }
    static World load(const std::string &path, const Context &context) { return load(path, context.handle()); }
    void save(const std::string &path, carom_format format = CAROM_FORMAT_BY_NAME) const {
        check(carom_world_save(handle(), path.c_str(), format));
    }
    void print(std::FILE *stream) const { check(carom_world_print(handle(), stream)); }

    carom_world *handle() const noexcept { return handle_.get(); }
    World clone() const { return World(detail::get<carom_world *>(carom_world_clone, constant())); }
    bool is_close(const World &other, double tolerance) const {
        return detail::get<std::int32_t>(carom_world_is_close, constant(), other.constant(), tolerance) != 0;
    }

    Particles particles() { return Particles(carom_world_particles(handle())); }
    ConstParticles particles() const { return ConstParticles(carom_world_particles_const(handle())); }
    double time() const { return detail::get<double>(carom_world_get_time, constant()); }
    void set_time(double time) { check(carom_world_set_time(handle(), time)); }
    carom_settings settings() const {
        carom_settings settings = carom::settings();
        check(carom_world_get_settings(handle(), &settings));
        return settings;
    }
    void set_settings(const carom_settings &settings) { check(carom_world_set_settings(handle(), &settings)); }
    void set_context(const Context &context) { check(carom_world_set_context(handle(), context.handle())); }
    void set_broad_phase(carom_broad_phase phase) { check(carom_world_set_broad_phase(handle(), phase)); }

    void next(double dt) { check(carom_world_next(handle(), dt)); }
    std::uint64_t step(double dt) { return detail::get<std::uint64_t>(carom_world_step, handle(), dt); }
    /* The observer sees every collision; what it throws comes out of here once the step is over. */
    template <class Observer>
    std::uint64_t step(double dt, Observer &&observer) {
        using Relay = detail::Relay<std::remove_reference_t<Observer>>;
        Relay relay{observer, nullptr};
        std::uint64_t collisions = 0;
        const auto status = carom_world_step_observed(handle(), dt, &Relay::call, &relay, &collisions);
        if (relay.thrown) std::rethrow_exception(relay.thrown);
        check(status);
        return collisions;
    }
    carom_approach step_to_collision(double dt) {
        return detail::get<carom_approach>(carom_world_step_to_collision, handle(), dt);
    }
    carom_approach earliest_collision(double dt) {
        return detail::get<carom_approach>(carom_world_earliest_collision, handle(), dt);
    }
    double time_to_collision(std::size_t first, std::size_t second, double dt) {
        return detail::get<double>(carom_world_time_to_collision, handle(), first, second, dt);
    }
    /* Returns the impulse in newton seconds. */
    double collide(std::size_t first, std::size_t second) {
        return detail::get<double>(carom_world_collide, handle(), first, second);
    }

    double kinetic_energy() const { return detail::get<double>(carom_world_kinetic_energy, constant()); }
    double potential_energy() const { return detail::get<double>(carom_world_potential_energy, constant()); }
    std::vector<double> momentum() const { return vector(carom_world_momentum); }
    std::vector<double> centre_of_mass() const { return vector(carom_world_centre_of_mass); }

private:
    static carom_world *create(std::size_t dim, const carom_context *context) {
        return detail::get<carom_world *>(carom_world_create, dim, context);
    }
    static World load(const std::string &path, const carom_context *context) {
        return World(detail::get<carom_world *>(carom_world_load, path.c_str(), context));
    }
    const carom_world *constant() const noexcept { return handle_.get(); }
    std::vector<double> vector(carom_status (*call)(const carom_world *, double *, std::size_t)) const {
        std::vector<double> values(particles().dim());
        check(call(constant(), values.data(), values.size()));
        return values;
    }

    std::unique_ptr<carom_world, detail::Destroy> handle_;
};

/* A frame in D = 2 or 3 dimensions: carom::frame<2>(CAROM_CUBOID, {0, 0}, {{{1, 0}, {0, 1}}}) is the unit square. */
template <std::size_t D>
carom_frame frame(carom_frame_kind kind, const std::array<double, D> &origin,
                  const std::array<std::array<double, D>, D> &components,
                  const std::array<double, D> &speed = {}) {
    static_assert(D == 2 || D == 3, "frames have two or three dimensions");
    carom_frame frame{};
    frame.kind = kind;
    for (std::size_t axis = 0; axis < D; axis++) {
        frame.origin[axis] = origin[axis];
        frame.speed[axis] = speed[axis];
        for (std::size_t i = 0; i < D; i++) frame.components[i][axis] = components[i][axis];
    }
    return frame;
}

/* A description of many frames, filled with the defaults. */
inline carom_frame_batch frame_batch() {
    carom_frame_batch batch;
    check(carom_frame_batch_init(&batch, sizeof batch));
    return batch;
}

/* Whether two frames of dimension `dim` intersect; a duration of 0 means that they rest. */
inline bool intersects(std::size_t dim, const carom_frame &a, const carom_frame &b, double duration = 0.0) {
    std::int32_t hit = 0;
    check(carom_frame_intersects(dim, &a, &b, &duration, &hit, nullptr));
    return hit != 0;
}

/* When and where two frames of dimension `dim` overlap, if they do. */
inline std::optional<carom_overlap> overlap(std::size_t dim, const carom_frame &a, const carom_frame &b,
                                            double duration = 0.0) {
    std::int32_t hit = 0;
    carom_overlap overlap;
    check(carom_frame_intersects(dim, &a, &b, &duration, &hit, &overlap));
    return hit != 0 ? std::make_optional(overlap) : std::nullopt;
}

/* Frames in columns, all at rest or all moving for the same duration. */
class Frames {
public:
    /* A duration of 0 means that they rest. */
    explicit Frames(std::size_t dim, double duration = 0.0)
        : Frames(detail::get<carom_frames *>(carom_frames_create, dim, &duration)) {}

    /* Takes over a handle. */
    explicit Frames(carom_frames *handle) noexcept : handle_(handle) {}

    carom_frames *handle() const noexcept { return handle_.get(); }
    Frames clone() const { return Frames(detail::get<carom_frames *>(carom_frames_clone, constant())); }

    std::size_t dim() const { return detail::get<std::size_t>(carom_frames_dim, constant()); }
    std::size_t size() const { return detail::get<std::size_t>(carom_frames_length, constant()); }
    double duration() const { return detail::get<double>(carom_frames_duration, constant()); }
    void set_duration(double duration) { check(carom_frames_set_duration(handle(), &duration)); }

    std::size_t add(const carom_frame &frame) {
        return detail::get<std::size_t>(carom_frames_add, handle(), &frame);
    }
    /* Returns the index of the first; `stride` is the bytes from one frame to the next, 0 if there is no gap. */
    std::size_t add(const carom_frame *frames, std::size_t count, std::size_t stride = 0) {
        return detail::get<std::size_t>(carom_frames_add_many, handle(), frames, count, stride);
    }
    std::size_t add(const std::vector<carom_frame> &frames) { return add(frames.data(), frames.size()); }
    std::size_t add(const carom_frame_batch &batch) {
        return detail::get<std::size_t>(carom_frames_add_batch, handle(), &batch);
    }
    /* The frame of a facoid or pyramidoid. */
    std::size_t add(const ConstParticles &particles, std::size_t particle) {
        return detail::get<std::size_t>(carom_frames_add_particle, handle(), particles.handle(), particle);
    }
    void remove(std::size_t index) { check(carom_frames_remove(handle(), index)); }
    void reserve(std::size_t additional) { check(carom_frames_reserve(handle(), additional)); }
    void clear() { check(carom_frames_clear(handle())); }

    carom_frame get(std::size_t index) const {
        return detail::get<carom_frame>(carom_frames_get, constant(), index);
    }
    void set(std::size_t index, const carom_frame &frame) { check(carom_frames_set(handle(), index, &frame)); }
    carom_box bounds(std::size_t index) const {
        return detail::get<carom_box>(carom_frames_bounds, constant(), index);
    }
    /* D * D numbers, row by row. */
    std::vector<double> inverse(std::size_t index) const {
        std::vector<double> values(dim() * dim());
        check(carom_frames_inverse(constant(), index, values.data(), values.size()));
        return values;
    }

    Span<const double> column(carom_frame_field field, std::size_t axis, std::size_t component = 0) const {
        const auto column = detail::get<carom_column>(carom_frames_column, constant(), field, component, axis);
        return {column.data, column.length};
    }
    /* Call update() after every round of writes and before the next test. */
    Span<double> column_mut(carom_frame_field field, std::size_t axis, std::size_t component = 0) {
        const auto column = detail::get<carom_column_mut>(carom_frames_column_mut, handle(), field, component, axis);
        return {column.data, column.length};
    }
    Span<const std::uint8_t> kinds() const {
        const auto column = detail::get<carom_byte_column>(carom_frames_kinds, constant());
        return {column.data, column.length};
    }
    void update(const Context *context = nullptr) {
        check(carom_frames_update(handle(), context != nullptr ? context->handle() : nullptr));
    }

private:
    const carom_frames *constant() const noexcept { return handle_.get(); }

    std::unique_ptr<carom_frames, detail::Destroy> handle_;
};

/* Which frames intersect, when and where: the outcome of the last test. Spans die with the next one. */
class Intersections {
public:
    /* What is asked for besides the numbers of pairs: CAROM_HIT_BITS and the like, joined by |. */
    explicit Intersections(std::size_t dim, carom_request request = CAROM_HIT_PAIRS)
        : handle_(detail::get<carom_intersections *>(carom_intersections_create, dim, request)), dim_(dim) {}

    carom_intersections *handle() const noexcept { return handle_.get(); }
    std::size_t dim() const noexcept { return dim_; }

    /* All of these run on the caller's own thread unless there is a context. */
    void test(const Frames &a, const Frames &b, const carom_frame_pair *pairs, std::size_t count,
              const Context *context = nullptr) {
        check(carom_intersections_test_pairs(handle(), with(context), a.handle(), b.handle(), pairs, count));
    }
    void test(const Frames &a, const Frames &b, const std::vector<carom_frame_pair> &pairs,
              const Context *context = nullptr) {
        test(a, b, pairs.data(), pairs.size(), context);
    }
    /* Frame k of `a` against frame k of `b`. */
    void test_paired(const Frames &a, const Frames &b, const Context *context = nullptr) {
        check(carom_intersections_test_paired(handle(), with(context), a.handle(), b.handle()));
    }
    /* Frame `index` of `a` against every frame of `b`. */
    void test_one(const Frames &a, std::size_t index, const Frames &b, const Context *context = nullptr) {
        check(carom_intersections_test_one(handle(), with(context), a.handle(), index, b.handle()));
    }
    /* Every pair of frames of a set that intersects. */
    void find(const Frames &frames, const Context *context = nullptr) {
        check(carom_intersections_find(handle(), with(context), frames.handle()));
    }
    /* Every frame of `a` with every frame of `b` that it intersects. */
    void find_between(const Frames &a, const Frames &b, const Context *context = nullptr) {
        check(carom_intersections_find_between(handle(), with(context), a.handle(), b.handle()));
    }

    std::size_t tested() const { return detail::get<std::size_t>(carom_intersections_tested, constant()); }
    std::size_t hits() const { return detail::get<std::size_t>(carom_intersections_hits, constant()); }
    std::uint64_t redone() const { return detail::get<std::uint64_t>(carom_intersections_redone, constant()); }
    Span<const std::uint64_t> bits() const {
        const auto view = detail::get<carom_bit_view>(carom_intersections_bits, constant());
        return {view.data, view.length};
    }
    Span<const std::uint32_t> list() const {
        const auto view = detail::get<carom_index_view>(carom_intersections_list, constant());
        return {view.data, view.length};
    }
    Span<const carom_frame_pair> pairs() const {
        const auto view = detail::get<carom_pair_view>(carom_intersections_pairs, constant());
        return {view.data, view.length};
    }
    Span<const carom_interval> times() const {
        const auto view = detail::get<carom_interval_view>(carom_intersections_times, constant());
        return {view.data, view.length};
    }
    /* 2 * D numbers a hit: the lower corner, then the upper corner. */
    Span<const double> boxes() const { return numbers(carom_intersections_boxes); }
    Span<const double> local_boxes() const { return numbers(carom_intersections_local_boxes); }

private:
    static const carom_context *with(const Context *context) noexcept {
        return context != nullptr ? context->handle() : nullptr;
    }
    Span<const double> numbers(carom_status (*call)(const carom_intersections *, carom_box_view *)) const {
        const auto view = detail::get<carom_box_view>(call, constant());
        return {view.data, view.length * 2 * dim_};
    }
    const carom_intersections *constant() const noexcept { return handle_.get(); }

    std::unique_ptr<carom_intersections, detail::Destroy> handle_;
    std::size_t dim_;
};

}  // namespace carom

#endif
