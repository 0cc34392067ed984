//! A file of JSON lines that is only ever added to. A line is there when it is there whole: what a kill cut off is
//! taken away when the file is opened again.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    marker::PhantomData,
    path::{Path, PathBuf},
};

use serde::{Serialize, de::DeserializeOwned};

/// Why a file of lines could not be used.
#[derive(Debug, thiserror::Error)]
pub enum LinesError {
    /// The disk.
    #[error("{path} can't be used: {source}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A whole line that nobody understands.
    #[error("{path} line {line} is not what it should be: {source}. Mend it from a backup, or begin in a new folder")]
    Line {
        /// Which file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// Why.
        source: serde_json::Error,
    },
}

/// An open file of lines.
#[derive(Debug)]
pub struct Lines<T> {
    file: File,
    path: PathBuf,
    kind: PhantomData<fn(&T)>,
}

impl<T: Serialize + DeserializeOwned> Lines<T> {
    /// Opens or makes the file, gives its lines, and takes away a last one without an end.
    ///
    /// # Errors
    /// [`LinesError`], with file and line.
    pub fn open(path: &Path) -> Result<(Self, Vec<T>), LinesError> {
        let failed = |source| LinesError::Io { path: path.to_owned(), source };
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        if whole < bytes.len() {
            file.set_len(whole as u64).map_err(failed)?;
            file.sync_all().map_err(failed)?;
        }
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        let mut values = Vec::new();
        for (number, line) in bytes[..whole].split(|&byte| byte == b'\n').enumerate() {
            if line.is_empty() {
                continue;
            }
            let value = serde_json::from_slice(line).map_err(|source| LinesError::Line {
                path: path.to_owned(),
                line: number + 1,
                source,
            })?;
            values.push(value);
        }
        Ok((Self { file, path: path.to_owned(), kind: PhantomData }, values))
    }

    /// Adds a line. When this returns it is on the disk.
    ///
    /// # Errors
    /// [`LinesError::Io`], such as for a full disk.
    pub fn add(&mut self, value: &T) -> Result<(), LinesError> {
        let failed = |source| LinesError::Io { path: self.path.clone(), source };
        let mut line = serde_json::to_vec(value).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        self.file.write_all(&line).map_err(failed)?;
        self.file.sync_data().map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_line_without_its_end_is_taken_away_and_others_stay() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("lines.jsonl");
        fs::write(&path, "1\n2\n3").unwrap();
        let (mut lines, values) = Lines::<u32>::open(&path).unwrap();
        assert_eq!(values, [1, 2]);
        lines.add(&4).unwrap();
        drop(lines);
        assert_eq!(fs::read_to_string(&path).unwrap(), "1\n2\n4\n");

        fs::write(&path, "1\nx\n3\n").unwrap();
        let error = Lines::<u32>::open(&path).unwrap_err().to_string();
        assert!(error.contains("line 2"), "{error}");
    }
}
