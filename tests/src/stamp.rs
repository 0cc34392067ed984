//! Did anything change since a stage last passed here? Told by content, not by dates.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use crate::place;

/// The digest of some files, in the order given.
///
/// # Errors
/// When one can't be read.
pub fn of_files<P: AsRef<Path>>(files: impl IntoIterator<Item = P>) -> Result<String> {
    let mut hash = Sha256::new();
    for file in files {
        let file = file.as_ref();
        let bytes = fs::read(file).with_context(|| format!("{} could not be read", file.display()))?;
        hash.update(bytes.len().to_le_bytes());
        hash.update(bytes);
    }
    Ok(hex(&hash.finalize()))
}

/// The digest of everything in the checkout below `folders` that git does not ignore, with the compiler's version.
///
/// # Errors
/// When git or the compiler can't be asked.
pub fn of_source(folders: &[&str]) -> Result<String> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"])
        .args(folders)
        .current_dir(place::root())
        .output()
        .context("git could not be started")?;
    let mut names: Vec<_> = String::from_utf8_lossy(&output.stdout)
        .split('\0')
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect();
    names.sort_unstable();
    names.dedup();
    let mut hash = Sha256::new();
    hash.update(Command::new("rustc").arg("--version").output().context("rustc could not be started")?.stdout);
    for name in names {
        // A file that was deleted but not yet committed is still listed.
        let Ok(bytes) = fs::read(place::root().join(&name)) else { continue };
        hash.update(name.as_bytes());
        hash.update([0]);
        hash.update(bytes.len().to_le_bytes());
        hash.update(bytes);
    }
    Ok(hex(&hash.finalize()))
}

/// What a stage passed with, in this checkout.
#[derive(Debug)]
pub struct Stamp {
    file: PathBuf,
    digest: String,
}

impl Stamp {
    /// The stamp of `stage` for the present state of `folders`.
    ///
    /// # Errors
    /// As [`of_source`].
    pub fn new(stage: &str, folders: &[&str]) -> Result<Self> {
        let checkout = hex(&Sha256::digest(place::root().as_os_str().as_encoded_bytes()));
        let file = place::cache().join("passed").join(&checkout[..16]).join(stage);
        Ok(Self { file, digest: of_source(folders)? })
    }

    /// Whether the stage passed with just this state.
    #[must_use]
    pub fn holds(&self) -> bool {
        fs::read_to_string(&self.file).is_ok_and(|digest| digest == self.digest)
    }

    /// Remembers that it passed.
    ///
    /// # Errors
    /// When the cache can't be written.
    pub fn press(&self) -> Result<()> {
        fs::create_dir_all(self.file.parent().expect("it has a name"))?;
        Ok(fs::write(&self.file, &self.digest)?)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
