/*
 * carom_events.hpp: event-driven runs, in the style of carom.hpp.
 *
 * Events owns what it wraps: it moves, and is copied by clone(). Its particles are views, valid as long as it.
 * Units and meanings are those of carom.h.
 */
#ifndef CAROM_EVENTS_HPP
#define CAROM_EVENTS_HPP

#include <carom.hpp>

namespace carom {

namespace detail {

struct DestroyEvents {
    void operator()(carom_events *events) const noexcept { carom_events_destroy(events); }
};

/* Passes events to a callable and keeps what it throws until the run is over: exceptions must not cross C. */
template <class Observer>
struct EventRelay {
    Observer &observer;
    std::exception_ptr thrown;

    static std::int32_t call(const carom_event *event, void *user) noexcept {
        auto &self = *static_cast<EventRelay *>(user);
        try {
            if constexpr (std::is_void_v<std::invoke_result_t<Observer &, const carom_event &>>) {
                self.observer(*event);
                return 0;
            } else {
                return self.observer(*event) ? 1 : 0;
            }
        } catch (...) {
            self.thrown = std::current_exception();
            return 1;
        }
    }
};

}  // namespace detail

/* A box without walls. */
inline carom_enclosure enclosure() {
    carom_enclosure enclosure;
    check(carom_enclosure_init(&enclosure, sizeof enclosure));
    return enclosure;
}

/* A box in D = 1, 2 or 3 dimensions, by its corners and the kind of the faces across each axis. */
template <std::size_t D>
carom_enclosure enclosure(const std::array<double, D> &lower, const std::array<double, D> &upper,
                          const std::array<carom_boundary, D> &boundaries) {
    static_assert(D >= 1 && D <= 3, "boxes have one to three dimensions");
    carom_enclosure box = enclosure();
    for (std::size_t axis = 0; axis < D; axis++) {
        box.lower[axis] = lower[axis];
        box.upper[axis] = upper[axis];
        box.boundaries[axis] = boundaries[axis];
    }
    return box;
}

/* Settings of a run, filled with the defaults. */
inline carom_event_settings event_settings() {
    carom_event_settings settings;
    check(carom_event_settings_init(&settings, sizeof settings));
    return settings;
}

/* A limit that never stops a run: set its time, its collisions or both. */
inline carom_limit limit() {
    carom_limit limit;
    check(carom_limit_init(&limit, sizeof limit));
    return limit;
}

/* The pairs that overlap, at most 16, if the last call that failed on this thread returned CAROM_OVERLAP. */
inline std::vector<carom_pair> last_overlaps() {
    std::vector<carom_pair> pairs(16);
    std::size_t listed = 0;
    check(carom_last_overlaps(pairs.data(), pairs.size(), &listed, nullptr));
    pairs.resize(listed);
    return pairs;
}

/* Numbers of particles in bins of speed, from 0 on; the width of a bin is in metres per second. */
struct SpeedHistogram {
    double width;
    std::vector<std::uint64_t> counts;
};

/* An event-driven run: balls in a box, from collision to collision. */
class Events {
public:
    Events(const ConstParticles &particles, const carom_enclosure &box,
           const carom_event_settings &settings = carom::event_settings())
        : Events(detail::get<carom_events *>(carom_events_create, particles.handle(), &box, &settings)) {}

    /* Takes ownership of a handle. */
    explicit Events(carom_events *handle) noexcept : handle_(handle) {}

    static Events from_scene(const std::string &name) {
        return Events(detail::get<carom_events *>(carom_events_from_scene, name.c_str(), nullptr));
    }
    static Events from_toml(const std::string &text, std::optional<std::uint64_t> seed = std::nullopt) {
        const std::uint64_t *start = seed ? &*seed : nullptr;
        return Events(detail::get<carom_events *>(carom_events_from_toml, text.c_str(), start, nullptr));
    }
    static Events load(const std::string &path) {
        return Events(detail::get<carom_events *>(carom_events_load, path.c_str()));
    }
    void save(const std::string &path) const { check(carom_events_save(constant(), path.c_str())); }
    static Events from_memory(const std::vector<std::uint8_t> &bytes) {
        return Events(detail::get<carom_events *>(carom_events_from_memory, bytes.data(), bytes.size()));
    }
    std::vector<std::uint8_t> to_memory() const {
        std::vector<std::uint8_t> bytes(
            detail::get<std::size_t>(carom_events_to_memory, constant(), nullptr, std::size_t{0}));
        std::size_t needed = 0;
        check(carom_events_to_memory(constant(), bytes.data(), bytes.size(), &needed));
        return bytes;
    }

    carom_events *handle() const noexcept { return handle_.get(); }
    Events clone() const { return Events(detail::get<carom_events *>(carom_events_clone, constant())); }

    double time() const { return detail::get<double>(carom_events_get_time, constant()); }
    /* As of the last call of synchronised(). */
    ConstParticles particles() const { return ConstParticles(carom_events_particles(constant())); }
    /* The same particles, with positions and velocities at the current time. */
    ConstParticles synchronised() {
        check(carom_events_synchronise(handle()));
        return particles();
    }
    void set_particles(const ConstParticles &particles) {
        check(carom_events_set_particles(handle(), particles.handle()));
    }
    carom_enclosure enclosure() const {
        carom_enclosure box = carom::enclosure();
        check(carom_events_get_enclosure(constant(), &box));
        return box;
    }
    carom_event_settings settings() const {
        carom_event_settings settings = carom::event_settings();
        check(carom_events_get_settings(constant(), &settings));
        return settings;
    }
    void set_settings(const carom_event_settings &settings) {
        check(carom_events_set_settings(handle(), &settings));
    }

    /* The next event, which is not executed. */
    std::optional<carom_event> next() {
        const auto event = detail::get<carom_event>(carom_events_next, handle());
        return event.found != 0 ? std::make_optional(event) : std::nullopt;
    }
    carom_stop run(const carom_limit &limit) {
        return detail::get<carom_stop>(carom_events_run, handle(), &limit);
    }
    /* Calls the observer for every event. It returns nothing, or true to stop; what it throws also stops the run. */
    template <class Observer>
    carom_stop run(const carom_limit &limit, Observer &&observer) {
        using Relay = detail::EventRelay<std::remove_reference_t<Observer>>;
        Relay relay{observer, nullptr};
        carom_stop stop = CAROM_STOP_TIME;
        const auto status = carom_events_run_observed(handle(), &limit, &Relay::call, &relay, &stop);
        if (relay.thrown) std::rethrow_exception(relay.thrown);
        check(status);
        return stop;
    }
    /* Until this time, in seconds; with an observer if there is one. */
    template <class... Observer>
    carom_stop run_until(double time, Observer &&...observer) {
        carom_limit limit = carom::limit();
        limit.time = time;
        return run(limit, std::forward<Observer>(observer)...);
    }
    /* This many more collisions, with particles and with walls; with an observer if there is one. */
    template <class... Observer>
    carom_stop run_collisions(std::uint64_t collisions, Observer &&...observer) {
        carom_limit limit = carom::limit();
        limit.collisions = collisions;
        return run(limit, std::forward<Observer>(observer)...);
    }

    carom_measurements measurements() const {
        carom_measurements measurements;
        check(carom_measurements_init(&measurements, sizeof measurements));
        check(carom_events_measurements(constant(), &measurements));
        return measurements;
    }
    SpeedHistogram speed_histogram(std::size_t bins) const {
        SpeedHistogram histogram{0.0, std::vector<std::uint64_t>(bins)};
        check(carom_events_speed_histogram(constant(), histogram.counts.data(), bins, &histogram.width));
        return histogram;
    }
    void reset_measurements() { check(carom_events_reset_measurements(handle())); }

private:
    const carom_events *constant() const noexcept { return handle_.get(); }

    std::unique_ptr<carom_events, detail::DestroyEvents> handle_;
};

}  // namespace carom

#endif
