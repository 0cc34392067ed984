//! Why a bundle is not read.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What kind of fault a bundle has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// Not a zip, or one that ends too early.
    NotZip,
    /// The bytes could not be fetched.
    Source,
    /// A limit of [`super::Limits`] was reached.
    LimitExceeded,
    /// An entry's name leads outside, is not portable, or stands twice.
    BadName,
    /// An entry that a bundle must have, or that a line names, is not there.
    Missing,
    /// An entry's bytes are not what the zip says they are.
    Corrupt,
    /// A zip, but not a run of Meshmark.
    NotARun,
    /// Written by a newer version.
    Newer,
    /// JSON that isn't, or that is not of the format.
    BadJson,
    /// Lines that contradict one another.
    Contradiction,
}

/// A bundle that is not read, and why. The message says what was found and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[error("{place}: {message}")]
pub struct Fault {
    /// The kind, for programs.
    pub kind: FaultKind,
    /// Where, such as `attempts.jsonl line 7`.
    #[serde(rename = "where")]
    pub place: String,
    /// What is wrong and what to do, for people.
    pub message: String,
}

impl Fault {
    pub(super) fn new(kind: FaultKind, place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { kind, place: place.into(), message: message.into() }
    }
}
