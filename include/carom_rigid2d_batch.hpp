/*
 * carom_rigid2d_batch.hpp: many spaces at once, in the style of carom_rigid2d.hpp, which includes it.
 *
 * Spaces and SpaceSnapshot own what they wrap, and move. Spans of columns are valid as long as their batch.
 */
#ifndef CAROM_RIGID2D_BATCH_HPP
#define CAROM_RIGID2D_BATCH_HPP

#include <carom_rigid2d.hpp>

namespace carom {

namespace detail {

struct DestroySpaces {
    void operator()(carom_spaces *spaces) const noexcept { carom_spaces_destroy(spaces); }
    void operator()(carom_space_snapshot *snapshot) const noexcept { carom_space_snapshot_destroy(snapshot); }
};

}  // namespace detail

/* One space of a batch, as it was. */
class SpaceSnapshot {
public:
    /* Takes ownership of a handle. */
    explicit SpaceSnapshot(carom_space_snapshot *handle) noexcept : handle_(handle) {}

    const carom_space_snapshot *handle() const noexcept { return handle_.get(); }

private:
    std::unique_ptr<carom_space_snapshot, detail::DestroySpaces> handle_;
};

/* Many independent spaces in the same columns, stepped together; each has the same bits as alone. */
class Spaces {
public:
    /* Copies of one space, on the calling thread. */
    Spaces(const SpaceView &prototype, std::size_t count)
        : Spaces(detail::get<carom_spaces *>(carom_spaces_create, prototype.handle(), count, nullptr)) {}
    Spaces(const SpaceView &prototype, std::size_t count, const Context &context)
        : Spaces(detail::get<carom_spaces *>(carom_spaces_create, prototype.handle(), count, context.handle())) {}
    /* Copies of several: the index of the prototype of each space. */
    Spaces(const std::vector<const SpaceView *> &prototypes, const std::vector<std::uint32_t> &which)
        : Spaces(from_prototypes(prototypes, which)) {}

    /* Takes ownership of a handle. */
    explicit Spaces(carom_spaces *handle) noexcept : handle_(handle) {}

    carom_spaces *handle() const noexcept { return handle_.get(); }
    std::size_t size() const { return get<std::size_t>(carom_spaces_length); }
    std::size_t bodies_per_space() const { return get<std::size_t>(carom_spaces_bodies_per_space); }
    double time() const { return get<double>(carom_spaces_get_time); }
    std::uint64_t step_count() const { return get<std::uint64_t>(carom_spaces_step_count); }
    std::size_t memory_bytes() const { return get<std::size_t>(carom_spaces_memory_bytes); }
    void set_context(const Context &context) { check(carom_spaces_set_context(handle(), context.handle())); }

    void step(double dt) { check(carom_spaces_step(handle(), dt)); }
    void step(double dt, std::uint64_t steps) { check(carom_spaces_step_many(handle(), dt, steps, nullptr)); }
    /* What began and ceased to touch in the last step. */
    std::vector<carom_space_event> events() const {
        return detail::list<carom_space_event>(carom_spaces_events, constant());
    }

    /* A property of the bodies of all spaces: bodies_per_space() entries each. */
    Span<const double> column(carom_body_field field) const {
        const auto column = detail::get<carom_column>(carom_spaces_column, constant(), field);
        return {column.data, column.length};
    }
    /* The same, to be written; the next step checks it. */
    Span<double> column_mut(carom_body_field field) {
        const auto column = detail::get<carom_column_mut>(carom_spaces_column_mut, handle(), field);
        return {column.data, column.length};
    }

    void set_gravity(std::size_t index, carom_vec2 gravity) {
        check(carom_spaces_set_gravity(handle(), index, gravity));
    }
    /* Back to the prototypes. */
    void reset(const std::vector<std::size_t> &indices) {
        check(carom_spaces_reset(handle(), indices.data(), indices.size()));
    }
    SpaceSnapshot snapshot(std::size_t index) const {
        return SpaceSnapshot(detail::get<carom_space_snapshot *>(carom_spaces_snapshot, constant(), index));
    }
    void restore(std::size_t index, const SpaceSnapshot &snapshot) {
        check(carom_spaces_restore(handle(), index, snapshot.handle()));
    }
    /* A copy of one space, without callbacks; the prototype must be what it was made from. */
    Space space(std::size_t index, const SpaceView &prototype) const {
        return Space(detail::get<carom_space *>(carom_spaces_space, constant(), index, prototype.handle()));
    }
    std::uint64_t state_hash(std::size_t index) const {
        return detail::get<std::uint64_t>(carom_spaces_state_hash, constant(), index);
    }
    std::uint64_t batch_hash() const { return get<std::uint64_t>(carom_spaces_batch_hash); }

private:
    static carom_spaces *from_prototypes(const std::vector<const SpaceView *> &prototypes,
                                         const std::vector<std::uint32_t> &which) {
        std::vector<const carom_space *> handles;
        for (const auto *prototype : prototypes) handles.push_back(prototype->handle());
        return detail::get<carom_spaces *>(carom_spaces_from_prototypes, handles.data(), handles.size(), which.data(),
                                           which.size(), nullptr);
    }
    const carom_spaces *constant() const noexcept { return handle_.get(); }
    template <class T, class Call>
    T get(Call call) const {
        return detail::get<T>(call, constant());
    }

    std::unique_ptr<carom_spaces, detail::DestroySpaces> handle_;
};

}  // namespace carom

#endif
