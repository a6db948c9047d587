//! Tests of handlers.

mod calls;
mod changes;
mod locked;
mod sensors;

use std::sync::{Arc, Mutex};

use super::*;

/// What was called, in order.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn add(&self, text: String) {
        self.0.lock().unwrap().push(text);
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }

    /// A handler that writes everything down under a name, with the types of both shapes.
    fn handler(&self, name: &'static str, begin: bool, pre_solve: bool) -> Handler {
        let write = |event: &'static str, log: Log| {
            move |arbiter: &mut Arbiter<'_>| {
                let types = arbiter
                    .shapes()
                    .map(|shape| arbiter.space().shape(shape).unwrap().material().collision_type);
                log.add(format!("{name} {event} {} {}", types[0], types[1]));
            }
        };
        let (on_begin, on_pre) = (write("begin", self.clone()), write("pre", self.clone()));
        Handler::new()
            .on_begin(move |arbiter| {
                on_begin(arbiter);
                begin
            })
            .on_pre_solve(move |arbiter| {
                on_pre(arbiter);
                pre_solve
            })
            .on_post_solve(write("post", self.clone()))
            .on_separate(write("separate", self.clone()))
    }
}

fn with_type(space: &mut Space, shape: ShapeId, collision_type: u64) {
    space.shape_mut(shape).unwrap().set_collision_type(collision_type).unwrap();
}

/// A ball of type 1 that rests on the ground of type 2.
fn scene() -> (Space, BodyId, ShapeId, ShapeId) {
    let mut space = space();
    let floor = ground(&mut space);
    with_type(&mut space, floor, 2);
    let (body, shape) = add(&mut space, [0.0, 0.5], circle(0.5));
    with_type(&mut space, shape, 1);
    (space, body, shape, floor)
}

fn lift(space: &mut Space, body: BodyId) {
    space.body_mut(body).unwrap().set_position(Vec2::new(0.0, 3.0)).unwrap();
    space.body_mut(body).unwrap().set_velocity(Vec2::ZERO).unwrap();
}
