//! Blender as a Python module, with the libraries that programs may use, in an environment of its own.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};

use super::system;
use crate::{place, screen, stamp};

/// The Python that Blender 5.0 is built for.
const PYTHON: &str = "3.11";

/// Makes sure of an environment with exactly the packages of `server/python/requirements.txt`, and points
/// `blender` in the cache at it.
///
/// # Errors
/// When no fitting Python is there, the registry can't be reached, or Blender doesn't start in it.
pub fn environment() -> Result<()> {
    let requirements = place::root().join("server/python/requirements.txt");
    let digest = stamp::of_files([&requirements])?;
    let home = place::cache().join(format!("blender-{}", &digest[..16]));
    // Written last: an environment without it was not finished.
    let finished = home.join("finished");
    if !finished.is_file() {
        let python = python()?;
        if home.exists() {
            fs::remove_dir_all(&home)?;
        }
        screen::step("making a Python environment", &format!("with {}", python.display()), || make(&python, &home))?;
        screen::step("installing Blender 5.0 and the libraries of programs", "0.4 GB to fetch, 1 GB on disk", || {
            let mut pip = Command::new(home.join("bin/python"));
            pip.args(["-m", "pip", "install", "--disable-pip-version-check", "--no-input", "-r"]).arg(&requirements);
            screen::quietly(&mut pip)
        })?;
        screen::step("starting Blender once", "is it whole?", || {
            let mut check = Command::new(home.join("bin/python"));
            check.args(["-c", "import bpy; assert bpy.app.version[:2] == (5, 0), bpy.app.version_string"]);
            screen::quietly(&mut check)
        })?;
        fs::write(&finished, "")?;
    }
    point(&place::blender(), &home)
}

/// A Python that Blender's module fits; one outside of home folders first, because a sandbox can show it as it is.
fn python() -> Result<PathBuf> {
    let named = format!("python{PYTHON}");
    let on_path = std::env::var_os("PATH").unwrap_or_default();
    let mut candidates: Vec<PathBuf> =
        ["/usr/bin", "/usr/local/bin"].iter().map(|folder| Path::new(folder).join(&named)).collect();
    for folder in std::env::split_paths(&on_path) {
        candidates.extend([folder.join(&named), folder.join("python3")]);
    }
    candidates
        .into_iter()
        .find(|python| python.is_file() && version(python).is_some_and(|version| version == PYTHON))
        .with_context(|| {
            format!("Blender 5.0 needs Python {PYTHON} and none is on the path: install it, then run this again")
        })
}

fn version(python: &Path) -> Option<String> {
    let code = "import sys; print('%d.%d' % sys.version_info[:2])";
    let output = Command::new(python).args(["-c", code]).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn make(python: &Path, home: &Path) -> Result<()> {
    let venv = || {
        let mut command = Command::new(python);
        command.args(["-m", "venv"]).arg(home);
        command
    };
    if screen::quietly(&mut venv()).is_err() {
        // Debian keeps the part that brings pip apart from its Python.
        system::install(system::PYTHON)?;
        screen::quietly(&mut venv())?;
    }
    Ok(())
}

fn point(link: &Path, home: &Path) -> Result<()> {
    if fs::read_link(link).is_ok_and(|present| present == home) {
        return Ok(());
    }
    match fs::symlink_metadata(link) {
        Ok(found) if found.is_symlink() => fs::remove_file(link)?,
        Ok(_) => bail!("{} is in the way: it should be a link to the Blender in use; move it away", link.display()),
        Err(_) => {}
    }
    symlink(home, link).with_context(|| format!("{} could not be linked", link.display()))
}
