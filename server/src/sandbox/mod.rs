//! Where strangers' programs run.
//!
//! - [`Sandbox`]: the promise; [`Bubblewrap`] keeps it, [`Fake`] is for tests
//! - [`Layer`]: what may be left out by name
//! - [`read_result`]: how to read what a job left, without being led elsewhere

mod bubblewrap;
mod fake;
mod layers;
mod log;
mod results;
mod seccomp;
mod usage;

pub use bubblewrap::Bubblewrap;
pub use fake::Fake;
pub use layers::Layer;
pub use results::{ResultError, read_result};

use std::{ffi::OsString, path::PathBuf, time::Duration};

use meshmark_core::bundle::format::SandboxReport;
use tokio_util::sync::CancellationToken;

/// What to run and what it may have.
#[derive(Debug, Clone)]
pub struct Job {
    /// Program and arguments, as paths inside the sandbox.
    pub argv: Vec<OsString>,
    /// The only folder it may write to. Seen inside as [`WORK`], which is also the current directory.
    pub work: PathBuf,
    /// Folders and files it may read, each at a path of its own inside.
    pub readable: Vec<Mount>,
    /// The whole environment.
    pub env: Vec<(String, String)>,
    /// What it may use.
    pub limits: Limits,
    /// A point after which it gets time of its own.
    pub milestone: Option<Milestone>,
}

/// When this file appears in the writable folder, the wall clock starts anew with another limit. A job that lies about
/// it gains that time and nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Milestone {
    /// Relative to the writable folder.
    pub file: PathBuf,
    /// From then on.
    pub wall: Duration,
}

/// The writable folder's path inside.
pub const WORK: &str = "/work";

/// Something of the host that can be read inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// Path on the host.
    pub host: PathBuf,
    /// Path inside.
    pub inside: PathBuf,
}

/// What a job may use. Each is enforced or the sandbox refuses to start.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// Wall-clock time; the whole tree is killed after it.
    pub wall: Duration,
    /// CPU time of each process.
    pub cpu: Duration,
    /// Address space of each process, bytes.
    pub address_space_bytes: u64,
    /// Resident memory of all processes together, bytes.
    pub memory_bytes: u64,
    /// Processes and threads.
    pub processes: u64,
    /// A single file's size, bytes.
    pub file_bytes: u64,
    /// Everything in the writable folder together, bytes.
    pub folder_bytes: u64,
    /// How much of stdout and stderr is kept, bytes: the first half and the last half.
    pub log_bytes: usize,
}

/// How a job ended, as seen from outside; nothing in it comes from the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The main process returned this code.
    Exited(i32),
    /// The main process was ended by this signal.
    Signalled(i32),
    /// The wall-clock limit.
    WallLimit,
    /// The CPU-time limit.
    CpuLimit,
    /// The summed memory limit.
    MemoryLimit,
    /// The writable folder grew too large.
    FolderLimit,
    /// We were asked to stop.
    Cancelled,
}

/// A job that was started and is over: nothing of it still runs.
#[derive(Debug, Clone)]
pub struct Ended {
    /// How.
    pub end: End,
    /// Its output, bounded; what was left out is said in the middle.
    pub log: Vec<u8>,
    /// How long it ran.
    pub wall: Duration,
    /// When its milestone was seen, from its start.
    pub milestone: Option<Duration>,
    /// The largest summed resident memory seen, bytes.
    pub peak_memory_bytes: u64,
}

/// Why a job could not be run. Always our failure, never the program's.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// A layer is not there and nobody said that it may be missing.
    #[error(
        "the sandbox layer `{layer}` is not available: {reason}. {}. To run without it nevertheless, say \
         `--without-layer {layer}`, or `without = [\"{layer}\"]` under `[sandbox]` of the configuration",
        layer.remedy()
    )]
    Layer {
        /// Which.
        layer: Layer,
        /// What is missing.
        reason: String,
    },
    /// There is no sandbox at all.
    #[error("there is no sandbox: {reason}. {remedy}")]
    Missing {
        /// What is missing.
        reason: String,
        /// What to do.
        remedy: &'static str,
    },
    /// The machine failed us.
    #[error("the sandbox could not {step}: {source}")]
    Io {
        /// What was tried.
        step: &'static str,
        /// Why it failed.
        source: std::io::Error,
    },
}

/// Runs jobs that nobody trusts.
#[async_trait::async_trait]
pub trait Sandbox: Send + Sync {
    /// What keeps jobs in, for the record.
    fn report(&self) -> SandboxReport;

    /// Runs one job to its end; when this returns, no process of it is left.
    ///
    /// # Errors
    /// [`SandboxError`] when the job could not be started or watched as promised.
    async fn run(&self, job: Job, cancel: CancellationToken) -> Result<Ended, SandboxError>;
}
