//! Keeps the beginning and the end of a stream, however much it carries.

use std::collections::VecDeque;

use tokio::io::{AsyncRead, AsyncReadExt};

/// The first half and the last half of what was written, and how much there was in all.
#[derive(Debug)]
pub(super) struct BoundedLog {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    half: usize,
    total: u64,
}

impl BoundedLog {
    pub(super) fn new(limit: usize) -> Self {
        Self { head: Vec::new(), tail: VecDeque::new(), half: limit / 2, total: 0 }
    }

    pub(super) fn write(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let (first, rest) = bytes.split_at(bytes.len().min(self.half - self.head.len()));
        self.head.extend_from_slice(first);
        let rest = &rest[rest.len().saturating_sub(self.half)..];
        let surplus = (self.tail.len() + rest.len()).saturating_sub(self.half);
        self.tail.drain(..surplus);
        self.tail.extend(rest);
    }

    /// What was kept; a line in the middle says how much was not.
    pub(super) fn finish(self) -> Vec<u8> {
        let mut log = self.head;
        let omitted = self.total - log.len() as u64 - self.tail.len() as u64;
        if omitted > 0 {
            log.extend_from_slice(format!("\n[... {omitted} bytes left out ...]\n").as_bytes());
        }
        log.extend(self.tail);
        log
    }

    /// Reads a stream to its end. An error of reading ends it like its end does: the writer is gone.
    pub(super) async fn fill(mut self, mut stream: impl AsyncRead + Unpin) -> Self {
        let mut buffer = vec![0; 64 << 10];
        while let Ok(n @ 1..) = stream.read(&mut buffer).await {
            self.write(&buffer[..n]);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_and_the_end_are_kept() {
        for (limit, writes, kept) in [
            (10, &["abc"][..], "abc"),
            (10, &["abcdefghij"], "abcdefghij"),
            (10, &["abcde", "fgh", "ij"], "abcdefghij"),
            (10, &["abcdefghijk"], "abcde\n[... 1 bytes left out ...]\nghijk"),
            (4, &["abcdefghijk", "l", "mn"], "ab\n[... 10 bytes left out ...]\nmn"),
            (0, &["abc"], "\n[... 3 bytes left out ...]\n"),
        ] {
            let mut log = BoundedLog::new(limit);
            writes.iter().for_each(|bytes| log.write(bytes.as_bytes()));
            assert_eq!(String::from_utf8(log.finish()).unwrap(), kept, "{limit} {writes:?}");
        }
    }
}
