//! The event queue.

use super::{Plan, Target};
use crate::soa::huge_pages;
use crate::soa::prefetch;

/// A particle and the time of its next event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct QueueEntry {
    /// Seconds of the epoch, at least 0.
    pub time: f64,
    pub row: u32,
    pub target: Target,
}

impl QueueEntry {
    /// The order in which events are executed.
    #[inline(always)]
    fn precedes(&self, other: &Self) -> bool {
        self.time < other.time || self.time == other.time && self.rank() < other.rank()
    }

    #[cold]
    fn rank(&self) -> u64 {
        self.target.rank(self.row as usize)
    }
}

/// A calendar queue: entries go into buckets of equal width in time, and a bucket is sorted when it becomes the current one
/// (docs/methods/events.md).
///
/// Entries are never removed before their time: the reader of an entry checks whether the plan of its particle is still the
/// same. Entries beyond the last bucket are not stored; after the last bucket the queue is rebuilt from the plans.
#[derive(Debug, Clone, Default)]
pub(crate) struct Queue {
    buckets: Vec<Bucket>,
    /// The entries of all buckets, in linked chunks.
    chunks: Vec<Chunk>,
    /// Chunks of buckets that are done, for reuse.
    free_chunks: Vec<u32>,
    /// Start of the first bucket, in seconds of the epoch.
    start: f64,
    /// Buckets per second.
    rate: f64,
    /// Number of buckets up to the current one.
    opened: usize,
    /// The entries of the current bucket when it was opened, in order, and how many of them are taken.
    current: Vec<QueueEntry>,
    taken: usize,
    /// A binary heap of the entries for this bucket or earlier that came after it was opened.
    overflow: Vec<QueueEntry>,
}

/// Entries of one bucket, and the chunk that was filled before.
#[derive(Debug, Clone, Copy)]
struct Chunk {
    entries: [QueueEntry; CHUNK],
    previous: u32,
}

/// The last chunk of a bucket, and the number of entries in it.
#[derive(Debug, Clone, Copy)]
struct Bucket {
    chunk: u32,
    len: u32,
}

const CHUNK: usize = 21;
const NO_CHUNK: u32 = u32::MAX;
const EMPTY: Bucket = Bucket { chunk: NO_CHUNK, len: CHUNK as u32 };
const NO_ENTRY: QueueEntry = QueueEntry { time: f64::INFINITY, row: 0, target: Target::NEIGHBOUR_UPDATE };

/// Entries per bucket.
const BUCKET_ENTRIES: usize = 256;

/// Buckets times entries per bucket, over the number of particles.
const BUCKET_SPAN: usize = 6;

/// Number of plans from whose times the width of a bucket is estimated.
const SAMPLE: usize = 512;

impl Queue {
    /// Fills the queue with these plans, one per particle; it starts with the earliest of them.
    pub(crate) fn rebuild(&mut self, plans: &[Plan]) {
        let particles = plans.len();
        self.clear(particles);
        self.start = plans.iter().fold(f64::INFINITY, |least, plan| least.min(plan.due));
        self.rate = 1.0 / bucket_width(plans, self.start);
        let buckets = (BUCKET_SPAN * particles / BUCKET_ENTRIES).clamp(64, 1 << 16);
        self.buckets.resize(buckets, EMPTY);
        for (row, plan) in plans.iter().enumerate().filter(|(_, plan)| plan.due < f64::INFINITY) {
            self.push(QueueEntry { time: plan.due, row: row as u32, target: plan.next() });
        }
    }

    fn clear(&mut self, particles: usize) {
        self.buckets.clear();
        self.free_chunks.clear();
        self.chunks.clear();
        if self.chunks.capacity() == 0 {
            self.chunks = huge_pages::with_capacity(particles * 5 / 4 / CHUNK);
        }
        self.current.clear();
        self.overflow.clear();
        // Release the memory of unusually full buckets, as at the start from a lattice.
        self.current.shrink_to(BUCKET_ENTRIES * 3 / 2);
        self.overflow.shrink_to(BUCKET_ENTRIES / 4);
        (self.opened, self.taken) = (0, 0);
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, entry: QueueEntry) {
        // The cast saturates: times before the start go to the first bucket.
        let bucket = ((entry.time - self.start) * self.rate) as usize;
        if bucket < self.opened {
            self.push_overflow(entry);
        } else if bucket < self.buckets.len() {
            if self.buckets[bucket].len as usize == CHUNK {
                self.add_chunk(bucket);
            }
            let Bucket { chunk, len } = &mut self.buckets[bucket];
            self.chunks[*chunk as usize].entries[*len as usize] = entry;
            *len += 1;
        }
    }

    fn add_chunk(&mut self, bucket: usize) {
        let previous = self.buckets[bucket].chunk;
        let chunk = self.free_chunks.pop().unwrap_or_else(|| {
            huge_pages::reserve(&mut self.chunks, 1);
            self.chunks.push(Chunk { entries: [NO_ENTRY; CHUNK], previous });
            (self.chunks.len() - 1) as u32
        });
        self.chunks[chunk as usize].previous = previous;
        self.buckets[bucket] = Bucket { chunk, len: 0 };
    }

    /// The first entry; `None` after the last bucket.
    #[inline(always)]
    pub(crate) fn front(&mut self, plans: &[Plan]) -> Option<QueueEntry> {
        loop {
            match (self.current.get(self.taken), self.overflow.first()) {
                (Some(planned), Some(overflow)) => {
                    return Some(if overflow.precedes(planned) { *overflow } else { *planned });
                }
                (Some(entry), None) | (None, Some(entry)) => return Some(*entry),
                (None, None) => {
                    if !self.open_next_bucket(plans) {
                        return None;
                    }
                }
            }
        }
    }

    /// Removes the entry that [`front`](Self::front) returned.
    #[inline(always)]
    pub(crate) fn pop(&mut self) {
        match (self.current.get(self.taken), self.overflow.first()) {
            (Some(planned), Some(overflow)) if overflow.precedes(planned) => self.pop_overflow(),
            (None, Some(_)) => self.pop_overflow(),
            _ => self.taken += 1,
        }
    }

    /// An entry that probably comes to the front after this many others.
    #[inline(always)]
    pub(crate) fn peek(&self, entries: usize) -> Option<&QueueEntry> {
        self.current.get(self.taken + entries)
    }

    #[inline(never)]
    fn open_next_bucket(&mut self, plans: &[Plan]) -> bool {
        let next = (self.opened..self.buckets.len()).find(|&bucket| self.buckets[bucket].chunk != NO_CHUNK);
        let Some(next) = next else {
            self.opened = self.buckets.len();
            return false;
        };
        self.opened = next + 1;
        self.taken = 0;
        self.collect(next, plans);
        // Times are not negative, so their bits have the same order.
        self.current.sort_unstable_by_key(|entry| entry.time.to_bits());
        self.order_ties();
        true
    }

    /// Copies the entries of a bucket whose plans have not changed.
    fn collect(&mut self, bucket: usize, plans: &[Plan]) {
        self.current.clear();
        let Bucket { mut chunk, mut len } = std::mem::replace(&mut self.buckets[bucket], EMPTY);
        while chunk != NO_CHUNK {
            let Chunk { entries, previous } = &self.chunks[chunk as usize];
            let entries = &entries[..len as usize];
            entries.iter().for_each(|entry| prefetch::near(plans, entry.row as usize));
            huge_pages::reserve(&mut self.current, entries.len());
            let holds = |entry: &&QueueEntry| plans[entry.row as usize].due.to_bits() == entry.time.to_bits();
            self.current.extend(entries.iter().filter(holds));
            self.free_chunks.push(chunk);
            (chunk, len) = (*previous, CHUNK as u32);
        }
    }

    /// Sorts entries of the same time by rank.
    fn order_ties(&mut self) {
        let mut start = 0;
        while start < self.current.len() {
            let time = self.current[start].time;
            let same = self.current[start..].iter().take_while(|entry| entry.time == time).count();
            if same > 1 {
                self.current[start..start + same].sort_unstable_by_key(QueueEntry::rank);
            }
            start += same;
        }
    }

    #[inline(always)]
    fn push_overflow(&mut self, entry: QueueEntry) {
        let mut at = self.overflow.len();
        huge_pages::reserve(&mut self.overflow, 1);
        self.overflow.push(entry);
        while at > 0 {
            let parent = (at - 1) / 2;
            if !entry.precedes(&self.overflow[parent]) {
                break;
            }
            self.overflow[at] = self.overflow[parent];
            at = parent;
        }
        self.overflow[at] = entry;
    }

    #[inline(always)]
    fn pop_overflow(&mut self) {
        let Some(last) = self.overflow.pop() else { return };
        if self.overflow.is_empty() {
            return;
        }
        let mut at = 0;
        loop {
            let mut child = 2 * at + 1;
            if child >= self.overflow.len() {
                break;
            }
            if child + 1 < self.overflow.len() && self.overflow[child + 1].precedes(&self.overflow[child]) {
                child += 1;
            }
            if !self.overflow[child].precedes(&last) {
                break;
            }
            self.overflow[at] = self.overflow[child];
            at = child;
        }
        self.overflow[at] = last;
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        (self.current.capacity() + self.overflow.capacity()) * size_of::<QueueEntry>()
            + self.chunks.capacity() * size_of::<Chunk>()
            + self.buckets.capacity() * size_of::<Bucket>()
            + self.free_chunks.capacity() * size_of::<u32>()
    }
}

/// The width of a bucket, in seconds, for about [`BUCKET_ENTRIES`] of the earliest events.
fn bucket_width(plans: &[Plan], start: f64) -> f64 {
    let step = (plans.len() / SAMPLE).max(1);
    let times = plans.iter().step_by(step).map(|plan| plan.due);
    let mut sample: Vec<f64> = times.filter(|time| time.is_finite()).collect();
    sample.sort_unstable_by(f64::total_cmp);
    // Most of the earliest tenth of the plans are executed; later ones are often replaced before.
    let tenth = sample.len() / 10;
    let span = sample[tenth..].iter().find(|&&time| time > start).map_or(1.0, |time| time - start);
    let bucket = span * BUCKET_ENTRIES as f64 / (0.1 * plans.len() as f64);
    if bucket.is_finite() { bucket.max(start * 1e-9).max(1e-280) } else { 1.0 }
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

    fn entry(time: f64, row: u32) -> QueueEntry {
        QueueEntry { time, row, target: Target::NEIGHBOUR_UPDATE }
    }

    fn plans(times: &[f64]) -> Vec<Plan> {
        times.iter().map(|&time| Plan::new(time, Target::NEIGHBOUR_UPDATE, 0)).collect()
    }

    #[test]
    fn entries_come_out_as_from_a_sorted_list() {
        let mut random = Seeded(7);
        // Steps of a fortieth make many ties.
        let mut draw = |from: f64| from + (random.uniform() * 40.0).floor() / 40.0;
        let mut expected: Vec<QueueEntry> = (0..3000).map(|row| entry(draw(0.0), row)).collect();
        let times: Vec<f64> = expected.iter().map(|entry| entry.time).collect();
        let mut plans = plans(&times);
        let mut queue = Queue::default();
        queue.rebuild(&plans);
        let mut row = 3000;
        while let Some(front) = queue.front(&plans) {
            let least =
                (0..expected.len()).reduce(|a, b| if expected[b].precedes(&expected[a]) { b } else { a });
            assert_eq!(front, expected.swap_remove(least.expect("as many")));
            queue.pop();
            if row < 4000 && row % 3 == 0 {
                let new = entry(draw(front.time), row);
                expected.push(new);
                plans.resize(row as usize, Plan::NOTHING);
                plans.push(Plan::new(new.time, Target::NEIGHBOUR_UPDATE, 0));
                queue.push(new);
            }
            row += 1;
        }
        assert!(expected.is_empty(), "{} lost", expected.len());
    }

    #[test]
    fn entries_beyond_the_last_bucket_are_left_to_the_next_rebuild() {
        let mut queue = Queue::default();
        let plans = plans(&[1.0, 2.0, 1e30]);
        queue.rebuild(&plans);
        let mut seen = Vec::new();
        while let Some(front) = queue.front(&plans) {
            seen.push(front.time);
            queue.pop();
        }
        assert_eq!(seen, [1.0, 2.0]);
    }

    #[test]
    fn entries_of_changed_plans_are_dropped_with_their_bucket() {
        let times: Vec<f64> = (0..2000).map(f64::from).collect();
        let mut plans = plans(&times);
        let mut queue = Queue::default();
        queue.rebuild(&plans);
        (0..2000).filter(|row| row % 2 == 1).for_each(|row| plans[row].due = 0.5);
        let mut seen = Vec::new();
        while let Some(front) = queue.front(&plans) {
            seen.push(front.row);
            queue.pop();
        }
        assert_eq!(seen, (0..2000).step_by(2).collect::<Vec<u32>>());
    }

    #[test]
    fn queues_of_equal_times_and_of_none() {
        let mut queue = Queue::default();
        queue.rebuild(&[]);
        assert_eq!(queue.front(&[]), None);
        let plans = plans(&[5.0; 20]);
        queue.rebuild(&plans);
        for row in 0..20 {
            assert_eq!(queue.front(&plans).map(|entry| entry.row), Some(row));
            queue.pop();
        }
        assert_eq!(queue.front(&plans), None);
    }
}
