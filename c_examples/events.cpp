// Event-driven runs with the RAII wrappers: gravity, an observer that stops, saving, an edit, errors as
// exceptions.
#include <carom_events.hpp>

#include <cstdio>
#include <stdexcept>
#include <string>

namespace {

// A ball of 1 kg and radius 0.5 m.
std::size_t add_ball(const carom::Particles &particles, double x, double y) {
    const double position[2] = {x, y};
    auto ball = carom::particle_desc();
    ball.position = position;
    ball.mass = 1.0;
    return particles.add(ball);
}

// A floor, and walls to the left and right.
carom_enclosure shaft() {
    return carom::enclosure<2>({-5.0, 0.0}, {5.0, 100.0}, {CAROM_REFLECTING, CAROM_REFLECTING});
}

void overlapping_start() {
    carom::World world(2);
    add_ball(world.particles(), 0.0, 1.0);
    add_ball(world.particles(), 0.5, 1.0);
    try {
        const carom::Events refused(world.particles(), shaft());
    } catch (const carom::Error &error) {
        std::printf("status %d: %s\n", static_cast<int>(error.status()), error.what());
        for (const auto &pair : carom::last_overlaps()) {
            std::printf("balls %d and %d overlap\n", static_cast<int>(pair.first), static_cast<int>(pair.second));
        }
    }
}

}  // namespace

int main(int argc, char **argv) try {
    carom::World world(2);
    add_ball(world.particles(), 0.0, 1.75);
    auto settings = carom::event_settings();
    settings.down_gravity = 10.0;
    carom::Events events(world.particles(), shaft(), settings);

    const auto first = events.next();
    std::printf("the ball will reach the floor at t = %g s\n", first ? first->time : -1.0);

    // An observer returns nothing, or true to stop.
    int bounces = 0;
    const auto stop = events.run(carom::limit(), [&bounces](const carom_event &) { return ++bounces == 3; });
    std::printf("stopped by the %s after %d bounces at t = %g s\n",
                stop == CAROM_STOP_CALLBACK ? "observer" : "limit", bounces, events.time());
    const auto velocities = events.speed_histogram(5);
    std::printf("%d ball at %.1f to %.1f m/s\n", static_cast<int>(velocities.counts[4]), 4.0 * velocities.width,
                5.0 * velocities.width);
    events.run_until(3.0);
    const auto particles = events.synchronised();
    std::printf("t = %g s: the ball is %.3f m high\n", events.time(), particles.column(CAROM_POSITION, 1)[0]);

    // A saved run goes on as if nothing had been.
    const std::string path = std::string(argc > 1 ? argv[1] : ".") + "/events.run";
    events.save(path);
    auto loaded = carom::Events::load(path);
    std::remove(path.c_str());
    events.run_collisions(5);
    loaded.run_collisions(5);
    std::printf("the same to the bit: %s\n", events.to_memory() == loaded.to_memory() ? "yes" : "no");

    // Particles are changed in a copy of them.
    add_ball(world.particles(), 3.0, 2.0);
    events.set_particles(world.particles());
    std::printf("%d balls now\n", static_cast<int>(events.particles().size()));

    overlapping_start();
    try {
        events.run_until(9.0, [](const carom_event &) { throw std::runtime_error("enough"); });
    } catch (const std::runtime_error &error) {
        std::printf("caught: %s, after %d event\n", error.what(), static_cast<int>(events.measurements().wall_collisions));
    }
    return 0;
} catch (const carom::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
