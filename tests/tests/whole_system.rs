//! The evaluated sample set, looked at as users and sceptics would. `cargo verify --only whole` makes what is needed and
//! runs this.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    io::{Cursor, Read, Write},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use meshmark_core::{
    bundle::{
        Bundle, Limits,
        format::{Measurement, Outcome, View},
        sha256,
        write::{Contents, write},
    },
    chamfer::{Options, compare},
    glb, leaderboard,
    outcome::Status,
};
use serde_json::{Value, json};
use zip::{ZipArchive, ZipWriter, write::SimpleFileOptions};

fn given(name: &str) -> PathBuf {
    env::var_os(name)
        .map(PathBuf::from)
        .unwrap_or_else(|| panic!("{name} is not set: `cargo verify --only whole` sets it"))
}

fn meshmark(words: &[&str]) -> Output {
    Command::new(given("MESHMARK_BIN")).args(words).output().unwrap()
}

fn document(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn samples() -> PathBuf {
    meshmark_tests::sample::folder()
}

fn open(path: &Path) -> Bundle<Vec<u8>> {
    Bundle::open(fs::read(path).unwrap(), &Limits::default()).unwrap()
}

const fn status(outcome: &Outcome) -> Status {
    match outcome {
        Outcome::Mesh(outcome) => outcome.status,
        Outcome::Ours(_) => Status::Ours,
    }
}

#[test]
fn every_sample_ends_as_expected_and_in_time() {
    let expected = fs::read_to_string(samples().join("expected.json")).unwrap();
    let expected: BTreeMap<String, BTreeMap<String, Vec<String>>> = serde_json::from_str(&expected).unwrap();
    let bundle = open(&given("MESHMARK_DEMO_BUNDLE"));
    let mut wrong = Vec::new();
    for attempt in bundle.attempts() {
        let allowed = &expected[attempt.id.source.as_str()][attempt.id.item.as_str()];
        let status = status(&attempt.outcome).as_str().to_owned();
        if !allowed.contains(&status) {
            wrong.push(format!("{}: {:?}", attempt.id.path(), attempt.outcome));
        }
    }
    let answered: BTreeSet<_> =
        bundle.attempts().iter().map(|attempt| (attempt.id.source.as_str(), attempt.id.item.as_str())).collect();
    assert_eq!(answered.len(), expected.values().map(BTreeMap::len).sum::<usize>());
    for item in bundle.items() {
        let outcome = item.reference.outcome.as_ref().map(status);
        if outcome != Some(Status::Ok) {
            wrong.push(format!("the reference of {}: {outcome:?}", item.id));
        }
    }
    let limit = bundle.manifest().limits["script_wall_s"] + 5.0;
    for timing in
        bundle.timing().iter().filter(|timing| timing.seconds.get("script").is_some_and(|seconds| *seconds > limit))
    {
        wrong.push(format!("{} took {:?}", timing.id.path(), timing.seconds));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn hostile_samples_found_and_left_nothing() {
    let mut bundle = open(&given("MESHMARK_DEMO_BUNDLE"));
    // This one builds a ball of ten metres when it finds a secret.
    let curious = bundle.attempts().iter().find(|a| a.id.path() == "BentWireLamp_seed0/troubled-1/0/0").unwrap();
    let mesh = curious.mesh.clone().unwrap();
    let mesh = glb::read(&bundle.entry(&mesh).unwrap(), &glb::Limits::default()).unwrap();
    let [low, high] = mesh.bounds().unwrap();
    assert!(high[0] - low[0] < 0.2, "it found something");
    for path in ["/usr/picket", "/etc/picket", "/picket", "/work/picket"] {
        assert!(!Path::new(path).exists(), "{path} was written");
    }
    let chatty = bundle.attempts().iter().find(|a| a.id.path() == "SpiralStair_seed0/troubled-1/0/0").unwrap();
    let log = chatty.log.clone().unwrap();
    assert!(bundle.entry(&log).unwrap().len() < 2 << 20, "its output is bounded");
}

#[test]
fn views_are_kept_with_their_protocol() {
    for (bundle, protocol) in
        [("MESHMARK_DEMO_BUNDLE", "views/quick@1"), ("MESHMARK_RENDERED_BUNDLE", "views/meshmark@1")]
    {
        let bundle = open(&given(bundle));
        let with_mesh = bundle.attempts().iter().filter(|attempt| attempt.mesh.is_some());
        let views: Vec<&Vec<View>> = with_mesh.map(|attempt| &attempt.views).collect();
        assert!(views.len() >= 2);
        for views in views {
            assert_eq!(views.iter().map(|view| view.azimuth_deg).collect::<Vec<_>>(), [45.0, 135.0, 225.0, 315.0]);
            assert!(views.iter().all(|view| view.protocol == protocol));
        }
    }
}

/// A copy of a zip in which entries were changed.
fn tampered(original: &Path, change: impl Fn(&str, &mut Vec<u8>)) -> Vec<u8> {
    let mut archive = ZipArchive::new(Cursor::new(fs::read(original).unwrap())).unwrap();
    let mut out = ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).unwrap();
        let (name, mut bytes) = (entry.name().unwrap().into_owned(), Vec::new());
        entry.read_to_end(&mut bytes).unwrap();
        change(&name, &mut bytes);
        out.start_file(&name, SimpleFileOptions::default()).unwrap();
        out.write_all(&bytes).unwrap();
    }
    out.finish().unwrap().into_inner()
}

fn replace(bytes: &mut Vec<u8>, old: &str, new: &str) {
    let text = String::from_utf8(bytes.clone()).unwrap();
    assert!(text.contains(old), "there is no {old} to change");
    *bytes = text.replacen(old, new, 1).into_bytes();
}

#[test]
fn one_changed_byte_anywhere_is_told() {
    let original = given("MESHMARK_DEMO_BUNDLE");
    let whole = meshmark(&["verify", text(&original), "--json"]);
    assert_eq!(whole.status.code(), Some(0), "{}", String::from_utf8_lossy(&whole.stdout));
    assert_eq!(document(&whole)["claims"]["differ"], 0);

    let mut bundle = open(&original);
    let measured = bundle
        .attempts()
        .iter()
        .find(|attempt| attempt.measurements.iter().any(|m| m.value.is_some_and(|v| v > 0.0)))
        .unwrap();
    let score = json!(measured.measurements[0].value).to_string();
    let altered = score.replacen(char::is_numeric, if score.starts_with('7') { "8" } else { "7" }, 1);
    let mesh = measured.mesh.clone().unwrap();
    let claim = bundle.claims().iter().find_map(|claim| claim.value.filter(|value| value.fract() > 0.0));
    let claim = json!(claim).to_string();
    let raised = claim.replacen(char::is_numeric, "9", 1);
    assert!(bundle.entry(&mesh).is_ok() && altered != score);

    let scratch = tempfile::tempdir().unwrap();
    for (name, place) in
        [("mesh", mesh.as_str()), ("score", "attempts.jsonl"), ("claim", "claims.json"), ("manifest", "manifest.json")]
    {
        let bytes = tampered(&original, |entry, bytes| {
            if entry != place {
                return;
            }
            match name {
                "mesh" => *bytes.last_mut().unwrap() ^= 1,
                "score" => replace(bytes, &score, &altered),
                "claim" => replace(bytes, &claim, &raised),
                _ => replace(bytes, "bubblewrap", "bubblewrat"),
            }
        });
        let path = scratch.path().join(format!("{name}.run.zip"));
        fs::write(&path, bytes).unwrap();
        let output = meshmark(&["verify", text(&path), "--json"]);
        assert_eq!(output.status.code(), Some(1), "a changed {name} was not told");
        let differences = document(&output)["differences"].to_string();
        assert!(differences.contains(place), "{name}: {differences}");
    }
}

#[test]
fn executing_again_gives_the_same_but_for_a_swapped_mesh() {
    let honest = meshmark(&["verify", text(&given("MESHMARK_DEMO_BUNDLE")), "--rerun", "all", "--json"]);
    assert_eq!(honest.status.code(), Some(0), "{}", document(&honest)["differences"]);

    // A liar puts another attempt's mesh in place of one's own, computes everything again, and hashes it all.
    let mut bundle = open(&given("MESHMARK_RENDERED_BUNDLE"));
    let mut contents = contents(&bundle);
    let better = contents.items[0].reference.mesh.clone().unwrap();
    let glb = bundle.entry(&better).unwrap();
    let shape = glb::read(&glb, &glb::Limits::default()).unwrap();
    let swapped = contents.attempts.iter_mut().find(|attempt| attempt.id.item == contents.items[0].id).unwrap();
    swapped.mesh = Some(better);
    if let Outcome::Mesh(outcome) = &mut swapped.outcome {
        outcome.triangles = shape.triangles.len() as u64;
        outcome.n_meshes = shape.nodes_with_mesh as u64;
    }
    for measurement in &mut swapped.measurements {
        *measurement = again(measurement, &glb);
    }
    contents.claims = leaderboard::claims(&contents.items, &contents.attempts);
    contents.manifest.counts.blobs = contents.files().iter().filter(|file| file.starts_with("blobs/")).count() as u64;
    let mut out = Cursor::new(Vec::new());
    write(&contents, |path| bundle.entry(path), &mut out).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("swapped.run.zip");
    fs::write(&path, out.into_inner()).unwrap();

    let consistent = meshmark(&["verify", text(&path), "--json"]);
    assert_eq!(consistent.status.code(), Some(0), "it agrees with itself: {}", document(&consistent)["differences"]);
    let executed = meshmark(&["verify", text(&path), "--rerun", "all", "--json"]);
    assert_eq!(executed.status.code(), Some(1));
    let differences = document(&executed)["differences"].clone();
    assert_eq!(differences.as_array().map(Vec::len), Some(1), "{differences}");
    assert!(differences[0]["where"].as_str().unwrap().ends_with("rerun"), "{differences}");
}

fn contents(bundle: &Bundle<Vec<u8>>) -> Contents {
    Contents {
        manifest: bundle.manifest().clone(),
        items: bundle.items().to_vec(),
        attempts: bundle.attempts().to_vec(),
        claims: bundle.claims().to_vec(),
        timing: bundle.timing().to_vec(),
    }
}

/// The measurement of a reference's own mesh.
fn again(measurement: &Measurement, glb: &[u8]) -> Measurement {
    let comparison = compare(glb, glb, &measurement.protocol, &Options::default()).unwrap();
    let mut details = measurement.details.clone();
    details.insert("per_yaw".to_owned(), json!(comparison.per_yaw));
    Measurement { value: Some(comparison.value), details, ..measurement.clone() }
}

#[test]
fn a_run_that_was_killed_goes_on_and_repeats_nothing() {
    let scratch = tempfile::tempdir().unwrap();
    let run = scratch.path().join("run");
    let start = |resume: bool| {
        let mut command = Command::new(given("MESHMARK_BIN"));
        command.args(["run", "--bench", "3dcodebench", "--views", "none", "--jobs", "1", "--items"]);
        command.arg("SpurGear_seed0,FourLegTable_seed0").arg("--config").arg(samples().join("meshmark.toml"));
        command.arg("--tasks").arg(samples().join("tasks"));
        command.arg("--answers").arg(format!("stored:{}", samples().join("answers").display())).arg("--out").arg(&run);
        command.args(resume.then_some("--resume")).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let mut child = start(false).spawn().unwrap();
    let lines = || fs::read_to_string(run.join("attempts.jsonl")).unwrap_or_default();
    let begun = Instant::now();
    while lines().lines().count() < 2 {
        assert!(begun.elapsed() < Duration::from_secs(300) && child.try_wait().unwrap().is_none(), "nothing was done");
        thread::sleep(Duration::from_millis(50));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = lines();

    let refused = start(false).output().unwrap();
    assert_eq!(refused.status.code(), Some(2), "a run is not overwritten unasked");
    assert!(start(true).status().unwrap().success());
    let after = lines();
    assert!(after.starts_with(&before), "what was done stays as it was");
    let ids: Vec<_> = after
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|record| format!("{} {}", record["attempt"]["item"], record["attempt"]["source"]))
        .collect();
    assert_eq!(ids.len(), 6);
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), 6, "{ids:?}");

    let bundles = ["a", "b"].map(|name| {
        let path = scratch.path().join(format!("{name}.run.zip"));
        assert!(meshmark(&["bundle", text(&run), "--out", text(&path)]).status.success());
        sha256(&fs::read(path).unwrap())
    });
    assert_eq!(bundles[0], bundles[1], "one run is one file");
}

#[test]
fn tables_say_what_the_claims_say() {
    let path = given("MESHMARK_DEMO_BUNDLE");
    let bundle = open(&path);
    let board = document(&meshmark(&["board", text(&path), "--json"]));
    let overall = bundle.claims().iter().filter(|claim| claim.table == "leaderboard").count();
    assert_eq!(board["rows"].as_array().unwrap().len(), overall);
    for row in board["rows"].as_array().unwrap() {
        let claim = bundle.claims().iter().find(|claim| {
            claim.table == "leaderboard"
                && row["source"] == claim.row.as_str()
                && row["measure"] == claim.column.as_str()
        });
        assert_eq!(json!(claim.unwrap().value), row["value"], "{row}");
    }
    for format in ["table", "csv", "md", "latex"] {
        for by in [&[][..], &["--by", "category"], &["--by", "outcome"], &["--by", "turn"]] {
            let output = meshmark(&[&["board", text(&path), "--format", format], by].concat());
            assert!(output.status.success());
            assert!(String::from_utf8_lossy(&output.stdout).contains("careful-3"), "{format} {by:?}");
        }
    }
}
