//! Few particles in a box without periodic axes: all pairs are searched, each once.

use super::Neighbourhood;
use crate::events::predict::RelativeMotion;
use crate::events::schedule::{Plan, Target};
use crate::events::state::EngineState;

impl<const D: usize> EngineState<D> {
    /// Whether each pair has at most one contact, the same from both sides.
    pub(crate) fn has_one_contact_per_pair(&self) -> bool {
        matches!(self.neighbourhood, Neighbourhood::AllPairs(margin) if margin == f64::INFINITY)
    }

    /// Predicts all particles at once, with the same plans as [`predict_each`](Self::predict_each).
    pub(crate) fn predict_pairs(&mut self) {
        let rows = self.flights.len();
        for row in 0..rows {
            self.plans[row] = self.predict_wall(row);
        }
        for first in 0..rows {
            if self.mass(first) == 0.0 {
                continue;
            }
            for second in first + 1..rows {
                if self.mass(second) > 0.0 {
                    self.predict_pair(first, second);
                }
            }
        }
        for row in 0..rows {
            self.store_plan(row, self.plans[row]);
        }
    }

    #[inline(always)]
    fn predict_pair(&mut self, first: usize, second: usize) {
        let relative = RelativeMotion::new(&self.domain, &self.flights[first], &self.flights[second]);
        let time = relative.contact_time(self.radius(first) + self.radius(second));
        if time < f64::INFINITY {
            self.keep_earlier(first, second, time);
            self.keep_earlier(second, first, time);
        }
    }

    /// Makes a contact the plan of a particle if it comes before the present one.
    fn keep_earlier(&mut self, row: usize, other: usize, time: f64) {
        let plan = Plan::new(time, Target::ball(other), self.flights[other].event_count());
        if !self.flights[row].is_fixed() && plan.precedes(&self.plans[row], row) {
            self.plans[row] = plan;
        }
    }

    /// Whether no two particles overlap at the start of a run, by a fast test that may fail to see it.
    pub(crate) fn are_clearly_apart(&self) -> bool {
        let radii = self.particles.radii();
        self.has_one_contact_per_pair()
            && (1..radii.len()).all(|first| {
                let position = &self.flights[first].position_time;
                (0..first).all(|second| {
                    let other = &self.flights[second].position_time;
                    let square =
                        (0..D).fold(0.0, |sum, k| sum + (position[k] - other[k]) * (position[k] - other[k]));
                    let contact_distance = radii[first] + radii[second];
                    square >= contact_distance * contact_distance
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
    fn plans_of_pairs_are_those_of_each_particle_separately() {
        for gravity in ["0", "3"] {
            let scene = Scene::from_toml(&MIXED.replace("GRAVITY", gravity), None).unwrap();
            let AnyEngine::Two(mut engine) = scene.engine().unwrap() else { panic!("two dimensions") };
            for _ in 0..60 {
                engine.run(Limit::collisions(1)).unwrap();
                let state = &mut engine.state;
                assert!(state.has_one_contact_per_pair());
                let now = state.clock.now();
                state.predict_pairs();
                let together = state.plans.clone();
                state.predict_each(now);
                assert_eq!(state.plans, together);
                state.schedule_all(now);
            }
        }
    }
}
