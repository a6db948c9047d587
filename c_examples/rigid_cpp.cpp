// Rigid bodies with the RAII wrappers: a conveyor belt, a handler that counts, a sensor, queries, saving, a batch of copies, errors
// as exceptions.
#include <carom_rigid2d.hpp>

#include <cstdio>
#include <stdexcept>

namespace {

constexpr std::uint64_t kBelt = 1, kParcel = 2, kGate = 3;

carom_shape_options of_type(std::uint64_t type, double friction) {
    auto options = carom::shape_options();
    options.collision_type = type;
    options.friction = friction;
    return options;
}

}  // namespace

int main() try {
    auto options = carom::space_options();
    options.gravity = {0.0, -10.0};
    carom::Space space(options);

    auto belt = of_type(kBelt, 1.0);
    const auto surface = space.static_body().add_segment({-20.0, 0.0}, {20.0, 0.0}, 0.0, belt);
    auto sensor = of_type(kGate, 0.0);
    sensor.sensor = 1;
    space.static_body().add_segment({2.0, 0.5}, {2.0, 1.5}, 0.0, sensor);

    auto at = carom::body_options();
    at.position = {0.0, 0.51};
    const auto parcel = space.add_body(at);
    auto cardboard = of_type(kParcel, 0.5);
    cardboard.mass = 2.0;
    parcel.add_box(1.0, 1.0, 0.0, cardboard);

    // The surface of the belt moves at 1 m/s.
    surface.set_surface_velocity({1.0, 0.0});
    int passed = 0;
    carom::Handler gate;
    gate.begin = [&passed](const carom::Arbiter &, const carom::SpaceView &) {
        passed++;
        return true;
    };
    space.set_handler(kGate, kParcel, gate);
    space.step(1.0 / 60.0, 240);
    std::printf("t = %.1f s: the parcel moves at %.2f m/s, %d time through the gate\n", space.time(),
                parcel.velocity().x, passed);

    // What is below a camera 5 m above the belt? The gate is a sensor, which a ray passes.
    const carom_vec2 camera = {parcel.position().x, 5.0};
    const auto seen = space.first_hit(camera, {camera.x, -1.0});
    const auto around = space.nearest(camera, 1.0);
    std::printf("the ray hits %s after %.2f m; within 1 m there is %s\n",
                seen && seen->shape == parcel.shapes()[0] ? "the parcel" : "something else",
                seen ? seen->fraction * 6.0 : 0.0, around ? "something" : "nothing");

    // A copy in memory has the same future. Callbacks are not saved.
    auto copy = carom::Space::from_memory(space.to_memory());
    space.step(1.0 / 60.0, 30);
    copy.step(1.0 / 60.0, 30);
    std::printf("saved and loaded: %s\n", copy.state_hash() == space.state_hash() ? "the same to the bit" : "different");

    // A hundred copies at once, each with a velocity of its own; one of them goes back in time, one goes on alone.
    carom::Spaces spaces(copy, 100);
    const auto rows = spaces.bodies_per_space();
    const auto speeds = spaces.column_mut(CAROM_BODY_VELOCITY_X);
    for (std::size_t i = 0; i < spaces.size(); i++) speeds[i * rows + parcel.id().index] = 0.1 * static_cast<double>(i);
    const auto start = spaces.snapshot(7);
    spaces.step(1.0 / 60.0, 60);
    const auto once = spaces.state_hash(7);
    spaces.restore(7, start);
    auto alone = spaces.space(7, copy);
    spaces.step(1.0 / 60.0, 60);
    alone.step(1.0 / 60.0, 60);
    std::printf("100 spaces: space 7 %s, alone %s\n", spaces.state_hash(7) == once ? "repeats itself" : "differs",
                alone.state_hash() == once ? "too" : "it differs");

    // What is thrown in a callback comes out of the step; what is removed there is removed after it.
    carom::Handler thief;
    thief.pre_solve = [](const carom::Arbiter &arbiter, const carom::SpaceView &view) -> bool {
        const auto body = arbiter.bodies()[0];
        view.post_step(7, [body](const carom::SpaceView &after) { after.body(body).remove(); });
        throw std::runtime_error("it was stolen");
    };
    space.set_handler(kParcel, kBelt, thief);
    try {
        space.step(1.0 / 60.0);
    } catch (const std::runtime_error &error) {
        std::printf("caught: %s; %s\n", error.what(), parcel.exists() ? "it is still there" : "it is gone");
    }
    try {
        parcel.set_mass(3.0);
    } catch (const carom::Error &error) {
        std::printf("status %d: %s\n", static_cast<int>(error.status()), error.what());
    }
    return 0;
} catch (const carom::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
