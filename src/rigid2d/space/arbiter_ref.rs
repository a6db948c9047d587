//! Contacts, to read.

use super::arbiter::{ArbiterState, PairView};
use super::contact_set::ContactSet;
use super::{BodyId, BodyRef, Core, ShapeId, Space};
use crate::error::Result;
use crate::geometry::Vec2;
use crate::rigid2d::engine::access::Touch;
use crate::rigid2d::engine::mixing::PairMaterial;
use crate::rigid2d::engine::pairs::flag;
use crate::soa::check;

/// A contact of two shapes, A and B, to read.
#[derive(Debug, Clone, Copy)]
pub struct ArbiterRef<'a> {
    core: &'a Core,
    pair: PairView,
}

impl<'a> ArbiterRef<'a> {
    pub(super) fn new(core: &'a Core, pair: PairView) -> Self {
        Self { core, pair }
    }

    fn is_swapped(&self, slot: u32) -> bool {
        self.core.engine.heads()[slot as usize].shapes != self.pair.shapes
    }

    /// The contact as the engine has it, from A to B.
    fn touch(&self) -> Touch {
        let Some(slot) = self.pair.slot else { return Touch::default() };
        let mut touch = self.core.engine.touch(slot);
        if self.is_swapped(slot) {
            touch.normal = -touch.normal;
            touch.points.iter_mut().for_each(|point| point.swap(0, 1));
        }
        touch
    }

    fn material(&self) -> PairMaterial {
        let none = PairMaterial { restitution: 0.0, friction: 0.0, carried: Vec2::ZERO };
        self.pair.slot.map_or(none, |slot| self.core.engine.pair_material(slot))
    }

    /// How long the shapes have touched, and whether that has an effect.
    #[must_use]
    pub fn state(&self) -> ArbiterState {
        self.pair.state
    }

    /// Whether the shapes touch since the last step.
    #[must_use]
    pub fn is_first(&self) -> bool {
        self.pair.state == ArbiterState::First
    }

    /// Whether the contact ends because one of the shapes is removed.
    #[must_use]
    pub fn is_removal(&self) -> bool {
        self.pair.state == ArbiterState::Invalidated
    }

    /// Whether one of the shapes is a sensor.
    #[must_use]
    pub fn is_sensor(&self) -> bool {
        self.pair.shapes.iter().any(|&shape| self.core.engine.definition(shape).material.sensor)
    }

    /// Shapes A and B.
    #[must_use]
    pub fn shapes(&self) -> [ShapeId; 2] {
        self.pair.shapes.map(|shape| self.core.shape_id(shape))
    }

    /// The bodies of A and B.
    #[must_use]
    pub fn bodies(&self) -> [BodyId; 2] {
        self.pair.shapes.map(|shape| self.core.body_id(self.core.shapes.at(shape).body))
    }

    /// Number of points; 0 after the shapes have separated.
    #[must_use]
    pub fn count(&self) -> usize {
        self.pair.slot.map_or(0, |slot| usize::from(self.core.engine.heads()[slot as usize].count))
    }

    /// Unit vector from A to B.
    #[must_use]
    pub fn normal(&self) -> Vec2 {
        self.touch().normal
    }

    fn point(&self, index: usize) -> Result<[Vec2; 2]> {
        check::index("contact", index, self.count())?;
        Ok(self.touch().points[index])
    }

    /// A point on the surface of A, in metres.
    pub fn point_a(&self, index: usize) -> Result<Vec2> {
        Ok(self.point(index)?[0])
    }

    /// A point on the surface of B, in metres.
    pub fn point_b(&self, index: usize) -> Result<Vec2> {
        Ok(self.point(index)?[1])
    }

    /// How deep the shapes overlap at a point, in metres; negative if they are apart.
    pub fn depth(&self, index: usize) -> Result<f64> {
        let [a, b] = self.point(index)?;
        Ok((a - b).dot(self.touch().normal))
    }

    /// The normal and all points.
    #[must_use]
    pub fn contact_set(&self) -> ContactSet {
        let touch = self.touch();
        ContactSet::new(touch.normal, &touch.points[..touch.count])
    }

    /// The coefficient of restitution.
    #[must_use]
    pub fn restitution(&self) -> f64 {
        self.material().restitution
    }

    /// The coefficient of friction.
    #[must_use]
    pub fn friction(&self) -> f64 {
        self.material().friction
    }

    /// The velocity of the surface of B relative to that of A, apart from the motion of the bodies, in metres per second.
    #[must_use]
    pub fn surface_velocity(&self) -> Vec2 {
        let carried = self.material().carried;
        if self.pair.slot.is_some_and(|slot| self.is_swapped(slot)) { carried } else { -carried }
    }

    /// The impulse of A on B in the last step, in newton seconds, friction included.
    ///
    /// It is the sum over all substeps if a handler sees the contact; otherwise it is that of the last substep times their number,
    /// which is the same for what rests.
    #[must_use]
    pub fn total_impulse(&self) -> Vec2 {
        let touch = self.touch();
        touch.normal * (touch.impulses[0] + touch.impulses[1])
            + touch.normal.perpendicular() * touch.tangent_impulse
    }

    /// The energy that the contact has taken in the last step, in joules: `(1 - e) / (1 + e) j^2 / m` with the effective mass `m`
    /// at each point, and `j^2 / m` along the tangent.
    #[must_use]
    pub fn total_energy_lost(&self) -> f64 {
        let (touch, e) = (self.touch(), self.restitution());
        let mut sum = 0.0;
        let mut middle = Vec2::ZERO;
        for (point, impulse) in touch.points[..touch.count].iter().zip(touch.impulses) {
            let at = point[0].lerp(point[1], 0.5);
            middle += at * (1.0 / touch.count as f64);
            sum += (1.0 - e) / (1.0 + e) * (impulse * impulse) * self.inverse_mass(at, touch.normal);
        }
        let tangent = touch.tangent_impulse;
        sum + (tangent * tangent) * self.inverse_mass(middle, touch.normal.perpendicular())
    }

    /// How an impulse along a direction at a point changes the relative velocity there, in 1/kg.
    fn inverse_mass(&self, point: Vec2, direction: Vec2) -> f64 {
        let of_body = |shape: u32| {
            let body = BodyRef::new(self.core, self.core.shapes.at(shape).body);
            body.inverse_mass_at(point, direction)
        };
        of_body(self.pair.shapes[0]) + of_body(self.pair.shapes[1])
    }
}

impl Core {
    pub(super) fn collision_type(&self, shape: u32) -> u64 {
        self.engine.definition(shape).material.collision_type
    }

    /// A pair that touches, with its shapes in the order of their rows.
    pub(super) fn pair_view(&self, slot: u32) -> PairView {
        let head = &self.engine.heads()[slot as usize];
        let [a, b] = head.shapes;
        let state = if head.flags & flag::IGNORED != 0 {
            ArbiterState::Ignored
        } else if self.engine.is_first(slot) {
            ArbiterState::First
        } else {
            ArbiterState::Normal
        };
        PairView { slot: Some(slot), shapes: [a.min(b), a.max(b)], state }
    }

    /// Slots of pairs that touch and have some bits, in the order of their shapes.
    pub(super) fn touching(&self, bits: u16, concerned: impl Fn([u32; 2]) -> bool) -> Vec<u32> {
        let mut slots = Vec::new();
        self.list_touching(bits, concerned, &mut slots);
        slots
    }

    /// The same in a list that is filled anew.
    pub(super) fn list_touching(
        &self,
        bits: u16,
        concerned: impl Fn([u32; 2]) -> bool,
        slots: &mut Vec<u32>,
    ) {
        let bits = bits | flag::ALIVE | flag::ACTIVE;
        let heads = self.engine.heads();
        let is_one = |&slot: &u32| {
            let head = &heads[slot as usize];
            head.flags & bits == bits && concerned(head.shapes)
        };
        slots.clear();
        slots.extend((0..heads.len() as u32).filter(is_one));
        let key = |slot: &u32| {
            let [a, b] = heads[*slot as usize].shapes;
            [a.min(b), a.max(b)]
        };
        slots.sort_unstable_by_key(key);
    }

    pub(super) fn arbiters_of_body(&self, body: u32) -> Vec<ArbiterRef<'_>> {
        let of_body = |shape: u32| self.shapes.at(shape).body == body;
        let slots = self.touching(0, |shapes| shapes.iter().any(|&shape| of_body(shape)));
        let from_body = |slot: &u32| {
            let pair = self.pair_view(*slot);
            let pair = if of_body(pair.shapes[0]) { pair } else { pair.swapped() };
            ArbiterRef::new(self, pair)
        };
        slots.iter().map(from_body).collect()
    }
}

impl Space {
    /// All contacts, those of sensors and ignored ones included, in the order of their shapes.
    #[must_use]
    pub fn arbiters(&self) -> Vec<ArbiterRef<'_>> {
        let slots = self.core.touching(0, |_| true);
        slots.into_iter().map(|slot| ArbiterRef::new(&self.core, self.core.pair_view(slot))).collect()
    }
}
