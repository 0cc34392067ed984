//! A sandbox for tests: it runs nothing, and does to the folder what the test says.

use meshmark_core::bundle::format::SandboxReport;
use tokio_util::sync::CancellationToken;

use super::{Ended, Job, Sandbox, SandboxError};

type Play = dyn Fn(&Job) -> Result<Ended, SandboxError> + Send + Sync;

/// Plays a job instead of running it.
pub struct Fake {
    play: Box<Play>,
}

impl Fake {
    /// `play` stands for the job: it may write into the job's folder and tells how it ended.
    pub fn new(play: impl Fn(&Job) -> Result<Ended, SandboxError> + Send + Sync + 'static) -> Self {
        Self { play: Box::new(play) }
    }
}

#[async_trait::async_trait]
impl Sandbox for Fake {
    fn report(&self) -> SandboxReport {
        SandboxReport { kind: "fake".to_owned(), layers: Vec::new(), without: Vec::new() }
    }

    async fn run(&self, job: Job, _cancel: CancellationToken) -> Result<Ended, SandboxError> {
        (self.play)(&job)
    }
}
