//! How far bodies may go before their boxes are made anew.

use super::bodies::BodiesMut;
use crate::error::{Error, Result};
use crate::soa::level::Kernel;
use crate::soa::simd::Simd;

/// Where a body may be without leaving its boxes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Reach {
    /// `[x, y, angle]` of the pose that the boxes are made around.
    pub(crate) pose: [f64; 3],
    /// How far it may be from there along both axes, in metres; negative if there are no boxes yet.
    pub(crate) limits: [f32; 2],
    /// Distance of the farthest vertex of its shapes from its centre of mass, which a turn moves, in metres.
    pub(crate) swing: f32,
}

impl Reach {
    /// Of a body whose boxes must be made anew.
    pub(crate) const NONE: Self = Self { pose: [0.0; 3], limits: [-1.0; 2], swing: 0.0 };

    /// Of an unused row.
    pub(crate) const EVERYWHERE: Self = Self { pose: [0.0; 3], limits: [f32::INFINITY; 2], swing: 0.0 };

    /// Whether there are boxes.
    pub(crate) fn is_made(&self) -> bool {
        self.limits[0] >= 0.0
    }

    pub(crate) fn from_numbers([x, y, angle, limit_x, limit_y, swing]: [f64; 6]) -> Self {
        Self { pose: [x, y, angle], limits: [limit_x as f32, limit_y as f32], swing: swing as f32 }
    }

    pub(crate) fn numbers(&self) -> [f64; 6] {
        let ([x, y, angle], [limit_x, limit_y]) = (self.pose, self.limits);
        [x, y, angle, limit_x.into(), limit_y.into(), self.swing.into()]
    }
}

/// A [`Reach`] per body, in columns. They are as long as the last step has needed them; bodies behind their end have
/// [none](Reach::NONE).
#[derive(Debug, Clone, Default)]
pub(crate) struct Reaches {
    x: Vec<f64>,
    y: Vec<f64>,
    angle: Vec<f64>,
    limit_x: Vec<f32>,
    limit_y: Vec<f32>,
    swing: Vec<f32>,
}

impl Reaches {
    pub(crate) fn len(&self) -> usize {
        self.x.len()
    }

    #[inline(always)]
    pub(crate) fn get(&self, body: usize) -> Reach {
        if body >= self.len() {
            return Reach::NONE;
        }
        Reach {
            pose: [self.x[body], self.y[body], self.angle[body]],
            limits: [self.limit_x[body], self.limit_y[body]],
            swing: self.swing[body],
        }
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, body: usize, reach: &Reach) {
        [self.x[body], self.y[body], self.angle[body]] = reach.pose;
        [self.limit_x[body], self.limit_y[body]] = reach.limits;
        self.swing[body] = reach.swing;
    }

    /// Has the boxes of a body made anew.
    pub(crate) fn forget(&mut self, body: usize) {
        if body < self.len() {
            self.set(body, &Reach::NONE);
        }
    }

    /// Grows with copies of one reach, or shrinks, to this many bodies.
    pub(crate) fn resize(&mut self, bodies: usize, reach: &Reach) -> Result<()> {
        if bodies == self.len() {
            return Ok(());
        }
        let more = bodies.saturating_sub(self.len());
        let failed = |_| Error::OutOfMemory { bytes: more * size_of::<Reach>() };
        for column in [&mut self.x, &mut self.y, &mut self.angle] {
            column.try_reserve(more).map_err(failed)?;
        }
        for column in [&mut self.limit_x, &mut self.limit_y, &mut self.swing] {
            column.try_reserve(more).map_err(failed)?;
        }
        for (column, number) in [&mut self.x, &mut self.y, &mut self.angle].into_iter().zip(reach.pose) {
            column.resize(bodies, number);
        }
        self.limit_x.resize(bodies, reach.limits[0]);
        self.limit_y.resize(bodies, reach.limits[1]);
        self.swing.resize(bodies, reach.swing);
        Ok(())
    }

    /// Bytes of memory held.
    pub(crate) fn memory_bytes(&self) -> usize {
        8 * (self.x.capacity() + self.y.capacity() + self.angle.capacity())
            + 4 * (self.limit_x.capacity() + self.limit_y.capacity() + self.swing.capacity())
    }
}

/// Bodies that are tested before one of them is looked at.
const CHUNK: usize = 32;

/// Finds the bodies that have left their boxes, or would do so in a step with the velocities that they have.
#[derive(Debug)]
pub(crate) struct FindLeaving<'a, 'b> {
    pub(crate) bodies: &'a BodiesMut<'b>,
    pub(crate) reaches: &'a Reaches,
    /// In seconds.
    pub(crate) dt: f64,
    pub(crate) leaving: &'a mut Vec<u32>,
}

impl Kernel for FindLeaving<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self { bodies, reaches, dt, leaving } = self;
        let n = bodies.len();
        let half = 0.5 * dt;
        let (x, y, angle) = (&bodies.x[..n], &bodies.y[..n], &bodies.angle[..n]);
        let (vx, vy, w) = (&bodies.velocity_x[..n], &bodies.velocity_y[..n], &bodies.angular_velocity[..n]);
        let (at_x, at_y, at_angle) = (&reaches.x[..n], &reaches.y[..n], &reaches.angle[..n]);
        let (limit_x, limit_y) = (&reaches.limit_x[..n], &reaches.limit_y[..n]);
        let swing = &reaches.swing[..n];
        let mut leaves = [false; CHUNK];
        for start in (0..n).step_by(CHUNK) {
            let len = CHUNK.min(n - start);
            let mut any = false;
            for k in 0..len {
                let row = start + k;
                let turned = farthest(angle[row] - at_angle[row], w[row] * half) * f64::from(swing[row]);
                let way_x = farthest(x[row] - at_x[row], vx[row] * half) + turned;
                let way_y = farthest(y[row] - at_y[row], vy[row] * half) + turned;
                leaves[k] = (way_x > f64::from(limit_x[row])) | (way_y > f64::from(limit_y[row]));
                any |= leaves[k];
            }
            if any {
                leaving.extend((0..len).filter(|&k| leaves[k]).map(|k| (start + k) as u32));
            }
        }
    }
}

/// The larger of the magnitudes of `from` and of `from + 2 half`.
#[inline(always)]
fn farthest(from: f64, half: f64) -> f64 {
    (from + half).abs() + half.abs()
}
