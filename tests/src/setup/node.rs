//! The packages of the pages, installed once for each lock file and linked into every checkout.

use std::{
    fs, io,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

use crate::{place, screen, stamp};

/// The oldest Node that the tools of the pages run on.
const OLDEST_NODE: u32 = 20;

/// Makes sure that `www/node_modules` is what `package-lock.json` says.
///
/// # Errors
/// When Node is missing or too old, or the registry can't be reached.
pub fn packages() -> Result<()> {
    check_node()?;
    let www = place::root().join("www");
    let (manifest, lock) = (www.join("package.json"), www.join("package-lock.json"));
    let digest = stamp::of_files([&manifest, &lock])?;
    let home = place::cache().join("node").join(&digest[..16]);
    if !home.join("node_modules/.package-lock.json").is_file() {
        screen::step("installing the pages' packages", "as package-lock.json says, once for all checkouts", || {
            // Installed beside and moved into place: a stopped installation leaves nothing half done.
            let beside = home.with_extension(format!("{}.part", std::process::id()));
            fs::create_dir_all(&beside)?;
            fs::copy(&manifest, beside.join("package.json"))?;
            fs::copy(&lock, beside.join("package-lock.json"))?;
            // Not `npm ci`: it refuses the lock file because of an optional package of vite's for Windows that some
            // registries don't have. `install` takes the locked versions and checks their hashes as well.
            let flags = ["install", "--no-save", "--no-audit", "--no-fund"];
            screen::quietly(Command::new("npm").args(flags).current_dir(&beside))?;
            move_into_place(&beside, &home)
        })?;
    }
    link(&home.join("node_modules"), &www.join("node_modules"))
}

fn check_node() -> Result<()> {
    let output = Command::new("node")
        .arg("--version")
        .output()
        .with_context(|| format!("Node is missing: install version {OLDEST_NODE} or later from https://nodejs.org"))?;
    let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let major: Option<u32> = version.trim_start_matches('v').split('.').next().and_then(|digits| digits.parse().ok());
    if major.is_none_or(|major| major < OLDEST_NODE) {
        bail!("Node {version} is too old: version {OLDEST_NODE} or later is needed, from https://nodejs.org");
    }
    Ok(())
}

fn move_into_place(from: &Path, to: &Path) -> Result<()> {
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    fs::rename(from, to).with_context(|| format!("{} could not be moved to {}", from.display(), to.display()))
}

fn link(target: &Path, at: &PathBuf) -> Result<()> {
    match fs::read_link(at) {
        Ok(present) if present == target => return Ok(()),
        Ok(_) => fs::remove_file(at)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        // A folder that somebody installed by hand: theirs, and npm's own check of it is not ours to repeat.
        Err(_) => bail!("{} is a folder of its own: remove it, so that the checked packages can be used", at.display()),
    }
    symlink(target, at).with_context(|| format!("{} could not be linked", at.display()))
}
