//! Particles that are added one by one and removed, through the C interface.

use std::ptr::null_mut;

use carom::capi::particles::*;

use crate::frames::ok;
use crate::report::{best_time, each, line};

const ROUNDS: usize = 30;
const COUNT: usize = 100_000;

/// A store in three dimensions as C has it.
struct Store(*mut carom_particles);

impl Store {
    fn new() -> Self {
        let mut handle = null_mut();
        // SAFETY: the arguments are what the function asks for.
        ok(unsafe { carom_particles_create(3, &raw mut handle) });
        Self(handle)
    }

    fn fill(&self) {
        // SAFETY: a handle that is not used elsewhere.
        ok(unsafe { carom_particles_clear(self.0) });
        self.add(COUNT);
    }

    fn add(&self, count: usize) {
        let (position, velocity) = ([1.0, 2.0, 3.0], [0.5, 0.25, -1.0]);
        let mut desc = std::mem::MaybeUninit::<carom_particle_desc>::uninit();
        // SAFETY: room for a description, which the call fills.
        let mut desc = unsafe {
            ok(carom_particle_desc_init(desc.as_mut_ptr(), size_of::<carom_particle_desc>()));
            desc.assume_init()
        };
        (desc.position, desc.velocity, desc.mass) = (position.as_ptr(), velocity.as_ptr(), 1.0);
        for n in 0..count {
            desc.radius = n as f64;
            // SAFETY: a description whose arrays have three numbers.
            ok(unsafe { carom_particles_add(self.0, &raw const desc, null_mut()) });
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // SAFETY: the handle is not used again.
        unsafe { carom_particles_destroy(self.0) };
    }
}

pub(crate) fn measure() {
    let store = Store::new();
    let clear = || {
        // SAFETY: a handle that is not used elsewhere.
        ok(unsafe { carom_particles_clear(store.0) });
    };
    for count in [4096, COUNT] {
        let time = best_time(ROUNDS, clear, || store.add(count));
        line(&format!("carom_particles_add, {count} times"), &each(time, count), "", "", "60 ns");
    }
    let fill = || store.fill();
    // SAFETY: a handle and an index that exists.
    let remove = || ok(unsafe { carom_particles_remove(store.0, 0) });
    let time = best_time(ROUNDS, fill, remove);
    line("carom_particles_remove(0) of 10^5", &each(time, 1), "", "", "");
    // SAFETY: as above.
    let swap_remove = || (0..1000).for_each(|_| ok(unsafe { carom_particles_swap_remove(store.0, 0) }));
    let time = best_time(ROUNDS, fill, swap_remove);
    line("carom_particles_swap_remove(0) of 10^5", &each(time, 1000), "", "", "");
    let some: Vec<usize> = (0..COUNT).step_by(10).collect();
    // SAFETY: a handle, and as many indices as the count says.
    let remove_many = || ok(unsafe { carom_particles_remove_many(store.0, some.as_ptr(), some.len()) });
    let time = best_time(ROUNDS, fill, remove_many);
    line("carom_particles_remove_many, 10^4 of 10^5", &each(time, some.len()), "", "", "");
}
