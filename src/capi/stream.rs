//! A `FILE*` of the caller as a Rust stream.

use std::io::{self, Read, Write};

use libc::FILE;

use super::failure::{Failure, Result};
use super::memory::Caller;
use crate::error::Error;

/// An open stream that belongs to the caller.
pub(super) struct Stream(*mut FILE);

impl Caller {
    /// The stream behind a pointer.
    pub(super) fn stream(&self, stream: *mut FILE) -> Result<Stream> {
        // FILE is opaque, so its alignment is not checked.
        if stream.is_null() { Err(Failure::NullPointer { argument: "stream" }) } else { Ok(Stream(stream)) }
    }
}

impl Stream {
    /// Flushes the stream, which reports errors that its buffer has hidden.
    pub(super) fn finish(mut self) -> Result<()> {
        self.flush().map_err(|error| Error::io("stream", error).into())
    }

    fn failed(&self) -> bool {
        // SAFETY: `Caller::stream` has seen that it is not null; by the rule for pointers it is open.
        unsafe { libc::ferror(self.0) != 0 }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // SAFETY: the stream is open, and `bytes` is as long as it says.
        let written = unsafe { libc::fwrite(bytes.as_ptr().cast(), 1, bytes.len(), self.0) };
        if written < bytes.len() { Err(io::Error::last_os_error()) } else { Ok(written) }
    }

    fn flush(&mut self) -> io::Result<()> {
        // SAFETY: the stream is open.
        if unsafe { libc::fflush(self.0) } != 0 || self.failed() {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }
}

impl Read for Stream {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        // SAFETY: the stream is open, and `bytes` is as long as it says.
        let read = unsafe { libc::fread(bytes.as_mut_ptr().cast(), 1, bytes.len(), self.0) };
        if read < bytes.len() && self.failed() { Err(io::Error::last_os_error()) } else { Ok(read) }
    }
}
