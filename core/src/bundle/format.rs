//! The lines and documents inside a bundle, version 1. These structs are the format: their JSON Schemas and the
//! TypeScript types are generated from here. Working types stay elsewhere.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    answer::Tokens,
    id::{AttemptId, ItemId, SourceId},
    outcome::MeshOutcome,
    protocol::Recomputable,
};

/// The format version this code writes and the newest it reads.
pub const VERSION: u32 = 1;

/// A path inside the bundle that names a blob by its content: `blobs/<sha256>.<ext>`.
pub type BlobPath = String;

/// `manifest.json`: what was run, with what, under which limits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Manifest {
    /// Always `meshmark-run`.
    pub format: String,
    /// See [`VERSION`].
    pub version: u32,
    /// The run's own name: its folder's.
    pub run: String,
    /// `3dcodebench` or `geocodebench`.
    pub benchmark: String,
    /// SHA-256 over the task folder's files (names and contents, sorted).
    pub benchmark_sha256: String,
    /// Which prompts were asked: `description` or `instruction`.
    pub prompt: String,
    /// Answer sources, sorted.
    pub sources: Vec<Source>,
    /// Every protocol id that a line of this bundle names, sorted.
    pub protocols: Vec<String>,
    /// Version of each tool and library that had a part: `meshmark`, `blender`, `python`, `numpy`, ...
    pub tools: BTreeMap<String, String>,
    /// Limits in force, with the unit in the name: `script_wall_s`, `memory_bytes`, ...
    pub limits: BTreeMap<String, f64>,
    /// Sandbox layers in force and those left out by name.
    pub sandbox: SandboxReport,
    /// Counts that a reader may check.
    pub counts: Counts,
}

/// Who answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Source {
    /// The name used in every line.
    pub id: SourceId,
    /// Where the answers came from, such as `stored`.
    pub kind: String,
}

/// What kept programs in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SandboxReport {
    /// `bubblewrap`, or `fake` in tests.
    pub kind: String,
    /// Layers in force: `network`, `environment`, `files`, `processes`, `seccomp`, ...
    pub layers: Vec<String>,
    /// Layers that the user left out by name.
    #[serde(default)]
    pub without: Vec<String>,
}

/// Totals of the other files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Lines of `items.jsonl`.
    pub items: u64,
    /// Lines of `attempts.jsonl`.
    pub attempts: u64,
    /// Attempts whose outcome is `ours`.
    pub ours: u64,
    /// Files under `blobs/`.
    pub blobs: u64,
}

/// A line of `items.jsonl`: a task and its reference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Item {
    /// The task's name.
    pub id: ItemId,
    /// Such as `Chair`.
    pub category: String,
    /// Finer or coarser groups, outermost first; empty when the benchmark has none.
    #[serde(default)]
    pub taxonomy: Vec<String>,
    /// What was asked.
    pub prompt: String,
    /// What the reference program gave.
    pub reference: Reference,
}

/// The reference of a task. A missing mesh leaves the task out of every comparison: it is not the model's fault.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reference {
    /// How running the reference program ended; null when the task has none.
    pub outcome: Option<Outcome>,
    /// The GLB.
    pub mesh: Option<BlobPath>,
    /// Pictures of it.
    #[serde(default)]
    pub views: Vec<View>,
    /// Folder of the program in the bundle (`reference/<item>`), and its entry file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<ProgramPath>,
}

/// Where a program stands in the bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProgramPath {
    /// Folder, without a slash at its end.
    pub folder: String,
    /// The file that runs, relative to the folder.
    pub entry: String,
    /// Every file of the program, relative to the folder, sorted.
    pub files: Vec<String>,
}

/// A line of `attempts.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Attempt {
    /// `item`, `source`, `sample`, `turn`.
    #[serde(flatten)]
    pub id: AttemptId,
    /// What was found in the answer.
    pub answer: AnswerFiles,
    /// How it ended.
    pub outcome: Outcome,
    /// The GLB, when there is one.
    pub mesh: Option<BlobPath>,
    /// Pictures of it.
    #[serde(default)]
    pub views: Vec<View>,
    /// The program's bounded output, in the attempt's folder; null when nothing ran.
    pub log: Option<String>,
    /// Tokens used, when known.
    pub tokens: Option<Tokens>,
    /// US dollars, when known.
    pub cost_usd: Option<f64>,
    /// What was measured on the result.
    pub measurements: Vec<Measurement>,
}

/// The files of an answer, all in the attempt's folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AnswerFiles {
    /// The raw reply's path in the bundle, when a raw reply was given.
    pub response: Option<String>,
    /// The program; null when the reply held none.
    pub program: Option<ProgramPath>,
    /// Lines dropped before and after the program to make it parse.
    #[serde(default)]
    pub trimmed_head: u32,
    /// See `trimmed_head`; more than 0 means that the reply looks cut off.
    #[serde(default)]
    pub trimmed_tail: u32,
}

/// How an attempt ended, by benchmark; `ours` is excluded from every denominator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Outcome {
    /// A program that should build a mesh was run.
    Mesh(MeshOutcome),
    /// We failed to run it.
    Ours(Ours),
}

/// A failure of ours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ours {
    /// Which step failed: `sandbox`, `render`, `measure`, `cancelled`, `interrupted`, ...
    pub stage: String,
    /// What happened and what to do.
    pub message: String,
}

/// A picture of a mesh.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct View {
    /// Azimuth of the camera about the up axis.
    pub azimuth_deg: f64,
    /// Under which protocol it was rendered.
    pub protocol: String,
    /// The PNG.
    pub picture: BlobPath,
}

/// A number measured on one attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measurement {
    /// What was computed.
    pub protocol: String,
    /// The number; null when it doesn't exist (then `note` says why).
    pub value: Option<f64>,
    /// Who can compute it again.
    pub recomputable: Recomputable,
    /// Parts of the number, such as `per_yaw`, `yaw_deg`, `noise_floor` and `penalty` of a Chamfer distance.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub details: BTreeMap<String, serde_json::Value>,
    /// Why there is no value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// `claims.json`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Claims {
    /// Every aggregate that the run claims, sorted by table, row, column.
    pub claims: Vec<Claim>,
}

/// An aggregate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    /// `leaderboard`, or `category:<name>`.
    pub table: String,
    /// The source.
    pub row: String,
    /// The measure, such as `executed`, `chamfer_conditional`, `chamfer_penalized`.
    pub column: String,
    /// The number; null when nothing could be averaged.
    pub value: Option<f64>,
    /// What was computed; joined with `+` when it rests on another protocol's output.
    pub protocol: String,
    /// The denominator.
    pub n: u64,
    /// A 95 % interval, when one is defined.
    pub ci95: Option<[f64; 2]>,
}

/// A line of `timing.jsonl`; the only place where time, memory and machine are told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Timing {
    /// `item`, `source`, `sample`, `turn`; a reference's line has the source `reference`.
    #[serde(flatten)]
    pub id: AttemptId,
    /// Seconds by stage: `script`, `export`, `render`, `measure`, `total`, ...
    pub seconds: BTreeMap<String, f64>,
    /// The largest summed memory of the sandbox seen.
    pub peak_memory_bytes: Option<u64>,
    /// Kind of machine, such as `x86_64, 2 cores`.
    pub machine: String,
}
