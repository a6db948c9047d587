//! Several processes for one study: rank 0 leads, collects and writes, the others run batches.

use std::thread::sleep;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::batch::BatchResults;
use super::identity::Identity;
use super::plan::Plan;
use crate::error::{Error, Result};

/// How long a rank sleeps between two checks for messages.
pub(super) const REST: Duration = Duration::from_millis(1);

/// Processes that can send each other bytes. Messages from one to another arrive in the order they were sent.
pub(super) trait Transport {
    /// Number of this process, from 0.
    fn rank(&self) -> usize;
    /// How many processes there are.
    fn size(&self) -> usize;
    /// Sends a message. What comes in on the way is kept for [`receive`](Self::receive).
    fn send(&mut self, to: usize, bytes: &[u8]);
    /// A message that has come in, and the rank it is from.
    fn receive(&mut self) -> Option<(usize, Vec<u8>)>;
    /// Ends all processes.
    fn abort(&mut self);
}

/// Messages from rank 0 to the others.
#[derive(Serialize, Deserialize)]
pub(super) enum Order {
    /// Run a share of this plan.
    Round { identity: Box<Identity>, plan: Plan },
    /// Leave out the items from this one on.
    Cut(u64),
    /// Stop as soon as possible.
    Cancel,
    /// There is nothing left to do.
    Finish,
}

/// Messages from the others to rank 0.
#[derive(Serialize, Deserialize)]
pub(super) enum Report {
    /// Some batches.
    Batches(BatchResults),
    /// The share of the round is done, or was cancelled.
    Done,
    /// The rank has another study, which differs in this.
    Refused(String),
}

/// The processes that run a study together: MPI ranks, or this one alone.
pub struct Ranks {
    transport: Box<dyn Transport>,
    /// Whether this rank has received [`Order::Finish`].
    finished: bool,
}

impl Ranks {
    /// This process alone.
    #[must_use]
    pub fn alone() -> Self {
        Self::of(Box::new(SingleProcess))
    }

    /// The ranks of `mpirun` in a build with the feature `mpi`; otherwise this process alone. Only once in a process, and
    /// only on the thread that calls [`run_with_ranks`](super::run_with_ranks) or [`serve`](super::serve) later.
    pub fn join() -> Result<Self> {
        #[cfg(feature = "mpi")]
        if let Some(transport) = super::mpi::join()? {
            return Ok(Self::of(Box::new(transport)));
        }
        Ok(Self::alone())
    }

    pub(super) fn of(transport: Box<dyn Transport>) -> Self {
        Self { transport, finished: false }
    }

    /// Whether this process leads: it alone reports progress and writes files.
    #[must_use]
    pub fn leads(&self) -> bool {
        self.transport.rank() == 0
    }

    /// Number of this process, from 0.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.transport.rank()
    }

    /// How many processes there are.
    #[must_use]
    pub fn size(&self) -> usize {
        self.transport.size()
    }

    /// Sends an order to all other ranks.
    pub(super) fn order(&mut self, order: &Order) {
        if self.size() > 1 {
            let bytes = encode(order);
            (1..self.size()).for_each(|rank| self.transport.send(rank, &bytes));
        }
    }

    pub(super) fn next_report(&mut self) -> Result<Option<(usize, Report)>> {
        let Some((rank, bytes)) = self.transport.receive() else { return Ok(None) };
        Ok(Some((rank, decode(&bytes, rank)?)))
    }

    pub(super) fn report(&mut self, report: &Report) {
        self.transport.send(0, &encode(report));
    }

    pub(super) fn next_order(&mut self) -> Result<Option<Order>> {
        let Some((rank, bytes)) = self.transport.receive() else { return Ok(None) };
        let order = decode(&bytes, rank)?;
        self.finished |= matches!(order, Order::Finish);
        Ok(Some(order))
    }

    pub(super) fn wait_for_order(&mut self) -> Result<Order> {
        loop {
            match self.next_order()? {
                Some(order) => return Ok(order),
                None => sleep(REST),
            }
        }
    }
}

impl Drop for Ranks {
    /// Rank 0 finishes the others. It would wait for another one that ends earlier, which therefore ends all.
    fn drop(&mut self) {
        if self.leads() {
            self.order(&Order::Finish);
        } else if !self.finished {
            self.transport.abort();
        }
    }
}

fn encode<T: Serialize>(message: &T) -> Vec<u8> {
    serde_json::to_vec(message).expect("messages have nothing that JSON cannot hold")
}

fn decode<'a, T: Deserialize<'a>>(bytes: &'a [u8], rank: usize) -> Result<T> {
    serde_json::from_slice(bytes)
        .map_err(|error| Error::Mismatch { path: format!("rank {rank}"), detail: error.to_string() })
}

struct SingleProcess;

impl Transport for SingleProcess {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn send(&mut self, _to: usize, _bytes: &[u8]) {}

    fn receive(&mut self) -> Option<(usize, Vec<u8>)> {
        None
    }

    fn abort(&mut self) {}
}
