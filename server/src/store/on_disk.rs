//! A bundle's file.

use std::{fs::File, io, os::unix::fs::FileExt};

use meshmark_core::bundle::ReadAt;

/// A file of which only what is asked for is read.
#[derive(Debug)]
pub struct OnDisk {
    file: File,
    bytes: u64,
}

impl OnDisk {
    /// An open file of this size.
    #[must_use]
    pub const fn new(file: File, bytes: u64) -> Self {
        Self { file, bytes }
    }
}

impl ReadAt for OnDisk {
    fn size(&self) -> u64 {
        self.bytes
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(buffer, offset)
    }
}
