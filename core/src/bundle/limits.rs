//! How much of a stranger's bundle is read.

/// Bounds on what one bundle may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Entries of the zip.
    pub max_entries: u64,
    /// One entry unpacked, bytes.
    pub max_entry_bytes: u64,
    /// One of the entries that hold lines, unpacked, bytes: they are held in memory as a whole.
    pub max_lines_bytes: u64,
    /// All entries unpacked, bytes.
    pub max_total_bytes: u64,
    /// Unpacked bytes for each packed one. Deflate can't go above 1,032; text of equal lines comes close.
    pub max_ratio: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_entries: 1 << 20,
            max_entry_bytes: 1 << 30,
            max_lines_bytes: 256 << 20,
            max_total_bytes: 1 << 40,
            max_ratio: 1_032,
        }
    }
}
