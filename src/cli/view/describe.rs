//! What does not change from frame to frame: box, sizes, masses, forms.

use std::collections::HashMap;

use carom::events::{AnyEngine, Boundary};
use carom::geometry::Vec2;
use carom::rigid2d::{BodyKind, Space};
use carom::{Attraction, AttractionLaw, Field, Particles};
use serde_json::{Value, json};

use super::forms::Forms;
use super::frame::{Bytes, extent, lengths};
use super::matter::{Matter, Start};

const STATIC: u8 = 2;
/// Simulated time of one frame at speed 1, in seconds.
pub(super) const FRAME_STEP: f64 = 1.0 / 60.0;
/// Most species that are listed with their numbers.
const LISTED: usize = 64;
/// Flags of balls and bodies.
const FIXED: u8 = 1;
const TRACER: u8 = 2;
const KINEMATIC: u8 = 4;

/// A revision of what is shown, as messages.
pub(super) struct Description {
    /// All fields of the message `scene` but those of the session.
    pub(super) fields: Value,
    /// The binary message that follows it.
    pub(super) fixed: Vec<u8>,
    /// The box, axis by axis.
    pub(super) sides: Vec<Option<[f64; 2]>>,
    /// The masses that occur and how often, unless there are too many.
    pub(super) masses: Option<Vec<(f64, usize)>>,
    /// How far ahead a collision is looked for, in seconds: in a periodic box a search without end might find none.
    pub(super) span: f64,
    /// Whether all balls are alike, and their radius and mass.
    pub(super) alike: Option<(f64, f64)>,
}

/// Radius and mass of each row, and flags.
#[derive(Default)]
struct Rows {
    radius: Vec<f64>,
    mass: Vec<f64>,
    flags: Vec<u8>,
    species: Vec<u16>,
    /// Radius, mass and number of each species.
    kinds: Vec<(f64, f64, usize)>,
}

impl Description {
    pub(super) fn of(matter: &mut Matter, start: &Start, revision: u32) -> Self {
        let (number, kind) = matter.kind();
        let (dim, count, dt) = (matter.dim(), matter.count(), matter.dt());
        let (axes, sides) = boundaries(matter);
        let physics = physics(matter);
        let is_balls = number == 0;
        let is_bounded = matches!(matter, Matter::World(stepped) if !stepped.world().settings().exact_shapes);
        let mut forms = Forms::default();
        let (rows, view, fastest) = match matter {
            Matter::Bodies(rigid) => {
                let space = rigid.space();
                forms = Forms::of_bodies(space);
                let fastest =
                    space.bodies().map(|body| body.velocity()).map(|v| v.dot(v).sqrt()).fold(0.0, f64::max);
                (Rows::of_bodies(space), view_of_bodies(space), fastest)
            }
            _ => match matter.particles() {
                Some(particles) => {
                    if !is_balls {
                        // Of a shape that cannot be had the page draws the bounding sphere.
                        forms = Forms::of_particles(particles).unwrap_or_default();
                    }
                    (Rows::of(particles), view_of_balls(particles, &sides), fastest(particles))
                }
                None => (Rows::default(), [vec![0.0; dim], vec![1.0; dim]], 0.0),
            },
        };
        let mut fields = json!({
            "type": "scene", "revision": revision, "name": start.name, "description": start.description, "kind": kind, "dim": dim,
            "count": count, "box": axes, "view": {"lower": view[0], "upper": view[1]},
            "dt": dt, "step": dt.unwrap_or(FRAME_STEP), "until": Some(start.until).filter(|until| until.is_finite()),
            "species": rows.listed(), "fastest": fastest, "forms": forms.forms,
            "bounded": is_bounded && !forms.row.is_empty(),
            "editable": {"balls": true, "walls": is_balls, "physics": true},
        });
        if let (Value::Object(fields), Value::Object(physics)) = (&mut fields, physics) {
            fields.extend(physics);
        }
        let fixed = rows.encode([number.into(), dim as u32, revision], &forms);
        let size = view[0].iter().zip(&view[1]).fold(0.0_f64, |most, (low, high)| most.max(high - low));
        let crossing = if fastest > 0.0 { size / fastest } else { 0.0 };
        let span = (1e4 * crossing).max(1e3);
        Self { fields, fixed, sides, span, masses: rows.masses(), alike: rows.alike() }
    }
}

/// The boundaries as JSON, and the box.
fn boundaries(matter: &Matter) -> (Vec<Value>, Vec<Option<[f64; 2]>>) {
    let open = || json!({"boundary": "open", "lower": null, "upper": null});
    let Matter::Balls(engine) = matter else {
        return ((0..matter.dim()).map(|_| open()).collect(), vec![None; matter.dim()]);
    };
    let axis = |axis: usize| {
        let (lower, upper) = (engine.lower()[axis], engine.upper()[axis]);
        let closed =
            |name: &str| (json!({"boundary": name, "lower": lower, "upper": upper}), Some([lower, upper]));
        match engine.boundaries()[axis] {
            Boundary::Reflecting => closed("reflecting"),
            Boundary::Periodic => closed("periodic"),
            _ => (open(), None),
        }
    };
    (0..engine.dim()).map(axis).unzip()
}

/// Forces and rules, by the names of the command that changes them.
fn physics(matter: &Matter) -> Value {
    match matter {
        Matter::Balls(engine) => {
            let settings = AnyEngine::settings(engine);
            // One that is given counts only where collisions lose energy.
            let duration = settings.contact_duration.unwrap_or_else(|| engine.contact_duration());
            json!({
                "gravity": settings.down_gravity, "restitution": settings.restitution,
                "wall_restitution": settings.wall_restitution, "contact_duration": duration,
                "contact_rule": if settings.contact_duration.is_some() { "given" } else { "auto" },
            })
        }
        Matter::World(stepped) => {
            let settings = stepped.world().settings();
            let Attraction { constant, law, softening } = settings.attraction;
            let (law, opening) = match law {
                AttractionLaw::Newton => ("newton", None),
                AttractionLaw::AsPrinted => ("as-printed", None),
                AttractionLaw::BarnesHut { opening } => ("barnes-hut", Some(opening)),
            };
            json!({
                "gravity": settings.down_gravity, "restitution": settings.restitution, "wall_restitution": null,
                "attraction": constant, "law": law, "opening": opening, "softening": softening,
                "integrator": settings.integrator, "max_collisions": settings.max_collisions,
            })
        }
        // Not -0.0 where there is none.
        Matter::Bodies(rigid) => json!({
            "gravity": 0.0 - rigid.space().settings().gravity.y, "restitution": null, "wall_restitution": null,
        }),
    }
}

fn fastest(particles: &Particles) -> f64 {
    let axes = 0..particles.dim();
    let columns: Vec<&[f64]> =
        axes.map(|axis| particles.column(Field::Velocity, axis).unwrap_or_default()).collect();
    lengths(&columns).into_iter().fold(0.0, f64::max)
}

/// The box, or along an open axis what holds all balls with some room.
fn view_of_balls(particles: &Particles, sides: &[Option<[f64; 2]>]) -> [Vec<f64>; 2] {
    let largest = particles.radii().iter().fold(0.0_f64, |most, &radius| most.max(radius));
    let ends = sides.iter().enumerate().map(|(axis, side)| {
        side.unwrap_or_else(|| {
            let [low, high] = extent(particles.column(Field::Position, axis).unwrap_or_default());
            let room = 2.0 * largest + 0.1 * (high - low);
            [low - room, high + room]
        })
    });
    let (lower, upper) = ends.map(|[low, high]| (low, high)).unzip();
    [lower, upper]
}

/// What holds all bodies that move, and the others as far as they are near.
fn view_of_bodies(space: &Space) -> [Vec<f64>; 2] {
    let holds = |moving: bool| {
        let bodies = space.bodies().filter(|body| !moving || body.kind() != BodyKind::Static);
        let boxes =
            bodies.flat_map(|body| body.shapes().map(|shape| shape.bounding_box()).collect::<Vec<_>>());
        boxes.fold(None, |all: Option<[[f64; 2]; 2]>, one| {
            let [low, high] = all.unwrap_or([one.min, one.max]);
            Some([[0, 1].map(|k| low[k].min(one.min[k])), [0, 1].map(|k| high[k].max(one.max[k]))])
        })
    };
    let [low, high] = holds(true).or_else(|| holds(false)).unwrap_or([[-1.0; 2], [1.0; 2]]);
    let room = 0.25 * (high[0] - low[0]).max(high[1] - low[1]);
    let all = holds(false).unwrap_or([low, high]);
    let near = |axis: usize| {
        [(low[axis] - room).max(all[0][axis] - 0.1 * room), (high[axis] + room).min(all[1][axis] + room)]
    };
    let ([left, right], [bottom, top]) = (near(0), near(1));
    [vec![left, bottom], vec![right, top]]
}

impl Rows {
    fn of(particles: &Particles) -> Self {
        let mass = particles.column(Field::Mass, 0).unwrap_or_default().to_vec();
        let flag = |(fixed, mass): (&u8, &f64)| if *fixed != 0 { FIXED } else { 0 } | if *mass == 0.0 { TRACER } else { 0 };
        let flags = particles.fixed_flags().iter().zip(&mass).map(flag).collect();
        Self { radius: particles.radii().to_vec(), mass, flags, ..Self::default() }.with_species()
    }

    fn of_bodies(space: &Space) -> Self {
        let flag = |kind: BodyKind| match kind {
            BodyKind::Static => FIXED,
            BodyKind::Kinematic => KINEMATIC,
            BodyKind::Dynamic => 0,
        };
        let flags = space.bodies().map(|body| flag(body.kind())).collect();
        let reach = space.bodies().map(|body| {
            body.shapes().map(|shape| shape.geometry().bounding_radius(Vec2::ZERO)).fold(0.0, f64::max)
        });
        let (radius, mass) = (reach.collect(), space.bodies().map(|body| body.mass()).collect());
        Self { radius, mass, flags, ..Self::default() }.with_species()
    }

    /// Numbers the pairs of radius and mass in the order in which they appear.
    fn with_species(mut self) -> Self {
        let mut known: HashMap<[u64; 2], u16> = HashMap::new();
        for (&radius, &mass) in self.radius.iter().zip(&self.mass) {
            let next = u16::try_from(known.len()).unwrap_or(u16::MAX);
            let number = *known.entry([radius.to_bits(), mass.to_bits()]).or_insert(next);
            self.species.push(number);
            match self.kinds.get_mut(usize::from(number)) {
                Some(kind) => kind.2 += 1,
                None => self.kinds.push((radius, mass, 1)),
            }
        }
        self
    }

    fn listed(&self) -> Vec<Value> {
        let finite = |mass: f64| Some(mass).filter(|mass| mass.is_finite());
        let species = |&(radius, mass, count): &(f64, f64, usize)| json!({"radius": radius, "mass": finite(mass), "count": count});
        self.kinds.iter().take(LISTED).map(species).collect()
    }

    /// The masses of what moves and collides, and how often each occurs.
    fn masses(&self) -> Option<Vec<(f64, usize)>> {
        let mut masses: Vec<(f64, usize)> = Vec::new();
        if self.kinds.len() > LISTED {
            return None;
        }
        for (row, &mass) in self.mass.iter().enumerate().filter(|(_, mass)| **mass > 0.0) {
            if self.flags[row] & FIXED == 0 {
                match masses.iter_mut().find(|(known, _)| *known == mass) {
                    Some(known) => known.1 += 1,
                    None => masses.push((mass, 1)),
                }
            }
        }
        Some(masses)
    }

    fn alike(&self) -> Option<(f64, f64)> {
        let is_plain = self.flags.iter().all(|flags| *flags == 0);
        match self.kinds[..] {
            [(radius, mass, _)] if is_plain => Some((radius, mass)),
            _ => None,
        }
    }

    fn encode(&self, [kind, dim, revision]: [u32; 3], forms: &Forms) -> Vec<u8> {
        let mut bytes = Bytes(Vec::with_capacity(16 + 12 * self.mass.len()));
        bytes.u8(STATIC);
        bytes.u8(kind as u8);
        bytes.u16(dim as u16);
        bytes.u32(revision);
        bytes.u32(self.mass.len() as u32);
        bytes.u32(forms.row.len() as u32);
        bytes.f32s(self.radius.iter().copied());
        bytes.f32s(self.mass.iter().copied());
        self.species.iter().for_each(|&species| bytes.u16(species));
        bytes.pad();
        self.flags.iter().for_each(|&flags| bytes.u8(flags));
        bytes.pad();
        forms.row.iter().chain(&forms.form).for_each(|&number| bytes.u32(number));
        bytes.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::view::matter::Origin;
    use carom::events::scenes::Scene;
    use carom::rigid2d::scenes::{Parameters, Scene as RigidScene};
    use carom::simulation::{Rigid, Stepped};
    use carom::{Particle, Shape, ShapeKind, World};

    fn described(mut matter: Matter) -> Description {
        let origin = Origin::Run(Vec::new());
        let start = Start {
            name: "n".into(),
            description: "d".into(),
            time: 0.0,
            until: 2.0,
            options: String::new(),
            origin,
        };
        Description::of(&mut matter, &start, 4)
    }

    #[test]
    fn balls_have_species_and_a_box() {
        let scene = Scene::named("head-on-horizontal").unwrap();
        let found = described(Matter::Balls(scene.engine().unwrap()));
        assert_eq!(found.fields["box"][1], json!({"boundary": "reflecting", "lower": 0.0, "upper": 0.3}));
        assert_eq!(
            found.fields["species"],
            json!([{"radius": 0.01, "mass": 0.01, "count": 3}, {"radius": 0.02, "mass": 0.02, "count": 1}])
        );
        assert_eq!(found.fields["fastest"], 0.1);
        assert_eq!((found.masses, found.alike), (Some(vec![(0.01, 3), (0.02, 1)]), None));
        assert_eq!(found.fixed.len(), 16 + 4 * 4 + 4 * 4 + 8 + 4);
        assert_eq!(found.fixed[16 + 32..16 + 40], [0, 0, 0, 0, 1, 0, 0, 0]);
    }

    #[test]
    fn worlds_have_forms_unless_all_are_spheres() {
        let mut world = World::new(2).unwrap();
        world.particles_mut().add(&Particle::sphere(&[0.0, 0.0], 1.0)).unwrap();
        let of = |world: &World| described(Matter::World(Stepped::new(world.clone(), 0.01, 1.0).unwrap()));
        assert_eq!((&of(&world).fields["forms"], &of(&world).fields["bounded"]), (&json!([]), &json!(false)));
        let mut facoid = Particle::sphere(&[5.0, 0.0], 1.0);
        facoid.shape = Shape::unit(2, ShapeKind::Facoid);
        world.particles_mut().add(&facoid).unwrap();
        let found = of(&world);
        assert_eq!(
            (found.fields["forms"].as_array().unwrap().len(), &found.fields["bounded"]),
            (2, &json!(true))
        );
        let rows = [0_u32, 1, 0, 1].map(u32::to_le_bytes).concat();
        assert_eq!(found.fixed[found.fixed.len() - 16..], rows);
        world.set_settings(world.settings().with_exact_shapes(true)).unwrap();
        assert_eq!(of(&world).fields["bounded"], json!(false));
    }

    #[test]
    fn equal_forms_are_sent_once() {
        let scene = RigidScene::named("pyramid", &Parameters::default().with_rows(4)).unwrap();
        let space = scene.space().unwrap();
        let (bodies, shapes) = (space.body_count(), space.shape_count());
        let found = described(Matter::Bodies(Rigid::new(space, scene.dt).unwrap()));
        assert_eq!(
            (found.fields["count"].as_u64(), found.fields["forms"].as_array().unwrap().len()),
            (Some(bodies as u64), 2)
        );
        let rows = (2 * bodies).next_multiple_of(4) + bodies.next_multiple_of(4);
        assert_eq!(found.fixed.len(), 16 + 8 * bodies + rows + 8 * shapes);
        let view = &found.fields["view"];
        assert!(view["lower"][0].as_f64().unwrap() < 0.0 && view["upper"][1].as_f64().unwrap() > 1.0);
    }
}
