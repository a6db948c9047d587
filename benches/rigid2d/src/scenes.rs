//! The scenes.

use crate::scene::{Body, Kind, Scene, Shape};

/// Makes a scene: small for a quick run, or of full size.
type Make = fn(bool) -> Scene;

/// Names of all scenes, and how they are made.
pub(crate) const SCENES: [(&str, Make); 5] = [
    ("pyramid", |quick| pyramid(if quick { 20 } else { 55 })),
    ("bin", |quick| bin(if quick { 30 } else { 100 })),
    ("tumbler", |quick| tumbler(if quick { 20 } else { 45 })),
    ("stacks", |quick| stacks(if quick { 64 } else { 4096 })),
    ("bins", |quick| bins(if quick { 64 } else { 4096 })),
];

/// Unit boxes in rows, each with one less than the row below.
fn pyramid(rows: usize) -> Scene {
    let width = rows as f64 + 20.0;
    let mut bodies = vec![wall([0.0, -1.0], [0.5 * width, 1.0])];
    for row in 0..rows {
        for column in 0..rows - row {
            let x = column as f64 - 0.5 * (rows - row - 1) as f64;
            bodies.push(Body::new(Kind::Dynamic, [x, row as f64 + 0.5], vec![Shape::square(0.5)]));
        }
    }
    Scene { name: "pyramid", bodies, spaces: 1, pitch: 0.0, settling: 300, steps: 20 }
}

/// Circles of different sizes that fall into a bin.
fn bin(edge: usize) -> Scene {
    let mut random = Random::new();
    let half = 0.5 * edge as f64 * 1.05 + 0.5;
    let mut bodies = walls([half, edge as f64], [0.0, edge as f64]);
    for k in 0..edge * edge {
        let x = 1.05 * ((k % edge) as f64 - 0.5 * (edge - 1) as f64) + random.between(-0.02, 0.02);
        let y = 0.6 + 1.05 * (k / edge) as f64;
        let shape = Shape::Circle { radius: random.between(0.4, 0.5) };
        bodies.push(Body::new(Kind::Dynamic, [x, y], vec![shape]));
    }
    Scene { name: "bin", bodies, spaces: 1, pitch: 0.0, settling: 600, steps: 5 }
}

/// A turning box with boxes, hexagons, triangles and circles in it.
fn tumbler(edge: usize) -> Scene {
    let mut random = Random::new();
    let half = 10.0 * edge as f64 / 45.0;
    let thickness = 0.5;
    let side = |half: [f64; 2], centre: [f64; 2]| Shape::Box { half, centre };
    let sides = vec![
        side([thickness, half + 2.0 * thickness], [half + thickness, 0.0]),
        side([thickness, half + 2.0 * thickness], [-half - thickness, 0.0]),
        side([half + 2.0 * thickness, thickness], [0.0, half + thickness]),
        side([half + 2.0 * thickness, thickness], [0.0, -half - thickness]),
    ];
    let mut drum = Body::new(Kind::Kinematic, [0.0; 2], sides);
    drum.angular_velocity = 25.0_f64.to_radians();
    let mut bodies = vec![drum];
    let pitch = 2.0 * (half - 0.3) / edge as f64;
    for k in 0..edge * edge {
        let place = |k: usize| pitch * (k as f64 - 0.5 * (edge - 1) as f64);
        let mut body = Body::new(Kind::Dynamic, [place(k % edge), place(k / edge)], vec![mixed(k, 0.16)]);
        body.angle = random.between(-0.2, 0.2);
        bodies.push(body);
    }
    Scene { name: "tumbler", bodies, spaces: 1, pitch: 0.0, settling: 400, steps: 15 }
}

/// Many spaces, each with ten boxes on top of each other.
fn stacks(spaces: usize) -> Scene {
    let mut bodies = vec![wall([0.0, -1.0], [5.0, 1.0])];
    for k in 0..10 {
        let shape = vec![Shape::square(0.5)];
        bodies.push(Body::new(Kind::Dynamic, [0.01 * (k % 2) as f64, 0.5 + k as f64], shape));
    }
    Scene { name: "stacks", bodies, spaces, pitch: 20.0, settling: 120, steps: 3 }
}

/// Many spaces, each with eight shapes of different kinds in a closed bin.
fn bins(spaces: usize) -> Scene {
    let mut random = Random::new();
    let mut bodies = walls([2.0, 2.0], [0.0, 2.0]);
    bodies.push(wall([0.0, 4.5], [3.0, 0.5]));
    for k in 0..8 {
        let position = [0.9 * (k % 4) as f64 - 1.35, 0.8 + 1.2 * (k / 4) as f64];
        let mut body = Body::new(Kind::Dynamic, position, vec![mixed(k, 0.35)]);
        body.angle = random.between(-0.5, 0.5);
        body.velocity = [random.between(-2.0, 2.0), random.between(-2.0, 2.0)];
        body.angular_velocity = random.between(-3.0, 3.0);
        bodies.push(body);
    }
    Scene { name: "bins", bodies, spaces, pitch: 10.0, settling: 240, steps: 5 }
}

/// One space of the scene `bins`.
pub(crate) fn small_space() -> Scene {
    bins(1)
}

fn mixed(k: usize, radius: f64) -> Shape {
    match k % 4 {
        0 => Shape::square(0.8 * radius),
        1 => Shape::regular(6, radius),
        2 => Shape::Circle { radius: 0.9 * radius },
        _ => Shape::regular(3, 1.2 * radius),
    }
}

fn wall(position: [f64; 2], half: [f64; 2]) -> Body {
    Body::new(Kind::Static, position, vec![Shape::Box { half, centre: [0.0; 2] }])
}

/// A floor and two walls around an area with half edges and a centre.
fn walls(half: [f64; 2], centre: [f64; 2]) -> Vec<Body> {
    let ([width, height], [x, y]) = (half, centre);
    vec![
        wall([x, y - height - 0.5], [width + 1.0, 0.5]),
        wall([x - width - 0.5, y], [0.5, height]),
        wall([x + width + 0.5, y], [0.5, height]),
    ]
}

/// Numbers that look random and are the same in every run (xorshift64).
struct Random(u64);

impl Random {
    fn new() -> Self {
        Self(0x2545_f491_4f6c_dd1d)
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        low + (high - low) * (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}
