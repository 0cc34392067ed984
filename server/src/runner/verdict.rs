//! Decides how a trial ended, from what was seen from outside and the mesh as core reads it. The driver's report names
//! the exception of a failure; there is no way from it to `OK`.

use meshmark_core::{
    bundle::format::{Ours, Outcome},
    failure,
    outcome::{Exception, FailureClass, MeshOutcome, OfficialStatus, Status},
};

use super::{Execution, blender::Limits, report::Report};
use crate::sandbox::{End, Ended};

/// Printed by the driver before the program begins. What ends without it never was the program's fault.
pub(super) const BEGINS: &str = "meshmark: the program begins";

/// The driver's exit codes; see `server/python/driver.py`.
mod code {
    pub const EXPORTED: i32 = 40;
    pub const EXCEPTION: i32 = 41;
    pub const NOTHING: i32 = 42;
    pub const NOT_EXPORTED: i32 = 43;
    pub const QUIT: i32 = 44;
}

/// The official limit for start, program and pictures, seconds.
const OFFICIAL_WALL_S: f64 = 240.0;
/// How much of the last output a message quotes.
const QUOTED_CHARS: usize = 300;

/// What a job left as its mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing at the place of the mesh.
    Nothing,
    /// Something that is not read.
    Refused(String),
    /// A mesh without a triangle that has area.
    Flat,
    /// A mesh to measure.
    Mesh {
        /// Nodes with a mesh.
        nodes: u64,
        /// Triangles.
        triangles: u64,
    },
}

/// All that a decision rests on.
pub(super) struct Evidence<'a> {
    pub execution: Execution,
    pub ended: &'a Ended,
    pub limits: &'a Limits,
    pub report: Report,
    pub mesh: Found,
}

/// How the run of a program ended, pictures aside.
pub(super) fn of(evidence: Evidence<'_>) -> Outcome {
    let Evidence { execution, ended, limits, report, mesh } = evidence;
    if ended.end == End::Cancelled {
        return ours("cancelled", "the trial was stopped before it was over");
    }
    if !String::from_utf8_lossy(&ended.log).contains(BEGINS) {
        let reason = format!(
            "Blender did not get as far as the program ({}); it said: {}",
            said(ended.end),
            last_words(&ended.log)
        );
        return ours("start", &reason);
    }
    let exporting = ended.milestone.is_some();
    let exited = |how: String| failed(Status::ErrExit, how);
    let ending = match ended.end {
        End::Cancelled => unreachable!("dealt with above"),
        End::WallLimit | End::CpuLimit if exporting => {
            failed(Status::ErrExport, format!("the scene was not exported within {} s", limits.export.as_secs()))
        }
        End::WallLimit => {
            failed(Status::ErrTimeout, format!("the program ran longer than {} s", limits.script.as_secs()))
        }
        End::CpuLimit => failed(
            Status::ErrTimeout,
            format!("the program used more than {} s of processor time", limits.sandbox.cpu.as_secs()),
        ),
        End::MemoryLimit => failed(
            Status::ErrMemory,
            format!("the program took more than {} of memory", bytes(limits.sandbox.memory_bytes)),
        ),
        End::FolderLimit => {
            exited(format!("the program wrote more than {} of files", bytes(limits.sandbox.folder_bytes)))
        }
        End::Signalled(signal) => exited(format!("the process was ended by {}", signal_name(signal))),
        End::Exited(code::EXPORTED) => match mesh {
            Found::Mesh { nodes, triangles } => success(nodes, triangles),
            Found::Flat => failed(Status::ErrNoMesh, "no triangle of the scene has an area".to_owned()),
            Found::Refused(reason) => failed(Status::ErrExport, format!("the exported mesh is not read: {reason}")),
            Found::Nothing => exited("the process ended on its own, without a mesh".to_owned()),
        },
        End::Exited(code::EXCEPTION) => match report.exception.clone() {
            Some(exception) => raised(exception),
            None => exited("the process ended on its own".to_owned()),
        },
        End::Exited(code::NOTHING) => {
            let hint = report.warnings.iter().find(|warning| warning.starts_with("hidden")).map(|w| format!(" ({w})"));
            failed(
                Status::ErrNoMesh,
                format!("the program ended normally and left nothing with a surface{}", hint.unwrap_or_default()),
            )
        }
        End::Exited(code::NOT_EXPORTED) => {
            let why = report.failure.as_deref().map_or_else(String::new, |text| format!(": {}", last_line(text)));
            match execution {
                Execution::Meshmark => failed(Status::ErrExport, format!("the scene could not be exported{why}")),
                Execution::Official => failed(Status::ErrRender, format!("the scene could not be drawn{why}")),
            }
        }
        End::Exited(code::QUIT) => exited("the program told Blender to quit".to_owned()),
        End::Exited(code) => exited(format!("the process ended on its own with exit status {code}")),
    };
    finish(ending, execution, limits, &report)
}

/// The export's part of `exec/official@1`, after pictures were made.
pub(super) fn of_official_export(drawn: MeshOutcome, evidence: Evidence<'_>) -> Outcome {
    let (ended, limits) = (evidence.ended, evidence.limits);
    if ended.end == End::Cancelled {
        return ours("cancelled", "the trial was stopped before it was over");
    }
    let ending = match (ended.end, evidence.mesh) {
        (End::Exited(code::EXPORTED), Found::Mesh { nodes, triangles }) => success(nodes, triangles),
        (End::Exited(code::EXPORTED), Found::Flat) => failed(
            Status::ErrNoMesh,
            "pictures were made, but no triangle of the exported scene has an area".to_owned(),
        ),
        (End::Exited(code::EXPORTED), Found::Refused(reason)) => {
            failed(Status::ErrExport, format!("pictures were made, but the exported mesh is not read: {reason}"))
        }
        (End::WallLimit, _) => failed(
            Status::ErrExport,
            format!("pictures were made, but program and export took longer than {} s", limits.export.as_secs()),
        ),
        (end, _) => {
            let why = evidence.report.failure.as_deref().map_or_else(|| said(end), |text| last_line(text).to_owned());
            failed(Status::ErrExport, format!("pictures were made, but the second run did not export: {why}"))
        }
    };
    Outcome::Mesh(MeshOutcome { official_status: drawn.official_status, protocol: drawn.protocol, ..ending })
}

/// A failure of ours.
pub(super) fn ours(stage: &str, message: &str) -> Outcome {
    Outcome::Ours(Ours { stage: stage.to_owned(), message: message.to_owned() })
}

fn success(nodes: u64, triangles: u64) -> MeshOutcome {
    let message = format!("{triangles} triangles in {nodes} {}", if nodes == 1 { "mesh" } else { "meshes" });
    MeshOutcome { n_meshes: nodes, triangles, ..failed(Status::Ok, message) }
}

fn failed(status: Status, message: String) -> MeshOutcome {
    MeshOutcome {
        status,
        official_status: None,
        exception: None,
        failure_class: None,
        fingerprint: None,
        message,
        n_meshes: 0,
        triangles: 0,
        warnings: Vec::new(),
        protocol: String::new(),
    }
}

fn raised(exception: Exception) -> MeshOutcome {
    let place = match (&exception.file, exception.line) {
        (Some(file), Some(line)) => format!(" in {file}, line {line}"),
        (None, Some(line)) => format!(" in line {line}"),
        _ => String::new(),
    };
    let first_line = exception.message.lines().next().unwrap_or_default();
    let message = format!("{}{place}: {first_line}", exception.kind);
    let status = if exception.kind == "MemoryError" { Status::ErrMemory } else { Status::ErrExec };
    MeshOutcome { exception: Some(exception), ..failed(status, message.trim_end_matches(": ").to_owned()) }
}

/// What follows from the rest.
fn finish(mut ending: MeshOutcome, execution: Execution, limits: &Limits, report: &Report) -> Outcome {
    execution.id().clone_into(&mut ending.protocol);
    ending.official_status = official_status(&ending, execution, limits, report);
    if ending.status == Status::Ok {
        ending.warnings.clone_from(&report.warnings);
    } else {
        let (class, print) = match &ending.exception {
            Some(exception) => (
                failure::classify(&exception.kind, &exception.message),
                failure::fingerprint(&exception.kind, &exception.message),
            ),
            None => (FailureClass::Other, failure::fingerprint("", &ending.message)),
        };
        ending.failure_class = Some(class);
        ending.fingerprint = Some(print);
    }
    Outcome::Mesh(ending)
}

/// What the official code would have said, where that follows.
fn official_status(
    ending: &MeshOutcome,
    execution: Execution,
    limits: &Limits,
    report: &Report,
) -> Option<OfficialStatus> {
    match ending.status {
        // Its four pictures have to be made in time as well, which only its own way tells.
        Status::Ok => (execution == Execution::Official).then_some(OfficialStatus::Ok),
        // Of these two it writes no status at all.
        Status::ErrExec => {
            let kind = ending.exception.as_ref().map(|exception| exception.kind.as_str());
            (!matches!(kind, None | Some("SystemExit" | "KeyboardInterrupt"))).then_some(OfficialStatus::ErrExec)
        }
        Status::ErrNoMesh => (report.mesh_objects == Some(0)).then_some(OfficialStatus::ErrNoMesh),
        Status::ErrTimeout => (limits.script.as_secs_f64() >= OFFICIAL_WALL_S).then_some(OfficialStatus::ErrTimeout),
        Status::ErrExit => Some(OfficialStatus::ErrNolog),
        Status::ErrRender => Some(OfficialStatus::ErrRender),
        // It has no limit of memory, does not export before it draws, and is not given what holds no program.
        Status::ErrMemory | Status::ErrExport | Status::ErrParse | Status::Ours => None,
    }
}

fn said(end: End) -> String {
    match end {
        End::Exited(code) => format!("exit status {code}"),
        End::Signalled(signal) => signal_name(signal),
        End::WallLimit => "out of time".to_owned(),
        End::CpuLimit => "out of processor time".to_owned(),
        End::MemoryLimit => "out of memory".to_owned(),
        End::FolderLimit => "too many files".to_owned(),
        End::Cancelled => "cancelled".to_owned(),
    }
}

fn signal_name(signal: i32) -> String {
    let name = match signal {
        libc::SIGSEGV => "SIGSEGV, a crash",
        libc::SIGABRT => "SIGABRT, a crash",
        libc::SIGBUS => "SIGBUS, a crash",
        libc::SIGFPE => "SIGFPE, a crash",
        libc::SIGILL => "SIGILL, a crash",
        libc::SIGKILL => "SIGKILL",
        libc::SIGTERM => "SIGTERM",
        libc::SIGINT => "SIGINT",
        libc::SIGXFSZ => "SIGXFSZ: it wrote a file larger than allowed",
        libc::SIGSYS => "SIGSYS: it made a system call that is not allowed",
        other => return format!("signal {other}"),
    };
    name.to_owned()
}

fn last_words(log: &[u8]) -> String {
    let text = String::from_utf8_lossy(log);
    let kept: Vec<_> = text.trim().chars().rev().take(QUOTED_CHARS).collect();
    if kept.is_empty() { "nothing".to_owned() } else { kept.into_iter().rev().collect() }
}

fn last_line(text: &str) -> &str {
    text.trim_end().lines().last().unwrap_or_default()
}

/// In the largest unit that is not above it.
fn bytes(count: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "for people")]
    let scaled = |unit: u64| count as f64 / unit as f64;
    match count {
        _ if count >= 1 << 30 => format!("{:.1} GiB", scaled(1 << 30)),
        _ if count >= 1 << 20 => format!("{:.0} MiB", scaled(1 << 20)),
        _ => format!("{count} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    struct Row {
        name: &'static str,
        end: End,
        exporting: bool,
        report: &'static str,
        mesh: Found,
        is: (Status, Option<OfficialStatus>),
        says: &'static str,
    }

    const MESH: Found = Found::Mesh { nodes: 2, triangles: 24 };

    fn decide(execution: Execution, log: &str, row: &Row) -> Outcome {
        let ended = Ended {
            end: row.end,
            log: log.as_bytes().to_vec(),
            wall: Duration::from_secs(1),
            milestone: row.exporting.then_some(Duration::from_secs(1)),
            peak_memory_bytes: 0,
        };
        let report = Report::read(row.report.as_bytes());
        of(Evidence { execution, ended: &ended, limits: &Limits::default(), report, mesh: row.mesh.clone() })
    }

    #[test]
    fn the_end_decides_and_the_report_explains() {
        const RAISED: &str =
            r#"{"exception": {"type": "ValueError", "message": "bad\nmore", "line": 7, "file": "a.py"}}"#;
        use OfficialStatus as Official;
        #[rustfmt::skip]
        let rows = [
            Row { name: "a mesh", end: End::Exited(40), exporting: true, report: r#"{"warnings": ["w"]}"#, mesh: MESH,
                  is: (Status::Ok, None), says: "24 triangles in 2 meshes" },
            Row { name: "a report of an exception does not spoil a mesh", end: End::Exited(40), exporting: true, report: RAISED, mesh: MESH,
                  is: (Status::Ok, None), says: "24 triangles" },
            Row { name: "a mesh does not save an exit of its own", end: End::Exited(0), exporting: true, report: "", mesh: MESH,
                  is: (Status::ErrExit, Some(Official::ErrNolog)), says: "exit status 0" },
            Row { name: "nor a limit", end: End::WallLimit, exporting: false, report: "", mesh: MESH,
                  is: (Status::ErrTimeout, Some(Official::ErrTimeout)), says: "longer than 240 s" },
            Row { name: "a slow export", end: End::WallLimit, exporting: true, report: "", mesh: Found::Nothing,
                  is: (Status::ErrExport, None), says: "within 180 s" },
            Row { name: "flat", end: End::Exited(40), exporting: true, report: "", mesh: Found::Flat,
                  is: (Status::ErrNoMesh, None), says: "area" },
            Row { name: "a broken mesh", end: End::Exited(40), exporting: true, report: "", mesh: Found::Refused("why".to_owned()),
                  is: (Status::ErrExport, None), says: "why" },
            Row { name: "a forged success", end: End::Exited(40), exporting: false, report: "", mesh: Found::Nothing,
                  is: (Status::ErrExit, Some(Official::ErrNolog)), says: "without a mesh" },
            Row { name: "an exception", end: End::Exited(41), exporting: true, report: RAISED, mesh: MESH,
                  is: (Status::ErrExec, Some(Official::ErrExec)), says: "ValueError in a.py, line 7: bad" },
            Row { name: "a forged exception", end: End::Exited(41), exporting: true, report: "[]", mesh: MESH,
                  is: (Status::ErrExit, Some(Official::ErrNolog)), says: "on its own" },
            Row { name: "sys.exit(3)", end: End::Exited(41), exporting: true, report: r#"{"exception": {"type": "SystemExit", "message": ""}}"#, mesh: Found::Nothing,
                  is: (Status::ErrExec, None), says: "SystemExit" },
            Row { name: "no memory, said by Python", end: End::Exited(41), exporting: true, report: r#"{"exception": {"type": "MemoryError"}}"#, mesh: Found::Nothing,
                  is: (Status::ErrMemory, None), says: "MemoryError" },
            Row { name: "no memory, seen by us", end: End::MemoryLimit, exporting: false, report: "", mesh: Found::Nothing,
                  is: (Status::ErrMemory, None), says: "6.0 GiB" },
            Row { name: "an empty scene", end: End::Exited(42), exporting: true, report: r#"{"mesh_objects": 0}"#, mesh: Found::Nothing,
                  is: (Status::ErrNoMesh, Some(Official::ErrNoMesh)), says: "nothing with a surface" },
            Row { name: "a hidden one", end: End::Exited(42), exporting: true, report: r#"{"mesh_objects": 1, "warnings": ["hidden: Cube"]}"#, mesh: Found::Nothing,
                  is: (Status::ErrNoMesh, None), says: "hidden: Cube" },
            Row { name: "no export", end: End::Exited(43), exporting: true, report: r#"{"failure": "Traceback\nRuntimeError: no"}"#, mesh: Found::Nothing,
                  is: (Status::ErrExport, None), says: "RuntimeError: no" },
            Row { name: "quit", end: End::Exited(44), exporting: false, report: "", mesh: Found::Nothing,
                  is: (Status::ErrExit, Some(Official::ErrNolog)), says: "quit" },
            Row { name: "a crash", end: End::Signalled(11), exporting: false, report: "", mesh: Found::Nothing,
                  is: (Status::ErrExit, Some(Official::ErrNolog)), says: "SIGSEGV" },
            Row { name: "too many files", end: End::FolderLimit, exporting: false, report: "", mesh: Found::Nothing,
                  is: (Status::ErrExit, Some(Official::ErrNolog)), says: "1.0 GiB" },
        ];
        for row in &rows {
            let Outcome::Mesh(outcome) = decide(Execution::Meshmark, BEGINS, row) else { panic!("{}: ours", row.name) };
            assert_eq!((outcome.status, outcome.official_status), row.is, "{}", row.name);
            assert!(outcome.message.contains(row.says), "{}: {}", row.name, outcome.message);
            assert_eq!(outcome.failure_class.is_some(), outcome.status != Status::Ok, "{}", row.name);
            assert_eq!(outcome.triangles > 0, outcome.status == Status::Ok, "{}", row.name);
        }
    }

    #[test]
    fn what_ends_before_the_program_begins_is_ours() {
        let row = |end| Row {
            name: "",
            end,
            exporting: false,
            report: "",
            mesh: Found::Nothing,
            is: (Status::Ours, None),
            says: "",
        };
        for (end, log, stage) in [
            (End::Exited(127), "python: not found", "start"),
            (End::WallLimit, "", "start"),
            (End::Cancelled, BEGINS, "cancelled"),
        ] {
            let Outcome::Ours(outcome) = decide(Execution::Meshmark, log, &row(end)) else { panic!("{end:?}") };
            assert_eq!(outcome.stage, stage);
        }
    }
}
