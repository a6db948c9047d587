//! Ranks of MPI, with the crate `mpi`. Only the thread that joined calls MPI (`MPI_THREAD_FUNNELED`).

use std::collections::VecDeque;
use std::thread::sleep;

use mpi::Threading;
use mpi::environment::Universe;
use mpi::point_to_point::MatchedReceiveVec;
use mpi::request;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Source};

use super::transport::{REST, Transport};
use crate::error::{Error, Result};

/// What launchers set for the processes they start: Open MPI, PMIx (Slurm among others), and PMI (MPICH, Slurm).
const LAUNCHED: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"];

/// The ranks this process was launched with; `None` if it was started without a launcher.
pub(super) fn join() -> Result<Option<MpiTransport>> {
    if !LAUNCHED.iter().any(|name| std::env::var_os(name).is_some()) {
        return Ok(None);
    }
    let failed = |message: &str| Error::io("MPI", std::io::Error::other(message));
    let (universe, threading) = mpi::initialize_with_threading(Threading::Funneled)
        .ok_or_else(|| failed("it was initialised before"))?;
    if threading < Threading::Funneled {
        return Err(failed("it does not allow threads (MPI_THREAD_FUNNELED)"));
    }
    let world = universe.world();
    Ok(Some(MpiTransport { world, inbox: VecDeque::new(), _universe: universe }))
}

/// All ranks of the world communicator.
pub(super) struct MpiTransport {
    world: SimpleCommunicator,
    inbox: VecDeque<(usize, Vec<u8>)>,
    /// MPI is finalised when it is dropped.
    _universe: Universe,
}

/// Takes in a message that has arrived; `false` if there is none.
fn take_in(world: &SimpleCommunicator, inbox: &mut VecDeque<(usize, Vec<u8>)>) -> bool {
    let Some(message) = world.any_process().immediate_matched_probe() else { return false };
    let (bytes, status) = message.matched_receive_vec();
    inbox.push_back((status.source_rank() as usize, bytes));
    true
}

impl Transport for MpiTransport {
    fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    fn size(&self) -> usize {
        self.world.size() as usize
    }

    /// Receives while it waits: two ranks that send to each other would otherwise wait forever.
    fn send(&mut self, to: usize, bytes: &[u8]) {
        let Self { world, inbox, .. } = self;
        request::scope(|scope| {
            let mut sending = world.process_at_rank(to as i32).immediate_send(scope, bytes);
            while let Err(unfinished) = sending.test() {
                sending = unfinished;
                if !take_in(world, inbox) {
                    sleep(REST / 10);
                }
            }
        });
    }

    fn receive(&mut self) -> Option<(usize, Vec<u8>)> {
        take_in(&self.world, &mut self.inbox);
        self.inbox.pop_front()
    }

    fn abort(&mut self) {
        self.world.abort(2);
    }
}
