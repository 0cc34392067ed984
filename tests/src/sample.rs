//! Evaluates the sample set: what `cargo demo` shows and what the browser's tests open.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};

use crate::{place, screen, stamp};

/// The evaluated sample set.
#[derive(Debug, Clone)]
pub struct Sample {
    /// The folder that holds the bundle; what `meshmark serve --runs` takes.
    pub runs: PathBuf,
    /// The bundle.
    pub bundle: PathBuf,
}

/// Runs every sample answer through `program`, or finds that this was done with the same source.
///
/// # Errors
/// When the run itself fails; a sample program that fails is a result.
pub fn evaluate(program: &Path) -> Result<Sample> {
    let digest = stamp::of_source(&["core", "server", "tests/fixtures/sample", "Cargo.lock"])?;
    let runs = place::demo().join(&digest[..16]);
    let bundle = runs.join("sample.run.zip");
    let samples = place::root().join("tests/fixtures/sample");
    if !bundle.is_file() {
        fs::create_dir_all(&runs)?;
        let mut run = Command::new(program);
        run.args(["run", "--bench", "3dcodebench", "--resume", "--config"])
            .arg(samples.join("meshmark.toml"))
            .arg("--tasks")
            .arg(samples.join("tasks"))
            .arg("--answers")
            .arg(format!("stored:{}", samples.join("answers").display()))
            .arg("--out")
            .arg(runs.join("sample"));
        screen::openly(&mut run).context("the sample set could not be evaluated")?;
    }
    Ok(Sample { runs, bundle })
}
