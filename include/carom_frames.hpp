/*
 * carom_frames.hpp: frames, which of them intersect and which of them may; a part of carom.hpp, which includes it.
 *
 * Frames, Candidates and Intersections own what they wrap: they move, and Frames is copied by clone(). Units and meanings
 * are those of carom.h.
 */
#ifndef CAROM_FRAMES_HPP
#define CAROM_FRAMES_HPP

#include <carom.hpp>

namespace carom {

namespace detail {

struct DestroyFrames {
    void operator()(carom_frames *frames) const noexcept { carom_frames_destroy(frames); }
    void operator()(carom_candidates *candidates) const noexcept { carom_candidates_destroy(candidates); }
    void operator()(carom_intersections *found) const noexcept { carom_intersections_destroy(found); }
};

/* The handle of a context; without one the calling thread does the work. */
inline const carom_context *with(const Context *context) noexcept {
    return context != nullptr ? context->handle() : nullptr;
}

}  // namespace detail

/* A frame in D = 2 or 3 dimensions: carom::frame<2>(CAROM_CUBOID, {0, 0}, {{{1, 0}, {0, 1}}}) is the unit square. */
template <std::size_t D>
carom_frame frame(carom_frame_kind kind, const std::array<double, D> &origin,
                  const std::array<std::array<double, D>, D> &components,
                  const std::array<double, D> &velocity = {}) {
    static_assert(D == 2 || D == 3, "frames have two or three dimensions");
    carom_frame frame{};
    frame.kind = kind;
    for (std::size_t axis = 0; axis < D; axis++) {
        frame.origin[axis] = origin[axis];
        frame.velocity[axis] = velocity[axis];
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

/* Where a frame is within a structure, filled with the defaults. */
inline carom_frame_layout frame_layout() {
    carom_frame_layout layout;
    check(carom_frame_layout_init(&layout, sizeof layout));
    return layout;
}

/* Where a hit goes within a structure, filled with the defaults. */
inline carom_hit_layout hit_layout() {
    carom_hit_layout layout;
    check(carom_hit_layout_init(&layout, sizeof layout));
    return layout;
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

/* How two frames of dimension `dim` are in contact, if they intersect. */
inline std::optional<carom_frame_contact> contact(std::size_t dim, const carom_frame &a, const carom_frame &b,
                                                  double duration = 0.0) {
    std::int32_t hit = 0;
    carom_frame_contact contact;
    check(carom_frame_find_contact(dim, &a, &b, &duration, &hit, &contact));
    return hit != 0 ? std::make_optional(contact) : std::nullopt;
}

/* Frames in columns, all at rest or all moving for the same duration. */
class Frames {
public:
    /* A duration of 0 means that they rest. */
    explicit Frames(std::size_t dim, double duration = 0.0)
        : Frames(detail::get<carom_frames *>(carom_frames_create, dim, &duration)) {}

    /* Takes ownership of a handle. */
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
    /* From an array of structures of your own, with doubles or floats; returns the index of the first. */
    std::size_t add(const carom_frame_layout &layout, const void *data, std::size_t count) {
        return detail::get<std::size_t>(carom_frames_add_structs, handle(), &layout, data, count);
    }
    /* Replaces the frames from `first` on. */
    void write(const carom_frame_layout &layout, std::size_t first, std::size_t count, const void *data) {
        check(carom_frames_write_structs(handle(), &layout, first, count, data));
    }
    /* Copies the frames from `first` on into structures. */
    void read(const carom_frame_layout &layout, std::size_t first, std::size_t count, void *data) const {
        check(carom_frames_read_structs(constant(), &layout, first, count, data));
    }
    /* The frame of a facoid or pyramidoid. */
    std::size_t add(const ConstParticles &particles, std::size_t particle) {
        return detail::get<std::size_t>(carom_frames_add_particle, handle(), particles.handle(), particle);
    }
    void remove(std::size_t index) { check(carom_frames_remove(handle(), index)); }
    /* The last frame takes the index. */
    void swap_remove(std::size_t index) { check(carom_frames_swap_remove(handle(), index)); }
    void remove(const std::vector<std::size_t> &indices) {
        check(carom_frames_remove_many(handle(), indices.data(), indices.size()));
    }
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
        check(carom_frames_update(handle(), detail::with(context)));
    }

private:
    const carom_frames *constant() const noexcept { return handle_.get(); }

    std::unique_ptr<carom_frames, detail::DestroyFrames> handle_;
};

/* Which frames may intersect: the pairs whose boxes overlap, ascending. Spans are valid until the next search. */
class Candidates {
public:
    Candidates() : handle_(detail::get<carom_candidates *>(carom_candidates_create)) {}

    carom_candidates *handle() const noexcept { return handle_.get(); }

    /* Pairs of frames of a set; on the calling thread unless there is a context. */
    void find(const Frames &frames, const Context *context = nullptr) {
        check(carom_candidates_find(handle(), detail::with(context), frames.handle()));
    }
    /* Pairs of a frame of `a` and a frame of `b`. */
    void find_between(const Frames &a, const Frames &b, const Context *context = nullptr) {
        check(carom_candidates_find_between(handle(), detail::with(context), a.handle(), b.handle()));
    }

    Span<const carom_frame_pair> pairs() const {
        const carom_candidates *candidates = handle();
        const auto view = detail::get<carom_pair_view>(carom_candidates_pairs, candidates);
        return {view.data, view.length};
    }

private:
    std::unique_ptr<carom_candidates, detail::DestroyFrames> handle_;
};

/* Which frames intersect, when and where: the outcome of the last test. Spans are valid until the next one. */
class Intersections {
public:
    /* What is requested besides the numbers of pairs: CAROM_HIT_BITS and the like, joined by |. */
    explicit Intersections(std::size_t dim, carom_request request = CAROM_HIT_PAIRS)
        : handle_(detail::get<carom_intersections *>(carom_intersections_create, dim, request)), dim_(dim) {}

    carom_intersections *handle() const noexcept { return handle_.get(); }
    std::size_t dim() const noexcept { return dim_; }

    /* All of these run on the calling thread unless there is a context. */
    void test(const Frames &a, const Frames &b, const carom_frame_pair *pairs, std::size_t count,
              const Context *context = nullptr) {
        check(carom_intersections_test_pairs(handle(), detail::with(context), a.handle(), b.handle(), pairs, count));
    }
    void test(const Frames &a, const Frames &b, const std::vector<carom_frame_pair> &pairs,
              const Context *context = nullptr) {
        test(a, b, pairs.data(), pairs.size(), context);
    }
    /* Frame k of `a` against frame k of `b`. */
    void test_paired(const Frames &a, const Frames &b, const Context *context = nullptr) {
        check(carom_intersections_test_paired(handle(), detail::with(context), a.handle(), b.handle()));
    }
    /* Frame `index` of `a` against every frame of `b`. */
    void test_one(const Frames &a, std::size_t index, const Frames &b, const Context *context = nullptr) {
        check(carom_intersections_test_one(handle(), detail::with(context), a.handle(), index, b.handle()));
    }
    /* Every pair of frames of a set that intersects. */
    void find(const Frames &frames, const Context *context = nullptr) {
        check(carom_intersections_find(handle(), detail::with(context), frames.handle()));
    }
    /* Every frame of `a` with every frame of `b` that it intersects. */
    void find_between(const Frames &a, const Frames &b, const Context *context = nullptr) {
        check(carom_intersections_find_between(handle(), detail::with(context), a.handle(), b.handle()));
    }

    std::size_t tested() const { return detail::get<std::size_t>(carom_intersections_tested, constant()); }
    std::size_t hits() const { return detail::get<std::size_t>(carom_intersections_hits, constant()); }
    std::uint64_t redone() const { return detail::get<std::uint64_t>(carom_intersections_redone, constant()); }
    std::uint64_t bounds_redone() const {
        return detail::get<std::uint64_t>(carom_intersections_bounds_redone, constant());
    }
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
    /* 2 * D numbers per hit: the lower corner, then the upper corner. */
    Span<const double> boxes() const { return numbers(carom_intersections_boxes); }
    Span<const double> local_boxes() const { return numbers(carom_intersections_local_boxes); }
    /* 2 * D + 1 numbers per hit: its normal, from the first frame to the second, its depth and a point of contact. */
    Span<const double> normals() const {
        const auto view = detail::get<carom_normal_view>(carom_intersections_normals, constant());
        return {view.data, view.length * (2 * dim_ + 1)};
    }
    /* Copies the hits from `first` on into structures of your own, with doubles or floats. */
    void read(const carom_hit_layout &layout, std::size_t first, std::size_t count, void *data) const {
        check(carom_intersections_read_structs(constant(), &layout, first, count, data));
    }

private:
    Span<const double> numbers(carom_status (*call)(const carom_intersections *, carom_box_view *)) const {
        const auto view = detail::get<carom_box_view>(call, constant());
        return {view.data, view.length * 2 * dim_};
    }
    const carom_intersections *constant() const noexcept { return handle_.get(); }

    std::unique_ptr<carom_intersections, detail::DestroyFrames> handle_;
    std::size_t dim_;
};

}  // namespace carom

#endif
