//! The elastic response of two particles in contact (PBPhys equations 7 and 8).

/// One of the two particles of a contact.
#[derive(Debug, Clone, Copy)]
pub struct Body<'a> {
    /// Centre, in metres.
    pub position: &'a [f64],
    /// Mass in kilograms, more than 0.
    pub mass: f64,
    /// Fixed: as if the mass were infinite.
    pub fixed: bool,
}

/// What a response did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Response {
    /// Momentum exchanged along the line of centres, in newton seconds; never negative.
    pub impulse: f64,
}

/// Changes the velocities of two touching particles as an elastic collision with restitution `e` does.
///
/// The component of the relative velocity along the line of centres is reversed and scaled by `e`; momentum is kept,
/// and with `e = 1` kinetic energy too. A fixed partner is the limit of infinite mass. `None`, and no change, if
/// the two do not approach, their centres coincide or both are fixed.
pub fn respond(
    first: Body,
    second: Body,
    first_velocity: &mut [f64],
    second_velocity: &mut [f64],
    restitution: f64,
) -> Option<Response> {
    let separation = |axis: usize| first.position[axis] - second.position[axis];
    let (mut square, mut approach) = (0.0, 0.0);
    for axis in 0..first.position.len() {
        square += separation(axis) * separation(axis);
        approach += (first_velocity[axis] - second_velocity[axis]) * separation(axis);
    }
    if !(approach < 0.0 && square > 0.0) || (first.fixed && second.fixed) {
        return None;
    }
    let change = (1.0 + restitution) * approach / square;
    let (first_share, second_share) = shares(first, second);
    for axis in 0..first.position.len() {
        first_velocity[axis] -= first_share * change * separation(axis);
        second_velocity[axis] += second_share * change * separation(axis);
    }
    let mass = if first.fixed { second_share * second.mass } else { first_share * first.mass };
    Some(Response { impulse: -change * mass * square.sqrt() })
}

/// `m_1 / (m_0 + m_1)` and `m_0 / (m_0 + m_1)`, which share out the change of the relative velocity; by quotients, so
/// that no sum of masses overflows.
fn shares(first: Body, second: Body) -> (f64, f64) {
    match (first.fixed, second.fixed) {
        (true, _) => (0.0, 1.0),
        (_, true) => (1.0, 0.0),
        _ => (1.0 / (1.0 + first.mass / second.mass), 1.0 / (1.0 + second.mass / first.mass)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collide(
        masses: [f64; 2],
        fixed: [bool; 2],
        velocities: [[f64; 2]; 2],
        e: f64,
    ) -> ([[f64; 2]; 2], Option<Response>) {
        let body = |i: usize, position| Body { position, mass: masses[i], fixed: fixed[i] };
        let [mut first, mut second] = velocities;
        let response = respond(body(0, &[0.0, 0.0]), body(1, &[1.0, 0.0]), &mut first, &mut second, e);
        ([first, second], response)
    }

    #[test]
    fn equal_masses_exchange_their_normal_velocities() {
        let (velocities, response) = collide([1.0; 2], [false; 2], [[2.0, 5.0], [-1.0, 3.0]], 1.0);
        assert_eq!(velocities, [[-1.0, 5.0], [2.0, 3.0]]);
        assert_eq!(response, Some(Response { impulse: 3.0 }));
    }

    #[test]
    fn a_fixed_partner_reflects() {
        let (velocities, response) = collide([2.0, 7.0], [false, true], [[2.0, 5.0], [0.0, 0.0]], 1.0);
        assert_eq!(velocities, [[-2.0, 5.0], [0.0, 0.0]]);
        assert_eq!(response, Some(Response { impulse: 8.0 }));
        let (velocities, _) = collide([2.0, 7.0], [true, false], [[0.0, 0.0], [-4.0, 1.0]], 0.5);
        assert_eq!(velocities, [[0.0, 0.0], [2.0, 1.0]]);
    }

    #[test]
    fn restitution_zero_leaves_no_relative_normal_velocity() {
        let (velocities, _) = collide([1.0, 3.0], [false; 2], [[4.0, 1.0], [0.0, 0.0]], 0.0);
        assert_eq!(velocities, [[1.0, 1.0], [1.0, 0.0]]);
    }

    #[test]
    fn a_pair_that_parts_is_left_alone() {
        let before = [[-1.0, 0.0], [1.0, 0.0]];
        assert_eq!(collide([1.0; 2], [false; 2], before, 1.0), (before, None));
        let still = [[0.0, 0.0], [0.0, 0.0]];
        assert_eq!(collide([1.0; 2], [true; 2], still, 1.0), (still, None));
    }

    #[test]
    fn masses_may_differ_by_the_whole_range() {
        let (velocities, _) = collide([1e308, 1e-308], [false; 2], [[1.0, 0.0], [0.0, 0.0]], 1.0);
        assert_eq!(velocities, [[1.0, 0.0], [2.0, 0.0]]);
    }
}
