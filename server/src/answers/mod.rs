//! Where answers come from.
//!
//! - [`AnswerSource`]: the promise; [`Stored`] keeps it for answers on disk
//! - [`python`]: whether a text is a program at all

pub mod python;
mod stored;

pub use stored::{Stored, StoredError, Unfit};

use meshmark_core::{answer::Answer, bundle::format::Source, id::AttemptId, task::Task};

/// Somebody who answers.
#[async_trait::async_trait]
pub trait AnswerSource: Send + Sync {
    /// Under which names it answers, sorted.
    fn sources(&self) -> Vec<Source>;

    /// Which answers it has or would give to a task, sorted.
    fn attempts(&self, task: &Task) -> Vec<AttemptId>;

    /// One of these answers.
    ///
    /// # Errors
    /// When it can't be had; the message says why. This is our failure, not the model's.
    async fn answer(&self, id: &AttemptId, task: &Task) -> anyhow::Result<Answer>;
}
