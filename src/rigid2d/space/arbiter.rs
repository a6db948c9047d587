//! Contacts as handlers see and change them.

use super::body::check_vector;
use super::contact_set::ContactSet;
use super::handlers::{ContactEvent, Handlers, Which};
use super::step::{Panicked, exclusive};
use super::{ArbiterRef, BodyId, BodyMut, ShapeId, ShapeMut, Space};
use crate::error::{Error, Result};
use crate::geometry::Vec2;
use crate::rigid2d::engine::access::Touch;
use crate::rigid2d::engine::mixing::PairMaterial;
use crate::soa::check;

/// How long the shapes of a contact have touched, and whether that has an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArbiterState {
    /// They touch since this step.
    First,
    /// They touched in the step before, too.
    Normal,
    /// The contact has no effect until they separate.
    Ignored,
    /// One of them is being removed, or the contact is.
    Invalidated,
}

/// A pair of shapes in contact, from the side of one of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct PairView {
    /// None after the shapes have separated.
    pub(super) slot: Option<u32>,
    /// Rows of the shapes, the own side first.
    pub(super) shapes: [u32; 2],
    pub(super) state: ArbiterState,
}

impl PairView {
    pub(super) fn swapped(self) -> Self {
        let [a, b] = self.shapes;
        Self { shapes: [b, a], ..self }
    }
}

/// A contact of two shapes, A and B, in a callback.
///
/// What a handler sets holds for this step only. In callbacks bodies and shapes can be read and many of their values set, but
/// nothing can be added or removed: that is for [post-step callbacks](Self::post_step).
#[derive(Debug)]
pub struct Arbiter<'a> {
    space: &'a mut Space,
    handlers: &'a mut Handlers,
    panicked: &'a mut Panicked,
    pair: PairView,
    event: ContactEvent,
}

/// Writes methods that are those of [`ArbiterRef`].
macro_rules! forward {
    ($($(#[$doc:meta])* $method:ident($($argument:ident: $Type:ty),*) -> $Result:ty;)*) => {$(
        $(#[$doc])*
        pub fn $method(&self $(, $argument: $Type)*) -> $Result {
            self.as_ref().$method($($argument),*)
        }
    )*};
}

impl<'a> Arbiter<'a> {
    pub(super) fn new(
        space: &'a mut Space,
        handlers: &'a mut Handlers,
        panicked: &'a mut Panicked,
        pair: PairView,
        event: ContactEvent,
    ) -> Self {
        Self { space, handlers, panicked, pair, event }
    }

    /// The same contact, to read.
    #[must_use]
    pub fn as_ref(&self) -> ArbiterRef<'_> {
        ArbiterRef::new(&self.space.core, self.pair)
    }

    forward! {
        /// How long the shapes have touched, and whether that has an effect.
        #[must_use]
        state() -> ArbiterState;
        /// Whether the shapes touch since this step.
        #[must_use]
        is_first() -> bool;
        /// Whether the contact ends because one of the shapes is removed.
        #[must_use]
        is_removal() -> bool;
        /// Whether one of the shapes is a sensor.
        #[must_use]
        is_sensor() -> bool;
        /// Shapes A and B.
        #[must_use]
        shapes() -> [ShapeId; 2];
        /// The bodies of A and B.
        #[must_use]
        bodies() -> [BodyId; 2];
        /// Number of points; 0 after the shapes have separated.
        #[must_use]
        count() -> usize;
        /// Unit vector from A to B.
        #[must_use]
        normal() -> Vec2;
        /// A point on the surface of A, in metres.
        point_a(index: usize) -> Result<Vec2>;
        /// A point on the surface of B, in metres.
        point_b(index: usize) -> Result<Vec2>;
        /// How deep the shapes overlap at a point, in metres; negative if they are apart.
        depth(index: usize) -> Result<f64>;
        /// The normal and all points.
        #[must_use]
        contact_set() -> ContactSet;
        /// The coefficient of restitution.
        #[must_use]
        restitution() -> f64;
        /// The coefficient of friction.
        #[must_use]
        friction() -> f64;
        /// The velocity of the surface of B relative to that of A, apart from the motion of the bodies, in metres per second.
        #[must_use]
        surface_velocity() -> Vec2;
        /// The impulse of A on B in the last step, in newton seconds, friction included.
        #[must_use]
        total_impulse() -> Vec2;
        /// The energy that the contact has taken in the last step, in joules.
        #[must_use]
        total_energy_lost() -> f64;
    }

    /// What is happening to the contact.
    #[must_use]
    pub fn event(&self) -> ContactEvent {
        self.event
    }

    /// The space, to read and for queries.
    #[must_use]
    pub fn space(&self) -> &Space {
        self.space
    }

    /// A body, to change what can be changed during a step.
    pub fn body_mut(&mut self, id: BodyId) -> Result<BodyMut<'_>> {
        self.space.body_mut(id)
    }

    /// A shape, to change what can be changed during a step.
    pub fn shape_mut(&mut self, id: ShapeId) -> Result<ShapeMut<'_>> {
        self.space.shape_mut(id)
    }

    fn slot(&self, field: &'static str) -> Result<u32> {
        self.pair.slot.ok_or(Error::ReadOnly { field, reason: "the shapes have separated" })
    }

    fn is_swapped(&self, slot: u32) -> bool {
        self.space.core.engine.heads()[slot as usize].shapes != self.pair.shapes
    }

    fn set_material(&mut self, slot: u32, change: impl FnOnce(&mut PairMaterial)) {
        let mut material = self.space.core.engine.pair_material(slot);
        change(&mut material);
        self.space.core.engine.override_material(slot, &material);
    }

    /// Sets the coefficient of restitution, at least 0.
    pub fn set_restitution(&mut self, restitution: f64) -> Result<()> {
        check::non_negative("restitution", 0, restitution)?;
        let slot = self.slot("restitution")?;
        self.set_material(slot, |material| material.restitution = restitution);
        Ok(())
    }

    /// Sets the coefficient of friction, at least 0.
    pub fn set_friction(&mut self, friction: f64) -> Result<()> {
        check::non_negative("friction", 0, friction)?;
        let slot = self.slot("friction")?;
        self.set_material(slot, |material| material.friction = friction);
        Ok(())
    }

    /// Sets the velocity of the surface of B relative to that of A, in metres per second. Only what is along the tangent
    /// matters.
    pub fn set_surface_velocity(&mut self, velocity: Vec2) -> Result<()> {
        check_vector("surface velocity", 0, velocity)?;
        let slot = self.slot("surface velocity")?;
        let carried = if self.is_swapped(slot) { velocity } else { -velocity };
        self.set_material(slot, |material| material.carried = carried);
        Ok(())
    }

    /// Sets the normal and the points. The number of points must stay, and the normal must be a unit vector.
    pub fn set_contact_set(&mut self, set: &ContactSet) -> Result<()> {
        let slot = self.slot("contact set")?;
        let count = self.count();
        check::length("contact points", 0, count, set.points().len())?;
        check_vector("normal", 0, set.normal)?;
        let length = set.normal.length();
        if (length - 1.0).abs() > 1e-6 {
            return Err(Error::OutOfRange { field: "length of the normal", value: length, expected: "1" });
        }
        for (index, point) in set.points().iter().enumerate() {
            check_vector("point a", index, point.point_a)?;
            check_vector("point b", index, point.point_b)?;
        }
        let set = if self.is_swapped(slot) { set.swapped() } else { *set };
        let mut touch = Touch { normal: set.normal, count, ..Touch::default() };
        for (to, point) in touch.points.iter_mut().zip(set.points()) {
            *to = [point.point_a, point.point_b];
        }
        self.space.core.engine.set_touch(slot, &touch);
        Ok(())
    }

    /// Ignores the contact until the shapes separate. Returns false, so that it can be the last word of a callback.
    pub fn ignore(&mut self) -> bool {
        self.pair.state = ArbiterState::Ignored;
        false
    }

    /// Has a function called after the step, when everything can be changed. There is one per key: returns false, and does
    /// nothing, if the key is taken.
    pub fn post_step(&mut self, key: u64, function: impl FnOnce(&mut Space) + Send + 'static) -> bool {
        self.space.post_step(key, function)
    }

    /// Calls the wildcard handler of the type of A for the same event; true if there is none.
    pub fn call_wildcard_a(&mut self) -> bool {
        let collision_type = self.space.core.collision_type(self.pair.shapes[0]);
        let Some(which) = self.handlers.wildcard(collision_type) else { return true };
        self.call(which).unwrap_or(true)
    }

    /// Calls the wildcard handler of the type of B, which sees B as its own side, for the same event; true if there is none.
    pub fn call_wildcard_b(&mut self) -> bool {
        let before = self.pair;
        self.pair = before.swapped();
        let agrees = self.call_wildcard_a();
        self.pair = PairView { state: self.pair.state, ..before };
        agrees
    }

    /// Calls a function of a handler; `None` if it has none, or if it is that function that is being called.
    fn call(&mut self, which: Which) -> Option<bool> {
        let mut function = self.handlers.function(which, self.event).take()?;
        let agrees = {
            let Self { space, handlers, panicked, pair, event } = self;
            // A panic must find its place outside of what the function borrows.
            let mut inner = Panicked::default();
            let mut arbiter = Arbiter { space, handlers, panicked: &mut inner, pair: *pair, event: *event };
            let agrees = panicked.call(|| exclusive(&mut function)(&mut arbiter)).unwrap_or(true);
            pair.state = arbiter.pair.state;
            panicked.merge(inner);
            agrees
        };
        *self.handlers.function(which, self.event) = Some(function);
        Some(agrees)
    }

    /// Calls what is to be called for the event: a function of the handler of both types or of the default handler, or else the
    /// wildcards. Returns whether all agree, and the state that they have set.
    pub(super) fn dispatch(mut self) -> (bool, ArbiterState) {
        let types = self.pair.shapes.map(|shape| self.space.core.collision_type(shape));
        let (main, swap) = self.handlers.main(types);
        if swap {
            self.pair = self.pair.swapped();
        }
        let agrees = match self.call(main) {
            Some(agrees) => agrees,
            // Both are asked, whatever the first one says.
            None => self.call_wildcard_a() & self.call_wildcard_b(),
        };
        (agrees, self.pair.state)
    }
}

#[cfg(any(test, feature = "capi"))]
impl Arbiter<'_> {
    /// The space in the middle of its step, as the C ABI has it in a callback.
    pub(crate) fn space_mut(&mut self) -> &mut Space {
        self.space
    }
}
