// The RAII wrappers: objects that clean up after themselves, and errors as exceptions.
#include <carom.hpp>

#include <cstdio>
#include <stdexcept>

namespace {

carom::World make_world(const carom::Context &context) {
    carom::World world(2, context);
    const double left[] = {0.0, 0.0}, right[] = {3.0, 0.0}, east[] = {1.0, 0.0};
    auto ball = carom::particle_desc();
    ball.mass = 1.0;
    ball.position = left;
    ball.velocity = east;
    ball.user_data = 7;
    world.particles().add(ball);
    ball.position = right;
    ball.velocity = nullptr;
    ball.user_data = 8;
    world.particles().add(ball);
    return world;
}

}  // namespace

int main() try {
    const carom::Context context(2);
    carom::World world = make_world(context);

    const auto names = world.particles().user_data();
    const auto collisions = world.step(3.0, [&](const carom_collision &collision) {
        std::printf("t = %g s: %d collides with %d, normal (%g, %g)\n", collision.time,
                    static_cast<int>(names[collision.first]), static_cast<int>(names[collision.second]),
                    collision.normal[0], collision.normal[1]);
    });
    std::printf("%d collision, kinetic energy %g J\n", static_cast<int>(collisions), world.kinetic_energy());

    for (double &x : world.particles().column_mut(CAROM_POSITION, 0)) x += 10.0;
    const carom::World copy = world.clone();
    std::printf("ball 1 is at x = %g m\n", copy.particles().column(CAROM_POSITION, 0)[1]);

    try {
        world.particles().set(CAROM_MASS, 0, -1.0);
    } catch (const carom::Error &error) {
        std::printf("status %d: %s\n", static_cast<int>(error.status()), error.what());
    }

    // An exception in the callback reaches the caller of the step.
    try {
        world.particles().set(CAROM_VELOCITY, 1, {-5.0, 0.0});
        world.particles().set(CAROM_POSITION, 0, {0.0, 0.0});
        world.step(10.0, [](const carom_collision &) { throw std::runtime_error("enough"); });
    } catch (const std::runtime_error &error) {
        std::printf("caught: %s\n", error.what());
    }
    return 0;
} catch (const carom::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
