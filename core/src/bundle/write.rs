//! Writes a bundle: the same run gives the same bytes, whoever writes it, whenever.
//!
//! - Entries are sorted by name and carry the zip's earliest date.
//! - JSON is compact, with the fields in the order of [`super::format`], maps sorted by key, numbers in their shortest
//!   form that reads back the same, and a line feed after each line or document.
//! - Text and meshes are deflated by one encoder (miniz, whose version is locked); pictures and vectors are stored.

use std::{
    collections::BTreeSet,
    io::{Seek, Write},
};

use serde::Serialize;
use zip::{CompressionMethod, DateTime, ZipWriter, result::ZipError, write::SimpleFileOptions};

use super::{
    ATTEMPTS, CLAIMS, HASHES, ITEMS, MANIFEST, TIMING,
    format::{Attempt, Claim, Claims, Item, Manifest, ProgramPath, Timing, View},
    names, sha256,
};

/// Everything of a run but the contents of the files that its lines name.
#[derive(Debug, Clone)]
pub struct Contents {
    /// What was run, with what.
    pub manifest: Manifest,
    /// A task each, sorted by whoever made them.
    pub items: Vec<Item>,
    /// An attempt each.
    pub attempts: Vec<Attempt>,
    /// Every claimed aggregate.
    pub claims: Vec<Claim>,
    /// Times, memory and machine.
    pub timing: Vec<Timing>,
}

/// Why a bundle was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError<E> {
    /// A name that a bundle can't have.
    #[error("{name:?} can't be the name of a file in a bundle: {fault}")]
    Name {
        /// The name.
        name: String,
        /// What is wrong with it.
        fault: &'static str,
    },
    /// JSON has no word for an infinite number or for none.
    #[error("{place} has a number that is not finite; write no value and a note instead")]
    NotFinite {
        /// Which line.
        place: String,
    },
    /// A file that the lines name could not be loaded.
    #[error("{path} could not be loaded: {cause}")]
    Load {
        /// Its path in the bundle.
        path: String,
        /// Why.
        cause: E,
    },
    /// The zip could not be written.
    #[error("the bundle could not be written: {0}")]
    Zip(#[from] ZipError),
    /// A line could not be spelt.
    #[error("a line could not be spelt as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl Contents {
    /// Every file that the lines name, each once, sorted.
    #[must_use]
    pub fn files(&self) -> BTreeSet<String> {
        let mut files = BTreeSet::new();
        let mut program = |program: &ProgramPath| {
            program.files.iter().map(|file| format!("{}/{file}", program.folder)).collect::<Vec<_>>()
        };
        let pictures = |views: &[View]| views.iter().map(|view| view.picture.clone()).collect::<Vec<_>>();
        for Item { reference, .. } in &self.items {
            files.extend(reference.mesh.clone());
            files.extend(pictures(&reference.views));
            files.extend(reference.program.iter().flat_map(&mut program));
        }
        for attempt in &self.attempts {
            files.extend([&attempt.mesh, &attempt.log, &attempt.answer.response].into_iter().flatten().cloned());
            files.extend(pictures(&attempt.views));
            files.extend(attempt.answer.program.iter().flat_map(&mut program));
        }
        files
    }

    fn check_numbers<E>(&self) -> Result<(), WriteError<E>> {
        let finite = |place: &dyn Fn() -> String, value: Option<f64>| match value {
            Some(value) if !value.is_finite() => Err(WriteError::NotFinite { place: place() }),
            _ => Ok(()),
        };
        for attempt in &self.attempts {
            for measurement in &attempt.measurements {
                finite(&|| format!("{} of {}", measurement.protocol, attempt.id.path()), measurement.value)?;
            }
        }
        for claim in &self.claims {
            finite(&|| format!("the claim {} of {} in {}", claim.column, claim.row, claim.table), claim.value)?;
        }
        Ok(())
    }
}

/// Writes a bundle and gives its root hash. `load` is asked for one file at a time, by its path in the bundle;
/// for those that sort after the list of hashes twice.
///
/// # Errors
/// [`WriteError`]; what was written so far is then no bundle.
pub fn write<E>(
    contents: &Contents,
    mut load: impl FnMut(&str) -> Result<Vec<u8>, E>,
    out: impl Write + Seek,
) -> Result<String, WriteError<E>> {
    contents.check_numbers()?;
    let mut documents = [
        (ATTEMPTS, lines(&contents.attempts)?),
        (CLAIMS, document(&Claims { claims: contents.claims.clone() })?),
        (ITEMS, lines(&contents.items)?),
        (MANIFEST, document(&contents.manifest)?),
        (TIMING, lines(&contents.timing)?),
    ];
    documents.sort_unstable_by_key(|(path, _)| *path);
    let files = contents.files();
    for name in &files {
        if let Some(fault) = names::fault(name) {
            return Err(WriteError::Name { name: name.clone(), fault });
        }
    }
    let mut load = |path: &str| load(path).map_err(|cause| WriteError::Load { path: path.to_owned(), cause });

    let mut names: Vec<&str> =
        files.iter().map(String::as_str).chain(documents.iter().map(|(path, _)| *path)).collect();
    names.sort_unstable();
    names.dedup();
    let document = |path: &str| documents.iter().find(|(name, _)| *name == path).map(|(_, bytes)| bytes);

    let mut zip = ZipWriter::new(out);
    let mut hashes = String::new();
    let (before, after) = names.split_at(names.partition_point(|name| *name < HASHES));
    for path in before {
        let bytes = document(path).map_or_else(|| load(path), |bytes| Ok(bytes.clone()))?;
        hashes += &hash_line(path, &bytes);
        add(&mut zip, path, &bytes)?;
    }
    for path in after {
        hashes += &hash_line(path, &document(path).map_or_else(|| load(path), |bytes| Ok(bytes.clone()))?);
    }
    add(&mut zip, HASHES, hashes.as_bytes())?;
    for path in after {
        add(&mut zip, path, &document(path).map_or_else(|| load(path), |bytes| Ok(bytes.clone()))?)?;
    }
    zip.finish()?;
    Ok(sha256(hashes.as_bytes()))
}

/// A line of the list of hashes, as `sha256sum --check` reads it.
pub(super) fn hash_line(path: &str, bytes: &[u8]) -> String {
    format!("{}  {path}\n", sha256(bytes))
}

fn add<E>(zip: &mut ZipWriter<impl Write + Seek>, path: &str, bytes: &[u8]) -> Result<(), WriteError<E>> {
    let packed = ["json", "jsonl", "txt", "py", "glb"].iter().any(|ending| path.ends_with(&format!(".{ending}")));
    let method = if packed { CompressionMethod::Deflated } else { CompressionMethod::Stored };
    let options = SimpleFileOptions::default()
        .compression_method(method)
        .compression_level(packed.then_some(6))
        .last_modified_time(DateTime::DEFAULT)
        .unix_permissions(0o644)
        .large_file(u32::try_from(bytes.len()).is_err());
    zip.start_file(path, options)?;
    zip.write_all(bytes).map_err(ZipError::Io)?;
    Ok(())
}

fn document(value: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut text = serde_json::to_vec(value)?;
    text.push(b'\n');
    Ok(text)
}

fn lines(values: &[impl Serialize]) -> serde_json::Result<Vec<u8>> {
    let mut text = Vec::new();
    for value in values {
        serde_json::to_writer(&mut text, value)?;
        text.push(b'\n');
    }
    Ok(text)
}
