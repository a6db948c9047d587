//! The collisions of one step in the order of time.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use super::settings::BroadPhase;
use super::stepping::Collision;
use super::tracks::Tracks;
use super::windows;
use crate::broad::Grid;
use crate::error::Result;
use crate::geometry::Aabb;
use crate::particles::Approach;
use crate::soa::par::Divide;
use crate::soa::{Context, memory};

/// From this many particles on a grid is faster than all pairs.
const GRID_FROM: usize = 100;

/// Boxes per chunk.
const BOXES: usize = 4096;

/// Rows of all pairs per chunk.
const ROWS: usize = 16;

/// The outcome of a step.
pub(super) struct Outcome {
    /// Collisions resolved.
    pub(super) collisions: u64,
    /// Time reached, from the start of the step.
    pub(super) end: f64,
    /// Why it ended there.
    pub(super) cause: Cause,
}

/// Why a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    /// Its time is over.
    Complete,
    /// It has as many collisions as it may have.
    Limit,
    /// The observer stopped it.
    Observer,
}

/// Sees every collision of a step when it is resolved, and nothing from time to time in between; may stop the step.
pub(super) type StepObserver<'a> = dyn FnMut(Option<&Collision<'_>>) -> ControlFlow<()> + 'a;

/// A predicted collision.
#[derive(Debug, Clone, Copy)]
struct Event {
    time: f64,
    pair: [u32; 2],
    /// How often each of the two had been turned when this was predicted: if that changes the event is stale.
    turns: [u32; 2],
}

/// One step while it runs: it is cut into windows of time, and only the collisions of the present one are queued.
pub(super) struct Timeline<'a, 'b, const D: usize> {
    tracks: &'b mut Tracks<'a, D>,
    context: &'b Context,
    windows: u32,
    /// Boxes of the present window; without a grid all pairs are candidates.
    grid: Option<&'b mut SweptGrid>,
    window: Window,
    queue: BinaryHeap<Reverse<Event>>,
}

/// The boxes that particles sweep in a window, sorted into cells; kept from step to step to spare allocations.
#[derive(Debug, Default)]
pub(super) struct SweptGrid {
    boxes: Vec<Aabb<3>>,
    cells: Grid,
}

/// A stretch of the step, times from its start. All events up to `start` have been resolved.
#[derive(Debug, Clone, Copy)]
struct Window {
    start: f64,
    end: f64,
    first: bool,
}

impl<'a, 'b, const D: usize> Timeline<'a, 'b, D> {
    pub(super) fn new(
        tracks: &'b mut Tracks<'a, D>,
        grid: &'b mut SweptGrid,
        broad_phase: BroadPhase,
        context: &'b Context,
    ) -> Self {
        let uses_grid = broad_phase.uses_grid(tracks.len() as usize, GRID_FROM);
        let windows = if uses_grid { windows::count(tracks) } else { 1 };
        let grid = uses_grid.then_some(grid);
        let window = Window { start: 0.0, end: 0.0, first: true };
        Self { tracks, context, windows, grid, window, queue: BinaryHeap::new() }
    }

    /// Resolves all collisions up to the end of the step, at most `limit` of them.
    pub(super) fn run(&mut self, limit: u64, observer: &mut StepObserver) -> Result<Outcome> {
        let mut collisions = 0;
        for number in 0..self.windows {
            if number > 0 && observer(None).is_break() {
                return Ok(Outcome { collisions, end: self.window.end, cause: Cause::Observer });
            }
            self.open_window(number)?;
            self.queue = self.predict_all()?.into();
            while let Some(Reverse(event)) = self.queue.pop() {
                if self.tracks.turns(event.pair) != event.turns {
                    continue;
                }
                if collisions == limit {
                    return Ok(Outcome { collisions, end: event.time, cause: Cause::Limit });
                }
                let Some(flow) = self.resolve(&event, observer)? else { continue };
                collisions += 1;
                if flow.is_break() {
                    return Ok(Outcome { collisions, end: event.time, cause: Cause::Observer });
                }
            }
        }
        Ok(Outcome { collisions, end: self.tracks.dt(), cause: Cause::Complete })
    }

    /// The first collision of the step, which is not resolved.
    pub(super) fn first(&mut self) -> Result<Option<Approach>> {
        for number in 0..self.windows {
            self.open_window(number)?;
            // The least event has the greatest `Reverse`.
            if let Some(Reverse(first)) = self.predict_all()?.into_iter().max() {
                let [i, j] = first.pair.map(|i| i as usize);
                return Ok(Some(Approach { time: first.time, first: i, second: j }));
            }
        }
        Ok(None)
    }

    fn open_window(&mut self, number: u32) -> Result<()> {
        let part = |number: u32| self.tracks.dt() * (f64::from(number) / f64::from(self.windows));
        self.window = Window { start: part(number), end: part(number + 1), first: number == 0 };
        if let Some(grid) = &mut self.grid {
            memory::resize(&mut grid.boxes, self.tracks.len() as usize, Aabb::EMPTY)?;
            let boxes = Sweep { tracks: self.tracks, window: self.window, first: 0, boxes: &mut grid.boxes };
            self.context.run(boxes, BOXES);
            grid.cells.rebuild(&grid.boxes)?;
        }
        Ok(())
    }

    /// All collisions of the present window on the present tracks, in no particular order.
    fn predict_all(&self) -> Result<Vec<Reverse<Event>>> {
        let (tracks, window) = (&*self.tracks, self.window);
        let chunks = match &self.grid {
            Some(grid) => grid.cells.map_pairs(self.context, |pairs| {
                let mut events = FoundEvents::default();
                pairs.for_each(|i, j| events.extend(predict(tracks, window, i, j)));
                events
            }),
            None => self.context.map_chunks(tracks.len() as usize, ROWS, |rows| {
                let mut events = FoundEvents::default();
                let pairs = rows.flat_map(|i| (i as u32 + 1..tracks.len()).map(move |j| (i as u32, j)));
                pairs.for_each(|(i, j)| events.extend(predict(tracks, window, i, j)));
                events
            }),
        };
        FoundEvents::concat(chunks)
    }

    /// Resolves one collision and predicts the next ones of its pair. Returns what the observer says, if anything happened.
    fn resolve(&mut self, event: &Event, observer: &mut StepObserver) -> Result<Option<ControlFlow<()>>> {
        let Some((impulse, normal)) = self.tracks.resolve(event.pair, event.time)? else { return Ok(None) };
        let [first, second] = event.pair.map(|i| i as usize);
        let flow = observer(Some(&Collision { time: event.time, first, second, impulse, normal }));
        let moving = event.pair.map(|i| (!self.tracks.is_fixed(i)).then_some(i));
        moving.into_iter().flatten().try_for_each(|i| self.predict_again(i, event.time))?;
        Ok(Some(flow))
    }

    /// Queues the collisions of a particle that was turned at `now`.
    fn predict_again(&mut self, i: u32, now: f64) -> Result<()> {
        let (tracks, window, queue) = (&*self.tracks, self.window, &mut self.queue);
        let mut is_full = false;
        let mut consider = |j: u32| {
            let event = if j == i { None } else { predict(tracks, window, i, j) };
            if let Some(event) = event {
                is_full |= queue.len() == queue.capacity() && queue.try_reserve(1).is_err();
                if !is_full {
                    queue.push(Reverse(event));
                }
            }
        };
        match &mut self.grid {
            Some(grid) => {
                let bounds = tracks.bounds(i, now, window.end);
                grid.cells.insert(i, bounds)?;
                grid.cells.query(&bounds, consider);
            }
            None => (0..tracks.len()).for_each(&mut consider),
        }
        if is_full { Err(memory::failed::<Event>(self.queue.len())) } else { Ok(()) }
    }
}

/// The events that a thread finds.
#[derive(Default)]
struct FoundEvents {
    events: Vec<Reverse<Event>>,
    /// Whether an allocation failed, so that events are missing.
    is_incomplete: bool,
}

impl FoundEvents {
    #[inline(always)]
    fn extend(&mut self, event: Option<Event>) {
        if let Some(event) = event {
            self.is_incomplete |= memory::push(&mut self.events, Reverse(event)).is_err();
        }
    }

    /// All events, in the order of the lists.
    fn concat(lists: Vec<Self>) -> Result<Vec<Reverse<Event>>> {
        let total = lists.iter().map(|list| list.events.len()).sum();
        if lists.iter().any(|list| list.is_incomplete) {
            return Err(memory::failed::<Event>(total));
        }
        memory::collect(total, lists.into_iter().flat_map(|list| list.events))
    }
}

/// The collision of two particles on their present tracks, if it falls into the window.
#[inline(always)]
fn predict<const D: usize>(tracks: &Tracks<D>, window: Window, i: u32, j: u32) -> Option<Event> {
    let pair = [i.min(j), i.max(j)];
    let time = tracks.collision_time(pair)?;
    // Collisions of an earlier window have been resolved.
    let is_new = window.first || time > window.start;
    (is_new && time <= window.end).then(|| Event { time, pair, turns: tracks.turns(pair) })
}

/// The boxes of the particles from `first` on.
struct Sweep<'a, const D: usize> {
    tracks: &'a Tracks<'a, D>,
    window: Window,
    first: u32,
    boxes: &'a mut [Aabb<3>],
}

impl<const D: usize> Divide for Sweep<'_, D> {
    fn size(&self) -> usize {
        self.boxes.len()
    }

    fn divide(self, at: usize) -> (Self, Self) {
        let Self { tracks, window, first, boxes } = self;
        let (boxes, rest) = boxes.split_at_mut(at);
        (
            Self { tracks, window, first, boxes },
            Self { tracks, window, first: first + at as u32, boxes: rest },
        )
    }

    fn work(self) {
        for (i, bounds) in (self.first..).zip(self.boxes) {
            *bounds = self.tracks.bounds(i, self.window.start, self.window.end);
        }
    }
}

impl Event {
    fn key(&self) -> (f64, [u32; 2]) {
        (self.time, self.pair)
    }
}

/// Earlier first; at the same time the smaller pair.
impl Ord for Event {
    fn cmp(&self, other: &Self) -> Ordering {
        let ((time, pair), (other_time, other_pair)) = (self.key(), other.key());
        time.total_cmp(&other_time).then(pair.cmp(&other_pair))
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Event {}
