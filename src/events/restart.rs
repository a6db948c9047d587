//! An engine that is used again: many short runs, one after the other, in the same memory.

use super::admission;
use super::enclosure::Enclosure;
use super::engine::Engine;
use super::neighbours::neighbour_lists::Crowd;
use super::neighbours::neighbourhood::Surroundings;
use super::schedule::plan::Plan;
use super::schedule::planner::{Quiet, Traits};
use super::settings::EventSettings;
use super::state::accumulators::{self, Sums};
use super::state::clock::Clock;
use super::state::domain::Space;
use super::state::engine_state::{self, Core};
use crate::error::Result;
use crate::particles::{Field, Particles};

impl<const D: usize> Engine<D> {
    /// Begins anew, at world time 0, with the particles that `place` makes of the present ones and the settings that it
    /// returns: the same to the bit as [`new`](Self::new) with these.
    ///
    /// After an error the engine can only be begun anew.
    pub(crate) fn restart(
        &mut self,
        enclosure: Enclosure<D>,
        place: impl FnOnce(&mut Particles) -> Result<EventSettings>,
    ) -> Result<()> {
        let settings = place(&mut self.core.particles)?;
        self.core.begin_anew(enclosure, settings)
    }
}

impl<const D: usize> Core<D> {
    /// What [`start`](Self::start) does, in the memory that is here already.
    fn begin_anew(&mut self, enclosure: Enclosure<D>, settings: EventSettings) -> Result<()> {
        admission::check(&mut self.particles, &enclosure)?;
        settings.check(&enclosure)?;
        (self.settings, self.space) = (settings, Space::new(enclosure, &settings));
        self.records.clear();
        engine_state::fill_records::<D>(&mut self.records, &self.particles);
        self.anchors.clear();
        self.anchors.extend(
            self.records.iter().map(|record| -> [f64; D] { std::array::from_fn(|k| record.place[k]) }),
        );
        self.clock = Clock::new(0.0, engine_state::crossing_time(&self.particles, &self.space));
        (self.flurry.since, self.flurry.collisions) = (0.0, 0);
        self.flurry.of_particle.clear();
        let masses = self.particles.columns(Field::Mass)[0].as_slice();
        self.sums = Sums::new(0.0, accumulators::totals(&self.space, &self.records, masses, 0.0), 0.0);
        self.plans.clear();
        self.plans.resize(self.records.len(), Plan::NOTHING);
        self.traits = Traits::new(&self.particles, &self.space);
        let crowd = Crowd::new(&self.particles, &self.records);
        self.surroundings = Surroundings::new(&self.space, crowd, 0.0);
        self.quiet = Quiet::default();
        self.plan_all(0.0);
        if self.are_plainly_apart() { Ok(()) } else { self.check_overlaps() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::scenes::{Gas, SCENES, Scene};
    use super::super::{AnyEngine, Enclosure, Limit};
    use super::*;

    /// A run and all that can be seen of it, to the bit.
    fn course<const D: usize>(engine: &mut Engine<D>, until: f64) -> String {
        let stop = engine.run(Limit { time: until, collisions: 3000 });
        format!("{stop:?} {:?} {:?}", engine.measurements(), engine.synchronise())
    }

    fn scenes(dim: usize) -> Vec<Scene> {
        let gas = |particles, seed| Gas { particles, seed, ..Gas::new(dim) }.scene().unwrap();
        let mut scenes = vec![gas(5, 1), gas(200, 2), gas(2, 3), gas(90, 4)];
        scenes.extend(SCENES.iter().map(|ready| ready.scene()).filter(|scene| scene.dim() == dim));
        let mut lossy = gas(30, 5);
        lossy.settings.restitution = 0.7;
        scenes.push(lossy);
        scenes
    }

    fn restarts_like_new<const D: usize>() {
        let mut used =
            Engine::new(Particles::new(D).unwrap(), Enclosure::<D>::open(), EventSettings::default())
                .unwrap();
        for scene in scenes(D) {
            let mut fresh = Engine::new(scene.particles.clone(), scene.walls::<D>(), scene.settings).unwrap();
            used.restart(scene.walls(), |particles| {
                particles.copy_from(&scene.particles)?;
                Ok(scene.settings)
            })
            .unwrap();
            assert_eq!(course(&mut used, scene.until), course(&mut fresh, scene.until), "{}", scene.name);
        }
    }

    #[test]
    fn an_engine_begun_anew_runs_like_a_new_one() {
        restarts_like_new::<1>();
        restarts_like_new::<2>();
        restarts_like_new::<3>();
    }

    #[test]
    fn what_went_wrong_is_forgotten() {
        let scene = Scene::named("three-balls").unwrap();
        let AnyEngine::Two(mut used) = scene.engine().unwrap() else { panic!("two dimensions") };
        let overlap = used.restart(scene.walls(), |particles| {
            particles.copy_from(&scene.particles)?;
            particles.set_value(Field::Position, 1, &[0.1, 0.151])?;
            Ok(scene.settings)
        });
        assert!(matches!(overlap, Err(crate::Error::Overlap { .. })));
        let bad = EventSettings { restitution: 2.0, ..scene.settings };
        assert!(used.restart(Enclosure::open(), |_| Ok(bad)).is_err());
        used.restart(scene.walls(), |particles| {
            particles.copy_from(&scene.particles)?;
            Ok(scene.settings)
        })
        .unwrap();
        let mut fresh = Engine::new(scene.particles.clone(), scene.walls::<2>(), scene.settings).unwrap();
        assert_eq!(course(&mut used, 1.5), course(&mut fresh, 1.5));
    }
}
