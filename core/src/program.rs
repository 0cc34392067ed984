//! A Python program of one or several files.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A program to run: text files by relative path (with `/`), one of which is the entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Program {
    /// The file that runs as `__main__`; a key of `files`.
    pub entry: String,
    /// Path relative to the program's folder → text.
    pub files: BTreeMap<String, String>,
}

impl Program {
    /// A program of one file.
    #[must_use]
    pub fn single(entry: &str, text: &str) -> Self {
        Self { entry: entry.to_owned(), files: BTreeMap::from([(entry.to_owned(), text.to_owned())]) }
    }

    /// The text of the entry file; empty if it is missing.
    #[must_use]
    pub fn entry_text(&self) -> &str {
        self.files.get(&self.entry).map_or("", String::as_str)
    }
}
