//! Tasks on disk, in the layout of the published data set: a folder for each, with prompts and a reference program.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use meshmark_core::{bundle::sha256, id::ItemId, program::Program, task::Task};

use crate::program_files;

/// The longest prompt, bytes.
pub const MAX_PROMPT_BYTES: u64 = 1 << 20;
const DESCRIPTION: &str = "prompt_description.txt";
const INSTRUCTION: &str = "prompt_instruction.txt";
/// Where a checkout or a download of the data set has its task folders.
const WITHIN: [&str; 4] = ["benchmark/categories", "categories", "3DCodeBench", "."];

/// Why a folder could not be read.
#[derive(Debug, thiserror::Error)]
pub enum TasksError {
    /// The disk, or no folder.
    #[error("the tasks at {path} can't be read: {source}")]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// No folder in it is a task.
    #[error(
        "there is no task in {path}: a task is a folder such as Chair_seed0 with {DESCRIPTION} and Chair_seed0.py{first}"
    )]
    Empty {
        /// Where.
        path: PathBuf,
        /// Why the first folder is none.
        first: String,
    },
}

/// A folder that is no task, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfit {
    /// Which.
    pub folder: PathBuf,
    /// Why.
    pub reason: String,
}

/// Tasks, sorted by name.
#[derive(Debug)]
pub struct TaskSet {
    /// The tasks.
    pub tasks: Vec<Task>,
    /// Folders that are none.
    pub unfit: Vec<Unfit>,
    /// SHA-256 over prompts and reference programs: a line `<sha256>  <task>/<file>` each, sorted.
    pub sha256: String,
}

/// Reads a checkout, a download, or the folder of the task folders itself. Folders whose names begin with `_` or `.` are
/// left out, as the official code does.
///
/// # Errors
/// [`TasksError`] when nothing in it is a task. What is none is in [`TaskSet::unfit`].
pub fn read(folder: &Path) -> Result<TaskSet, TasksError> {
    let failed = |source| TasksError::Io { path: folder.to_owned(), source };
    let within = WITHIN.map(|within| folder.join(within)).into_iter().find(|place| place.is_dir());
    let place = within.ok_or_else(|| failed(io::ErrorKind::NotFound.into()))?;
    let mut set = TaskSet { tasks: Vec::new(), unfit: Vec::new(), sha256: String::new() };
    for entry in fs::read_dir(&place).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !path.is_dir() || name.starts_with(['_', '.']) {
            continue;
        }
        match task(&path, &name) {
            Ok(task) => set.tasks.push(task),
            Err(reason) => set.unfit.push(Unfit { folder: path, reason }),
        }
    }
    set.tasks.sort_by(|a, b| a.id.cmp(&b.id));
    set.unfit.sort_by(|a, b| a.folder.cmp(&b.folder));
    if set.tasks.is_empty() {
        let first = set.unfit.first().map(|unfit| format!(". {}: {}", unfit.folder.display(), unfit.reason));
        return Err(TasksError::Empty { path: folder.to_owned(), first: first.unwrap_or_default() });
    }
    set.sha256 = hash(&set.tasks);
    Ok(set)
}

fn task(folder: &Path, name: &str) -> Result<Task, String> {
    let id = ItemId::new(name).map_err(|error| error.to_string())?;
    let description = prompt(&folder.join(DESCRIPTION))?;
    let instruction = prompt(&folder.join(INSTRUCTION))?;
    if description.is_empty() && instruction.is_empty() {
        return Err(format!("it has neither {DESCRIPTION} nor {INSTRUCTION}"));
    }
    let script = folder.join(format!("{name}.py"));
    let several = folder.join(name);
    let reference = if script.exists() {
        Some(program_files::read(&script).map_err(|error| error.to_string())?)
    } else if several.is_dir() {
        Some(program_files::read(&several).map_err(|error| error.to_string())?)
    } else {
        None
    };
    let category = Task::category_of(&id).to_owned();
    Ok(Task { id, category, description, instruction, reference })
}

/// A prompt, stripped; empty when there is none.
fn prompt(path: &Path) -> Result<String, String> {
    let bytes = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(String::new()),
        other => other.map_err(|error| format!("{} can't be read: {error}", path.display()))?.len(),
    };
    if bytes > MAX_PROMPT_BYTES {
        return Err(format!("{} has {bytes} bytes; 1 MiB is the limit", path.display()));
    }
    let text = fs::read_to_string(path).map_err(|error| format!("{} can't be read: {error}", path.display()))?;
    Ok(text.trim().to_owned())
}

fn hash(tasks: &[Task]) -> String {
    let mut lines = BTreeSet::new();
    let mut add = |task: &Task, file: &str, text: &str| {
        lines.insert(format!("{}  {}/{file}\n", sha256(text.as_bytes()), task.id));
    };
    for task in tasks {
        add(task, DESCRIPTION, &task.description);
        add(task, INSTRUCTION, &task.instruction);
        let files = task.reference.iter().flat_map(|Program { files, .. }| files);
        files.for_each(|(file, text)| add(task, file, text));
    }
    sha256(lines.into_iter().collect::<String>().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lay_out(files: &[(&str, &str)]) -> tempfile::TempDir {
        let scratch = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = scratch.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        scratch
    }

    #[test]
    fn tasks_are_found_wherever_a_data_set_has_them() {
        for within in ["benchmark/categories/", "categories/", "3DCodeBench/", ""] {
            let file = |path: &str| format!("{within}{path}");
            let scratch = lay_out(&[
                (&file("Chair_seed0/prompt_description.txt"), "A chair.\n"),
                (&file("Chair_seed0/Chair_seed0.py"), "import bpy\n"),
                (&file("Table_seed0/prompt_instruction.txt"), "A table.\n"),
                (&file("_metrics/x.txt"), ""),
                (&file("Empty_seed0/notes.txt"), ""),
                (&file("README.md"), ""),
            ]);
            let set = read(scratch.path()).unwrap();
            let found: Vec<_> =
                set.tasks.iter().map(|task| (task.category.as_str(), task.reference.is_some())).collect();
            assert_eq!(found, [("Chair", true), ("Table", false)], "{within}");
            assert_eq!(set.tasks[0].description, "A chair.");
            assert_eq!(set.unfit.len(), 1);
            let again = read(scratch.path()).unwrap();
            assert_eq!(again.sha256, set.sha256);
            fs::write(scratch.path().join(file("Chair_seed0/Chair_seed0.py")), "import bpy  # other\n").unwrap();
            assert_ne!(read(scratch.path()).unwrap().sha256, set.sha256);
        }
        let error = read(tempfile::tempdir().unwrap().path()).unwrap_err().to_string();
        assert!(error.contains("Chair_seed0"), "{error}");
    }
}
