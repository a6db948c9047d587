//! What a collision does to the velocities (docs/methods/contacts.md).

/// One of the two particles of a contact.
#[derive(Debug, Clone, Copy)]
pub(super) struct Partner {
    /// Kilograms, more than 0.
    pub mass: f64,
    pub fixed: bool,
}

/// What two particles did to each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Contact<const D: usize> {
    /// Newton seconds; never negative.
    pub impulse: f64,
    /// From the second to the first, along which they meet, and its length, in metres or metres per second.
    apart: [f64; D],
    length: f64,
    /// Distance of the centres, in metres.
    pub distance: f64,
    /// Kinetic energy lost, in joules.
    pub dissipated: f64,
}

/// Changes the velocities of two particles in contact. `apart` is the first centre minus the second; points at the same place
/// meet along their relative velocity.
///
/// The relative velocity along it is reversed and scaled by the restitution (PBPhys equations 7 and 8). A pair that
/// does not approach, because the contact only grazes, keeps its velocities.
#[inline(always)]
pub(super) fn collide<const D: usize>(
    mut apart: [f64; D],
    velocities: [&mut [f64; D]; 2],
    partners: [Partner; 2],
    restitution: f64,
) -> Contact<D> {
    let [first, second] = velocities;
    let (mut square, mut approach) = (0.0, 0.0);
    for k in 0..D {
        square += apart[k] * apart[k];
        approach += apart[k] * (first[k] - second[k]);
    }
    let distance = square.sqrt();
    let mut length = distance;
    if square == 0.0 {
        for k in 0..D {
            apart[k] = second[k] - first[k];
            square += apart[k] * apart[k];
        }
        approach = -square;
        length = square.sqrt();
    }
    if !(approach < 0.0 && square > 0.0) {
        return Contact { impulse: 0.0, apart, length, distance, dissipated: 0.0 };
    }
    let change = (1.0 + restitution) * approach / square;
    let [first_share, second_share] = shares(partners);
    for k in 0..D {
        first[k] -= first_share * change * apart[k];
        second[k] += second_share * change * apart[k];
    }
    let [one, other] = partners;
    let reduced = if one.fixed { other.mass } else { first_share * one.mass };
    let lost = 1.0 - restitution * restitution;
    let dissipated = 0.5 * reduced * lost * (approach * approach / square);
    Contact { impulse: -change * reduced * length, apart, length, distance, dissipated }
}

impl<const D: usize> Contact<D> {
    /// Unit vector from the second to the first, along which they meet; 0 if there is none.
    ///
    /// A method, so that its quotients are spared where nobody asks for them.
    #[inline(always)]
    pub(super) fn normal(&self) -> [f64; D] {
        let mut normal = self.apart;
        for x in &mut normal {
            *x = if self.length > 0.0 { *x / self.length } else { 0.0 };
        }
        normal
    }
}

/// Which part of the change of the relative velocity each takes; by quotients, so that no sum of masses overflows.
#[inline(always)]
fn shares([one, other]: [Partner; 2]) -> [f64; 2] {
    match (one.fixed, other.fixed) {
        (true, _) => [0.0, 1.0],
        (_, true) => [1.0, 0.0],
        _ if one.mass == other.mass => [0.5, 0.5],
        _ => [1.0 / (1.0 + one.mass / other.mass), 1.0 / (1.0 + other.mass / one.mass)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unequal_masses_leave_as_in_the_document() {
        let (mut first, mut second) = ([0.1, 0.0], [-0.1, 0.0]);
        let partners = [Partner { mass: 0.02, fixed: false }, Partner { mass: 0.01, fixed: false }];
        let contact = collide([-0.03, 0.0], [&mut first, &mut second], partners, 1.0);
        assert!((first[0] + 0.1 / 3.0).abs() < 1e-15 && (second[0] - 0.5 / 3.0).abs() < 1e-15);
        assert!((contact.impulse - 0.02 * (0.1 + 0.1 / 3.0)).abs() < 1e-15);
        assert_eq!((contact.distance, contact.dissipated), (0.03, 0.0));
    }

    #[test]
    fn restitution_takes_energy() {
        let (mut first, mut second) = ([1.0], [-1.0]);
        let partners = [Partner { mass: 2.0, fixed: false }; 2];
        let contact = collide([-1.0], [&mut first, &mut second], partners, 0.5);
        assert_eq!((first, second), ([-0.5], [0.5]));
        assert_eq!(contact.dissipated, 2.0 - 0.5);
        assert_eq!(contact.impulse, 3.0);
    }

    #[test]
    fn a_fixed_partner_is_a_wall() {
        let (mut first, mut second) = ([0.0], [-3.0]);
        let partners = [Partner { mass: 1.0, fixed: true }, Partner { mass: 2.0, fixed: false }];
        let contact = collide([-1.0], [&mut first, &mut second], partners, 1.0);
        assert_eq!((first, second, contact.impulse), ([0.0], [3.0], 12.0));
    }

    #[test]
    fn points_at_the_same_place_exchange_their_velocities() {
        let (mut first, mut second) = ([2.0], [-1.0]);
        let contact =
            collide([0.0], [&mut first, &mut second], [Partner { mass: 1.0, fixed: false }; 2], 1.0);
        assert_eq!((first, second, contact.impulse, contact.normal()), ([-1.0], [2.0], 3.0, [-1.0]));
    }

    #[test]
    fn separating_particles_are_left_alone() {
        let (mut first, mut second) = ([-1.0], [1.0]);
        let contact =
            collide([-1.0], [&mut first, &mut second], [Partner { mass: 1.0, fixed: false }; 2], 1.0);
        assert_eq!((first, second, contact.impulse), ([-1.0], [1.0], 0.0));
    }
}
