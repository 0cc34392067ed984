//! Reads what a job left in its folder, without following where it points.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2};

/// Why a job's file was not read.
#[derive(Debug, thiserror::Error)]
pub enum ResultError {
    /// Something else than a file of its own stands there: a link, a folder, a pipe.
    #[error("{path} is not a plain file")]
    NotAFile {
        /// Relative to the job's folder.
        path: String,
    },
    /// It's larger than we take.
    #[error("{path} has {bytes} bytes; {limit} is the limit")]
    TooLarge {
        /// Relative to the job's folder.
        path: String,
        /// Its size.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// The machine failed us.
    #[error("{path} could not be read: {source}")]
    Io {
        /// Relative to the job's folder.
        path: String,
        /// Why.
        source: io::Error,
    },
}

/// The bytes of a file that a finished job left at `path` in its folder; `None` when nothing is there.
///
/// # Errors
/// [`ResultError`]; links are never followed and nothing outside `work` is ever opened.
pub fn read_result(work: &Path, path: &str, limit: u64) -> Result<Option<Vec<u8>>, ResultError> {
    let failed = |source: io::Error| ResultError::Io { path: path.to_owned(), source };
    let not_a_file = || ResultError::NotAFile { path: path.to_owned() };
    let folder = openat(CWD, work, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
        .map_err(|errno| failed(errno.into()))?;
    // Without NONBLOCK a named pipe would make us wait for a writer.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let file = match openat2(&folder, path, flags, Mode::empty(), resolve) {
        Ok(file) => File::from(file),
        Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR) => return Ok(None),
        Err(rustix::io::Errno::LOOP | rustix::io::Errno::XDEV | rustix::io::Errno::NXIO) => return Err(not_a_file()),
        Err(errno) => return Err(failed(errno.into())),
    };
    let facts = file.metadata().map_err(failed)?;
    if !facts.is_file() {
        return Err(not_a_file());
    }
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > limit {
        return Err(ResultError::TooLarge { path: path.to_owned(), bytes: facts.len(), limit });
    }
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    #[test]
    fn nothing_but_a_plain_file_of_the_job_is_read() {
        let scratch = tempfile::tempdir().unwrap();
        let work = scratch.path().join("work");
        fs::create_dir_all(work.join("out/folder")).unwrap();
        fs::write(scratch.path().join("secret"), "secret").unwrap();
        fs::write(work.join("out/plain"), "plain").unwrap();
        symlink("../../secret", work.join("out/link")).unwrap();
        symlink(scratch.path(), work.join("up")).unwrap();
        rustix::fs::mknodat(CWD, work.join("out/pipe"), rustix::fs::FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)
            .unwrap();

        let read = |path| read_result(&work, path, 5);
        assert_eq!(read("out/plain").unwrap().as_deref(), Some(&b"plain"[..]));
        assert_eq!(read("out/nothing").unwrap(), None);
        assert_eq!(read("out/plain/deeper").unwrap(), None);
        for path in ["out/link", "up/secret", "out/folder", "out/pipe", "../secret"] {
            assert!(matches!(read(path), Err(ResultError::NotAFile { .. })), "{path}: {:?}", read(path));
        }
        assert!(matches!(read_result(&work, "out/plain", 4), Err(ResultError::TooLarge { bytes: 5, limit: 4, .. })));
    }
}
