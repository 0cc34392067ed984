//! The list at a zip's end, read once by ourselves: a reader that keeps entries by name never shows that one
//! stands twice.

use std::io::{self, Read, Seek, SeekFrom};

/// Signature of an entry of the list.
const ENTRY: [u8; 4] = [0x50, 0x4b, 0x01, 0x02];
/// The fixed part of an entry, bytes; three lengths stand at 28, 30 and 32.
const FIXED_BYTES: usize = 46;

/// How many entries stand in the list that begins at `start`, but no more than one above `most`.
pub(super) fn count(source: &mut (impl Read + Seek), start: u64, most: u64) -> io::Result<u64> {
    source.seek(SeekFrom::Start(start))?;
    let mut found = 0;
    while found <= most {
        let mut fixed = [0; FIXED_BYTES];
        // What follows the list is longer than a signature and shorter than an entry may be.
        source.read_exact(&mut fixed[..4])?;
        if fixed[..4] != ENTRY {
            break;
        }
        source.read_exact(&mut fixed[4..])?;
        let length = |at: usize| i64::from(u16::from_le_bytes([fixed[at], fixed[at + 1]]));
        source.seek(SeekFrom::Current(length(28) + length(30) + length(32)))?;
        found += 1;
    }
    Ok(found)
}
