//! The response of two particles in contact (PBPhys equations 7 and 8).

/// What a collision did, as [`World::collide`](crate::World::collide) reports it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Response {
    /// Momentum exchanged along the line of contact, in newton seconds; never negative.
    pub impulse: f64,
}

/// How one of the two particles of a contact resists a change of its velocity.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inertia {
    /// Kilograms, more than 0.
    pub(crate) mass: f64,
    /// As if the mass were infinite.
    pub(crate) fixed: bool,
}

/// What a contact did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Impact {
    /// Whether velocities changed: not if the pair does not approach or both are fixed.
    pub(crate) responds: bool,
    /// Momentum exchanged, in newton seconds; never negative.
    pub(crate) impulse: f64,
    /// Distance of the centres, in metres.
    pub(crate) distance: f64,
    /// Kinetic energy lost, in joules.
    pub(crate) dissipated: f64,
    /// Length of the line of contact.
    length: f64,
}

/// Changes the velocities of two particles in contact: the relative velocity along the line of contact is reversed and scaled
/// by the restitution `e`. Momentum is conserved, and with `e = 1` kinetic energy too; a fixed partner is the limit of
/// infinite mass.
///
/// `line` is the first centre minus the second, or a normal of contact in this direction. It becomes the line of contact, which
/// differs only for centres at the same place: these collide along their relative velocity.
#[inline(always)]
pub(crate) fn respond(
    line: &mut [f64],
    [first, second]: [&mut [f64]; 2],
    inertias: [Inertia; 2],
    restitution: f64,
) -> Impact {
    let dim = line.len();
    let (mut square, mut approach) = (0.0, 0.0);
    for k in 0..dim {
        square += line[k] * line[k];
        approach += line[k] * (first[k] - second[k]);
    }
    let distance = square.sqrt();
    let mut length = distance;
    if square == 0.0 {
        for k in 0..dim {
            line[k] = second[k] - first[k];
            square += line[k] * line[k];
        }
        approach = -square;
        length = square.sqrt();
    }
    let [one, two] = inertias;
    if !(approach < 0.0 && square > 0.0) || (one.fixed && two.fixed) {
        return Impact { responds: false, impulse: 0.0, distance, dissipated: 0.0, length };
    }
    let change = (1.0 + restitution) * approach / square;
    let [first_share, second_share] = shares(inertias);
    for k in 0..dim {
        first[k] -= first_share * change * line[k];
        second[k] += second_share * change * line[k];
    }
    let reduced_mass = if one.fixed { two.mass } else { first_share * one.mass };
    let lost = 1.0 - restitution * restitution;
    let dissipated = 0.5 * reduced_mass * lost * (approach * approach / square);
    Impact { responds: true, impulse: -change * reduced_mass * length, distance, dissipated, length }
}

/// The speed at which two particles approach each other along the line of contact, in metres per second; negative if they
/// separate. Centres at the same place approach along their relative velocity.
pub(crate) fn approach_speed(line: &[f64], first: &[f64], second: &[f64]) -> f64 {
    let (mut square, mut approach, mut relative) = (0.0, 0.0, 0.0);
    for k in 0..line.len() {
        let velocity = first[k] - second[k];
        square += line[k] * line[k];
        approach += line[k] * velocity;
        relative += velocity * velocity;
    }
    if square == 0.0 { f64::sqrt(relative) } else { -approach / f64::sqrt(square) }
}

impl Impact {
    /// Makes the line of contact a unit vector: from the second centre to the first; 0 if there is none.
    ///
    /// Not done by [`respond`], so that its quotients are spared where the normal is not needed.
    #[inline(always)]
    pub(crate) fn normalise(&self, line: &mut [f64]) {
        for x in line {
            *x = if self.length > 0.0 { *x / self.length } else { 0.0 };
        }
    }
}

/// `m_1 / (m_0 + m_1)` and `m_0 / (m_0 + m_1)`, the shares of the change of the relative velocity; by quotients, so that no
/// sum of masses overflows.
#[inline(always)]
fn shares([one, two]: [Inertia; 2]) -> [f64; 2] {
    match (one.fixed, two.fixed) {
        (true, _) => [0.0, 1.0],
        (_, true) => [1.0, 0.0],
        _ if one.mass == two.mass => [0.5, 0.5],
        _ => [1.0 / (1.0 + one.mass / two.mass), 1.0 / (1.0 + two.mass / one.mass)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FREE: [bool; 2] = [false; 2];

    /// Two particles one metre apart on axis 0; a `line` of 0 puts both at the same place.
    fn collide<const D: usize>(
        line: f64,
        masses: [f64; 2],
        fixed: [bool; 2],
        [mut first, mut second]: [[f64; D]; 2],
        restitution: f64,
    ) -> ([[f64; D]; 2], Impact, [f64; D]) {
        let mut apart = [0.0; D];
        apart[0] = line;
        let inertias = [0, 1].map(|i| Inertia { mass: masses[i], fixed: fixed[i] });
        let impact = respond(&mut apart, [&mut first, &mut second], inertias, restitution);
        impact.normalise(&mut apart);
        ([first, second], impact, apart)
    }

    #[test]
    fn equal_masses_exchange_their_normal_velocities() {
        let (velocities, impact, normal) = collide(-1.0, [1.0; 2], FREE, [[2.0, 5.0], [-1.0, 3.0]], 1.0);
        assert_eq!(velocities, [[-1.0, 5.0], [2.0, 3.0]]);
        assert_eq!(
            (impact.impulse, impact.distance, impact.dissipated, normal),
            (3.0, 1.0, 0.0, [-1.0, 0.0])
        );
    }

    #[test]
    fn unequal_masses_leave_as_in_the_document() {
        let (velocities, impact, _) = collide(-0.03, [0.02, 0.01], FREE, [[0.1, 0.0], [-0.1, 0.0]], 1.0);
        assert!((velocities[0][0] + 0.1 / 3.0).abs() < 1e-15 && (velocities[1][0] - 0.5 / 3.0).abs() < 1e-15);
        assert!((impact.impulse - 0.02 * (0.1 + 0.1 / 3.0)).abs() < 1e-15);
        assert_eq!((impact.distance, impact.dissipated), (0.03, 0.0));
    }

    #[test]
    fn a_fixed_partner_reflects() {
        let (velocities, impact, _) = collide(-1.0, [2.0, 7.0], [false, true], [[2.0, 5.0], [0.0, 0.0]], 1.0);
        assert_eq!((velocities, impact.impulse), ([[-2.0, 5.0], [0.0, 0.0]], 8.0));
        let (velocities, impact, _) = collide(-1.0, [1.0, 2.0], [true, false], [[0.0], [-3.0]], 1.0);
        assert_eq!((velocities, impact.impulse), ([[0.0], [3.0]], 12.0));
        let (velocities, ..) = collide(-1.0, [2.0, 7.0], [true, false], [[0.0, 0.0], [-4.0, 1.0]], 0.5);
        assert_eq!(velocities, [[0.0, 0.0], [2.0, 1.0]]);
    }

    #[test]
    fn restitution_below_one_takes_energy() {
        let (velocities, impact, _) = collide(-1.0, [2.0; 2], FREE, [[1.0], [-1.0]], 0.5);
        assert_eq!((velocities, impact.dissipated, impact.impulse), ([[-0.5], [0.5]], 2.0 - 0.5, 3.0));
        let (velocities, ..) = collide(-1.0, [1.0, 3.0], FREE, [[4.0, 1.0], [0.0, 0.0]], 0.0);
        assert_eq!(velocities, [[1.0, 1.0], [1.0, 0.0]]);
    }

    #[test]
    fn points_at_the_same_place_exchange_their_velocities() {
        let (velocities, impact, normal) = collide(0.0, [1.0; 2], FREE, [[2.0], [-1.0]], 1.0);
        assert_eq!((velocities, impact.impulse, normal), ([[-1.0], [2.0]], 3.0, [-1.0]));
        assert_eq!(impact.distance, 0.0);
    }

    #[test]
    fn a_pair_that_separates_rests_or_is_fixed_is_left_alone() {
        let apart = [[-1.0, 0.0], [1.0, 0.0]];
        for (line, fixed, before) in
            [(-1.0, FREE, apart), (-1.0, [true; 2], [[0.0; 2]; 2]), (0.0, FREE, [[3.0, 1.0]; 2])]
        {
            let (after, impact, _) = collide(line, [1.0; 2], fixed, before, 1.0);
            assert_eq!((after, impact.responds, impact.impulse), (before, false, 0.0));
        }
    }

    #[test]
    fn approach_is_along_the_line_of_contact() {
        assert_eq!(approach_speed(&[-2.0, 0.0], &[3.0, 5.0], &[-1.0, 7.0]), 4.0);
        assert_eq!(approach_speed(&[2.0, 0.0], &[3.0, 5.0], &[-1.0, 7.0]), -4.0);
        assert_eq!(approach_speed(&[0.0, 0.0], &[3.0, 4.0], &[0.0, 0.0]), 5.0);
    }

    #[test]
    fn masses_may_differ_by_the_whole_range() {
        let (velocities, ..) = collide(-1.0, [1e308, 1e-308], FREE, [[1.0, 0.0], [0.0, 0.0]], 1.0);
        assert_eq!(velocities, [[1.0, 0.0], [2.0, 0.0]]);
    }
}
