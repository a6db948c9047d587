//! Many short runs, one after the other, in the memory of the same engine.

use super::enclosure::Enclosure;
use super::engine::Engine;
use super::settings::EventSettings;
use crate::error::Result;
use crate::particles::Particles;

impl<const D: usize> Engine<D> {
    /// Restarts at world time 0 with the particles as `place` changes them and the settings that it returns: bit-identical to
    /// [`new`](Self::new) with these.
    ///
    /// After an error the only valid call is another `restart`.
    pub(crate) fn restart(
        &mut self,
        enclosure: Enclosure<D>,
        place: impl FnOnce(&mut Particles) -> Result<EventSettings>,
    ) -> Result<()> {
        let settings = place(&mut self.state.particles)?;
        self.state.restart(enclosure, settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::scenes::{Gas, SCENES, Scene};
    use crate::events::{AnyEngine, Limit};
    use crate::particles::Field;

    /// Everything observable of a run, to the bit.
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
    fn a_restarted_engine_runs_like_a_new_one() {
        restarts_like_new::<1>();
        restarts_like_new::<2>();
        restarts_like_new::<3>();
    }

    #[test]
    fn errors_leave_no_trace_after_a_restart() {
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
