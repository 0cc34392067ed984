//! What is built before it is driven: the `meshmark` program, the two wasm modules, the pages.

use std::{
    env,
    path::PathBuf,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::{place, screen};

/// A call of the cargo that runs us, in the checkout.
#[must_use]
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(place::root());
    command
}

/// A call of npm in the folder of the pages.
#[must_use]
pub fn npm() -> Command {
    let mut command = Command::new("npm");
    command.current_dir(place::root().join("www"));
    command
}

/// Builds `meshmark` and tells where it is.
///
/// # Errors
/// When it doesn't build.
pub fn program() -> Result<PathBuf> {
    let output = cargo()
        .args([
            "build",
            "--package",
            "meshmark-server",
            "--bin",
            "meshmark",
            "--message-format=json-render-diagnostics",
        ])
        .stderr(Stdio::inherit())
        .output()
        .context("cargo could not be started")?;
    if !output.status.success() {
        bail!("`meshmark` does not build: see above");
    }
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["target"]["name"] == "meshmark")
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .context("cargo built `meshmark` but did not say where")
}

/// Builds the wasm modules of scores and views, and their bindings.
///
/// # Errors
/// When they don't build.
pub fn wasm() -> Result<()> {
    screen::openly(cargo().args([
        "run",
        "--quiet",
        "--package",
        "meshmark-tests",
        "--features",
        "wasm",
        "--bin",
        "wasm",
    ]))
}

/// Builds the pages into the cache, where `meshmark serve` finds them.
///
/// # Errors
/// When they don't build.
pub fn pages() -> Result<PathBuf> {
    let out = place::pages();
    screen::quietly(npm().args(["run", "--silent", "build"]).env("MESHMARK_PAGES_OUT", &out))?;
    Ok(out)
}
