//! The calendar of planned events.

use crate::events::schedule::plan::{Partner, Plan};
use crate::events::state::huge_pages;
use crate::soa::lanes;

/// A particle and the time at which its plan falls due.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Entry {
    /// Seconds of the epoch, at least 0.
    pub time: f64,
    pub row: u32,
    pub partner: Partner,
}

impl Entry {
    /// The order in which entries fall due.
    #[inline(always)]
    fn before(&self, other: &Self) -> bool {
        self.time < other.time || self.time == other.time && self.rank() < other.rank()
    }

    #[cold]
    fn rank(&self) -> u64 {
        self.partner.rank(self.row as usize)
    }
}

/// A calendar that only appends: every day has a list of entries, sorted when the day begins.
///
/// Nothing is ever taken back: whoever takes an entry out checks whether it still holds. Entries beyond the last day
/// are not kept; when all days are over the calendar is made anew from the plans.
#[derive(Debug, Clone, Default)]
pub(crate) struct Queue {
    days: Vec<Day>,
    /// The entries of all days, in pages.
    pages: Vec<Page>,
    /// Pages of days that are over.
    spare: Vec<u32>,
    start: f64,
    /// Days a second.
    rate: f64,
    /// How many days have begun.
    begun: usize,
    /// The entries that today began with, in order, and how many of them are done.
    morning: Vec<Entry>,
    done: usize,
    /// A heap of what has come up since for today, or for days before.
    late: Vec<Entry>,
}

/// Entries of one day, and the page that was full before.
#[derive(Debug, Clone, Copy)]
struct Page {
    entries: [Entry; PAGE],
    before: u32,
}

/// The page that a day writes on, and how many entries are on it.
#[derive(Debug, Clone, Copy)]
struct Day {
    page: u32,
    len: u32,
}

const PAGE: usize = 21;
const NO_PAGE: u32 = u32::MAX;
const EMPTY: Day = Day { page: NO_PAGE, len: PAGE as u32 };
const BLANK: Entry = Entry { time: f64::INFINITY, row: 0, partner: Partner::LOOK };

/// Entries a day.
const A_DAY: usize = 256;

/// Days times entries a day over particles.
const DAYS_AHEAD: usize = 6;

/// Plans whose times are looked at to find the length of a day.
const SAMPLE: usize = 512;

impl Queue {
    /// A calendar of these plans, one for each particle; it starts with the earliest of them.
    pub(crate) fn restart(&mut self, plans: &[Plan]) {
        let particles = plans.len();
        self.forget(particles);
        self.start = plans.iter().fold(f64::INFINITY, |least, plan| least.min(plan.due));
        self.rate = 1.0 / day_length(plans, self.start);
        let days = (DAYS_AHEAD * particles / A_DAY).clamp(64, 1 << 16);
        self.days.resize(days, EMPTY);
        for (row, plan) in plans.iter().enumerate().filter(|(_, plan)| plan.due < f64::INFINITY) {
            self.push(Entry { time: plan.due, row: row as u32, partner: plan.next() });
        }
    }

    fn forget(&mut self, particles: usize) {
        self.days.clear();
        self.spare.clear();
        self.pages.clear();
        if self.pages.capacity() == 0 {
            self.pages = huge_pages::roomy(particles * 5 / 4 / PAGE);
        }
        self.morning.clear();
        self.late.clear();
        // Days that were far longer than usual, as after the start from a lattice, shall not count for ever.
        self.morning.shrink_to(A_DAY * 3 / 2);
        self.late.shrink_to(A_DAY / 4);
        (self.begun, self.done) = (0, 0);
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, entry: Entry) {
        // Casts saturate: what is before the start is due today.
        let day = ((entry.time - self.start) * self.rate) as usize;
        if day < self.begun {
            self.push_late(entry);
        } else if day < self.days.len() {
            if self.days[day].len as usize == PAGE {
                self.turn_page(day);
            }
            let Day { page, len } = &mut self.days[day];
            self.pages[*page as usize].entries[*len as usize] = entry;
            *len += 1;
        }
    }

    fn turn_page(&mut self, day: usize) {
        let before = self.days[day].page;
        let page = self.spare.pop().unwrap_or_else(|| {
            huge_pages::make_room(&mut self.pages, 1);
            self.pages.push(Page { entries: [BLANK; PAGE], before });
            (self.pages.len() - 1) as u32
        });
        self.pages[page as usize].before = before;
        self.days[day] = Day { page, len: 0 };
    }

    /// The entry that falls due first; `None` when all days are over.
    #[inline(always)]
    pub(crate) fn front(&mut self, plans: &[Plan]) -> Option<Entry> {
        loop {
            match (self.morning.get(self.done), self.late.first()) {
                (Some(planned), Some(late)) => {
                    return Some(if late.before(planned) { *late } else { *planned });
                }
                (Some(entry), None) | (None, Some(entry)) => return Some(*entry),
                (None, None) => {
                    if !self.begin_day(plans) {
                        return None;
                    }
                }
            }
        }
    }

    /// Drops the entry that [`front`](Self::front) has shown.
    #[inline(always)]
    pub(crate) fn pop(&mut self) {
        match (self.morning.get(self.done), self.late.first()) {
            (Some(planned), Some(late)) if late.before(planned) => self.pop_late(),
            (None, Some(_)) => self.pop_late(),
            _ => self.done += 1,
        }
    }

    /// An entry that is likely to come up after as many others.
    #[inline(always)]
    pub(crate) fn ahead(&self, entries: usize) -> Option<&Entry> {
        self.morning.get(self.done + entries)
    }

    #[inline(never)]
    fn begin_day(&mut self, plans: &[Plan]) -> bool {
        let next = (self.begun..self.days.len()).find(|&day| self.days[day].page != NO_PAGE);
        let Some(next) = next else {
            self.begun = self.days.len();
            return false;
        };
        self.begun = next + 1;
        self.done = 0;
        self.collect(next, plans);
        // Times are not negative: their bits are in the same order.
        self.morning.sort_unstable_by_key(|entry| entry.time.to_bits());
        self.order_ties();
        true
    }

    /// Copies the entries of a day that still hold.
    fn collect(&mut self, day: usize, plans: &[Plan]) {
        self.morning.clear();
        let Day { mut page, mut len } = std::mem::replace(&mut self.days[day], EMPTY);
        while page != NO_PAGE {
            let Page { entries, before } = &self.pages[page as usize];
            let entries = &entries[..len as usize];
            entries.iter().for_each(|entry| lanes::prefetch(plans, entry.row as usize));
            huge_pages::make_room(&mut self.morning, entries.len());
            let holds = |entry: &&Entry| plans[entry.row as usize].due.to_bits() == entry.time.to_bits();
            self.morning.extend(entries.iter().filter(holds));
            self.spare.push(page);
            (page, len) = (*before, PAGE as u32);
        }
    }

    /// Puts entries of the same time in order.
    fn order_ties(&mut self) {
        let mut start = 0;
        while start < self.morning.len() {
            let time = self.morning[start].time;
            let same = self.morning[start..].iter().take_while(|entry| entry.time == time).count();
            if same > 1 {
                self.morning[start..start + same].sort_unstable_by_key(Entry::rank);
            }
            start += same;
        }
    }

    #[inline(always)]
    fn push_late(&mut self, entry: Entry) {
        let mut at = self.late.len();
        huge_pages::make_room(&mut self.late, 1);
        self.late.push(entry);
        while at > 0 {
            let parent = (at - 1) / 2;
            if !entry.before(&self.late[parent]) {
                break;
            }
            self.late[at] = self.late[parent];
            at = parent;
        }
        self.late[at] = entry;
    }

    #[inline(always)]
    fn pop_late(&mut self) {
        let Some(last) = self.late.pop() else { return };
        if self.late.is_empty() {
            return;
        }
        let mut at = 0;
        loop {
            let mut child = 2 * at + 1;
            if child >= self.late.len() {
                break;
            }
            if child + 1 < self.late.len() && self.late[child + 1].before(&self.late[child]) {
                child += 1;
            }
            if !self.late[child].before(&last) {
                break;
            }
            self.late[at] = self.late[child];
            at = child;
        }
        self.late[at] = last;
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        (self.morning.capacity() + self.late.capacity()) * size_of::<Entry>()
            + self.pages.capacity() * size_of::<Page>()
            + self.days.capacity() * size_of::<Day>()
            + self.spare.capacity() * size_of::<u32>()
    }
}

/// How long a day is so that about [`A_DAY`] of the events that come first fall into it.
fn day_length(plans: &[Plan], start: f64) -> f64 {
    let step = (plans.len() / SAMPLE).max(1);
    let times = plans.iter().step_by(step).map(|plan| plan.due);
    let mut sample: Vec<f64> = times.filter(|time| time.is_finite()).collect();
    sample.sort_unstable_by(f64::total_cmp);
    // Up to the tenth part of the plans, most of them come true.
    let tenth = sample.len() / 10;
    let span = sample[tenth..].iter().find(|&&time| time > start).map_or(1.0, |time| time - start);
    let day = span * A_DAY as f64 / (0.1 * plans.len() as f64);
    if day.is_finite() { day.max(start * 1e-9).max(1e-280) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Seeded(u64);

    impl Seeded {
        fn uniform(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1_u64 << 53) as f64
        }
    }

    fn entry(time: f64, row: u32) -> Entry {
        Entry { time, row, partner: Partner::LOOK }
    }

    fn plans(times: &[f64]) -> Vec<Plan> {
        times.iter().map(|&time| Plan::new(time, Partner::LOOK, 0)).collect()
    }

    #[test]
    fn entries_come_out_as_from_a_sorted_list() {
        let mut random = Seeded(7);
        // Steps of a fortieth make many ties.
        let mut draw = |from: f64| from + (random.uniform() * 40.0).floor() / 40.0;
        let mut expected: Vec<Entry> = (0..3000).map(|row| entry(draw(0.0), row)).collect();
        let times: Vec<f64> = expected.iter().map(|entry| entry.time).collect();
        let mut plans = plans(&times);
        let mut queue = Queue::default();
        queue.restart(&plans);
        let mut row = 3000;
        while let Some(front) = queue.front(&plans) {
            let least =
                (0..expected.len()).reduce(|a, b| if expected[b].before(&expected[a]) { b } else { a });
            assert_eq!(front, expected.swap_remove(least.expect("as many")));
            queue.pop();
            if row < 4000 && row % 3 == 0 {
                let new = entry(draw(front.time), row);
                expected.push(new);
                plans.resize(row as usize, Plan::NOTHING);
                plans.push(Plan::new(new.time, Partner::LOOK, 0));
                queue.push(new);
            }
            row += 1;
        }
        assert!(expected.is_empty(), "{} lost", expected.len());
    }

    #[test]
    fn what_is_beyond_the_last_day_is_left_to_the_next_calendar() {
        let mut queue = Queue::default();
        let plans = plans(&[1.0, 2.0, 1e30]);
        queue.restart(&plans);
        let mut seen = Vec::new();
        while let Some(front) = queue.front(&plans) {
            seen.push(front.time);
            queue.pop();
        }
        assert_eq!(seen, [1.0, 2.0]);
    }

    #[test]
    fn entries_that_do_not_hold_are_gone_the_next_day() {
        let times: Vec<f64> = (0..2000).map(f64::from).collect();
        let mut plans = plans(&times);
        let mut queue = Queue::default();
        queue.restart(&plans);
        (0..2000).filter(|row| row % 2 == 1).for_each(|row| plans[row].due = 0.5);
        let mut seen = Vec::new();
        while let Some(front) = queue.front(&plans) {
            seen.push(front.row);
            queue.pop();
        }
        assert_eq!(seen, (0..2000).step_by(2).collect::<Vec<u32>>());
    }

    #[test]
    fn calendars_of_equal_or_no_times() {
        let mut queue = Queue::default();
        queue.restart(&[]);
        assert_eq!(queue.front(&[]), None);
        let plans = plans(&[5.0; 20]);
        queue.restart(&plans);
        for row in 0..20 {
            assert_eq!(queue.front(&plans).map(|entry| entry.row), Some(row));
            queue.pop();
        }
        assert_eq!(queue.front(&plans), None);
    }
}
