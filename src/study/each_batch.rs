//! Values of replicas without runner and statistics.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use super::file::Study;
use super::model::BatchColumns;
use super::summary::Reference;
use crate::error::Result;
use crate::particles::check;

impl Study {
    /// Runs these replicas of a point on this thread, and passes inputs and values of each batch, in columns, to `see`. The first
    /// replica is rounded down to a multiple of eight.
    pub fn each_batch(
        &self,
        point: usize,
        replicas: Range<u64>,
        mut see: impl FnMut(&[Vec<f64>], &[Vec<f64>]),
    ) -> Result<()> {
        let model = &self.point(point)?.model;
        let mut worker = model.worker(self.seed, point as u64);
        let (mut block, never) = (BatchColumns::default(), AtomicBool::new(false));
        let mut first = replicas.start / 8 * 8;
        while first < replicas.end {
            let end = (first + model.batch()).min(replicas.end);
            worker.run(first..end, &never, &mut block);
            see(&block.inputs, &block.values);
            first = end;
        }
        Ok(())
    }

    /// What is known about an observable at a point without sampling.
    pub fn reference(&self, point: usize, observable: usize) -> Result<Option<Reference>> {
        check::index("observable", observable, self.observables().len())?;
        Ok(self.point(point)?.model.reference(observable))
    }
}
