//! Rust's wasm targets and the components that `cargo verify` calls.

use std::{path::PathBuf, process::Command};

use anyhow::{Context, Result, bail};

use crate::screen;

/// The browser's target, and the one under which core's tests run in Node.
const TARGETS: &[&str] = &["wasm32-unknown-unknown", "wasm32-wasip1"];

/// Makes sure of the standard library for [`TARGETS`] and of rustfmt and clippy.
///
/// # Errors
/// When something is missing and there is no rustup to fetch it.
pub fn targets() -> Result<()> {
    let output = Command::new("rustc").args(["--print", "sysroot"]).output().context("rustc could not be started")?;
    let sysroot = PathBuf::from(String::from_utf8(output.stdout)?.trim());
    let absent: Vec<_> = TARGETS
        .iter()
        .copied()
        .filter(|target| !sysroot.join("lib/rustlib").join(target).join("lib").is_dir())
        .collect();
    let without: Vec<_> = [("rustfmt", "rustfmt"), ("cargo-clippy", "clippy")]
        .iter()
        .filter(|(program, _)| !sysroot.join("bin").join(program).exists() && !screen::has_program(program))
        .map(|&(_, component)| component)
        .collect();
    if absent.is_empty() && without.is_empty() {
        return Ok(());
    }
    if !screen::has_program("rustup") {
        let all: Vec<_> = absent.iter().chain(&without).copied().collect();
        bail!("this Rust lacks {} and there is no rustup to fetch it: see https://rustup.rs", all.join(", "));
    }
    if !absent.is_empty() {
        screen::step(&format!("adding {}", absent.join(", ")), "for the browser", || {
            screen::quietly(Command::new("rustup").args(["target", "add"]).args(&absent))
        })?;
    }
    if !without.is_empty() {
        screen::step(&format!("adding {}", without.join(", ")), "checks of the source", || {
            screen::quietly(Command::new("rustup").args(["component", "add"]).args(&without))
        })?;
    }
    Ok(())
}
