//! How deep bodies are in each other, the same measure for all engines.

use crate::scene::{Kind, Pose, Scene, Shape};

/// A shape in the coordinates of the space.
enum Placed {
    Circle { centre: [f64; 2], radius: f64 },
    Polygon { vertices: Vec<[f64; 2]> },
}

struct Entry {
    shape: Placed,
    min: [f64; 2],
    max: [f64; 2],
    body: usize,
    moves: bool,
}

/// The largest depth of a pair of shapes of different bodies of one space, in metres; `poses` has the bodies of all spaces,
/// one space after the other.
pub(crate) fn deepest(scene: &Scene, poses: &[Pose]) -> f64 {
    poses.chunks(scene.bodies.len()).map(|poses| deepest_in_space(scene, poses)).fold(0.0, f64::max)
}

fn deepest_in_space(scene: &Scene, poses: &[Pose]) -> f64 {
    let mut entries = Vec::new();
    for (body, (description, pose)) in scene.bodies.iter().zip(poses).enumerate() {
        for shape in &description.shapes {
            entries.push(place(shape, pose, body, description.kind != Kind::Static));
        }
    }
    entries.sort_by(|a, b| a.min[0].total_cmp(&b.min[0]));
    let mut deepest = 0.0_f64;
    for (k, a) in entries.iter().enumerate() {
        for b in entries[k + 1..].iter().take_while(|b| b.min[0] <= a.max[0]) {
            let overlap = a.min[1] <= b.max[1] && b.min[1] <= a.max[1];
            if overlap && a.body != b.body && (a.moves || b.moves) {
                deepest = deepest.max(depth(&a.shape, &b.shape));
            }
        }
    }
    deepest
}

fn place(shape: &Shape, pose: &Pose, body: usize, moves: bool) -> Entry {
    let at = |[x, y]: [f64; 2]| {
        [pose.position[0] + pose.cos * x - pose.sin * y, pose.position[1] + pose.sin * x + pose.cos * y]
    };
    let shape = match shape {
        Shape::Circle { radius } => Placed::Circle { centre: pose.position, radius: *radius },
        Shape::Box { half: [w, h], centre: [x, y] } => {
            let corners = [[x - w, y - h], [x + w, y - h], [x + w, y + h], [x - w, y + h]];
            Placed::Polygon { vertices: corners.map(at).into() }
        }
        Shape::Polygon { vertices } => {
            Placed::Polygon { vertices: vertices.iter().map(|&vertex| at(vertex)).collect() }
        }
    };
    let (mut min, mut max) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for axis in 0..2 {
        match &shape {
            Placed::Circle { centre, radius } => {
                (min[axis], max[axis]) = (centre[axis] - radius, centre[axis] + radius);
            }
            Placed::Polygon { vertices } => {
                min[axis] = vertices.iter().map(|v| v[axis]).fold(f64::INFINITY, f64::min);
                max[axis] = vertices.iter().map(|v| v[axis]).fold(f64::NEG_INFINITY, f64::max);
            }
        }
    }
    Entry { shape, min, max, body, moves }
}

/// The smallest distance by which two shapes must be moved to be apart; 0 or less if they are.
fn depth(a: &Placed, b: &Placed) -> f64 {
    match (a, b) {
        (Placed::Circle { centre: a, radius: r }, Placed::Circle { centre: b, radius: s }) => {
            r + s - (a[0] - b[0]).hypot(a[1] - b[1])
        }
        (Placed::Circle { centre, radius }, Placed::Polygon { vertices })
        | (Placed::Polygon { vertices }, Placed::Circle { centre, radius }) => {
            radius - distance(vertices, *centre)
        }
        (Placed::Polygon { vertices: a }, Placed::Polygon { vertices: b }) => {
            -separation(a, b).max(separation(b, a))
        }
    }
}

/// The edges of a polygon: start, end and outer normal.
fn edges(vertices: &[[f64; 2]]) -> impl Iterator<Item = ([f64; 2], [f64; 2], [f64; 2])> + '_ {
    vertices.iter().zip(vertices.iter().cycle().skip(1)).map(|(&a, &b)| {
        let [x, y] = [b[0] - a[0], b[1] - a[1]];
        let length = x.hypot(y);
        (a, b, [y / length, -x / length])
    })
}

/// The largest distance of `b` in front of an edge of `a`.
fn separation(a: &[[f64; 2]], b: &[[f64; 2]]) -> f64 {
    let in_front = |start: [f64; 2], normal: [f64; 2]| {
        let heights = b.iter().map(|v| (v[0] - start[0]) * normal[0] + (v[1] - start[1]) * normal[1]);
        heights.fold(f64::INFINITY, f64::min)
    };
    edges(a).map(|(start, _, normal)| in_front(start, normal)).fold(f64::NEG_INFINITY, f64::max)
}

/// The distance of a point from a polygon, negative inside.
fn distance(vertices: &[[f64; 2]], [x, y]: [f64; 2]) -> f64 {
    let inside = edges(vertices)
        .map(|(a, _, normal)| (x - a[0]) * normal[0] + (y - a[1]) * normal[1])
        .fold(f64::NEG_INFINITY, f64::max);
    if inside <= 0.0 {
        return inside;
    }
    let to_edge = |(a, b, _): ([f64; 2], [f64; 2], [f64; 2])| {
        let along = [b[0] - a[0], b[1] - a[1]];
        let share = ((x - a[0]) * along[0] + (y - a[1]) * along[1]) / (along[0].powi(2) + along[1].powi(2));
        let share = share.clamp(0.0, 1.0);
        (x - a[0] - share * along[0]).hypot(y - a[1] - share * along[1])
    };
    edges(vertices).map(to_edge).fold(f64::INFINITY, f64::min)
}

// Tests of the package: a bench has no harness for them.
#[cfg(all(test, feature = "box2d"))]
mod tests {
    use super::*;
    use crate::scene::Body;

    fn pair(shapes: [Shape; 2], position: [f64; 2], angle: f64) -> f64 {
        let [a, b] = shapes;
        let bodies =
            vec![Body::new(Kind::Static, [0.0; 2], vec![a]), Body::new(Kind::Dynamic, position, vec![b])];
        let scene = Scene { name: "", bodies, spaces: 1, pitch: 0.0, settling: 0, steps: 0 };
        let at_rest = Pose { position: [0.0; 2], cos: 1.0, sin: 0.0 };
        deepest(&scene, &[at_rest, Pose { position, cos: angle.cos(), sin: angle.sin() }])
    }

    #[test]
    fn depths_of_all_kinds_of_pairs() {
        let (square, circle) = (|| Shape::square(0.5), || Shape::Circle { radius: 0.5 });
        let near =
            |depth: f64, expected: f64| assert!((depth - expected).abs() < 1e-12, "{depth} {expected}");
        near(pair([square(), square()], [0.9, 0.3], 0.0), 0.1);
        near(pair([square(), square()], [1.1, 0.3], 0.0), 0.0);
        // A corner down on an edge.
        let diagonal = 0.5_f64.sqrt();
        near(pair([square(), square()], [0.1, 0.4 + diagonal], 0.25 * std::f64::consts::PI), 0.1);
        near(pair([circle(), circle()], [0.6, 0.6], 0.0), 1.0 - 0.6 * 2.0_f64.sqrt());
        near(pair([square(), circle()], [0.3, 0.95], 0.0), 0.05);
        near(pair([square(), circle()], [0.8, 0.8], 0.0), 0.5 - 0.3 * 2.0_f64.sqrt());
        // The centre of the circle is inside.
        near(pair([circle(), square()], [0.3, 0.1], 0.0), 0.7);
        let triangle = Shape::regular(3, 1.0);
        near(pair([triangle, circle()], [-0.9, 0.0], 0.0), 0.1);
    }
}
