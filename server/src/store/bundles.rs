//! The bundles of a folder.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::Mutex,
    time::SystemTime,
};

use meshmark_core::{
    bundle::{Bundle, Limits},
    id::ItemId,
};
use serde::Serialize;

use super::OnDisk;

/// How the names of bundles end.
const ENDING: &str = ".run.zip";

/// A bundle that can be shown.
#[derive(Debug, Clone, Serialize)]
pub struct Listed {
    /// Its root hash.
    pub root: String,
    /// The run's name.
    pub name: String,
    /// The file's name in the folder.
    pub file: String,
    /// The benchmark.
    pub benchmark: String,
    /// Tasks.
    pub items: usize,
    /// Attempts.
    pub attempts: usize,
}

/// A folder of bundles. Each is opened once, and again when its file has changed.
#[derive(Debug)]
pub struct Bundles {
    folder: PathBuf,
    seen: Mutex<BTreeMap<String, Seen>>,
}

/// A file as it was when it was opened last.
#[derive(Debug, Clone)]
struct Seen {
    changed: SystemTime,
    bytes: u64,
    /// None when it is no bundle.
    bundle: Option<Listed>,
}

impl Bundles {
    /// The bundles of a folder, which need not be there yet.
    #[must_use]
    pub fn of(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), seen: Mutex::default() }
    }

    /// What is there, by file name; what is no bundle is left out.
    ///
    /// # Errors
    /// When the folder can't be read.
    pub fn list(&self) -> io::Result<Vec<Listed>> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other?,
        };
        let mut seen = self.seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut listed = BTreeMap::new();
        for entry in entries {
            let entry = entry?;
            let Ok(file) = entry.file_name().into_string() else { continue };
            if !file.ends_with(ENDING) || file.starts_with('.') {
                continue;
            }
            let facts = fs::metadata(entry.path())?;
            let (changed, bytes) = (facts.modified()?, facts.len());
            let known = seen.get(&file).filter(|seen| (seen.changed, seen.bytes) == (changed, bytes));
            let bundle = known.map_or_else(|| look(&entry.path(), &file), |seen| seen.bundle.clone());
            seen.insert(file.clone(), Seen { changed, bytes, bundle: bundle.clone() });
            if let Some(bundle) = bundle {
                listed.insert(file, bundle);
            }
        }
        Ok(listed.into_values().collect())
    }

    /// Opens the bundle with this root hash; none when there is none.
    ///
    /// # Errors
    /// When the folder or the bundle can't be read.
    pub fn open(&self, root: &str) -> io::Result<Option<Bundle<OnDisk>>> {
        let Some(listed) = self.list()?.into_iter().find(|listed| listed.root == root) else { return Ok(None) };
        open(&self.folder.join(listed.file)).map(Some)
    }

    /// The mesh of a task's reference in a bundle.
    ///
    /// # Errors
    /// When the bundle can't be read.
    pub fn reference(&self, root: &str, item: &ItemId) -> io::Result<Option<Vec<u8>>> {
        let Some(mut bundle) = self.open(root)? else { return Ok(None) };
        let found = bundle.items().iter().find(|found| found.id == *item);
        let Some(path) = found.and_then(|item| item.reference.mesh.clone()) else { return Ok(None) };
        bundle.entry(&path).map(Some).map_err(|fault| io::Error::other(fault.message))
    }
}

fn open(path: &Path) -> io::Result<Bundle<OnDisk>> {
    let file = File::open(path)?;
    let bytes = file.metadata()?.len();
    Bundle::open(OnDisk::new(file, bytes), &Limits::default()).map_err(|fault| io::Error::other(fault.message))
}

fn look(path: &Path, file: &str) -> Option<Listed> {
    let bundle = open(path).ok()?;
    Some(Listed {
        root: bundle.root().to_owned(),
        name: bundle.manifest().run.clone(),
        file: file.to_owned(),
        benchmark: bundle.manifest().benchmark.clone(),
        items: bundle.items().len(),
        attempts: bundle.attempts().len(),
    })
}
