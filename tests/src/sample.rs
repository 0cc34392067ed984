//! Evaluates the sample set: what `cargo demo` shows, and what tests of the whole system look at.

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
    /// The folder of the bundles; what `meshmark serve --runs` takes.
    pub runs: PathBuf,
    /// Every answer, with quick views.
    pub bundle: PathBuf,
    /// Two tasks of one source, with rendered views.
    pub rendered: PathBuf,
}

/// The sample set's folder.
#[must_use]
pub fn folder() -> PathBuf {
    place::root().join("tests/fixtures/sample")
}

/// Runs the sample answers through `program`, or finds that this was done with the same source.
///
/// # Errors
/// When the run itself fails; a sample program that fails is a result.
pub fn evaluate(program: &Path) -> Result<Sample> {
    let digest = stamp::of_source(&["core", "server", "tests/fixtures/sample", "Cargo.lock"])?;
    let runs = place::demo().join(&digest[..16]);
    fs::create_dir_all(&runs)?;
    let bundle = run(program, &runs, "sample", &[])?;
    let two = "LadderBackChair_seed0,TurnedVase_seed0";
    let rendered = run(program, &runs, "sample-rendered", &["--items", two, "--views", "meshmark"])?;
    Ok(Sample { runs, bundle, rendered })
}

fn run(program: &Path, runs: &Path, name: &str, more: &[&str]) -> Result<PathBuf> {
    let bundle = runs.join(format!("{name}.run.zip"));
    if bundle.is_file() {
        return Ok(bundle);
    }
    let folder = folder();
    // The rendered one is of the careful source alone.
    let answers = if more.is_empty() { folder.join("answers") } else { careful_alone(runs)? };
    let mut run = Command::new(program);
    run.args(["run", "--bench", "3dcodebench", "--resume", "--config"]).arg(folder.join("meshmark.toml"));
    run.arg("--tasks").arg(folder.join("tasks")).arg("--answers").arg(format!("stored:{}", answers.display()));
    run.arg("--out").arg(runs.join(name)).args(more);
    screen::openly(&mut run).with_context(|| format!("{name} could not be evaluated"))?;
    let mut write = Command::new(program);
    write.arg("bundle").arg(runs.join(name)).arg("--out").arg(&bundle);
    screen::quietly(&mut write)?;
    Ok(bundle)
}

/// A folder that holds one source by a link.
fn careful_alone(runs: &Path) -> Result<PathBuf> {
    let alone = runs.join("answers");
    fs::create_dir_all(&alone)?;
    let link = alone.join("careful-3");
    if fs::symlink_metadata(&link).is_err() {
        std::os::unix::fs::symlink(folder().join("answers/careful-3"), &link)?;
    }
    Ok(alone)
}
