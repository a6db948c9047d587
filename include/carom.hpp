/*
 * carom.hpp: the C interface of carom.h with objects that clean up after themselves and errors as exceptions (C++17).
 *
 * Context and World own what they wrap: they move, and World is copied by clone(). Particles and ConstParticles are
 * views of the particles of a World, valid as long as it. Frames are in carom_frames.hpp, which is included here, event-driven
 * runs in carom_events.hpp, rigid bodies in carom_rigid2d.hpp. Spans are a pointer and a length; they are valid as long as carom.h says for
 * the function that returns them. Units, threads and meanings are those of carom.h, and every object gives its handle for the functions
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

/* Thrown by a call that failed: the status, and the detail as what(). */
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

/* Where a particle is within a structure, filled with the defaults. */
inline carom_particle_layout particle_layout() {
    carom_particle_layout layout;
    check(carom_particle_layout_init(&layout, sizeof layout));
    return layout;
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
};

/* The one output of a call that takes `arguments` and then a pointer to it. */
template <class T, class Call, class... Arguments>
T get(Call call, Arguments... arguments) {
    T value{};
    check(call(arguments..., &value));
    return value;
}

/* Passes collisions to a callable and keeps what it throws until the step is over: exceptions must not cross C. */
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

/* The same for a step that the callable may stop: by its result, or by what it throws. */
template <class Observer>
struct StoppingRelay {
    Observer &observer;
    std::exception_ptr thrown;

    static std::int32_t call(const carom_collision *collision, void *user) noexcept {
        auto &self = *static_cast<StoppingRelay *>(user);
        try {
            return self.observer(collision) ? 1 : 0;
        } catch (...) {
            self.thrown = std::current_exception();
            return 1;
        }
    }
};

}  // namespace detail

/* The most bytes that are read from a pipe, a device or a stream. */
inline std::uint64_t input_limit() noexcept { return carom_input_limit(); }
inline void set_input_limit(std::uint64_t bytes) noexcept { carom_input_set_limit(bytes); }

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
    /* Copies the particles from `first` on into structures of your own, with doubles or floats. */
    void read(const carom_particle_layout &layout, std::size_t first, std::size_t count, void *data) const {
        check(carom_particles_read_structs(handle_, &layout, first, count, data));
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
    /* From an array of structures of your own, with doubles or floats; returns the index of the first. */
    std::size_t add(const carom_particle_layout &layout, const void *data, std::size_t count) const {
        return detail::get<std::size_t>(carom_particles_add_structs, handle_, &layout, data, count);
    }
    /* Replaces what the layout has of the particles from `first` on. */
    void write(const carom_particle_layout &layout, std::size_t first, std::size_t count, const void *data) const {
        check(carom_particles_write_structs(handle_, &layout, first, count, data));
    }
    void remove(std::size_t index) const { check(carom_particles_remove(handle_, index)); }
    /* The last particle takes the index. */
    void swap_remove(std::size_t index) const { check(carom_particles_swap_remove(handle_, index)); }
    void remove(const std::vector<std::size_t> &indices) const {
        check(carom_particles_remove_many(handle_, indices.data(), indices.size()));
    }
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
    /* On the calling thread. */
    explicit World(std::size_t dim) : World(create(dim, nullptr)) {}
    World(std::size_t dim, const Context &context) : World(create(dim, context.handle())) {}

    /* Takes ownership of a handle. */
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
    /* Calls the observer for every collision; what it throws is thrown again after the step. */
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
    /* Calls the observer with a pointer to every collision, or a null pointer between them, until it returns true or throws: then
       the step ends there. Returns whether it was completed. */
    template <class Observer>
    bool step_until(double dt, Observer &&observer, std::uint64_t *collisions = nullptr) {
        using Relay = detail::StoppingRelay<std::remove_reference_t<Observer>>;
        Relay relay{observer, nullptr};
        std::int32_t stopped = 0;
        const auto status = carom_world_step_stoppable(handle(), dt, &Relay::call, &relay, collisions, &stopped);
        if (relay.thrown) std::rethrow_exception(relay.thrown);
        check(status);
        return stopped == 0;
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

}  // namespace carom

#include <carom_frames.hpp>

#endif
