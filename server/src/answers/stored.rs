//! Answers on disk: folders `<source>/<item>/…` or lines of JSON.

use std::{
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
    fs::{self, File},
    io::{self, BufRead, BufReader},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use anyhow::Context;
use meshmark_core::{
    answer::{Answer, AnswerContent, Tokens},
    bundle::format::Source,
    id::{AttemptId, ItemId, SourceId},
    program::Program,
    task::Task,
};
use serde::Deserialize;

use super::AnswerSource;
use crate::program_files;

/// The longest reply, bytes, and the longest line of a JSON Lines file.
pub const MAX_REPLY_BYTES: u64 = 16 << 20;
/// The official runner's record beside an answer.
const LOG: &str = "log.json";

/// Why a folder could not be read.
#[derive(Debug, thiserror::Error)]
pub enum StoredError {
    /// The disk, or no folder.
    #[error("the answers at {path} can't be read: {source}")]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Nothing there that is an answer.
    #[error(
        "there is no answer in {0}: answers are files <source>/<item>/<item>.py or .txt, folders <source>/<item>/<item>/ \
         with a main.py, or lines of a .jsonl file"
    )]
    Empty(PathBuf),
}

/// Something that is no answer, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfit {
    /// Where.
    pub place: PathBuf,
    /// The line, for a file of lines, from 1.
    pub line: Option<usize>,
    /// Why.
    pub reason: String,
}

/// Where an answer is.
#[derive(Debug, Clone)]
enum Place {
    /// A program, as a file or folder.
    Program(PathBuf),
    /// A raw reply.
    Reply(PathBuf),
    /// A line of a file.
    Line { file: PathBuf, offset: u64, bytes: usize },
}

/// A folder of answers: what is there is known, what it says is read when it is asked for.
#[derive(Debug)]
pub struct Stored {
    answers: BTreeMap<AttemptId, Place>,
    unfit: Vec<Unfit>,
}

/// A line of a `.jsonl` file.
#[derive(Debug, Deserialize)]
struct Line {
    source: SourceId,
    item: ItemId,
    #[serde(default)]
    sample: u32,
    #[serde(default)]
    turn: u32,
    response: Option<String>,
    code: Option<String>,
    tokens: Option<Tokens>,
    cost_usd: Option<f64>,
}

/// What is taken from the official runner's `log.json`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Log {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    thoughts_tokens: Option<u64>,
    cost_usd: Option<f64>,
}

impl Stored {
    /// Looks through a folder.
    ///
    /// # Errors
    /// [`StoredError`] when it can't be read or holds no answer. What is none is in [`Stored::unfit`].
    pub fn open(folder: &Path) -> Result<Self, StoredError> {
        let mut stored = Self { answers: BTreeMap::new(), unfit: Vec::new() };
        for (path, name) in entries(folder)? {
            if name.starts_with(['_', '.']) {
                continue;
            }
            if path.is_dir() {
                stored.source(&path, &name)?;
            } else if Path::new(&name).extension().is_some_and(|ending| ending == "jsonl") {
                stored.lines(&path)?;
            }
        }
        if stored.answers.is_empty() && stored.unfit.is_empty() {
            return Err(StoredError::Empty(folder.to_owned()));
        }
        Ok(stored)
    }

    /// What is no answer, in the order of the folder.
    #[must_use]
    pub fn unfit(&self) -> &[Unfit] {
        &self.unfit
    }

    /// Answers to tasks that are none of these.
    #[must_use]
    pub fn strangers(&self, tasks: &[Task]) -> Vec<AttemptId> {
        let known: BTreeSet<_> = tasks.iter().map(|task| &task.id).collect();
        self.answers.keys().filter(|id| !known.contains(&id.item)).cloned().collect()
    }

    fn refuse(&mut self, place: &Path, line: Option<usize>, reason: impl Into<String>) {
        self.unfit.push(Unfit { place: place.to_owned(), line, reason: reason.into() });
    }

    fn add(&mut self, id: AttemptId, place: Place, at: &Path, line: Option<usize>) {
        match self.answers.entry(id) {
            Entry::Vacant(free) => drop(free.insert(place)),
            Entry::Occupied(taken) => {
                let reason = format!("there is another answer for {} already", taken.key().path());
                self.refuse(at, line, reason);
            }
        }
    }

    fn source(&mut self, folder: &Path, name: &str) -> Result<(), StoredError> {
        let source = match SourceId::new(name) {
            Ok(source) => source,
            Err(error) => {
                self.refuse(folder, None, error.to_string());
                return Ok(());
            }
        };
        for (path, name) in entries(folder)? {
            if name.starts_with(['_', '.']) {
                continue;
            }
            match ItemId::new(&name) {
                Ok(item) if path.is_dir() => self.item(&path, &source, &item)?,
                Ok(_) => {
                    self.refuse(&path, None, "an answer stands in the folder of its task: <source>/<item>/<item>.py")
                }
                Err(error) => self.refuse(&path, None, error.to_string()),
            }
        }
        Ok(())
    }

    fn item(&mut self, folder: &Path, source: &SourceId, item: &ItemId) -> Result<(), StoredError> {
        for (path, name) in entries(folder)? {
            let id = |(sample, turn)| AttemptId { item: item.clone(), source: source.clone(), sample, turn };
            let place = if path.is_dir() { Some(("", Place::Program(path.clone()))) } else { kind_of(&name, &path) };
            let numbers = place.as_ref().and_then(|(ending, _)| {
                numbers_of(name.strip_suffix(ending).unwrap_or(&name).strip_prefix(item.as_str())?)
            });
            match (place, numbers) {
                (Some((_, place)), Some(numbers)) => self.add(id(numbers), place, &path, None),
                _ if is_side_file(&name, item) => {}
                _ => self.refuse(
                    &path,
                    None,
                    format!("not the name of an answer: {item}.py, {item}.txt, {item}.s1.py, {item}.t1.py, or a folder {item}"),
                ),
            }
        }
        Ok(())
    }

    fn lines(&mut self, path: &Path) -> Result<(), StoredError> {
        let failed = |source| StoredError::Io { path: path.to_owned(), source };
        let mut reader = BufReader::new(File::open(path).map_err(failed)?);
        let (mut offset, mut number, mut text) = (0, 0, Vec::new());
        loop {
            text.clear();
            number += 1;
            let read = io::Read::take(&mut reader, MAX_REPLY_BYTES).read_until(b'\n', &mut text).map_err(failed)?;
            if read == 0 {
                return Ok(());
            }
            if read as u64 == MAX_REPLY_BYTES && !text.ends_with(b"\n") {
                self.refuse(path, Some(number), "a line of more than 16 MiB; what follows it is not read");
                return Ok(());
            }
            if !text.trim_ascii().is_empty() {
                match serde_json::from_slice::<Line>(&text) {
                    Err(error) => self.refuse(path, Some(number), error.to_string()),
                    Ok(line) if line.response.is_some() == line.code.is_some() => {
                        self.refuse(path, Some(number), "give either `response` (a raw reply) or `code` (a program)");
                    }
                    Ok(Line { source, item, sample, turn, .. }) => {
                        let place = Place::Line { file: path.to_owned(), offset, bytes: read };
                        self.add(AttemptId { item, source, sample, turn }, place, path, Some(number));
                    }
                }
            }
            offset += read as u64;
        }
    }
}

#[async_trait::async_trait]
impl AnswerSource for Stored {
    fn sources(&self) -> Vec<Source> {
        let names: BTreeSet<_> = self.answers.keys().map(|id| id.source.clone()).collect();
        names.into_iter().map(|id| Source { id, kind: "stored".to_owned() }).collect()
    }

    fn attempts(&self, task: &Task) -> Vec<AttemptId> {
        self.answers.keys().filter(|id| id.item == task.id).cloned().collect()
    }

    async fn answer(&self, id: &AttemptId, _task: &Task) -> anyhow::Result<Answer> {
        let place = self.answers.get(id).with_context(|| format!("there is no answer {}", id.path()))?.clone();
        let id = id.clone();
        tokio::task::spawn_blocking(move || read(id, &place)).await?
    }
}

fn read(id: AttemptId, place: &Place) -> anyhow::Result<Answer> {
    match place {
        Place::Program(path) => {
            let content = AnswerContent::Program(program_files::read(path)?);
            Ok(with_log(id, content, path.parent()))
        }
        Place::Reply(path) => {
            let bytes = fs::metadata(path)?.len();
            anyhow::ensure!(bytes <= MAX_REPLY_BYTES, "{} has {bytes} bytes; 16 MiB is the limit", path.display());
            // What a model wrote counts even where a byte of it is broken.
            let reply = String::from_utf8_lossy(&fs::read(path)?).into_owned();
            Ok(with_log(id, AnswerContent::Response(reply), path.parent()))
        }
        Place::Line { file, offset, bytes } => {
            let mut text = vec![0; *bytes];
            File::open(file)?.read_exact_at(&mut text, *offset)?;
            let Line { response, code, tokens, cost_usd, .. } = serde_json::from_slice(&text)
                .with_context(|| format!("{} was changed while it was read", file.display()))?;
            let content = match (response, code) {
                (Some(reply), _) => AnswerContent::Response(reply),
                (None, code) => AnswerContent::Program(Program::single("code.py", &code.unwrap_or_default())),
            };
            Ok(Answer { id, content, tokens, cost_usd })
        }
    }
}

/// Tokens and cost from the official runner's record, where there is one.
fn with_log(id: AttemptId, content: AnswerContent, folder: Option<&Path>) -> Answer {
    let bytes = folder.and_then(|folder| fs::read(folder.join(LOG)).ok()).unwrap_or_default();
    let log: Log = serde_json::from_slice(&bytes).unwrap_or_default();
    let tokens = (log.input_tokens.is_some() || log.output_tokens.is_some()).then(|| Tokens {
        input: log.input_tokens.unwrap_or(0),
        output: log.output_tokens.unwrap_or(0),
        thoughts: log.thoughts_tokens.unwrap_or(0),
    });
    Answer { id, content, tokens, cost_usd: log.cost_usd }
}

fn kind_of(name: &str, path: &Path) -> Option<(&'static str, Place)> {
    if name.ends_with(".py") {
        Some((".py", Place::Program(path.to_owned())))
    } else if name.ends_with(".txt") {
        Some((".txt", Place::Reply(path.to_owned())))
    } else {
        None
    }
}

/// Sample and turn: of nothing, `.s1`, `.t2` or `.s1.t2`.
fn numbers_of(rest: &str) -> Option<(u32, u32)> {
    let (mut sample, mut turn) = (None, None);
    for part in rest.split('.').skip(1) {
        let number = part.get(1..)?.parse().ok()?;
        let place = match part.get(..1)? {
            "s" if turn.is_none() => &mut sample,
            "t" => &mut turn,
            _ => return None,
        };
        if place.replace(number).is_some() {
            return None;
        }
    }
    (rest.is_empty() || rest.starts_with('.')).then(|| (sample.unwrap_or(0), turn.unwrap_or(0)))
}

/// What the official runner leaves beside an answer.
fn is_side_file(name: &str, item: &ItemId) -> bool {
    let attempt =
        name.strip_prefix(item.as_str()).is_some_and(|rest| rest.starts_with(".attempt") && rest.ends_with(".py"));
    let prompt = name.starts_with("prompt.") && name.ends_with(".txt");
    let known = [LOG, "renders", "renders_history", "glb", "__pycache__"].contains(&name);
    let told = ["thinking_attempt", "critique_response_"].iter().any(|start| name.starts_with(start));
    attempt || prompt || known || told || name.starts_with('.')
}

/// A folder's entries, sorted by name. Names that are no text are left out.
fn entries(folder: &Path) -> Result<Vec<(PathBuf, String)>, StoredError> {
    let failed = |source| StoredError::Io { path: folder.to_owned(), source };
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if let Ok(name) = entry.file_name().into_string() {
            found.push((entry.path(), name));
        }
    }
    found.sort_by(|(_, a), (_, b)| a.cmp(b));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lay_out(files: &[(&str, &str)]) -> tempfile::TempDir {
        let scratch = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = scratch.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        scratch
    }

    fn task(name: &str) -> Task {
        Task {
            id: ItemId::new(name).unwrap(),
            category: String::new(),
            description: String::new(),
            instruction: String::new(),
            reference: None,
        }
    }

    #[tokio::test]
    async fn answers_are_found_in_folders_and_lines() {
        let scratch = lay_out(&[
            ("a/Chair_seed0/Chair_seed0.py", "import bpy\n"),
            ("a/Chair_seed0/Chair_seed0.s1.py", "import bpy  # 1\n"),
            ("a/Chair_seed0/Chair_seed0.s1.t2.txt", "Sure\n"),
            ("a/Chair_seed0/log.json", r#"{"input_tokens": 5, "output_tokens": 6, "cost_usd": 0.5, "status": "OK"}"#),
            ("a/Chair_seed0/prompt.txt", "a chair"),
            ("a/Chair_seed0/Chair_seed0.attempt0.py", "import bpy"),
            ("a/Table_seed0/Table_seed0/main.py", "import parts.leg\n"),
            ("a/Table_seed0/Table_seed0/parts/leg.py", ""),
            ("a/Table_seed0/notes.md", ""),
            ("a/_metrics/x.json", "{}"),
            (
                "b.jsonl",
                "{\"source\":\"b\",\"item\":\"Chair_seed0\",\"code\":\"import bpy\"}\n\nnonsense\n\
                {\"source\":\"b\",\"item\":\"Chair_seed0\",\"response\":\"again\"}\n\
                {\"source\":\"b\",\"item\":\"Chair_seed0\",\"sample\":1,\"response\":\"x\",\"cost_usd\":0.25}",
            ),
        ]);
        let stored = Stored::open(scratch.path()).unwrap();
        let chair = task("Chair_seed0");
        let ids: Vec<_> = stored.attempts(&chair).iter().map(AttemptId::path).collect();
        assert_eq!(
            ids,
            ["Chair_seed0/a/0/0", "Chair_seed0/a/1/0", "Chair_seed0/a/1/2", "Chair_seed0/b/0/0", "Chair_seed0/b/1/0"]
        );
        let unfit: Vec<_> = stored
            .unfit()
            .iter()
            .map(|unfit| (unfit.place.file_name().unwrap().to_str().unwrap(), unfit.line))
            .collect();
        assert_eq!(unfit, [("notes.md", None), ("b.jsonl", Some(3)), ("b.jsonl", Some(4))]);
        assert_eq!(stored.strangers(std::slice::from_ref(&chair)).len(), 1);

        let ids = stored.attempts(&chair);
        let first = stored.answer(&ids[0], &chair).await.unwrap();
        assert_eq!(first.content, AnswerContent::Program(Program::single("Chair_seed0.py", "import bpy\n")));
        assert_eq!((first.tokens.unwrap().output, first.cost_usd), (6, Some(0.5)));
        let last = stored.answer(&ids[4], &chair).await.unwrap();
        assert_eq!((last.content, last.cost_usd), (AnswerContent::Response("x".to_owned()), Some(0.25)));
        let table = task("Table_seed0");
        let many = stored.answer(&stored.attempts(&table)[0], &table).await.unwrap();
        assert!(matches!(many.content, AnswerContent::Program(program) if program.files.len() == 2));
    }

    #[test]
    fn names_tell_sample_and_turn() {
        for (rest, expected) in [
            ("", Some((0, 0))),
            (".s1", Some((1, 0))),
            (".t3", Some((0, 3))),
            (".s2.t3", Some((2, 3))),
            (".t3.s2", None),
            (".s1.s1", None),
            (".sx", None),
            (".é1", None),
            ("b", None),
            (".", None),
        ] {
            assert_eq!(numbers_of(rest), expected, "{rest:?}");
        }
    }
}
