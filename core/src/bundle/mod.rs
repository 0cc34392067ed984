//! The run bundle: one zip that holds a run's evidence.
//!
//! [`format`] is what stands in the files; [`write`](write::write) makes a bundle, byte for byte the same from the same run;
//! [`read`] opens one that a stranger made, one entry at a time; [`verify`] computes again what it claims, and
//! [`rerun`] says whether executing a program again gave the same.

mod central_directory;
mod fault;
pub mod format;
mod limits;
mod names;
pub mod read;
pub mod rerun;
pub mod source;
pub mod verify;
pub mod write;

pub use fault::{Fault, FaultKind};
pub use limits::Limits;
pub use read::Bundle;
pub use source::ReadAt;

/// The manifest's path.
pub const MANIFEST: &str = "manifest.json";
/// The list of hashes; its own hash is the bundle's root.
pub const HASHES: &str = "manifest-sha256.txt";
/// A task per line.
pub const ITEMS: &str = "items.jsonl";
/// An attempt per line.
pub const ATTEMPTS: &str = "attempts.jsonl";
/// Every claimed aggregate.
pub const CLAIMS: &str = "claims.json";
/// Times, memory and machine.
pub const TIMING: &str = "timing.jsonl";

/// A SHA-256 in lower-case hexadecimal digits.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest;
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
