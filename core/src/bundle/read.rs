//! Opens a bundle that a stranger made. The list of entries and the lines are read and checked at once; every
//! other entry only when it is asked for.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Read,
};

use serde::de::DeserializeOwned;
use zip::{CompressionMethod, ZipArchive, result::ZipError};

use super::{
    ATTEMPTS, CLAIMS, Fault, FaultKind, HASHES, ITEMS, Limits, MANIFEST, ReadAt, TIMING, central_directory,
    format::{Attempt, Claim, Claims, Item, Manifest, Outcome, ProgramPath, Timing, VERSION, View},
    names, sha256,
    source::Cursor,
};

/// A bundle whose lines were read and agree with one another about what there is. Whether numbers and hashes hold
/// is told by [`super::verify`].
#[derive(Debug)]
pub struct Bundle<S> {
    archive: ZipArchive<Cursor<S>>,
    limits: Limits,
    entries: BTreeMap<String, u64>,
    root: String,
    manifest: Manifest,
    items: Vec<Item>,
    attempts: Vec<Attempt>,
    claims: Vec<Claim>,
    timing: Vec<Timing>,
}

impl<S: ReadAt> Bundle<S> {
    /// Opens a bundle.
    ///
    /// # Errors
    /// [`Fault`] with kind, place and remedy. Nothing beyond `limits` is held or unpacked.
    pub fn open(source: S, limits: &Limits) -> Result<Self, Fault> {
        let open = |cursor| ZipArchive::new(cursor).map_err(|error| zip_fault(&error, "the file"));
        let archive = open(Cursor::new(source))?;
        let (start, named) = (archive.central_directory_start(), archive.len() as u64);
        let mut cursor = archive.into_inner();
        let listed = central_directory::count(&mut cursor, start, limits.max_entries)
            .map_err(|error| Fault::new(FaultKind::NotZip, "the file", format!("{error}; fetch it again, whole")))?;
        if listed > limits.max_entries {
            return Err(too_much("the file", listed, limits.max_entries, "entries or more"));
        }
        if listed != named {
            return Err(Fault::new(FaultKind::BadName, "the file", "an entry stands twice; write the bundle again"));
        }
        let mut archive = open(cursor)?;
        let entries = entries(&mut archive, limits)?;
        let mut raw = RawEntries { archive, entries, limits: *limits };
        let manifest = raw.manifest()?;
        let root = sha256(&raw.bytes(HASHES, limits.max_lines_bytes)?);
        let items: Vec<Item> = raw.lines(ITEMS)?;
        let attempts: Vec<Attempt> = raw.lines(ATTEMPTS)?;
        let claims: Claims = raw.json(CLAIMS)?;
        let timing = raw.lines(TIMING)?;
        let RawEntries { archive, entries, .. } = raw;
        let bundle =
            Self { archive, limits: *limits, entries, root, manifest, items, attempts, claims: claims.claims, timing };
        bundle.check_names()?;
        Ok(bundle)
    }

    /// The SHA-256 of the list of hashes: what names this bundle.
    #[must_use]
    pub fn root(&self) -> &str {
        &self.root
    }

    /// What was run, with what, under which limits.
    #[must_use]
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Every task, with its reference.
    #[must_use]
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// Every attempt.
    #[must_use]
    pub fn attempts(&self) -> &[Attempt] {
        &self.attempts
    }

    /// Every claimed aggregate.
    #[must_use]
    pub fn claims(&self) -> &[Claim] {
        &self.claims
    }

    /// Times, memory and machine of each attempt.
    #[must_use]
    pub fn timing(&self) -> &[Timing] {
        &self.timing
    }

    /// Every entry's path with its size unpacked, bytes, sorted.
    #[must_use]
    pub const fn entries(&self) -> &BTreeMap<String, u64> {
        &self.entries
    }

    /// The content of one entry.
    ///
    /// # Errors
    /// [`Fault`] when it isn't there, is damaged, or is larger than it says.
    pub fn entry(&mut self, path: &str) -> Result<Vec<u8>, Fault> {
        unpack(&mut self.archive, &self.entries, path, self.limits.max_entry_bytes)
    }

    /// Every name that stands in a line must be that of something that is there.
    fn check_names(&self) -> Result<(), Fault> {
        let there = |place: &str, path: &str| {
            if self.entries.contains_key(path) {
                return Ok(());
            }
            Err(Fault::new(
                FaultKind::Missing,
                place,
                format!("{path} is named here and isn't in the bundle; write it again"),
            ))
        };
        let pictures = |place: &str, views: &[View]| views.iter().try_for_each(|view| there(place, &view.picture));
        let program = |place: &str, program: &ProgramPath| {
            program.files.iter().try_for_each(|file| there(place, &format!("{}/{file}", program.folder)))
        };
        let mut items = BTreeSet::new();
        for (number, item) in self.items.iter().enumerate() {
            let place = line(ITEMS, number);
            if !items.insert(item.id.as_str()) {
                return Err(contradiction(&place, format!("the task {} stands twice", item.id)));
            }
            item.reference.mesh.iter().try_for_each(|mesh| there(&place, mesh))?;
            item.reference.program.iter().try_for_each(|found| program(&place, found))?;
            pictures(&place, &item.reference.views)?;
        }
        let sources: BTreeSet<_> = self.manifest.sources.iter().map(|source| source.id.as_str()).collect();
        let mut attempts = BTreeSet::new();
        for (number, attempt) in self.attempts.iter().enumerate() {
            let place = line(ATTEMPTS, number);
            let id = &attempt.id;
            if !items.contains(id.item.as_str()) {
                return Err(contradiction(&place, format!("there is no task {}", id.item)));
            }
            if !sources.contains(id.source.as_str()) {
                return Err(contradiction(&place, format!("the manifest names no source {}", id.source)));
            }
            if !attempts.insert(id.path()) {
                return Err(contradiction(&place, format!("the attempt {} stands twice", id.path())));
            }
            if let (Outcome::Ours(_), Some(_)) = (&attempt.outcome, &attempt.mesh) {
                return Err(contradiction(&place, "an attempt that we failed to run has a mesh".to_owned()));
            }
            let named = [&attempt.mesh, &attempt.log, &attempt.answer.response];
            named.into_iter().flatten().try_for_each(|path| there(&place, path))?;
            attempt.answer.program.iter().try_for_each(|found| program(&place, found))?;
            pictures(&place, &attempt.views)?;
        }
        match self.claims.iter().find(|claim| !sources.contains(claim.row.as_str())) {
            Some(claim) => Err(contradiction(CLAIMS, format!("the manifest names no source {}", claim.row))),
            None => Ok(()),
        }
    }
}

/// The zip and its entries, before the lines are known.
struct RawEntries<S> {
    archive: ZipArchive<Cursor<S>>,
    entries: BTreeMap<String, u64>,
    limits: Limits,
}

impl<S: ReadAt> RawEntries<S> {
    fn bytes(&mut self, path: &str, most: u64) -> Result<Vec<u8>, Fault> {
        unpack(&mut self.archive, &self.entries, path, most)
    }

    fn manifest(&mut self) -> Result<Manifest, Fault> {
        if !self.entries.contains_key(MANIFEST) {
            let message = "this zip has no manifest.json at its top; open a .run.zip that `meshmark bundle` wrote";
            return Err(Fault::new(FaultKind::NotARun, "the file", message));
        }
        let bytes = self.bytes(MANIFEST, self.limits.max_lines_bytes)?;
        // A newer format may have other fields: its version is looked at before anything else.
        let value: serde_json::Value = parse(&bytes, MANIFEST)?;
        if value["format"] != "meshmark-run" {
            let message = format!("the format is {}, not \"meshmark-run\"; open a .run.zip", value["format"]);
            return Err(Fault::new(FaultKind::NotARun, MANIFEST, message));
        }
        if value["version"].as_u64().is_some_and(|version| version > u64::from(VERSION)) {
            let message =
                format!("version {} of the format; this reads up to {VERSION}: update Meshmark", value["version"]);
            return Err(Fault::new(FaultKind::Newer, MANIFEST, message));
        }
        parse(&bytes, MANIFEST)
    }

    fn json<T: DeserializeOwned>(&mut self, path: &str) -> Result<T, Fault> {
        parse(&self.bytes(path, self.limits.max_lines_bytes)?, path)
    }

    fn lines<T: DeserializeOwned>(&mut self, path: &str) -> Result<Vec<T>, Fault> {
        let bytes = self.bytes(path, self.limits.max_lines_bytes)?;
        let lines = bytes.split(|&byte| byte == b'\n').enumerate().filter(|(_, text)| !text.is_empty());
        lines.map(|(number, text)| parse(text, &line(path, number))).collect()
    }
}

/// `attempts.jsonl line 7`, from a number that begins with 0.
fn line(path: &str, number: usize) -> String {
    format!("{path} line {}", number + 1)
}

fn contradiction(place: &str, message: String) -> Fault {
    Fault::new(FaultKind::Contradiction, place, format!("{message}; write the bundle again"))
}

fn parse<T: DeserializeOwned>(bytes: &[u8], place: &str) -> Result<T, Fault> {
    serde_json::from_slice(bytes).map_err(|error| Fault::new(FaultKind::BadJson, place, error.to_string()))
}

fn zip_fault(error: &ZipError, place: &str) -> Fault {
    let (kind, remedy) = match error {
        ZipError::Io(cause) if cause.kind() != std::io::ErrorKind::UnexpectedEof => (FaultKind::Source, "try again"),
        _ => (FaultKind::NotZip, "fetch it again, whole, or open a .run.zip"),
    };
    Fault::new(kind, place, format!("{error}; {remedy}"))
}

/// Every entry with its size, once names, sizes and numbers are known to be harmless.
fn entries<S: ReadAt>(archive: &mut ZipArchive<Cursor<S>>, limits: &Limits) -> Result<BTreeMap<String, u64>, Fault> {
    let mut entries = BTreeMap::new();
    let mut total = 0_u64;
    for index in 0..archive.len() {
        let entry = archive.by_index_raw(index).map_err(|error| zip_fault(&error, "the file"))?;
        let Ok(name) = std::str::from_utf8(entry.name_raw()) else {
            return Err(Fault::new(FaultKind::BadName, format!("entry {}", index + 1), "the name is not UTF-8"));
        };
        if let Some(fault) = names::fault(name) {
            return Err(Fault::new(FaultKind::BadName, name, format!("{fault}; such a file is not unpacked")));
        }
        if entry.encrypted() || !entry.is_file() {
            return Err(Fault::new(FaultKind::BadName, name, "a bundle has plain files only"));
        }
        if !matches!(entry.compression(), CompressionMethod::Stored | CompressionMethod::Deflated) {
            return Err(Fault::new(
                FaultKind::Corrupt,
                name,
                format!("{} is not read: deflate or store it", entry.compression()),
            ));
        }
        let (packed, size) = (entry.compressed_size(), entry.size());
        if size > limits.max_entry_bytes {
            return Err(too_much(name, size, limits.max_entry_bytes, "bytes"));
        }
        if size > packed.saturating_mul(limits.max_ratio) {
            return Err(too_much(name, size / packed.max(1), limits.max_ratio, "bytes unpacked for each packed one"));
        }
        total = total.saturating_add(size);
        if total > limits.max_total_bytes {
            return Err(too_much(name, total, limits.max_total_bytes, "bytes up to here"));
        }
        entries.insert(name.to_owned(), size);
    }
    Ok(entries)
}

fn too_much(place: &str, found: u64, most: u64, thing: &str) -> Fault {
    Fault::new(FaultKind::LimitExceeded, place, format!("{found} {thing}, {most} are read"))
}

fn unpack<S: ReadAt>(
    archive: &mut ZipArchive<Cursor<S>>,
    entries: &BTreeMap<String, u64>,
    path: &str,
    most: u64,
) -> Result<Vec<u8>, Fault> {
    let Some(&size) = entries.get(path) else {
        return Err(Fault::new(FaultKind::Missing, path, "it is not in the bundle; write the bundle again"));
    };
    if size > most {
        return Err(too_much(path, size, most, "bytes"));
    }
    let mut entry = archive.by_name(path).map_err(|error| zip_fault(&error, path))?;
    let mut bytes = Vec::new();
    // One more than announced: an entry that goes on is not what it says.
    let read = entry.by_ref().take(size + 1).read_to_end(&mut bytes);
    match read {
        Ok(read) if read as u64 == size => Ok(bytes),
        Ok(read) => {
            Err(Fault::new(FaultKind::Corrupt, path, format!("{size} bytes were announced and {read} or more came")))
        }
        Err(error) => Err(Fault::new(FaultKind::Corrupt, path, format!("{error}; fetch the bundle again"))),
    }
}
