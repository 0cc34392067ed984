//! Why a file is not read.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What kind of fault (or of unsupported thing) a file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RefusalKind {
    /// The file ends before what it announces.
    Truncated,
    /// The first bytes are not those of a GLB.
    NotGlb,
    /// A GLB container or glTF document of another version than 2.
    WrongVersion,
    /// The header's length is not the file's.
    WrongLength,
    /// Chunks of a wrong kind, order, size or number.
    WrongChunk,
    /// The JSON chunk is not JSON, or not a glTF document.
    InvalidDocument,
    /// Vertex data outside the file.
    ExternalBuffer,
    /// An extension is needed that is not understood here.
    UnsupportedExtension,
    /// Points or lines, which have no surface.
    UnsupportedMode,
    /// A number format that the attribute can't have, or a stride that can't be.
    UnsupportedAccessor,
    /// An accessor has no bytes.
    MissingData,
    /// The document names an accessor, view, buffer, mesh, node or scene that it doesn't have.
    ReferenceOutOfRange,
    /// Bytes outside their buffer or view.
    BytesOutOfRange,
    /// A triangle names a vertex that isn't there.
    IndexOutOfRange,
    /// The number of indices or vertices is not one that makes whole triangles.
    IncompleteTriangles,
    /// Two attributes of one primitive have different numbers of vertices.
    CountMismatch,
    /// A coordinate that is not a finite number.
    NonFinite,
    /// A node is its own ancestor, or has two parents.
    NodeTree,
    /// A limit of [`super::Limits`] was reached.
    LimitExceeded,
}

/// A file that is not read, and why. The message says what was found and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[error("{place}: {message}")]
pub struct Refusal {
    /// The kind, for programs.
    pub kind: RefusalKind,
    /// Where in the file, such as `meshes[0].primitives[1].attributes.POSITION`.
    #[serde(rename = "where")]
    pub place: String,
    /// What is wrong and what to do, for people.
    pub message: String,
}

impl Refusal {
    pub(super) fn new(kind: RefusalKind, place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { kind, place: place.into(), message: message.into() }
    }

    /// `found` of a thing where `limit` is the most; `name` is the limit's field.
    pub(super) fn limit(place: impl Into<String>, found: u64, limit: u64, thing: &str, name: &str) -> Self {
        Self::new(
            RefusalKind::LimitExceeded,
            place,
            format!("{found} {thing}, {limit} are read; make the model smaller, or raise {name}"),
        )
    }
}
