//! Names that people chose: tasks and answer sources. They become folder and zip entry names, so what could
//! climb out of a folder, or collide on a file system that ignores case, is refused when they are parsed.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The longest name accepted, in bytes.
pub const MAX_NAME_BYTES: usize = 120;

/// Why a string is not a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Nothing there.
    #[error("a name is empty")]
    Empty,
    /// Longer than [`MAX_NAME_BYTES`].
    #[error("the name {name:?} has {bytes} bytes; {MAX_NAME_BYTES} is the limit")]
    TooLong {
        /// The beginning of the name.
        name: String,
        /// Its length.
        bytes: usize,
    },
    /// A character that a file name can't carry everywhere.
    #[error("the name {name:?} holds {character:?}; letters, digits and . _ - + @ = , ( ) are allowed")]
    Character {
        /// The name.
        name: String,
        /// The first offender.
        character: char,
    },
    /// Begins with a dot or an underscore, which benchmark folders use for "not a task".
    #[error("the name {name:?} begins with {first:?}; begin with a letter or digit")]
    Start {
        /// The name.
        name: String,
        /// Its first character.
        first: char,
    },
}

fn check(name: &str) -> Result<(), NameError> {
    let Some(first) = name.chars().next() else {
        return Err(NameError::Empty);
    };
    if name.len() > MAX_NAME_BYTES {
        return Err(NameError::TooLong { bytes: name.len(), name: name.chars().take(40).collect() });
    }
    if let Some(character) = name.chars().find(|c| !(c.is_alphanumeric() || "._-+@=,()".contains(*c))) {
        return Err(NameError::Character { name: name.to_owned(), character });
    }
    if !first.is_alphanumeric() {
        return Err(NameError::Start { name: name.to_owned(), first });
    }
    Ok(())
}

macro_rules! name {
    ($(#[$doc:meta])* $type:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(try_from = "String", into = "String")]
        #[schemars(with = "String")]
        pub struct $type(String);

        impl $type {
            /// Parses a name.
            ///
            /// # Errors
            /// [`NameError`] when it could not be a file name everywhere.
            pub fn new(name: &str) -> Result<Self, NameError> {
                check(name)?;
                Ok(Self(name.to_owned()))
            }

            /// The name as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $type {
            type Error = NameError;
            fn try_from(name: String) -> Result<Self, NameError> {
                check(&name)?;
                Ok(Self(name))
            }
        }

        impl std::str::FromStr for $type {
            type Err = NameError;
            fn from_str(name: &str) -> Result<Self, NameError> {
                Self::new(name)
            }
        }

        impl From<$type> for String {
            fn from(name: $type) -> Self {
                name.0
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }
    };
}

name! {
    /// A task of a benchmark, such as `Chair_seed0`.
    ItemId
}
name! {
    /// Who answered: a model with its settings, such as `gemini-3-flash_image_to_3d`.
    SourceId
}

/// One try at one task: everything that names an attempt within a run. Ordered as runs are listed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct AttemptId {
    /// The task.
    pub item: ItemId,
    /// Who answered.
    pub source: SourceId,
    /// Which of several independent answers, from 0.
    pub sample: u32,
    /// Which turn of a conversation with feedback, from 0.
    pub turn: u32,
}

impl AttemptId {
    /// `item/source/sample/turn`: the attempt's folder in a bundle and its address on a page.
    #[must_use]
    pub fn path(&self) -> String {
        format!("{}/{}/{}/{}", self.item, self.source, self.sample, self.turn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_could_leave_a_folder_are_refused() {
        for (name, ok) in [
            ("Chair_seed0", true),
            ("claude-opus-4.7@high", true),
            ("名前", true),
            ("", false),
            ("..", false),
            (".hidden", false),
            ("_ignored", false),
            ("a/b", false),
            ("a\\b", false),
            ("a\0b", false),
            ("a b", false),
        ] {
            assert_eq!(ItemId::new(name).is_ok(), ok, "{name:?}");
        }
        assert!(matches!(ItemId::new(&"x".repeat(121)), Err(NameError::TooLong { .. })));
    }
}
