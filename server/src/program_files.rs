//! Programs on disk: a file, or a folder with a `main.py`.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use meshmark_core::program::Program;

/// The file of a folder that runs.
pub const ENTRY: &str = "main.py";
/// Files that a program may have.
pub const MAX_FILES: usize = 500;
/// All of its text together.
pub const MAX_BYTES: u64 = 16 << 20;
const MAX_DEPTH: usize = 12;

/// Why a path holds no program.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// Not there, or not readable.
    #[error("{path} can't be read: {source}")]
    Unreadable {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A folder that doesn't say where it begins.
    #[error("the folder {0} has no {ENTRY}: a program of several files begins there")]
    NoEntry(PathBuf),
    /// Bytes that are no text.
    #[error("{0} is not UTF-8 text; a program is made of text files")]
    NotText(PathBuf),
    /// A link could lead anywhere.
    #[error("{0} is a link or a device; a program is made of plain files")]
    NotPlain(PathBuf),
    /// A name that can't be written down.
    #[error("the name of {0} is not UTF-8")]
    Name(PathBuf),
    /// Beyond a limit.
    #[error("the program at {path} has more than {limit}")]
    TooLarge {
        /// Where.
        path: PathBuf,
        /// Which limit.
        limit: &'static str,
    },
}

/// Reads a program from a file, or from a folder with [`ENTRY`]. Hidden files and `__pycache__` are no part of it.
///
/// # Errors
/// [`ProgramError`], with the place.
pub fn read(path: &Path) -> Result<Program, ProgramError> {
    let unreadable = |source| ProgramError::Unreadable { path: path.to_owned(), source };
    let facts = fs::metadata(path).map_err(unreadable)?;
    let mut reading = Reading { root: path, files: BTreeMap::new(), bytes: 0 };
    if facts.is_dir() {
        reading.folder(path, "", 0)?;
        if !reading.files.contains_key(ENTRY) {
            return Err(ProgramError::NoEntry(path.to_owned()));
        }
        return Ok(Program { entry: ENTRY.to_owned(), files: reading.files });
    }
    if !facts.is_file() {
        return Err(ProgramError::NotPlain(path.to_owned()));
    }
    let name = path.file_name().and_then(|name| name.to_str()).ok_or_else(|| ProgramError::Name(path.to_owned()))?;
    reading.file(path, name.to_owned())?;
    Ok(Program { entry: name.to_owned(), files: reading.files })
}

struct Reading<'a> {
    root: &'a Path,
    files: BTreeMap<String, String>,
    bytes: u64,
}

impl Reading<'_> {
    fn folder(&mut self, folder: &Path, prefix: &str, depth: usize) -> Result<(), ProgramError> {
        let unreadable = |source| ProgramError::Unreadable { path: folder.to_owned(), source };
        if depth > MAX_DEPTH {
            return Err(self.too_large("12 folders in one another"));
        }
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let path = entry.path();
            let name = entry.file_name().into_string().map_err(|_| ProgramError::Name(path.clone()))?;
            if name.starts_with('.') || name == "__pycache__" {
                continue;
            }
            let kind = entry.file_type().map_err(unreadable)?;
            let inside = format!("{prefix}{name}");
            if kind.is_dir() {
                self.folder(&path, &format!("{inside}/"), depth + 1)?;
            } else if kind.is_file() {
                self.file(&path, inside)?;
            } else {
                return Err(ProgramError::NotPlain(path));
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, inside: String) -> Result<(), ProgramError> {
        let unreadable = |source| ProgramError::Unreadable { path: path.to_owned(), source };
        self.bytes += fs::metadata(path).map_err(unreadable)?.len();
        if self.bytes > MAX_BYTES {
            return Err(self.too_large("16 MiB of text"));
        }
        if self.files.len() == MAX_FILES {
            return Err(self.too_large("500 files"));
        }
        let bytes = fs::read(path).map_err(unreadable)?;
        let text = String::from_utf8(bytes).map_err(|_| ProgramError::NotText(path.to_owned()))?;
        self.files.insert(inside, text);
        Ok(())
    }

    fn too_large(&self, limit: &'static str) -> ProgramError {
        ProgramError::TooLarge { path: self.root.to_owned(), limit }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_files_or_folders_with_a_beginning() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path();
        fs::create_dir_all(root.join("many/parts/__pycache__")).unwrap();
        fs::write(root.join("one.py"), "x = 1\n").unwrap();
        assert_eq!(read(&root.join("one.py")).unwrap(), Program::single("one.py", "x = 1\n"));

        assert!(matches!(read(&root.join("many")), Err(ProgramError::NoEntry(_))));
        fs::write(root.join("many/main.py"), "import parts.leg\n").unwrap();
        fs::write(root.join("many/parts/leg.py"), "").unwrap();
        fs::write(root.join("many/parts/__pycache__/leg.pyc"), [0xff]).unwrap();
        let many = read(&root.join("many")).unwrap();
        assert_eq!(many.files.keys().collect::<Vec<_>>(), ["main.py", "parts/leg.py"]);

        fs::write(root.join("many/noise.py"), [0xff, 0xfe]).unwrap();
        assert!(matches!(read(&root.join("many")), Err(ProgramError::NotText(_))));
        fs::remove_file(root.join("many/noise.py")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", root.join("many/link.py")).unwrap();
        assert!(matches!(read(&root.join("many")), Err(ProgramError::NotPlain(_))));
        assert!(matches!(read(&root.join("nowhere.py")), Err(ProgramError::Unreadable { .. })));
    }
}
