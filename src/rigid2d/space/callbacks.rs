//! When callbacks are called: in the order of the shapes of pairs, between the halves of a step and after it.

use super::arbiter::{Arbiter, ArbiterState, PairView};
use super::handlers::{ContactEvent, Handlers};
use super::step::Panicked;
use super::{BodyId, ShapeId, Space};
use crate::error::Result;
use crate::rigid2d::engine::bodies::{Kind, flag as body_flag};
use crate::rigid2d::engine::growth::bytes_of;
use crate::rigid2d::engine::pairs::flag;

/// Lists of what is to be called, kept so that a step does not allocate once they have grown.
#[derive(Debug, Default)]
pub(super) struct CallLists {
    /// Slots of pairs.
    slots: Vec<u32>,
    /// Shapes of pairs that have ceased to touch.
    ended: Vec<[u32; 2]>,
}

impl CallLists {
    /// Bytes of memory held.
    pub(super) fn memory_bytes(&self) -> usize {
        bytes_of(&self.slots) + bytes_of(&self.ended)
    }
}

impl Space {
    /// Calls something with the handlers taken out of the space, which is locked.
    fn with_handlers(&mut self, call: impl FnOnce(&mut Self, &mut Handlers)) {
        let was_locked = std::mem::replace(&mut self.locked, true);
        let mut handlers = std::mem::take(&mut self.handlers);
        call(self, &mut handlers);
        handlers.changed |= self.handlers.changed;
        self.handlers = handlers;
        self.locked = was_locked;
    }

    fn dispatch(
        &mut self,
        handlers: &mut Handlers,
        panicked: &mut Panicked,
        pair: PairView,
        event: ContactEvent,
    ) -> (bool, ArbiterState) {
        Arbiter::new(self, handlers, panicked, pair, event).dispatch()
    }

    /// Calls `begin`, `separate` and `pre_solve`, in this order, and has the engine solve what is to be solved.
    pub(super) fn call_before_solve(&mut self, panicked: &mut Panicked) {
        let changed = std::mem::take(&mut self.handlers.changed);
        self.core.engine.want_totals(!self.handlers.is_empty());
        if self.handlers.is_empty() && !changed {
            self.core.ended.clear();
            return;
        }
        let mut ended = std::mem::take(&mut self.call_lists.ended);
        ended.clear();
        ended.append(&mut self.core.ended);
        ended.extend_from_slice(self.core.engine.ended());
        ended.sort_unstable();
        self.update_watched(changed);
        self.with_handlers(|space, handlers| {
            space.call_begin(handlers, panicked);
            for &shapes in &ended {
                space.call_separate(handlers, panicked, shapes);
            }
            space.call_pre_solve(handlers, panicked);
        });
        self.call_lists.ended = ended;
    }

    /// Does something with each pair that touches and has some bits, in the order of their shapes.
    fn for_each_touching(&mut self, bits: u16, call: impl FnMut(&mut Self, u32)) {
        let mut slots = std::mem::take(&mut self.call_lists.slots);
        self.core.list_touching(bits, |_| true, &mut slots);
        self.for_each(slots, call);
    }

    /// Does something with each pair that has begun to touch.
    fn for_each_begun(&mut self, call: impl FnMut(&mut Self, u32)) {
        let mut slots = std::mem::take(&mut self.call_lists.slots);
        slots.clear();
        slots.extend_from_slice(self.core.engine.begun());
        self.for_each(slots, call);
    }

    fn for_each(&mut self, slots: Vec<u32>, mut call: impl FnMut(&mut Self, u32)) {
        for &slot in &slots {
            call(self, slot);
        }
        self.call_lists.slots = slots;
    }

    /// Marks pairs for which something is to be called: those that are new, or all.
    fn update_watched(&mut self, all: bool) {
        if all {
            self.for_each_touching(0, Self::update_watch_of);
        } else {
            self.for_each_begun(Self::update_watch_of);
        }
    }

    fn update_watch_of(&mut self, slot: u32) {
        let types =
            self.core.engine.heads()[slot as usize].shapes.map(|shape| self.core.collision_type(shape));
        let watched = self.handlers.watch(types);
        let was_watched = self.core.engine.heads()[slot as usize].flags & flag::WATCHED != 0;
        let flags = &mut self.core.engine.heads_mut()[slot as usize].flags;
        *flags = if watched { *flags | flag::WATCHED } else { *flags & !flag::WATCHED };
        if was_watched && !watched && !self.is_asleep(slot) {
            // A handler that is gone may have left it out of the step before.
            self.core.engine.resume(slot);
        }
    }

    fn call_begin(&mut self, handlers: &mut Handlers, panicked: &mut Panicked) {
        self.for_each_begun(|space, slot| {
            if space.core.engine.heads()[slot as usize].flags & flag::WATCHED == 0 {
                return;
            }
            let pair = space.core.pair_view(slot);
            let (agrees, state) = space.dispatch(handlers, panicked, pair, ContactEvent::Begin);
            if !agrees || state == ArbiterState::Ignored {
                space.ignore(slot);
            }
        });
    }

    fn ignore(&mut self, slot: u32) {
        self.core.engine.heads_mut()[slot as usize].flags |= flag::IGNORED;
        self.core.engine.skip(slot);
    }

    fn call_separate(&mut self, handlers: &mut Handlers, panicked: &mut Panicked, shapes: [u32; 2]) {
        let types = shapes.map(|shape| self.core.collision_type(shape));
        if handlers.watch(types) {
            let pair = PairView { slot: None, shapes, state: ArbiterState::Normal };
            self.dispatch(handlers, panicked, pair, ContactEvent::Separate);
        }
    }

    fn call_pre_solve(&mut self, handlers: &mut Handlers, panicked: &mut Panicked) {
        self.for_each_touching(flag::WATCHED, |space, slot| {
            let flags = space.core.engine.heads()[slot as usize].flags;
            if flags & flag::IGNORED != 0 || space.is_asleep(slot) {
                return;
            }
            let pair = space.core.pair_view(slot);
            let (agrees, state) = space.dispatch(handlers, panicked, pair, ContactEvent::PreSolve);
            if state == ArbiterState::Ignored {
                space.ignore(slot);
            } else if !agrees {
                space.core.engine.skip(slot);
            } else if !space.core.engine.is_first(slot) {
                // What begins is solved in any case, in its own order.
                space.core.engine.resume(slot);
            }
        });
    }

    /// Whether a body of a pair sleeps and none is awake.
    fn is_asleep(&self, slot: u32) -> bool {
        let columns = self.core.engine.bodies();
        let bodies = self.core.engine.heads()[slot as usize].bodies.map(|body| body as usize);
        let is_asleep = |body: usize| columns.flags()[body] & body_flag::ASLEEP != 0;
        bodies.into_iter().any(is_asleep)
            && bodies.into_iter().all(|body| columns.kind(body) != Kind::Dynamic || is_asleep(body))
    }

    /// Calls `post_solve` for contacts that had an effect.
    pub(super) fn call_post_solve(&mut self, panicked: &mut Panicked) {
        if self.handlers.is_empty() {
            return;
        }
        self.with_handlers(|space, handlers| {
            space.for_each_touching(flag::WATCHED | flag::SOLVED, |space, slot| {
                if !space.is_asleep(slot) {
                    let pair = space.core.pair_view(slot);
                    space.dispatch(handlers, panicked, pair, ContactEvent::PostSolve);
                }
            });
        });
    }

    /// Calls `separate` for contacts that are about to be removed.
    pub(super) fn call_removal(&mut self, panicked: &mut Panicked, concerned: impl Fn([u32; 2]) -> bool) {
        let mut ended = std::mem::take(&mut self.core.ended);
        let gone: Vec<[u32; 2]> = ended.extract_if(.., |shapes| concerned(*shapes)).collect();
        self.core.ended = ended;
        if self.handlers.is_empty() {
            return;
        }
        let mut pairs: Vec<PairView> = self
            .core
            .touching(0, &concerned)
            .into_iter()
            .map(|slot| PairView { state: ArbiterState::Invalidated, ..self.core.pair_view(slot) })
            .collect();
        pairs.extend(gone.into_iter().map(|shapes| PairView {
            slot: None,
            shapes,
            state: ArbiterState::Invalidated,
        }));
        pairs.sort_by_key(|pair| pair.shapes);
        self.with_handlers(|space, handlers| {
            for pair in pairs {
                space.dispatch(handlers, panicked, pair, ContactEvent::Separate);
            }
        });
    }

    /// Ends the contacts of a body, or of one of its shapes; `separate` is called for them. Where the shapes touch they begin
    /// to do so again in the next step.
    pub fn filter_arbiters(&mut self, body: BodyId, shape: Option<ShapeId>) -> Result<()> {
        self.check_unlocked("remove contacts")?;
        let body = self.body_row(body)?;
        let shape = shape.map(|shape| self.shape_row(shape)).transpose()?;
        self.core.expect_endings(body)?;
        let shapes: Vec<u32> = self
            .core
            .bodies
            .at(body)
            .shapes
            .iter()
            .copied()
            .filter(|&row| shape.is_none_or(|shape| shape == row))
            .collect();
        let mut panicked = Panicked::default();
        self.call_removal(&mut panicked, |pair| pair.iter().any(|row| shapes.contains(row)));
        for &shape in &shapes {
            self.core.engine.end_pairs_of_shape(shape);
        }
        self.core.reindex(body);
        self.core.engine.wake(body);
        self.call_post_step();
        panicked.resume();
        Ok(())
    }
}
