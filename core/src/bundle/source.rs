//! Where a bundle's bytes come from: memory, a file, a browser's `Blob`. Only what is asked for is fetched.

use std::io::{self, Read, Seek, SeekFrom};

/// Bytes that can be read from any place.
pub trait ReadAt {
    /// How many there are.
    fn size(&self) -> u64;

    /// Fills `buffer` from `offset`.
    ///
    /// # Errors
    /// When they can't be fetched, all of them.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;
}

impl<T: AsRef<[u8]>> ReadAt for T {
    fn size(&self) -> u64 {
        self.as_ref().len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let bytes = self.as_ref();
        let range = usize::try_from(offset).ok().and_then(|start| Some(start..start.checked_add(buffer.len())?));
        let found = range.and_then(|range| bytes.get(range)).ok_or(io::ErrorKind::UnexpectedEof)?;
        buffer.copy_from_slice(found);
        Ok(())
    }
}

/// Reads a source from front to back, fetching in larger pieces than it is asked for.
#[derive(Debug)]
pub(super) struct Cursor<S> {
    pub source: S,
    at: u64,
    piece: Vec<u8>,
    piece_at: u64,
}

/// How much is fetched at a time, bytes: a request for each few bytes would take longer than the bytes.
const PIECE_BYTES: u64 = 64 << 10;

impl<S: ReadAt> Cursor<S> {
    pub(super) fn new(source: S) -> Self {
        Self { source, at: 0, piece: Vec::new(), piece_at: 0 }
    }
}

impl<S: ReadAt> Read for Cursor<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.source.size().saturating_sub(self.at);
        if left == 0 || buffer.is_empty() {
            return Ok(0);
        }
        let inside = self.at.checked_sub(self.piece_at).filter(|&inside| inside < self.piece.len() as u64);
        let inside = match inside {
            Some(inside) => inside as usize,
            None => {
                self.piece.resize(left.min(PIECE_BYTES) as usize, 0);
                if let Err(error) = self.source.read_at(self.at, &mut self.piece) {
                    self.piece.clear();
                    return Err(error);
                }
                self.piece_at = self.at;
                0
            }
        };
        let count = buffer.len().min(self.piece.len() - inside);
        buffer[..count].copy_from_slice(&self.piece[inside..inside + count]);
        self.at += count as u64;
        Ok(count)
    }
}

impl<S: ReadAt> Seek for Cursor<S> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.source.size().checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}
