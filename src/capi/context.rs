//! Contexts: who does the work.

use super::guard::enter;
use super::memory::Caller;
use super::status::carom_status;
use crate::error::Result;
use crate::soa::Context;

/// Threads that share the work of the worlds and tests that use them.
pub struct carom_context(Context);

/// Creates a context with threads of its own. Results never depend on their number, to the bit.
///
/// \param threads Number of threads: 0 = one for each core, 1 = the caller's own, at most 1024.
/// \param context Receives the context. Destroy it with carom_context_destroy().
/// \return CAROM_OK, CAROM_OUT_OF_RANGE for too many threads, CAROM_IO if the system gives no threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_context_create(
    threads: usize,
    context: *mut *mut carom_context,
) -> carom_status {
    enter(|caller| {
        let out = caller.out("context", context)?;
        out.hand_over(carom_context(Context::with_threads(threads)?));
        Ok(())
    })
}

/// Destroys a context; NULL does nothing. Worlds that use it keep its threads alive until they are destroyed, too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_context_destroy(context: *mut carom_context) {
    enter(|caller| {
        drop(caller.reclaim(context));
        Ok(())
    });
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
    enter(|caller| {
        let out = caller.out("threads", threads)?;
        out.set(caller.object("context", context)?.0.threads());
        Ok(())
    })
}

impl Caller {
    /// The context behind a handle; null is the caller's own thread.
    pub(super) fn context(&self, context: *const carom_context) -> Result<Context> {
        Ok(self.optional("context", context)?.map_or_else(Context::serial, |handle| handle.0.clone()))
    }
}
