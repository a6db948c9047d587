//! Few particles, in a box without periods: everyone looks at everyone, and each pair is looked at once.

use crate::events::neighbours::neighbourhood::Surroundings;
use crate::events::predict::pair::Relative;
use crate::events::schedule::plan::{Partner, Plan};
use crate::events::state::engine_state::Core;

impl<const D: usize> Core<D> {
    /// Whether a pair has one meeting at most to look for, which both see alike.
    pub(crate) fn sees_pairs_alike(&self) -> bool {
        matches!(self.surroundings, Surroundings::Everyone(margin) if margin == f64::INFINITY)
    }

    /// Makes all plans anew: the same ones that each particle would make on its own.
    pub(crate) fn plan_pairs(&mut self) {
        let rows = self.records.len();
        for row in 0..rows {
            self.plans[row] = self.plan_bounce(row);
        }
        for first in 0..rows {
            if self.mass(first) == 0.0 {
                continue;
            }
            for second in first + 1..rows {
                if self.mass(second) > 0.0 {
                    self.plan_pair(first, second);
                }
            }
        }
        for row in 0..rows {
            self.settle(row, self.plans[row]);
        }
    }

    #[inline(always)]
    fn plan_pair(&mut self, first: usize, second: usize) {
        let relative = Relative::new(&self.space, &self.records[first], &self.records[second]);
        let time = relative.meeting(self.radius(first) + self.radius(second));
        if time < f64::INFINITY {
            self.offer(first, second, time);
            self.offer(second, first, time);
        }
    }

    /// Takes a meeting into the plan of a particle if it comes first.
    fn offer(&mut self, row: usize, other: usize, time: f64) {
        let plan = Plan::new(time, Partner::ball(other), self.records[other].count());
        if !self.records[row].is_fixed() && plan.precedes(&self.plans[row], row) {
            self.plans[row] = plan;
        }
    }

    /// Whether all particles are apart, as far as a glance at a start at time 0 can tell: they are not nearer than they
    /// reach.
    pub(crate) fn are_plainly_apart(&self) -> bool {
        let radii = self.particles.radii();
        self.sees_pairs_alike()
            && (1..radii.len()).all(|first| {
                let place = &self.records[first].place;
                (0..first).all(|second| {
                    let other = &self.records[second].place;
                    let square =
                        (0..D).fold(0.0, |sum, k| sum + (place[k] - other[k]) * (place[k] - other[k]));
                    let reach = radii[first] + radii[second];
                    square >= reach * reach
                })
            })
    }
}

#[cfg(test)]
mod tests {
    use crate::events::scenes::Scene;
    use crate::events::{AnyEngine, Limit};

    /// A ball of each kind: light and heavy, at rest, fixed, without mass, in gravity or not.
    const MIXED: &str = r#"
        dimension = 2
        box = { walls = "reflecting", upper = [9, 9] }
        physics = { gravity = GRAVITY, restitution = 0.9 }
        ball = [
            { position = [1, 1], radius = 0.5, mass = 1, velocity = [1, 2] },
            { position = [3, 1], radius = 0.7, mass = 2, velocity = [-1, 3] },
            { position = [5, 5], radius = 0.3, mass = 0, velocity = [-2, -3] },
            { position = [5, 3], radius = 0.6, mass = 1, fixed = true },
            { position = [7, 8], radius = 0.5, mass = 4 },
            { position = [2, 6], radius = 0.5, mass = 1, velocity = [5, 0.5] },
        ]
    "#;

    #[test]
    fn plans_in_pairs_are_those_of_each_on_its_own() {
        for gravity in ["0", "3"] {
            let scene = Scene::from_toml(&MIXED.replace("GRAVITY", gravity), None).unwrap();
            let AnyEngine::Two(mut engine) = scene.engine().unwrap() else { panic!("two dimensions") };
            for _ in 0..60 {
                engine.run(Limit::collisions(1)).unwrap();
                let core = &mut engine.core;
                assert!(core.sees_pairs_alike());
                let now = core.clock.now();
                core.plan_pairs();
                let together = core.plans.clone();
                core.plan_alone(now);
                assert_eq!(core.plans, together);
                core.plan_all(now);
            }
        }
    }
}
