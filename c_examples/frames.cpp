// Frames with the RAII wrappers: two sets against each other, columns written in place, errors as exceptions.
#include <carom.hpp>

#include <cstddef>
#include <cstdio>

namespace {

struct Tile {
    float corner[2];
    float edges[4];
};

// Walls one metre thick and ten metres high, five metres apart.
carom::Frames make_walls() {
    carom::Frames walls(2);
    for (int i = 0; i < 4; i++) walls.add(carom::frame<2>(CAROM_CUBOID, {5.0 * i, 0.0}, {{{1.0, 0.0}, {0.0, 10.0}}}));
    return walls;
}

void print(const carom::Intersections &found) {
    const auto pairs = found.pairs();
    const auto times = found.times();
    const auto normals = found.normals();
    for (std::size_t k = 0; k < pairs.size(); k++) {
        // Normals point from the box to the wall.
        std::printf("box %u is in wall %u from %.2f s to %.2f s, normal (%g, %g)\n",
                    static_cast<unsigned>(pairs[k].first), static_cast<unsigned>(pairs[k].second), times[k].first,
                    times[k].last, normals[5 * k], normals[5 * k + 1]);
    }
}

}  // namespace

int main() try {
    const carom::Frames walls = make_walls();
    carom::Frames boxes(2, 1.0);
    boxes.add({carom::frame<2>(CAROM_CUBOID, {2.0, 1.0}, {{{1.0, 0.0}, {0.0, 1.0}}}, {4.0, 0.0}),
               carom::frame<2>(CAROM_TETRAHEDRON, {8.0, 4.0}, {{{-1.0, 0.0}, {0.0, 1.0}}}, {-2.0, 0.0})});

    // Walls rest, boxes move: the test takes both.
    const carom::Context context(2);
    carom::Intersections found(2, CAROM_HIT_PAIRS | CAROM_HIT_TIMES | CAROM_HIT_NORMALS);
    found.find_between(boxes, walls, &context);
    print(found);

    // Turn the velocities in place; the set must be checked before it is tested again.
    for (double &velocity : boxes.column_mut(CAROM_FRAME_VELOCITY, 0)) velocity = -velocity;
    try {
        found.find_between(boxes, walls);
    } catch (const carom::Error &error) {
        std::printf("status %d: %s\n", static_cast<int>(error.status()), error.what());
    }
    boxes.update(&context);
    found.find_between(boxes, walls, &context);
    print(found);

    // Candidates for a test of your own: one box comes to lie against a wall, which is no intersection.
    carom::Candidates candidates;
    candidates.find_between(boxes, walls, &context);
    std::printf("%d of %d candidates intersect\n", static_cast<int>(found.hits()),
                static_cast<int>(candidates.pairs().size()));

    // Structures of your own, here with floats: a layout says where the numbers are.
    const Tile tiles[] = {{{0.0F, 0.0F}, {1.0F, 0.0F, 0.0F, 1.0F}}, {{2.5F, 0.0F}, {1.0F, 0.0F, 0.0F, 1.0F}}};
    auto layout = carom::frame_layout();
    layout.numbers = CAROM_FLOAT;
    layout.origin = offsetof(Tile, corner);
    layout.components = offsetof(Tile, edges);
    carom::Frames floor(2);
    floor.add(layout, tiles, 2);
    floor.swap_remove(0);
    Tile last{};
    floor.read(layout, 0, 1, &last);
    std::printf("%d tile is left, at x = %.1f m\n", static_cast<int>(floor.size()), static_cast<double>(last.corner[0]));

    // Two frames need no set.
    const auto box = boxes.get(0), wall = walls.get(0);
    if (const auto overlap = carom::overlap(2, box, wall, boxes.duration())) {
        std::printf("they overlap up to x = %.2f m\n", overlap->world.max[0]);
    }
    if (const auto contact = carom::contact(2, box, wall, boxes.duration())) {
        std::printf("they touch at (%.2f, %.2f) m\n", contact->point[0], contact->point[1]);
    }
    try {
        boxes.add(carom::frame<2>(CAROM_CUBOID, {0.0, 0.0}, {{{1.0, 1.0}, {2.0, 2.0}}}));
    } catch (const carom::Error &error) {
        std::printf("status %d: %s\n", static_cast<int>(error.status()), error.what());
    }
    return 0;
} catch (const carom::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
