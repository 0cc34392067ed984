//! What running a program gave: a mesh, a typed failure of the program, or a failure of ours.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a trial ended. Exactly one; `Ours` never counts against a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Status {
    /// The program ended normally and left at least one triangle with area.
    Ok,
    /// The reply held no program.
    ErrParse,
    /// An exception left the program (one that doesn't compile included).
    ErrExec,
    /// The program ended normally without a triangle with area.
    ErrNoMesh,
    /// The program ran, but its scene could not be exported.
    ErrExport,
    /// A wall-clock or CPU-time limit was reached.
    ErrTimeout,
    /// A memory limit was reached.
    ErrMemory,
    /// The process ended on its own: `os._exit`, `quit_blender`, a signal, a crash.
    ErrExit,
    /// Rendering failed in the program's own scene; under `exec/official@1` only.
    ErrRender,
    /// We failed to run it.
    Ours,
}

impl Status {
    /// Every status, in the order in which pages list them.
    pub const ALL: [Self; 10] = [
        Self::Ok,
        Self::ErrParse,
        Self::ErrExec,
        Self::ErrNoMesh,
        Self::ErrExport,
        Self::ErrTimeout,
        Self::ErrMemory,
        Self::ErrExit,
        Self::ErrRender,
        Self::Ours,
    ];

    /// The spelling used in files, such as `ERR_NO_MESH`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "OK",
            Self::ErrParse => "ERR_PARSE",
            Self::ErrExec => "ERR_EXEC",
            Self::ErrNoMesh => "ERR_NO_MESH",
            Self::ErrExport => "ERR_EXPORT",
            Self::ErrTimeout => "ERR_TIMEOUT",
            Self::ErrMemory => "ERR_MEMORY",
            Self::ErrExit => "ERR_EXIT",
            Self::ErrRender => "ERR_RENDER",
            Self::Ours => "OURS",
        }
    }
}

/// The statuses of the official code (its `render_log.json`), where ours determines one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum OfficialStatus {
    /// Four render calls returned.
    Ok,
    /// A Python `Exception` left the script.
    ErrExec,
    /// No exception, but no MESH object in the scene.
    ErrNoMesh,
    /// Scene set-up or rendering failed.
    ErrRender,
    /// 240 seconds for start, script and renders were over.
    ErrTimeout,
    /// The process ended without a log.
    ErrNolog,
}

/// Groups of failures that people act on, after section "failure taxonomy" of the official code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum FailureClass {
    /// API drift from Blender 4.x to 5.0.
    #[serde(rename = "B5-API")]
    B5Api,
    /// A bmesh in a state that the call doesn't allow.
    #[serde(rename = "BMSH")]
    Bmesh,
    /// An operator called in the wrong context.
    #[serde(rename = "CTX")]
    Context,
    /// The sandbox's Python lacks a module that the program imports.
    #[serde(rename = "MODULE")]
    Module,
    /// None of these, or more than one.
    #[serde(rename = "OTHER")]
    Other,
}

/// The exception that ended a program. Told by the driver inside the program's own process: it explains a
/// failure, it never decides one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Exception {
    /// Class name, such as `AttributeError`.
    #[serde(rename = "type")]
    pub kind: String,
    /// `str(exception)`, bounded.
    pub message: String,
    /// The last line of the program itself on the stack, from 1; for a syntax error, the line it names.
    pub line: Option<u32>,
    /// The program's file that `line` is in, relative to the program's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Python's text, from the program's first frame on, bounded.
    pub traceback: String,
}

/// What ran and what came out, but for times: those stand apart so that two runs can be compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MeshOutcome {
    /// How it ended.
    pub status: Status,
    /// How the official code would have called it; null where that can't be known.
    pub official_status: Option<OfficialStatus>,
    /// Why, when an exception did it.
    pub exception: Option<Exception>,
    /// The group of the failure; null for `OK` and `OURS`.
    pub failure_class: Option<FailureClass>,
    /// The failure's first line without file names and numbers, cut to 200 characters; equal for equal causes.
    pub fingerprint: Option<String>,
    /// One sentence for people: what happened and, where it helps, what to do.
    pub message: String,
    /// Mesh-bearing nodes of the exported GLB.
    pub n_meshes: u64,
    /// Triangles of the exported GLB, as core reads it.
    pub triangles: u64,
    /// What a reader should know of a success: hidden objects left out, instances made real, and the like.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Under which protocol it ran: `exec/meshmark@1` or `exec/official@1`.
    pub protocol: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_spelt_alike_in_rust_and_in_files() {
        for status in Status::ALL {
            assert_eq!(serde_json::to_value(status).unwrap(), status.as_str());
        }
    }
}
