//! Programs as people and models write them, in real Blender in the real sandbox. What each does stands in its first
//! line, what must come of it in `programs/expected.json`.

use std::{io::Cursor, path::Path, sync::Arc, time::Duration};

use meshmark_core::{bundle::format::Outcome, glb, outcome::MeshOutcome, program::Program};
use meshmark_server::{
    config::Config,
    program_files,
    runner::{Blender, Execution, Limits, Ran, Request, Runner, Views},
    sandbox::Bubblewrap,
};
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

/// A row of the table. What is not said is not looked at.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    program: String,
    status: String,
    triangles: Option<u64>,
    n_meshes: Option<u64>,
    warning: Option<String>,
    message: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    line: Option<u32>,
    class: Option<String>,
    low: Option<[f64; 3]>,
    high: Option<[f64; 3]>,
    script_wall_s: Option<u64>,
    memory_bytes: Option<u64>,
}

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs"))
}

async fn blender(limits: Limits) -> Blender {
    let sandbox = Bubblewrap::new([].into()).await.expect("the sandbox is there");
    let backend = Config::default().backend().unwrap();
    Blender::new(&backend, limits, Arc::new(sandbox)).expect("Blender is installed: `cargo verify` does it")
}

async fn run(runner: &Blender, program: &str, execution: Execution, views: Views) -> Ran {
    let program = program_files::read(&folder().join(program)).unwrap();
    runner.run(&Request { program, execution, views }, &|_| (), CancellationToken::new()).await
}

fn outcome(ran: &Ran) -> &MeshOutcome {
    match &ran.outcome {
        Outcome::Mesh(outcome) => outcome,
        Outcome::Ours(ours) => panic!("we failed: {ours:?}\n{}", String::from_utf8_lossy(&ran.log)),
    }
}

/// What is not as it must be.
fn differences(expected: &Expected, ran: &Ran) -> Vec<String> {
    let Outcome::Mesh(outcome) = &ran.outcome else { return vec![format!("{:?}", ran.outcome)] };
    let mut wrong = Vec::new();
    let mut same = |what: &str, is: Option<String>, must: Option<String>| {
        if must.is_some() && is != must {
            wrong.push(format!("{what} is {is:?}, not {must:?}"));
        }
    };
    let exception = outcome.exception.as_ref();
    let class = outcome.failure_class.map(|class| serde_json::to_value(class).unwrap().as_str().unwrap().to_owned());
    same("status", Some(outcome.status.as_str().to_owned()), Some(expected.status.clone()));
    same("triangles", Some(outcome.triangles.to_string()), expected.triangles.map(|n| n.to_string()));
    same("n_meshes", Some(outcome.n_meshes.to_string()), expected.n_meshes.map(|n| n.to_string()));
    same("type", exception.map(|e| e.kind.clone()), expected.kind.clone());
    same("line", exception.and_then(|e| e.line).map(|n| n.to_string()), expected.line.map(|n| n.to_string()));
    same("class", class, expected.class.clone());
    if let Some(warning) = &expected.warning
        && !outcome.warnings.iter().any(|said| said.contains(warning))
    {
        wrong.push(format!("no warning {warning:?} among {:?}", outcome.warnings));
    }
    if let Some(message) = &expected.message
        && !outcome.message.contains(message)
    {
        wrong.push(format!("the message {:?} says nothing of {message:?}", outcome.message));
    }
    if let (Some(low), Some(high)) = (expected.low, expected.high) {
        let read = ran.mesh.as_ref().map(|bytes| glb::read(bytes, &glb::Limits::default()).unwrap());
        let bounds = read.and_then(|mesh| mesh.bounds());
        let near = bounds.is_some_and(|bounds| {
            bounds.iter().zip([low, high]).all(|(is, must)| is.iter().zip(must).all(|(a, b)| (a - b).abs() < 1e-5))
        });
        if !near {
            wrong.push(format!("bounds are {bounds:?}"));
        }
    }
    if ran.log.len() > (1 << 20) + 200 {
        wrong.push(format!("a log of {} bytes", ran.log.len()));
    }
    if ran.mesh.is_some() != (outcome.status.as_str() == "OK") {
        wrong.push("a mesh and a status that don't agree".to_owned());
    }
    if !wrong.is_empty() {
        wrong.push(format!("{outcome:?}\n{}", String::from_utf8_lossy(&ran.log[..ran.log.len().min(2000)])));
    }
    wrong
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_end_as_they_must() {
    let table = std::fs::read_to_string(folder().join("expected.json")).unwrap();
    let table: Vec<Expected> = serde_json::from_str(&table).unwrap();
    let listed: Vec<_> = table.iter().map(|row| row.program.as_str()).collect();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(name == "expected.json" || listed.contains(&name.as_str()), "{name} is not in expected.json");
    }
    let mut wrong = Vec::new();
    let mut rows = table.into_iter();
    let mut running = tokio::task::JoinSet::new();
    loop {
        while running.len() < 2
            && let Some(row) = rows.next()
        {
            running.spawn(async move {
                let mut limits = Limits::default();
                limits.script = row.script_wall_s.map_or(limits.script, Duration::from_secs);
                limits.sandbox.memory_bytes = row.memory_bytes.unwrap_or(limits.sandbox.memory_bytes);
                let runner = blender(limits).await;
                let ran = run(&runner, &row.program, Execution::Meshmark, Views::None).await;
                (row.program.clone(), differences(&row, &ran))
            });
        }
        let Some(ended) = running.join_next().await else { break };
        let (program, differences) = ended.unwrap();
        wrong.extend(differences.into_iter().map(|difference| format!("{program}: {difference}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_official_way_has_the_official_outcomes() {
    let runner = blender(Limits::default()).await;
    for (program, status, official, meshes) in [
        // Counted and drawn, but not in the exported file: the official code says OK to this one.
        ("hides_some.py", "OK", "OK", 2),
        ("curve.py", "ERR_NO_MESH", "ERR_NO_MESH", 0),
        ("syntax_error.py", "ERR_EXEC", "ERR_EXEC", 0),
        ("quit_blender.py", "ERR_EXIT", "ERR_NOLOG", 0),
    ] {
        let ran = run(&runner, program, Execution::Official, Views::Official).await;
        let outcome = outcome(&ran);
        assert_eq!(outcome.status.as_str(), status, "{program}: {outcome:?}");
        assert_eq!(serde_json::to_value(outcome.official_status).unwrap(), official, "{program}");
        assert_eq!(outcome.n_meshes, meshes, "{program}");
        assert_eq!(ran.views.len(), if status == "OK" { 4 } else { 0 }, "{program}");
    }
}

/// Red, green and blue of a picture of 512 × 512 pixels.
fn pixels(png: &[u8]) -> Vec<u8> {
    let mut reader = png::Decoder::new(Cursor::new(png)).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!((info.width, info.height, info.color_type), (512, 512, png::ColorType::Rgb));
    bytes
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_do_not_depend_on_size() {
    let runner = blender(Limits::default()).await;
    let text = std::fs::read_to_string(folder().join("chair.py")).unwrap();
    for views in [Views::Quick, Views::Meshmark] {
        let mut of_one_metre: Option<Vec<Vec<u8>>> = None;
        for scale in ["1.0", "0.1", "100.0"] {
            let program = Program::single("chair.py", &text.replace("SCALE = 1.0", &format!("SCALE = {scale}")));
            let request = Request { program, execution: Execution::Meshmark, views };
            let ran = runner.run(&request, &|_| (), CancellationToken::new()).await;
            assert_eq!(outcome(&ran).status.as_str(), "OK");
            let pictures: Vec<_> = ran.views.iter().map(|picture| pixels(&picture.png)).collect();
            assert_eq!(pictures.len(), 4);
            let Some(expected) = &of_one_metre else {
                // Something is seen, and neither black nor burnt out.
                for picture in &pictures {
                    let object = picture.iter().filter(|&&value| value.abs_diff(128) > 8).count();
                    let burnt = picture.iter().filter(|&&value| value > 250).count();
                    assert!(object > 40_000 && burnt == 0, "{views:?}: {object} of the object, {burnt} burnt out");
                }
                of_one_metre = Some(pictures);
                continue;
            };
            for (is, must) in pictures.iter().zip(expected) {
                let sum: u64 = is.iter().zip(must).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
                let count = is.len() as u64;
                assert!(sum < count, "{views:?} at {scale} m: {sum} of 255 over {count} values");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_program_is_ours_and_leaves_nothing_running() {
    let runner = blender(Limits::default()).await;
    let program = program_files::read(&folder().join("endless.py")).unwrap();
    let request = Request { program, execution: Execution::Meshmark, views: Views::None };
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(2)).await;
        stop.cancel();
    });
    let ran = runner.run(&request, &|_| (), cancel).await;
    assert!(matches!(&ran.outcome, Outcome::Ours(ours) if ours.stage == "cancelled"), "{:?}", ran.outcome);
}
