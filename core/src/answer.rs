//! What a model said.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{id::AttemptId, program::Program};

/// One answer to one task.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Whose, to what, which sample and turn.
    pub id: AttemptId,
    /// The raw reply, or code that somebody already took out of it.
    pub content: AnswerContent,
    /// Tokens used, when known.
    pub tokens: Option<Tokens>,
    /// US dollars, when known.
    pub cost_usd: Option<f64>,
}

/// A raw reply still has to be searched for a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerContent {
    /// What the model wrote, fences and prose included.
    Response(String),
    /// A program as it is.
    Program(Program),
}

/// Token counts as providers report them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Tokens {
    /// Prompt tokens.
    pub input: u64,
    /// Visible reply tokens.
    pub output: u64,
    /// Hidden reasoning tokens.
    pub thoughts: u64,
}
