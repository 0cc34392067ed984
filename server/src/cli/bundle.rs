//! `meshmark bundle`: a run as one file.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::{Failure, Verdict, screen::Screen};
use crate::store::{RunFolder, StoreError};

/// Write a run as one file that anybody can open and check
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  meshmark bundle runs/overnight --out overnight.run.zip")]
pub(super) struct Args {
    /// The folder of a run
    #[arg(value_name = "RUN")]
    run: PathBuf,

    /// The file; by default RUN.run.zip
    #[arg(long, value_name = "FILE.run.zip")]
    out: Option<PathBuf>,
}

pub(super) fn run(args: &Args, screen: &Screen) -> Result<Verdict, Failure> {
    let run = RunFolder::open(&args.run).map_err(in_store)?;
    let out = args.out.clone().unwrap_or_else(|| beside(&args.run));
    let root = run.write_bundle(&out).map_err(in_store)?;
    let counts = run.contents().manifest.counts;
    let document =
        json!({ "file": out, "root": root, "attempts": counts.attempts, "items": counts.items, "ours": counts.ours });
    screen.result(&document, |screen| {
        format!(
            "{}\n{} {root}\n{} {} attempts on {} tasks; {} that we failed to run",
            screen.strong(&out.display().to_string()),
            screen.faint("root hash"),
            screen.faint("holds    "),
            counts.attempts,
            counts.items,
            counts.ours
        )
    })?;
    Ok(Verdict::Done)
}

/// `RUN.run.zip` beside the folder.
pub(super) fn beside(run: &Path) -> PathBuf {
    let mut name = run.file_name().unwrap_or_else(|| "run".as_ref()).to_owned();
    name.push(".run.zip");
    run.with_file_name(name)
}

/// Whose fault a refusal is.
pub(super) fn in_store(error: StoreError) -> Failure {
    match error {
        StoreError::NotARun(_)
        | StoreError::Exists(_)
        | StoreError::InUse(_)
        | StoreError::OtherPlan { .. }
        | StoreError::Damaged { .. } => Failure::Call(error.to_string()),
        StoreError::Io { .. } | StoreError::Lines(_) | StoreError::Bundle(_) => Failure::Ours(error.into()),
    }
}
