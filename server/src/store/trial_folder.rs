//! Trials that somebody submitted, each in a folder: what was asked is on the disk before it is accepted, and a result
//! is there whole or not at all. One without a result was interrupted.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Serialize, de::DeserializeOwned};

use super::run_folder::{StoreError, write_whole};

const ASKED: &str = "asked.json";
const RESULT: &str = "result.json";

/// The folder of all trials.
#[derive(Debug, Clone)]
pub struct TrialFolder {
    folder: PathBuf,
}

impl TrialFolder {
    /// Opens or makes it.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        fs::create_dir_all(folder).map_err(|source| StoreError::Io { path: folder.to_owned(), source })?;
        Ok(Self { folder: folder.to_owned() })
    }

    fn place(&self, id: &str, file: &str) -> PathBuf {
        self.folder.join(id).join(file)
    }

    /// Every trial that was accepted, with its result when it has one.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn all<R: DeserializeOwned>(&self) -> Result<Vec<(String, Option<R>)>, StoreError> {
        let failed = |source| StoreError::Io { path: self.folder.clone(), source };
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(failed)? {
            let Ok(id) = entry.map_err(failed)?.file_name().into_string() else { continue };
            if !self.place(&id, ASKED).is_file() {
                continue;
            }
            let result = fs::read(self.place(&id, RESULT)).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
            found.push((id, result));
        }
        found.sort_by(|(a, _), (b, _)| a.cmp(b));
        Ok(found)
    }

    /// Keeps what was asked.
    ///
    /// # Errors
    /// [`StoreError::Io`], for a full disk say.
    pub fn accept(&self, id: &str, asked: &impl Serialize) -> Result<(), StoreError> {
        self.write(id, ASKED, asked)
    }

    /// Keeps a result, after its artifacts.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn end(&self, id: &str, result: &impl Serialize) -> Result<(), StoreError> {
        self.write(id, RESULT, result)
    }

    fn write(&self, id: &str, file: &str, value: &impl Serialize) -> Result<(), StoreError> {
        let path = self.place(id, file);
        let text =
            serde_json::to_vec(value).map_err(|error| StoreError::Io { path: path.clone(), source: error.into() })?;
        write_whole(&path, &text)
    }

    /// Keeps a file that a trial made.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn add_artifact(&self, id: &str, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        write_whole(&self.place(id, &format!("artifacts/{name}")), bytes)
    }

    /// A file that a trial made. The caller has checked that the trial lists it.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn artifact(&self, id: &str, name: &str) -> io::Result<Vec<u8>> {
        fs::read(self.place(id, &format!("artifacts/{name}")))
    }

    /// Forgets a trial.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn remove(&self, id: &str) -> Result<(), StoreError> {
        let path = self.folder.join(id);
        fs::remove_dir_all(&path).map_err(|source| StoreError::Io { path, source })
    }
}
