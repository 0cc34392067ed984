//! Runs one Blender program in the sandbox: program and export in one process, pictures in another, from the exported
//! mesh. What it gives back is decided from outside: exit state, limits, and the GLB as core reads it.
//!
//! - [`Runner`]: the promise; [`Blender`] keeps it
//! - `environment`: where Blender is and how it is started; `verdict`: how a trial ended; `report`: what the driver
//!   said of it

mod blender;
mod environment;
mod report;
mod verdict;

pub use blender::{Blender, Limits};
pub use environment::Backend;

use std::collections::BTreeMap;

use meshmark_core::{
    bundle::format::{Outcome, SandboxReport},
    program::Program,
    protocol::{EXEC_MESHMARK, EXEC_OFFICIAL, VIEWS_MESHMARK, VIEWS_OFFICIAL, VIEWS_QUICK},
};
use tokio_util::sync::CancellationToken;

/// Under which protocol a program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Execution {
    /// `exec/meshmark@1`: run once, export, then draw the exported mesh.
    #[default]
    Meshmark,
    /// `exec/official@1`: as the benchmark's code; pictures in the program's own scene, the mesh from a second run.
    Official,
}

impl Execution {
    /// The protocol id.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Meshmark => EXEC_MESHMARK,
            Self::Official => EXEC_OFFICIAL,
        }
    }
}

/// Which pictures are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, clap::ValueEnum)]
pub enum Views {
    /// None.
    None,
    /// Workbench, 0.2 s a view.
    #[default]
    Quick,
    /// Cycles, 32 samples, denoised, light and framing by the size of the mesh.
    Meshmark,
    /// Cycles, 64 samples, the official lights and cameras.
    Official,
}

impl Views {
    /// The protocol id; none when no picture is made.
    #[must_use]
    pub const fn id(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Quick => Some(VIEWS_QUICK),
            Self::Meshmark => Some(VIEWS_MESHMARK),
            Self::Official => Some(VIEWS_OFFICIAL),
        }
    }
}

/// What to run.
#[derive(Debug, Clone)]
pub struct Request {
    /// The program.
    pub program: Program,
    /// How.
    pub execution: Execution,
    /// Which pictures.
    pub views: Views,
}

/// Where a trial is; told as it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Blender starts and the program runs.
    Script,
    /// The scene is exported.
    Export,
    /// Pictures are made.
    Render,
}

/// A picture of the result.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// Azimuth of the camera about the up axis: 45, 135, 225 or 315.
    pub azimuth_deg: f64,
    /// The file.
    pub png: Vec<u8>,
}

/// What came of it. Failures of the program and of ours are both in `outcome`.
#[derive(Debug, Clone)]
pub struct Ran {
    /// How it ended.
    pub outcome: Outcome,
    /// The GLB, when core reads it and it has a triangle with area.
    pub mesh: Option<Vec<u8>>,
    /// The pictures, by azimuth; empty when none were wanted or they failed.
    pub views: Vec<Picture>,
    /// The program's bounded output.
    pub log: Vec<u8>,
    /// `script`, `export`, `render`: seconds of wall-clock time.
    pub seconds: BTreeMap<String, f64>,
    /// The largest summed resident memory seen.
    pub peak_memory_bytes: u64,
}

/// What a runner says of itself, for the record of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// Version of `blender`, `python`, `numpy`, ... and `python_packages_sha256`.
    pub tools: BTreeMap<String, String>,
    /// Limits in force, with the unit in the name.
    pub limits: BTreeMap<String, f64>,
    /// What keeps programs in.
    pub sandbox: SandboxReport,
    /// Resident memory that one job may take, bytes.
    pub memory_bytes: u64,
}

/// Runs programs. The real one is `Blender`; tests of other rooms bring their own.
#[async_trait::async_trait]
pub trait Runner: Send + Sync {
    /// What it is and what it allows.
    fn facts(&self) -> &Facts;

    /// Runs one program to its end. `note` is called as stages begin.
    async fn run(&self, request: &Request, note: &(dyn Fn(Stage) + Send + Sync), cancel: CancellationToken) -> Ran;
}
