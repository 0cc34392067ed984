//! What is asked.

use crate::{id::ItemId, program::Program};

/// A task of 3DCodeBench as its official folder holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// The folder's name, such as `Chair_seed0`.
    pub id: ItemId,
    /// The factory the shape comes from, such as `Chair`: the id up to `_seed`.
    pub category: String,
    /// `prompt_description.txt`, stripped: one paragraph.
    pub description: String,
    /// `prompt_instruction.txt`, stripped: a long structured specification; empty when there is none.
    pub instruction: String,
    /// The program that makes the reference mesh, when the folder has one.
    pub reference: Option<Program>,
}

impl Task {
    /// The category of a task by its name: everything before `_seed`.
    #[must_use]
    pub fn category_of(id: &ItemId) -> &str {
        id.as_str().split_once("_seed").map_or(id.as_str(), |(category, _)| category)
    }
}
