//! A particle that falls past a fixed one: the square of their distance is a quartic in time
//! (docs/methods/contacts.md, section 6).

/// Motion with constant acceleration, relative to a fixed particle: `p(t) = d + w t + a t^2 / 2`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fall<const D: usize> {
    pub distance: [f64; D],
    pub velocity: [f64; D],
    pub acceleration: [f64; D],
}

fn dot<const D: usize>(a: [f64; D], b: [f64; D]) -> f64 {
    (0..D).fold(0.0, |sum, k| sum + a[k] * b[k])
}

impl<const D: usize> Fall<D> {
    fn position(&self, t: f64) -> [f64; D] {
        std::array::from_fn(|k| {
            self.distance[k] + self.velocity[k] * t + 0.5 * self.acceleration[k] * (t * t)
        })
    }

    fn velocity(&self, t: f64) -> [f64; D] {
        std::array::from_fn(|k| self.velocity[k] + self.acceleration[k] * t)
    }

    /// Half the rate at which the square of the distance grows.
    fn growth(&self, t: f64) -> f64 {
        dot(self.position(t), self.velocity(t))
    }

    /// Square of the distance minus that of `contact_distance`.
    fn excess(&self, contact_distance: f64, t: f64) -> f64 {
        let p = self.position(t);
        dot(p, p) - contact_distance * contact_distance
    }

    /// First time, from 0, at which the distance is at most `contact_distance` while it shrinks; infinite if never.
    ///
    /// The square of the distance is monotone between the roots of its derivative, a cubic; every interval on which
    /// it shrinks is searched in turn.
    pub(crate) fn first_contact(&self, contact_distance: f64) -> f64 {
        let turns = self.turns();
        let mut start = 0.0;
        for end in turns.into_iter().flatten() {
            let shrinks = self.growth(0.5 * (start + end)) < 0.0;
            if shrinks && self.excess(contact_distance, start) <= 0.0 {
                return start;
            }
            if shrinks && self.excess(contact_distance, end) <= 0.0 {
                return bisect(start, end, |t| self.excess(contact_distance, t) > 0.0);
            }
            start = end;
        }
        // After the last turn the distance only grows.
        f64::INFINITY
    }

    /// The positive roots of the growth, a cubic with a positive leading coefficient, in rising order.
    fn turns(&self) -> [Option<f64>; 3] {
        let (d, w, a) = (self.distance, self.velocity, self.acceleration);
        let cubic = [dot(d, w), dot(w, w) + dot(d, a), 1.5 * dot(w, a), 0.5 * dot(a, a)];
        // Cauchy's bound on the magnitude of the roots.
        let bound = 1.0 + cubic[..3].iter().fold(0.0_f64, |most, c| most.max((c / cubic[3]).abs()));
        let extrema = quadratic_roots(cubic[1], 2.0 * cubic[2], 3.0 * cubic[3]);
        let mut found = [None; 3];
        let mut start = 0.0;
        let mut count = 0;
        let inner = extrema.into_iter().flatten().filter(|&t| t > 0.0 && t < bound);
        for end in inner.chain([bound]) {
            let (low, high) = (self.growth(start), self.growth(end));
            if (low < 0.0) != (high < 0.0) {
                found[count] = Some(bisect(start, end, |t| (self.growth(t) < 0.0) == (low < 0.0)));
                count += 1;
            }
            start = end;
        }
        found
    }
}

/// The real roots of `c + b t + a t^2` with `a > 0`, in rising order.
fn quadratic_roots(c: f64, b: f64, a: f64) -> [Option<f64>; 2] {
    let discriminant = b * b - 4.0 * a * c;
    if discriminant <= 0.0 {
        return [None, None];
    }
    let q = -0.5 * (b + discriminant.sqrt().copysign(b));
    let (first, second) = (q / a, c / q);
    [Some(first.min(second)), Some(first.max(second))]
}

/// The last number before `end` up to which `before` holds; it holds at `start` and not at `end`.
///
/// Bisection to the last bit is slow but cannot fail; falls past fixed particles are rare.
fn bisect(mut start: f64, mut end: f64, before: impl Fn(f64) -> bool) -> f64 {
    loop {
        let middle = 0.5 * (start + end);
        if middle <= start || middle >= end {
            return start;
        }
        if before(middle) {
            start = middle;
        } else {
            end = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first sign change on a fine grid.
    fn by_sampling(fall: &Fall<2>, contact_distance: f64) -> Option<f64> {
        let times = (0..400_000).map(|n| f64::from(n) * 2e-5);
        let touching = |t: f64| fall.excess(contact_distance, t) <= 0.0 && fall.growth(t) < 0.0;
        times.into_iter().find(|&t| touching(t))
    }

    #[test]
    fn contacts_are_those_of_sampling() {
        let mut seed = 1_u64;
        let mut uniform = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64
        };
        let mut hits = 0;
        for _ in 0..60 {
            let mut between = |low: f64, high: f64| low + (high - low) * uniform();
            let fall = Fall {
                distance: [between(-3.0, 3.0), between(-1.0, 4.0)],
                velocity: [between(-2.0, 2.0), between(-1.0, 6.0)],
                acceleration: [0.0, -between(0.5, 10.0)],
            };
            let contact = fall.first_contact(1.0);
            match by_sampling(&fall, 1.0) {
                Some(expected) => {
                    assert!((contact - expected).abs() < 1e-4, "{fall:?}: {contact} {expected}");
                    hits += 1;
                }
                None => assert!(contact == f64::INFINITY || contact > 7.9, "{fall:?}: {contact}"),
            }
        }
        assert!(hits > 10);
    }

    #[test]
    fn a_ball_thrown_up_from_a_fixed_one_comes_back() {
        let up = Fall { distance: [0.0, 1.0], velocity: [0.0, 5.0], acceleration: [0.0, -10.0] };
        assert!((up.first_contact(1.0) - 1.0).abs() < 1e-15);
    }

    #[test]
    fn overlap_that_separates_is_a_contact_after_the_turn() {
        let up = Fall { distance: [0.0, 1.0 - 1e-9], velocity: [0.0, 1e-6], acceleration: [0.0, -10.0] };
        let contact = up.first_contact(1.0);
        assert!((contact - 1e-7).abs() < 1e-12, "{contact}");
        let down = Fall { velocity: [0.0, -1e-6], ..up };
        assert_eq!(down.first_contact(1.0), 0.0);
    }
}
