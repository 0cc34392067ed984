//! A run as a folder: `run.json` says what is to be done, `references.jsonl` and `attempts.jsonl` what was done, and
//! the files that their lines name lie where a bundle has them. A line is added when all its files are on the disk, so
//! a kill loses at most what was under way.

use std::{
    collections::BTreeMap,
    fs::{self, File, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
};

use meshmark_core::{
    bundle::{
        format::{Attempt, Counts, Item, Manifest, Outcome, ProgramPath, SandboxReport, Source, Timing, VERSION},
        sha256,
        write::{Contents, WriteError, write},
    },
    id::AttemptId,
    leaderboard,
    program::Program,
};
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::{Lines, LinesError};

const PLAN: &str = "run.json";
const REFERENCES: &str = "references.jsonl";
const ATTEMPTS: &str = "attempts.jsonl";
const LOCK: &str = "lock";

/// What a run is: everything on which its numbers depend, but tasks and answers themselves. Two calls with one plan
/// do one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// `3dcodebench`.
    pub benchmark: String,
    /// SHA-256 over the task folder's files.
    pub benchmark_sha256: String,
    /// `description` or `instruction`.
    pub prompt: String,
    /// Answer sources, sorted.
    pub sources: Vec<Source>,
    /// Protocols of execution, views and measures, sorted.
    pub protocols: Vec<String>,
    /// Versions.
    pub tools: BTreeMap<String, String>,
    /// Limits in force.
    pub limits: BTreeMap<String, f64>,
    /// What kept programs in.
    pub sandbox: SandboxReport,
}

/// A line of `references.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReferenceRecord {
    /// The task and its reference.
    pub item: Item,
    /// How long it took.
    pub timing: Timing,
}

/// A line of `attempts.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttemptRecord {
    /// The attempt.
    pub attempt: Attempt,
    /// How long it took.
    pub timing: Timing,
}

/// Why a run's folder could not be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The disk.
    #[error("{path} can't be used: {source}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Lines.
    #[error(transparent)]
    Lines(#[from] LinesError),
    /// Something else is in the folder.
    #[error("{0} is not a run: it has no {PLAN}. Name an empty folder or one that a run began in")]
    NotARun(PathBuf),
    /// A run is there already.
    #[error("{0} holds a run already: say `--resume` to go on with it, or name another folder")]
    Exists(PathBuf),
    /// Another process works there.
    #[error("{0} is in use by another process; wait for it, or name another folder")]
    InUse(PathBuf),
    /// A plan that nobody understands.
    #[error("{path} is damaged: {source}")]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
    /// It was begun differently.
    #[error("the run in {path} was begun with another {what}: go on as it was begun, or begin a new one elsewhere")]
    OtherPlan {
        /// Which folder.
        path: PathBuf,
        /// What differs.
        what: &'static str,
    },
    /// The bundle.
    #[error("no bundle could be written: {0}")]
    Bundle(#[from] WriteError<io::Error>),
}

/// An open run.
#[derive(Debug)]
pub struct RunFolder {
    folder: PathBuf,
    plan: Plan,
    references: Lines<ReferenceRecord>,
    attempts: Lines<AttemptRecord>,
    done_references: Vec<ReferenceRecord>,
    done_attempts: Vec<AttemptRecord>,
    /// Held while the run is open; the system lets go of it when we are killed.
    _lock: File,
}

impl RunFolder {
    /// Begins a run, or goes on with one.
    ///
    /// # Errors
    /// [`StoreError`], such as for a folder with a run in it when `resume` was not asked for.
    pub fn begin(folder: &Path, plan: Plan, resume: bool) -> Result<Self, StoreError> {
        let io = |source| StoreError::Io { path: folder.to_owned(), source };
        fs::create_dir_all(folder).map_err(io)?;
        let lock = lock(folder)?;
        let path = folder.join(PLAN);
        match read_plan(&path)? {
            Some(_) if !resume => return Err(StoreError::Exists(folder.to_owned())),
            Some(old) => {
                if let Some(what) = difference(&old, &plan) {
                    return Err(StoreError::OtherPlan { path: folder.to_owned(), what });
                }
            }
            None => {
                let mut entries = fs::read_dir(folder).map_err(io)?;
                if entries.any(|entry| entry.is_ok_and(|entry| entry.file_name() != LOCK)) {
                    return Err(StoreError::NotARun(folder.to_owned()));
                }
                let mut text = serde_json::to_vec_pretty(&plan).map_err(|error| io(error.into()))?;
                text.push(b'\n');
                write_whole(&path, &text)?;
            }
        }
        Self::with(folder, plan, lock)
    }

    /// Opens a run as it is.
    ///
    /// # Errors
    /// [`StoreError`], such as for a folder without a run.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let Some(plan) = read_plan(&folder.join(PLAN))? else { return Err(StoreError::NotARun(folder.to_owned())) };
        let lock = lock(folder)?;
        Self::with(folder, plan, lock)
    }

    fn with(folder: &Path, plan: Plan, lock: File) -> Result<Self, StoreError> {
        let (references, done_references) = Lines::open(&folder.join(REFERENCES))?;
        let (attempts, done_attempts) = Lines::open(&folder.join(ATTEMPTS))?;
        Ok(Self { folder: folder.to_owned(), plan, references, attempts, done_references, done_attempts, _lock: lock })
    }

    /// What the run is.
    #[must_use]
    pub const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The references that are done, in the order in which they were.
    #[must_use]
    pub fn references(&self) -> &[ReferenceRecord] {
        &self.done_references
    }

    /// The attempts that are done, in the order in which they were.
    #[must_use]
    pub fn attempts(&self) -> &[AttemptRecord] {
        &self.done_attempts
    }

    /// A file that a line names.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn file(&self, path: &str) -> io::Result<Vec<u8>> {
        fs::read(self.folder.join(path))
    }

    /// Keeps a mesh, picture or vector under its hash, once; its path in the bundle.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn add_blob(&self, bytes: &[u8], ending: &str) -> Result<String, StoreError> {
        let path = format!("blobs/{}.{ending}", sha256(bytes));
        let place = self.folder.join(&path);
        if !place.is_file() {
            write_whole(&place, bytes)?;
        }
        Ok(path)
    }

    /// Keeps a file of an attempt or a reference.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn add_file(&self, path: &str, bytes: &[u8]) -> Result<(), StoreError> {
        write_whole(&self.folder.join(path), bytes)
    }

    /// Keeps a program's files below a folder.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn add_program(&self, folder: &str, program: &Program) -> Result<ProgramPath, StoreError> {
        for (file, text) in &program.files {
            self.add_file(&format!("{folder}/{file}"), text.as_bytes())?;
        }
        let files = program.files.keys().cloned().collect();
        Ok(ProgramPath { folder: folder.to_owned(), entry: program.entry.clone(), files })
    }

    /// Notes that a reference is done; its files are there already.
    ///
    /// # Errors
    /// [`StoreError::Lines`].
    pub fn add_reference(&mut self, record: ReferenceRecord) -> Result<(), StoreError> {
        self.references.add(&record)?;
        self.done_references.push(record);
        Ok(())
    }

    /// Notes that an attempt is done; its files are there already.
    ///
    /// # Errors
    /// [`StoreError::Lines`].
    pub fn add_attempt(&mut self, record: AttemptRecord) -> Result<(), StoreError> {
        self.attempts.add(&record)?;
        self.done_attempts.push(record);
        Ok(())
    }

    /// All that a bundle says of the run, sorted.
    #[must_use]
    pub fn contents(&self) -> Contents {
        let mut references: Vec<_> = self.done_references.iter().collect();
        references.sort_by(|a, b| a.item.id.cmp(&b.item.id));
        let mut attempts: Vec<_> = self.done_attempts.iter().collect();
        attempts.sort_by(|a, b| a.attempt.id.cmp(&b.attempt.id));
        let items: Vec<_> = references.iter().map(|record| record.item.clone()).collect();
        let timing = references.iter().map(|r| &r.timing).chain(attempts.iter().map(|a| &a.timing)).cloned().collect();
        let attempts: Vec<_> = attempts.into_iter().map(|record| record.attempt.clone()).collect();
        let Plan { benchmark, benchmark_sha256, prompt, sources, protocols, tools, limits, sandbox } =
            self.plan.clone();
        let run = self.folder.file_name().map_or_else(|| "run".to_owned(), |name| name.to_string_lossy().into_owned());
        let claims = leaderboard::claims(&items, &attempts);
        let mut protocols = protocols;
        protocols.extend(claims.iter().map(|claim| claim.protocol.clone()));
        protocols.sort_unstable();
        protocols.dedup();
        let manifest = Manifest {
            format: "meshmark-run".to_owned(),
            version: VERSION,
            run,
            benchmark,
            benchmark_sha256,
            prompt,
            sources,
            protocols,
            tools,
            limits,
            sandbox,
            counts: Counts::default(),
        };
        let mut contents = Contents { manifest, items, attempts, claims, timing };
        contents.manifest.counts = Counts {
            items: contents.items.len() as u64,
            attempts: contents.attempts.len() as u64,
            ours: contents.attempts.iter().filter(|attempt| matches!(attempt.outcome, Outcome::Ours(_))).count() as u64,
            blobs: contents.files().iter().filter(|file| file.starts_with("blobs/")).count() as u64,
        };
        contents
    }

    /// Writes the bundle and gives its root hash. The file appears when it is whole.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn write_bundle(&self, out: &Path) -> Result<String, StoreError> {
        let io = |source| StoreError::Io { path: out.to_owned(), source };
        let mut file = NamedTempFile::new_in(parent(out)).map_err(io)?;
        let root = write(&self.contents(), |path| self.file(path), io::BufWriter::new(file.as_file_mut()))?;
        make_readable(file.as_file()).map_err(io)?;
        file.as_file().sync_all().map_err(io)?;
        file.persist(out).map_err(|error| io(error.error))?;
        Ok(root)
    }
}

/// The folder of an attempt's files in run and bundle.
#[must_use]
pub fn folder_of(id: &AttemptId) -> String {
    format!("items/{}", id.path())
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn lock(folder: &Path) -> Result<File, StoreError> {
    let path = folder.join(LOCK);
    let file = File::create(&path).map_err(|source| StoreError::Io { path: path.clone(), source })?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse(folder.to_owned())),
        Err(TryLockError::Error(source)) => Err(StoreError::Io { path, source }),
    }
}

fn read_plan(path: &Path) -> Result<Option<Plan>, StoreError> {
    match fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|source| StoreError::Damaged { path: path.to_owned(), source }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(StoreError::Io { path: path.to_owned(), source }),
    }
}

/// What keeps one run from being the other.
fn difference(old: &Plan, new: &Plan) -> Option<&'static str> {
    [
        (old.benchmark != new.benchmark || old.benchmark_sha256 != new.benchmark_sha256, "set of tasks"),
        (old.prompt != new.prompt, "kind of prompt"),
        (old.sources != new.sources, "set of answer sources"),
        (old.protocols != new.protocols, "set of protocols (execution, views, measures)"),
        (old.tools != new.tools, "set of tools (Blender, Python, libraries)"),
        (old.limits != new.limits, "set of limits"),
        (old.sandbox != new.sandbox, "sandbox"),
    ]
    .into_iter()
    .find_map(|(differs, what)| differs.then_some(what))
}

/// Writes a file that is there whole or not at all, and on the disk when this returns.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let io = |source| StoreError::Io { path: path.to_owned(), source };
    let folder = parent(path);
    fs::create_dir_all(folder).map_err(io)?;
    let mut file = NamedTempFile::new_in(folder).map_err(io)?;
    file.write_all(bytes).map_err(io)?;
    make_readable(file.as_file()).map_err(io)?;
    file.as_file().sync_data().map_err(io)?;
    file.persist(path).map_err(|error| io(error.error))?;
    Ok(())
}

/// Temporary files are made for their owner alone.
fn make_readable(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(0o644))
}
