//! Contexts: threads that share work.

use super::failure::Result;
use super::guard::enter;
use super::handle::{create, destroy};
use super::memory::Caller;
use super::status::carom_status;
use crate::soa::Context;

/// Threads that share the work of the calls that use them.
pub struct carom_context(Context);

/// Creates a context with threads of its own. Results are bit-identical for any number of them.
///
/// The threads belong to the process that creates them: fork() does not copy them. In a child, calls that get the context or
/// whose world or spaces use it return CAROM_FORKED and change nothing; create a context there, or set none. Worlds can be
/// saved, and everything can be destroyed.
///
/// \param threads Number of threads: 0 = one per core, 1 = the calling thread, at most 1024.
/// \param context Receives the context. Destroy it with carom_context_destroy().
/// \return CAROM_OK, CAROM_OUT_OF_RANGE for too many threads, CAROM_OUT_OF_MEMORY if there is no address space for them: about
///         130 MiB when one starts, of which it keeps half; CAROM_IO if they cannot be started.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_context_create(
    threads: usize,
    context: *mut *mut carom_context,
) -> carom_status {
    entry!(create(("context", context), |_| Ok(carom_context(Context::with_threads(threads)?))))
}

/// Destroys a context; NULL does nothing. Its threads end when the last world that uses it is destroyed, too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_context_destroy(context: *mut carom_context) {
    entry!(destroy(context));
}

/// How many threads share the work.
///
/// \param threads Receives the number, at least 1.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_context_threads(
    context: *const carom_context,
    threads: *mut usize,
) -> carom_status {
    entry!(enter(|caller| {
        let out = caller.out("threads", threads)?;
        out.set(caller.object("context", context)?.0.threads());
        Ok(())
    }))
}

impl Caller {
    /// The context behind a handle; null is the calling thread.
    pub(super) fn context(&self, context: *const carom_context) -> Result<Context> {
        let context =
            self.optional("context", context)?.map_or_else(Context::serial, |handle| handle.0.clone());
        context.check()?;
        Ok(context)
    }
}
