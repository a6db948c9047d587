//! Every exception of the Tamias2D document (its appendix, table 1) is an error here, or cannot happen.

use std::sync::{Arc, Mutex};

use super::*;
use crate::geometry::Aabb;

/// What becomes of an exception.
enum Here {
    /// It is an error with this code, which the function brings about.
    Is(i32, fn() -> Result<()>),
    /// It cannot happen, because of this.
    Cannot(&'static str),
}
use Here::{Cannot, Is};

fn dynamic(space: &mut Space) -> BodyId {
    space.add_body(&Body::dynamic().with_mass(1.0).with_moment(1.0)).unwrap()
}

/// What a change of a dynamic body gives.
fn change(change: fn(&mut BodyMut<'_>) -> Result<()>) -> Result<()> {
    let mut space = space();
    let body = dynamic(&mut space);
    change(&mut space.body_mut(body)?)
}

/// What a change of a shape gives.
fn reshape(shape: Shape, change: fn(&mut ShapeMut<'_>) -> Result<()>) -> Result<()> {
    let mut space = space();
    let body = dynamic(&mut space);
    let shape = space.add_shape(body, shape)?;
    change(&mut space.shape_mut(shape)?)
}

/// What happens in a handler of two shapes in contact.
fn in_handler(call: fn(&mut Arbiter<'_>) -> Result<()>) -> Result<()> {
    let mut space = space();
    ground(&mut space);
    add(&mut space, [0.0, 0.5], circle(0.5));
    let result = Arc::new(Mutex::new(Ok(())));
    let seen = result.clone();
    let handler = Handler::new().on_pre_solve(move |arbiter| {
        *seen.lock().unwrap() = call(arbiter);
        true
    });
    space.set_default_handler(handler)?;
    space.step(DT)?;
    let result = result.lock().unwrap();
    result.clone()
}

const ADDED_ONCE: &str =
    "a space makes its bodies and shapes from descriptions: nothing exists outside of it";
const GROWS: &str = "arrays grow, and a failed allocation is an error";
const INTERNAL: &str = "nodes are indices that only the tree hands out and checks";

const TABLE: [(&str, Here); 41] = [
    ("AttachedBody", Cannot(ADDED_ONCE)),
    ("AttachedShape", Cannot(ADDED_ONCE)),
    (
        "AttachedStaticBody",
        Is(43, || {
            let mut space = space();
            ground(&mut space);
            let other = space.add_body(&Body::fixed())?;
            space.set_static_body(other)
        }),
    ),
    ("AttachedStaticIndex", Cannot("one tree has static and dynamic shapes")),
    (
        "BodyNotFound",
        Is(38, || {
            let mut space = space();
            let body = dynamic(&mut space);
            space.remove_body(body)?;
            space.remove_body(body)
        }),
    ),
    ("BufferOverflow", Cannot(GROWS)),
    ("CollisionContactOverflow", Cannot("manifolds have at most two points by their type")),
    ("CollisionError", Cannot("pairs are put into the order of their class when they are made")),
    ("ContactIndexOutOfBounds", Is(5, || in_handler(|arbiter| arbiter.point_a(2).map(drop)))),
    ("DuplicateBody", Cannot(ADDED_ONCE)),
    ("DuplicateShape", Cannot(ADDED_ONCE)),
    ("EmptyArray", Cannot("taking from an empty list gives none")),
    ("HighIterWarning", Cannot("iterations of GJK and EPA are bounded, and the best answer so far is taken")),
    ("IllegalBody", Is(1, || change(|body| body.set_velocity(Vec2::new(f64::NAN, 0.0))))),
    ("IllegalSize", Cannot(GROWS)),
    (
        "ImmutableNumContacts",
        Is(4, || {
            in_handler(|arbiter| {
                let set = arbiter.contact_set();
                arbiter.set_contact_set(&ContactSet::new(set.normal, &[[Vec2::ZERO; 2]; 2]))
            })
        }),
    ),
    (
        "IndexOutOfBounds",
        Is(5, || reshape(rectangle(1.0, 1.0), |shape| shape.as_ref().polygon_vertex(4).map(drop))),
    ),
    ("InfiniteMass", Is(1, || change(|body| body.set_mass(f64::INFINITY)))),
    ("InsufficientBufferSize", Cannot(GROWS)),
    ("InvalidChild", Cannot(INTERNAL)),
    (
        "InvalidIter",
        Is(3, || {
            let mut space = space();
            space.set_settings(&space.settings().with_iterations(0))
        }),
    ),
    ("LeafError", Cannot(INTERNAL)),
    (
        "MainStaticBody",
        Is(42, || {
            let mut space = space();
            space.remove_body(space.static_body())
        }),
    ),
    ("NaNMass", Is(1, || change(|body| body.set_mass(f64::NAN)))),
    ("NaNMoment", Is(1, || change(|body| body.set_moment(f64::NAN)))),
    ("NegativeElasticity", Is(2, || reshape(circle(1.0), |shape| shape.set_elasticity(-1.0)))),
    ("NegativeFriction", Is(2, || reshape(circle(1.0), |shape| shape.set_friction(-1.0)))),
    ("NegativeHalfDimensions", Is(2, || Aabb::from_extents([0.0; 2], [1.0, -1.0]).map(drop))),
    ("NegativeMass", Is(2, || change(|body| body.set_mass(-1.0)))),
    ("NegativeMoment", Is(2, || change(|body| body.set_moment(-1.0)))),
    ("NegativeRadius", Is(2, || reshape(circle(1.0), |shape| shape.set_circle_radius(-1.0)))),
    ("NotBBTreeWarn", Cannot("there is one kind of spatial index")),
    ("NotCircleShape", Is(40, || reshape(rectangle(1.0, 1.0), |shape| shape.set_circle_offset(Vec2::X)))),
    ("NotSegmentShape", Is(40, || reshape(circle(1.0), |shape| shape.set_segment_radius(1.0)))),
    ("NotPolyShape", Is(40, || reshape(circle(1.0), |shape| shape.set_polygon_radius(1.0)))),
    ("SameVertices", Cannot("EPA stops where no vertex is new")),
    (
        "ShapeNotFound",
        Is(38, || {
            let mut space = space();
            let shape = ground(&mut space);
            space.remove_shape(shape)?;
            space.remove_shape(shape)
        }),
    ),
    (
        "SpaceLocked",
        Is(39, || {
            in_handler(|arbiter| {
                let body = arbiter.bodies()[1];
                arbiter.body_mut(body)?.set_kind(BodyKind::Kinematic)
            })
        }),
    ),
    ("SpaceLockUnderflow", Cannot("a step locks and unlocks once, also when a callback panics")),
    (
        "StaticBodyMass",
        Is(41, || {
            let mut space = space();
            let own = space.static_body();
            space.body_mut(own)?.set_mass(1.0)
        }),
    ),
    (
        "UnsolvableCollision",
        Is(44, || {
            let mut space = space();
            space.add_body(&Body::dynamic())?;
            space.step(DT)
        }),
    ),
];

#[test]
fn every_exception_of_the_document_has_its_place() {
    for (name, here) in &TABLE {
        match here {
            Is(code, cause) => {
                let error = cause().expect_err(name);
                assert_eq!(error.code(), *code, "{name}: {error}");
            }
            Cannot(reason) => assert!(!reason.is_empty(), "{name}"),
        }
    }
}
