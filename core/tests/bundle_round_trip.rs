//! A bundle that was written is read again, is the same bytes each time, and tells what is wrong with it.

use std::{collections::BTreeMap, convert::Infallible, io::Cursor};

use meshmark_core::bundle::{
    Bundle, Fault, FaultKind, Limits,
    format::{
        AnswerFiles, Attempt, Counts, Item, Manifest, Measurement, Outcome, ProgramPath, Reference, SandboxReport,
        Source, Timing, VERSION,
    },
    sha256, verify,
    write::{Contents, WriteError, write},
};
use meshmark_core::{
    id::{AttemptId, ItemId, SourceId},
    leaderboard,
    outcome::{MeshOutcome, Status},
    protocol::{CHAMFER_UPRIGHT, EXEC_MESHMARK, Recomputable},
};
use proptest::prelude::*;
use zip::{ZipWriter, write::SimpleFileOptions};

const CUBE: &[u8] = include_bytes!("../goldens/glb/cube.glb");

fn outcome() -> MeshOutcome {
    MeshOutcome {
        status: Status::Ok,
        official_status: None,
        exception: None,
        failure_class: None,
        fingerprint: None,
        message: "it built a mesh".to_owned(),
        n_meshes: 1,
        triangles: 12,
        warnings: Vec::new(),
        protocol: EXEC_MESHMARK.to_owned(),
    }
}

/// A run of one task and one attempt, with the files that its lines name.
fn sample() -> (Contents, BTreeMap<String, Vec<u8>>) {
    let item = ItemId::new("Cube_seed0").unwrap();
    let source = SourceId::new("careful").unwrap();
    let mesh = format!("blobs/{}.glb", sha256(CUBE));
    let id = AttemptId { item: item.clone(), source: source.clone(), sample: 0, turn: 0 };
    let program =
        |folder: String| ProgramPath { folder, entry: "code.py".to_owned(), files: vec!["code.py".to_owned()] };
    let attempt = Attempt {
        answer: AnswerFiles { response: None, program: Some(program(id.path())), trimmed_head: 0, trimmed_tail: 0 },
        outcome: Outcome::Mesh(outcome()),
        mesh: Some(mesh.clone()),
        views: Vec::new(),
        log: None,
        tokens: None,
        cost_usd: Some(0.1),
        measurements: vec![Measurement {
            protocol: CHAMFER_UPRIGHT.to_owned(),
            value: Some(0.0),
            recomputable: Recomputable::Browser,
            details: BTreeMap::new(),
            note: None,
        }],
        id: id.clone(),
    };
    let mut contents = Contents {
        manifest: Manifest {
            format: "meshmark-run".to_owned(),
            version: VERSION,
            run: "sample".to_owned(),
            benchmark: "3dcodebench".to_owned(),
            benchmark_sha256: sha256(b"tasks"),
            prompt: "description".to_owned(),
            sources: vec![Source { id: source, kind: "stored".to_owned() }],
            protocols: vec![CHAMFER_UPRIGHT.to_owned(), EXEC_MESHMARK.to_owned()],
            tools: BTreeMap::new(),
            limits: BTreeMap::new(),
            sandbox: SandboxReport::default(),
            counts: Counts { items: 1, attempts: 1, ours: 0, blobs: 1 },
        },
        items: vec![Item {
            id: item,
            category: "Cube".to_owned(),
            taxonomy: Vec::new(),
            prompt: "a cube".to_owned(),
            reference: Reference {
                outcome: Some(Outcome::Mesh(outcome())),
                mesh: Some(mesh.clone()),
                views: Vec::new(),
                program: Some(program("reference/Cube_seed0".to_owned())),
            },
        }],
        attempts: vec![attempt],
        claims: Vec::new(),
        timing: vec![Timing {
            id: id.clone(),
            seconds: BTreeMap::from([("script".to_owned(), 1.25)]),
            peak_memory_bytes: None,
            machine: "x86_64, 2 cores".to_owned(),
        }],
    };
    contents.claims = leaderboard::claims(&contents.items, &contents.attempts);
    let files = BTreeMap::from([
        (mesh, CUBE.to_vec()),
        (format!("{}/code.py", id.path()), b"import bpy\n".to_vec()),
        ("reference/Cube_seed0/code.py".to_owned(), b"import bpy  # reference\n".to_vec()),
    ]);
    (contents, files)
}

fn written(contents: &Contents, files: &BTreeMap<String, Vec<u8>>) -> (String, Vec<u8>) {
    let mut out = Cursor::new(Vec::new());
    let root = write(contents, |path| Ok::<_, Infallible>(files[path].clone()), &mut out).unwrap();
    (root, out.into_inner())
}

fn open(bytes: &[u8]) -> Result<Bundle<&[u8]>, Fault> {
    Bundle::open(bytes, &Limits::default())
}

#[test]
fn what_was_written_is_read_again() {
    let (contents, files) = sample();
    let (root, bytes) = written(&contents, &files);
    let mut bundle = open(&bytes).unwrap();
    assert_eq!(bundle.root(), root);
    assert_eq!(bundle.manifest(), &contents.manifest);
    assert_eq!(bundle.items(), contents.items);
    assert_eq!(bundle.attempts(), contents.attempts);
    assert_eq!(bundle.claims(), contents.claims);
    for (path, content) in files {
        assert_eq!(bundle.entry(&path).unwrap(), content, "{path}");
    }
    assert_eq!(bundle.entry("items/none.py").unwrap_err().kind, FaultKind::Missing);
}

#[test]
fn entries_are_sorted_and_bytes_are_the_same_each_time() {
    let (contents, files) = sample();
    let (root, bytes) = written(&contents, &files);
    assert_eq!(written(&contents, &files), (root.clone(), bytes.clone()));
    let archive = zip::ZipArchive::new(Cursor::new(&bytes)).unwrap();
    let names: Vec<_> = archive.file_names().map(|name| name.unwrap().into_owned()).collect();
    assert!(names.is_sorted(), "{names:?}");
    // Moves only when the format or its encoder does, natively as in a browser.
    assert_eq!((root.as_str(), sha256(&bytes).as_str()), (ROOT, FILE));
}

const ROOT: &str = "3e002b645268c69ac5aa40f12256aeded3cb98261e7e53dd4f3166b8e45e7db7";
const FILE: &str = "2f79acabe6febcc41465f6bc86a53b32462bba28f1b6c0aee127ee55288b84a0";

#[test]
fn a_number_that_json_lacks_is_not_written() {
    let (mut contents, files) = sample();
    contents.attempts[0].measurements[0].value = Some(f64::NAN);
    let result = write(&contents, |path| Ok::<_, Infallible>(files[path].clone()), Cursor::new(Vec::new()));
    assert!(matches!(result, Err(WriteError::NotFinite { .. })), "{result:?}");
}

/// A zip of these entries, as somebody else would write it.
fn zipped(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in entries {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        std::io::Write::write_all(&mut zip, content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// The sample's bytes with one text put for another of the same length, in the zip's own list as well.
fn renamed(from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut bytes = zipped(&[("manifest.json", b"{}"), ("manifest.jsom", b"{}"), ("claims.json", b"{}")]);
    for at in 0..bytes.len() - from.len() {
        if &bytes[at..at + from.len()] == from.as_bytes() {
            bytes[at..at + from.len()].copy_from_slice(to.as_bytes());
        }
    }
    bytes
}

#[test]
fn strange_files_are_refused_with_kind_and_place() {
    let (contents, files) = sample();
    let whole = written(&contents, &files).1;
    let newer = br#"{"format":"meshmark-run","version":99}"#;
    let other = br#"{"format":"another"}"#;
    let changed = |change: &dyn Fn(&mut Contents)| {
        let mut contents = contents.clone();
        change(&mut contents);
        written(&contents, &files).1
    };
    let unknown = ItemId::new("Other_seed0").unwrap();
    for (bytes, kind, place, why) in [
        (Vec::new(), FaultKind::NotZip, "the file", "nothing"),
        (b"not a zip at all".to_vec(), FaultKind::NotZip, "the file", "another kind of file"),
        (whole[..whole.len() - 40].to_vec(), FaultKind::NotZip, "the file", "an end that was cut off"),
        (zipped(&[("a.txt", b"")]), FaultKind::NotARun, "the file", "another zip"),
        (zipped(&[("manifest.json", other)]), FaultKind::NotARun, "manifest.json", "another format"),
        (zipped(&[("manifest.json", newer)]), FaultKind::Newer, "manifest.json", "a newer version"),
        (zipped(&[("manifest.json", b"{")]), FaultKind::BadJson, "manifest.json", "half a document"),
        (renamed("claims.json", "../aim.json"), FaultKind::BadName, "../aim.json", "a way out"),
        (renamed("claims.json", "c\\aims.json"), FaultKind::BadName, "c\\aims.json", "a backslash"),
        (renamed("claims.json", "/laims.json"), FaultKind::BadName, "/laims.json", "an absolute name"),
        (renamed("manifest.jsom", "manifest.json"), FaultKind::BadName, "the file", "a name twice"),
        (
            changed(&|contents| contents.attempts.push(contents.attempts[0].clone())),
            FaultKind::Contradiction,
            "attempts.jsonl line 2",
            "an attempt twice",
        ),
        (
            changed(&|contents| contents.attempts[0].id.item = unknown.clone()),
            FaultKind::Contradiction,
            "attempts.jsonl line 1",
            "an attempt at no task",
        ),
        (
            changed(&|contents| contents.manifest.sources.clear()),
            FaultKind::Contradiction,
            "attempts.jsonl line 1",
            "an attempt by nobody",
        ),
    ] {
        let fault = open(&bytes).expect_err(why);
        assert_eq!((fault.kind, fault.place.as_str()), (kind, place), "{why}: {fault}");
    }
}

#[test]
fn limits_hold_before_anything_is_unpacked() {
    let (contents, files) = sample();
    let bytes = written(&contents, &files).1;
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("manifest.json", SimpleFileOptions::default()).unwrap();
    std::io::Write::write_all(&mut zip, &vec![b' '; 4 << 20]).unwrap();
    let bomb = zip.finish().unwrap().into_inner();
    let all = Limits::default();
    for (bytes, limits, why) in [
        (&bytes, Limits { max_entries: 3, ..all }, "entries"),
        (&bytes, Limits { max_entry_bytes: 100, ..all }, "an entry"),
        (&bytes, Limits { max_total_bytes: 1_000, ..all }, "everything"),
        (&bytes, Limits { max_lines_bytes: 10, ..all }, "lines"),
        (&bomb, Limits { max_ratio: 100, ..all }, "the ratio"),
    ] {
        let fault = Bundle::open(bytes, &limits).expect_err(why);
        assert_eq!(fault.kind, FaultKind::LimitExceeded, "{why}: {fault}");
    }
}

/// The places that differ.
fn differences(bytes: &[u8]) -> Vec<String> {
    let mut bundle = open(bytes).unwrap();
    let report = verify::all(&mut bundle, |_, _, _| ()).unwrap();
    assert_eq!(report.holds(), report.differences.is_empty());
    report.differences.into_iter().map(|difference| difference.place).collect()
}

#[test]
fn a_true_bundle_is_consistent() {
    let (contents, files) = sample();
    let bytes = written(&contents, &files).1;
    let mut steps = Vec::new();
    let report = verify::all(&mut open(&bytes).unwrap(), |done, total, _| steps.push((done, total))).unwrap();
    assert!(report.holds(), "{report:#?}");
    assert_eq!(report.claims.not_checkable, 0);
    assert_eq!(steps, [(0, 3), (1, 3), (2, 3), (3, 3)]);
}

#[test]
fn every_kind_of_change_is_seen_even_when_hashes_are_made_again() {
    let (contents, files) = sample();
    let changed = |change: &dyn Fn(&mut Contents)| {
        let mut contents = contents.clone();
        change(&mut contents);
        differences(&written(&contents, &files).1)
    };
    let measured = changed(&|contents| contents.attempts[0].measurements[0].value = Some(0.25));
    assert_eq!(measured[0], format!("{} chamfer/upright@1", contents.attempts[0].id.path()));
    assert_eq!(changed(&|contents| contents.claims[5].value = Some(0.5)), ["leaderboard careful executed"]);
    assert_eq!(changed(&|contents| contents.manifest.counts.attempts = 2), ["manifest.json counts"]);
    let outcome = changed(&|contents| {
        let Outcome::Mesh(outcome) = &mut contents.attempts[0].outcome else { unreachable!() };
        outcome.triangles = 13;
    });
    assert_eq!(outcome, [format!("{} outcome", contents.attempts[0].id.path())]);
}

#[test]
fn a_byte_changed_in_any_entry_is_seen() {
    let (contents, files) = sample();
    let whole = written(&contents, &files).1;
    let mut bundle = open(&whole).unwrap();
    let paths: Vec<_> = bundle.entries().keys().cloned().collect();
    let entries: BTreeMap<_, _> = paths.iter().map(|path| (path.clone(), bundle.entry(path).unwrap())).collect();
    for path in &paths {
        let mut entries = entries.clone();
        let content = entries.get_mut(path).unwrap();
        // A digit or letter for another: JSON stays JSON, and a hash stays a hash.
        let at = content.iter().rposition(u8::is_ascii_digit).unwrap_or(content.len() / 2);
        content[at] ^= 1;
        let list: Vec<_> = entries.iter().map(|(name, content)| (name.as_str(), content.as_slice())).collect();
        match open(&zipped(&list)) {
            Err(fault) => assert_eq!(fault.kind, FaultKind::Missing, "{path}: {fault}"),
            Ok(mut bundle) => {
                let report = verify::all(&mut bundle, |_, _, _| ()).unwrap();
                assert!(!report.holds(), "{path}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is done to a bundle, it is read or refused; an entry that can still be read is whole.
    #[test]
    fn damage_never_panics(at in 0_usize..10_000, value: u8, cut in 0_usize..20_000) {
        let (contents, files) = sample();
        let mut bytes = written(&contents, &files).1;
        let at = at % bytes.len();
        bytes[at] = value;
        bytes.truncate(cut.max(1));
        if let Ok(mut bundle) = open(&bytes) {
            let paths: Vec<_> = bundle.entries().keys().cloned().collect();
            for path in paths {
                let _ = bundle.entry(&path);
            }
        }
    }
}
