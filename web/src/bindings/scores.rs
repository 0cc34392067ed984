//! Core's measures, for a worker: they take up to seconds, which a page can't spare.

use std::io;

use js_sys::{Function, Uint8Array};
use meshmark_core::{
    bundle::{
        self, Fault, ReadAt,
        format::{Attempt, Claim, Item, Manifest, Timing},
        verify,
    },
    chamfer::{self, CompareError, Options},
    glb::{self, Limits},
    protocol,
};
use serde::Serialize;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};
use web_sys::{Blob, FileReaderSync};

use super::{Problem, plain};

/// Facts of a GLB, or `{refused: {kind, where, message}}`.
///
/// # Errors
/// Never for a strange file: that is a result.
#[wasm_bindgen]
pub fn inspect(glb: &[u8]) -> Result<JsValue, JsValue> {
    plain(&glb::inspect(glb, &Limits::default()))
}

/// Compares two GLBs as `meshmark compare --json` does. `seed` is only for protocols that have one.
///
/// # Errors
/// Throws `{kind, where, message}` when there is no distance.
#[wasm_bindgen]
pub fn compare(reference: &[u8], candidate: &[u8], protocol: &str, seed: Option<u32>) -> Result<JsValue, JsValue> {
    let options = Options { seed: seed.map(u64::from), points: None };
    match chamfer::compare(reference, candidate, protocol, &options) {
        Ok(comparison) => plain(&comparison),
        Err(error) => Err(problem(&error)),
    }
}

fn problem(error: &CompareError) -> JsValue {
    let (kind, place) = match error {
        CompareError::UnknownProtocol { .. } => ("unknown_protocol", "protocol".to_owned()),
        CompareError::NoSuchOption { option, .. } => ("no_such_option", (*option).to_owned()),
        CompareError::Points { .. } => ("points", "points".to_owned()),
        CompareError::Refused { side, refusal } => ("refused", format!("{side}, {}", refusal.place)),
        CompareError::Chamfer(error) => ("no_distance", error.side.to_string()),
    };
    Problem { kind, place: &place, message: error.to_string() }.thrown()
}

/// Every protocol of core's registry.
///
/// # Errors
/// Never.
#[wasm_bindgen]
pub fn protocols() -> Result<JsValue, JsValue> {
    plain(&protocol::all())
}

/// A file of which only what is asked for is read. `FileReaderSync` is there in workers only.
struct InBrowser {
    blob: Blob,
    reader: FileReaderSync,
}

impl ReadAt for InBrowser {
    fn size(&self) -> u64 {
        self.blob.size() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let failed = |error: JsValue| io::Error::other(format!("{error:?}"));
        let end = offset + buffer.len() as u64;
        let part = self.blob.slice_with_f64_and_f64(offset as f64, end as f64).map_err(failed)?;
        let bytes = Uint8Array::new(&JsValue::from(self.reader.read_as_array_buffer(&part).map_err(failed)?));
        if bytes.length() as usize != buffer.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes.copy_to(buffer);
        Ok(())
    }
}

/// A run bundle, read one entry at a time. Works in workers only.
#[wasm_bindgen]
pub struct Bundle {
    bundle: bundle::Bundle<InBrowser>,
}

/// Everything in a bundle but its files' contents.
#[derive(Serialize)]
struct Summary<'a> {
    root: &'a str,
    manifest: &'a Manifest,
    items: &'a [Item],
    attempts: &'a [Attempt],
    claims: &'a [Claim],
    timing: &'a [Timing],
    entries: Vec<Entry<'a>>,
}

/// A file in a bundle.
#[derive(Serialize)]
struct Entry<'a> {
    path: &'a str,
    size: u64,
}

#[wasm_bindgen]
impl Bundle {
    /// Opens a bundle.
    ///
    /// # Errors
    /// Throws `{kind, where, message}`.
    pub fn open(blob: Blob) -> Result<Self, JsValue> {
        let source = InBrowser { blob, reader: FileReaderSync::new()? };
        let bundle = bundle::Bundle::open(source, &bundle::Limits::default()).map_err(thrown)?;
        Ok(Self { bundle })
    }

    /// `{root, manifest, items, attempts, claims, timing, entries}`, spelt as in the files.
    ///
    /// # Errors
    /// Never.
    pub fn summary(&self) -> Result<JsValue, JsValue> {
        plain(&Summary {
            root: self.bundle.root(),
            manifest: self.bundle.manifest(),
            items: self.bundle.items(),
            attempts: self.bundle.attempts(),
            claims: self.bundle.claims(),
            timing: self.bundle.timing(),
            entries: self.bundle.entries().iter().map(|(path, &size)| Entry { path, size }).collect(),
        })
    }

    /// The content of one entry.
    ///
    /// # Errors
    /// Throws `{kind, where, message}`.
    pub fn entry(&mut self, path: &str) -> Result<Vec<u8>, JsValue> {
        self.bundle.entry(path).map_err(thrown)
    }

    /// Checks of one attempt, by its number in `attempts`.
    ///
    /// # Errors
    /// Throws `{kind, where, message}`.
    pub fn recompute(&mut self, attempt: usize) -> Result<JsValue, JsValue> {
        if attempt >= self.bundle.attempts().len() {
            let message = format!("there are {} attempts and no number {attempt}", self.bundle.attempts().len());
            return Err(Problem { kind: "missing", place: "attempt", message }.thrown());
        }
        plain(&verify::recompute_attempt(&mut self.bundle, attempt).map_err(thrown)?)
    }

    /// Checks of every aggregate.
    ///
    /// # Errors
    /// Never.
    #[wasm_bindgen(js_name = recomputeClaims)]
    pub fn recompute_claims(&self) -> Result<JsValue, JsValue> {
        plain(&verify::recompute_claims(&self.bundle))
    }

    /// Every check. `progress` is called with steps done, steps in all, and what comes next.
    ///
    /// # Errors
    /// Throws `{kind, where, message}`.
    pub fn verify(&mut self, progress: Option<Function>) -> Result<JsValue, JsValue> {
        let report = verify::all(&mut self.bundle, |done, total, what| {
            if let Some(progress) = &progress {
                // A page that fails to show progress is no reason to stop.
                let _ = progress.call3(&JsValue::NULL, &done.into(), &total.into(), &what.into());
            }
        });
        plain(&report.map_err(thrown)?)
    }
}

fn thrown(fault: Fault) -> JsValue {
    plain(&fault).unwrap_or_else(|error| error)
}
