//! What the simulation and the connections share: the newest messages, and what pages want.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use super::command::Sections;

/// Most balls that are selected by all pages together.
const MOST_SELECTED: usize = 64;

/// The newest messages; each replaces the one before it.
#[derive(Clone, Default)]
pub(super) struct Newest {
    /// Of the scene; what a connection has sent of another revision is out of date.
    pub(super) revision: u32,
    pub(super) scene: Arc<str>,
    pub(super) fixed: Arc<Vec<u8>>,
    pub(super) frame_number: u32,
    pub(super) frame: Arc<Vec<u8>>,
    pub(super) stats_number: u32,
    pub(super) stats: Arc<str>,
}

/// What a page has told about itself.
#[derive(Default)]
struct Page {
    sections: Sections,
    selected: Vec<usize>,
}

/// Who is connected.
#[derive(Default)]
struct Pages {
    all: BTreeMap<u64, Page>,
    /// The page that controls.
    controller: Option<u64>,
    next: u64,
}

/// What a page may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Role {
    pub(super) control: bool,
    /// Nobody controls.
    pub(super) free: bool,
    pub(super) pages: usize,
}

#[derive(Default)]
pub(super) struct Exchange {
    newest: Mutex<Newest>,
    pages: Mutex<Pages>,
    wants_frame: AtomicBool,
    ended: AtomicBool,
}

/// The content, also if a thread ended with it in hand: each is replaced as a whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Exchange {
    /// The newest messages.
    pub(super) fn newest(&self) -> Newest {
        lock(&self.newest).clone()
    }

    pub(super) fn publish(&self, change: impl FnOnce(&mut Newest)) {
        change(&mut lock(&self.newest));
    }

    /// A page has room for a frame.
    pub(super) fn want_frame(&self) {
        self.wants_frame.store(true, Ordering::Relaxed);
    }

    /// Whether a page has room for a frame that it has not been given.
    pub(super) fn is_frame_wanted(&self) -> bool {
        self.wants_frame.load(Ordering::Relaxed)
    }

    pub(super) fn frame_given(&self) {
        self.wants_frame.store(false, Ordering::Relaxed);
    }

    pub(super) fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// A new page; it controls if no other does.
    pub(super) fn join(&self) -> u64 {
        let mut pages = lock(&self.pages);
        let number = pages.next;
        pages.next += 1;
        pages.all.insert(number, Page::default());
        pages.controller.get_or_insert(number);
        number
    }

    pub(super) fn leave(&self, page: u64) {
        let mut pages = lock(&self.pages);
        pages.all.remove(&page);
        if pages.controller == Some(page) {
            pages.controller = None;
        }
    }

    /// Gives control to a page if no other has it.
    pub(super) fn take_control(&self, page: u64) -> bool {
        let mut pages = lock(&self.pages);
        if pages.controller.is_none() {
            pages.controller = Some(page);
        }
        pages.controller == Some(page)
    }

    pub(super) fn role(&self, page: u64) -> Role {
        let pages = lock(&self.pages);
        let controller = pages.controller;
        Role { control: controller == Some(page), free: controller.is_none(), pages: pages.all.len() }
    }

    pub(super) fn page_count(&self) -> usize {
        lock(&self.pages).all.len()
    }

    pub(super) fn set_sections(&self, page: u64, sections: Sections) {
        if let Some(page) = lock(&self.pages).all.get_mut(&page) {
            page.sections = sections;
        }
    }

    pub(super) fn select(&self, page: u64, balls: Vec<usize>) {
        if let Some(page) = lock(&self.pages).all.get_mut(&page) {
            page.selected = balls;
        }
    }

    /// What any page wants.
    pub(super) fn sections(&self) -> Sections {
        lock(&self.pages).all.values().fold(Sections::default(), |all, page| Sections {
            velocities: all.velocities || page.sections.velocities,
            speeds: all.speeds || page.sections.speeds,
            collisions: all.collisions || page.sections.collisions,
            contacts: all.contacts || page.sections.contacts,
        })
    }

    /// The balls that any page has selected.
    pub(super) fn selected(&self) -> Vec<usize> {
        let mut balls: Vec<usize> =
            lock(&self.pages).all.values().flat_map(|page| page.selected.iter().copied()).collect();
        balls.sort_unstable();
        balls.dedup();
        balls.truncate(MOST_SELECTED);
        balls
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_page_controls_until_it_leaves() {
        let exchange = Exchange::default();
        let (first, second) = (exchange.join(), exchange.join());
        assert_eq!(exchange.role(first), Role { control: true, free: false, pages: 2 });
        assert!(!exchange.role(second).control && !exchange.take_control(second));
        exchange.leave(first);
        assert_eq!(exchange.role(second), Role { control: false, free: true, pages: 1 });
        assert!(exchange.take_control(second) && exchange.role(second).control);
        let third = exchange.join();
        assert!(!exchange.role(third).control);
        exchange.leave(third);
        assert!(exchange.role(second).control);
    }

    #[test]
    fn pages_get_what_any_of_them_wants() {
        let exchange = Exchange::default();
        let (first, second) = (exchange.join(), exchange.join());
        exchange.set_sections(first, Sections { speeds: true, ..Sections::default() });
        exchange.set_sections(second, Sections { contacts: true, ..Sections::default() });
        assert_eq!(exchange.sections(), Sections { speeds: true, contacts: true, ..Sections::default() });
        exchange.select(first, vec![5, 2]);
        exchange.select(second, vec![2, 7]);
        assert_eq!(exchange.selected(), [2, 5, 7]);
        exchange.leave(first);
        assert_eq!(exchange.selected(), [2, 7]);
        assert_eq!(exchange.sections(), Sections { contacts: true, ..Sections::default() });
    }
}
