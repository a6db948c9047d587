//! Functions of the caller that are called when shapes touch.

use std::fmt;
use std::sync::Mutex;

use super::{Arbiter, Space};
use crate::error::Result;
use crate::soa::memory;

/// A function that is called for a contact. What a `begin` or `pre_solve` returns is whether the contact has an effect.
///
/// It is in a mutex that is never locked, so that a space that is only read can be shared by threads.
pub(super) type Function = Mutex<Box<dyn FnMut(&mut Arbiter<'_>) -> bool + Send>>;

/// What happens to a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ContactEvent {
    /// The shapes begin to touch.
    Begin,
    /// The shapes touch, before impulses are found.
    PreSolve,
    /// The shapes touch, after impulses were found.
    PostSolve,
    /// The shapes cease to touch, or one of them is removed.
    Separate,
}

/// Functions that are called for contacts. What it has none for is left to the wildcard handlers of both types.
///
/// ```
/// use carom::rigid2d::{Handler, Space, SpaceSettings};
///
/// let mut space = Space::new(&SpaceSettings::default())?;
/// let ghost = Handler::new().on_begin(|arbiter| arbiter.count() == 0);
/// space.set_handler(1, 2, ghost)?;
/// # Ok::<(), carom::Error>(())
/// ```
#[derive(Default)]
pub struct Handler {
    functions: [Option<Function>; 4],
}

impl fmt::Debug for Handler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = ["begin", "pre_solve", "post_solve", "separate"];
        let there = names.iter().zip(&self.functions).filter(|(_, function)| function.is_some());
        f.debug_set().entries(there.map(|(name, _)| name)).finish()
    }
}

impl Handler {
    /// A handler without functions.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn with(mut self, event: ContactEvent, function: Function) -> Self {
        self.functions[event as usize] = Some(function);
        self
    }

    /// Calls this when the shapes begin to touch. If it returns false, the contact is ignored until they separate.
    #[must_use]
    pub fn on_begin(self, function: impl FnMut(&mut Arbiter<'_>) -> bool + Send + 'static) -> Self {
        self.with(ContactEvent::Begin, Mutex::new(Box::new(function)))
    }

    /// Calls this in every step in which the shapes touch, before impulses are found. If it returns false, the contact has no
    /// effect in this step.
    #[must_use]
    pub fn on_pre_solve(self, function: impl FnMut(&mut Arbiter<'_>) -> bool + Send + 'static) -> Self {
        self.with(ContactEvent::PreSolve, Mutex::new(Box::new(function)))
    }

    /// Calls this in every step in which the contact had an effect, after impulses were found.
    #[must_use]
    pub fn on_post_solve(self, mut function: impl FnMut(&mut Arbiter<'_>) + Send + 'static) -> Self {
        let function = move |arbiter: &mut Arbiter<'_>| {
            function(arbiter);
            true
        };
        self.with(ContactEvent::PostSolve, Mutex::new(Box::new(function)))
    }

    /// Calls this when the shapes cease to touch, also when the contact was ignored, and when one of the shapes is removed.
    #[must_use]
    pub fn on_separate(self, mut function: impl FnMut(&mut Arbiter<'_>) + Send + 'static) -> Self {
        let function = move |arbiter: &mut Arbiter<'_>| {
            function(arbiter);
            true
        };
        self.with(ContactEvent::Separate, Mutex::new(Box::new(function)))
    }

    fn is_empty(&self) -> bool {
        self.functions.iter().all(Option::is_none)
    }
}

/// A handler of a space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    Default,
    /// Place among the handlers of pairs of types.
    Pair(usize),
    /// Place among the wildcards.
    Wildcard(usize),
}

/// All handlers of a space.
#[derive(Debug, Default)]
pub(super) struct Handlers {
    default: Handler,
    /// By both types, in rising order; with them whether the first type of the handler is the larger one.
    pairs: Vec<([u64; 2], bool, Handler)>,
    /// By type, in rising order.
    wildcards: Vec<(u64, Handler)>,
    /// Whether pairs that touch must be asked again if a handler is for them.
    pub(super) changed: bool,
}

impl Handlers {
    pub(super) fn is_empty(&self) -> bool {
        self.pairs.is_empty() && self.wildcards.is_empty() && self.default.is_empty()
    }

    /// The handler of a pair of types, and whether the types must change places for it.
    pub(super) fn main(&self, types: [u64; 2]) -> (Which, bool) {
        match self.pairs.binary_search_by_key(&rising(types), |entry| entry.0) {
            Ok(place) => {
                let falls = self.pairs[place].1;
                (Which::Pair(place), types[0] != types[1] && (types[0] > types[1]) != falls)
            }
            Err(_) => (Which::Default, false),
        }
    }

    pub(super) fn wildcard(&self, collision_type: u64) -> Option<Which> {
        self.wildcards.binary_search_by_key(&collision_type, |entry| entry.0).ok().map(Which::Wildcard)
    }

    /// Whether anything is called for a pair of types.
    pub(super) fn watch(&self, types: [u64; 2]) -> bool {
        let has_main = match self.main(types).0 {
            Which::Default => !self.default.is_empty(),
            _ => true,
        };
        has_main || types.iter().any(|&of| self.wildcard(of).is_some())
    }

    fn handler_mut(&mut self, which: Which) -> &mut Handler {
        match which {
            Which::Default => &mut self.default,
            Which::Pair(place) => &mut self.pairs[place].2,
            Which::Wildcard(place) => &mut self.wildcards[place].1,
        }
    }

    /// The place of a function; it is empty while the function is called.
    pub(super) fn function(&mut self, which: Which, event: ContactEvent) -> &mut Option<Function> {
        &mut self.handler_mut(which).functions[event as usize]
    }
}

fn rising([a, b]: [u64; 2]) -> [u64; 2] {
    [a.min(b), a.max(b)]
}

impl Space {
    /// Sets the handler of all pairs of types that have no handler of their own, and returns the old one.
    pub fn set_default_handler(&mut self, handler: Handler) -> Result<Handler> {
        self.check_unlocked("set a handler")?;
        self.handlers.changed = true;
        Ok(std::mem::replace(&mut self.handlers.default, handler))
    }

    /// Sets the handler of shapes of these two types, and returns the old one. It sees the shape of the first type as A.
    pub fn set_handler(&mut self, type_a: u64, type_b: u64, handler: Handler) -> Result<Option<Handler>> {
        self.check_unlocked("set a handler")?;
        self.handlers.changed = true;
        let (types, falls) = (rising([type_a, type_b]), type_a > type_b);
        let pairs = &mut self.handlers.pairs;
        memory::reserve(pairs, 1)?;
        match pairs.binary_search_by_key(&types, |entry| entry.0) {
            Ok(place) => Ok(Some(std::mem::replace(&mut pairs[place], (types, falls, handler)).2)),
            Err(place) => {
                pairs.insert(place, (types, falls, handler));
                Ok(None)
            }
        }
    }

    /// Removes the handler of shapes of two types, in either order.
    pub fn remove_handler(&mut self, type_a: u64, type_b: u64) -> Result<Option<Handler>> {
        self.check_unlocked("remove a handler")?;
        self.handlers.changed = true;
        let pairs = &mut self.handlers.pairs;
        let place = pairs.binary_search_by_key(&rising([type_a, type_b]), |entry| entry.0);
        Ok(place.ok().map(|place| pairs.remove(place).2))
    }

    /// Sets the handler of shapes of one type with all others, and returns the old one. It sees the shape of this type as A.
    ///
    /// It is called where the handler of both types, or else the default handler, has no function. Of two wildcard handlers both
    /// are asked, and a contact has an effect if both agree. A contact of two shapes of this type is seen from both sides.
    pub fn set_wildcard_handler(&mut self, collision_type: u64, handler: Handler) -> Result<Option<Handler>> {
        self.check_unlocked("set a handler")?;
        self.handlers.changed = true;
        let wildcards = &mut self.handlers.wildcards;
        memory::reserve(wildcards, 1)?;
        match wildcards.binary_search_by_key(&collision_type, |entry| entry.0) {
            Ok(place) => Ok(Some(std::mem::replace(&mut wildcards[place].1, handler))),
            Err(place) => {
                wildcards.insert(place, (collision_type, handler));
                Ok(None)
            }
        }
    }

    /// Removes the wildcard handler of a type.
    pub fn remove_wildcard_handler(&mut self, collision_type: u64) -> Result<Option<Handler>> {
        self.check_unlocked("remove a handler")?;
        self.handlers.changed = true;
        let wildcards = &mut self.handlers.wildcards;
        let place = wildcards.binary_search_by_key(&collision_type, |entry| entry.0);
        Ok(place.ok().map(|place| wildcards.remove(place).1))
    }
}
