//! Finds the program in a model's raw reply. Whether a text is Python is asked of the caller: a parser is no part of
//! core.

/// Lines that may be dropped at either end to make a text parse, as in the official code.
const MAX_TRIM: usize = 60;
/// How much text is parsed in search of a program, bytes: a reply that is all wrong shall not take minutes.
pub const MAX_PARSED_BYTES: usize = 32 << 20;

/// A program, and what had to go to get it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The program's text.
    pub text: String,
    /// Lines dropped before it.
    pub trimmed_head: u32,
    /// Lines dropped after it: the reply looks cut off.
    pub trimmed_tail: u32,
}

/// The program in a reply; `None` when there is none. `parses` tells whether a text is a Python module.
///
/// The longest block between fences, if one is closed: it is the program even if it doesn't compile. Else the text from
/// an open fence on, or all of it: as it is if it parses, else without the fewest lines at its ends that make it parse
/// (at most 60 at each). A text without any import is prose, which may well parse (`Sure`).
///
/// Source: the correction of the official extraction that the benchmark's replies call for, which also edits string
/// literals and knows no fences but bare ones.
pub fn program(reply: &str, parses: &dyn Fn(&str) -> bool) -> Option<Found> {
    let blocks = fenced(reply);
    let closed = blocks.iter().filter(|block| block.closed && !block.text.trim().is_empty());
    if let Some(block) = closed.max_by_key(|block| block.text.len()) {
        return Some(Found { text: block.text.clone(), trimmed_head: 0, trimmed_tail: 0 });
    }
    let open = blocks.into_iter().find(|block| !block.closed).map(|block| block.text);
    let text = open.unwrap_or_else(|| reply.to_owned());
    if !imports(&text) {
        return None;
    }
    // What doesn't parse at all is still a program, if one that doesn't compile.
    Some(trimmed(&text, &|text| imports(text) && parses(text)).unwrap_or(Found {
        text,
        trimmed_head: 0,
        trimmed_tail: 0,
    }))
}

/// The program in a reply as the official code finds it; `None` when it calls the reply unparsable.
///
/// Lines that are nothing but a bare fence (` ```python `, ` ```py `, ` ``` `) go, wherever they stand; then the fewest
/// lines at both ends that make the rest parse. Oracle: `core/goldens/reply/make_replies.py`.
pub fn official(reply: &str, parses: &dyn Fn(&str) -> bool) -> Option<Found> {
    let kept: Vec<_> = reply.split('\n').filter(|line| !is_bare_fence(line)).collect();
    let mut text = kept.join("\n").trim_start_matches('\n').to_owned();
    if reply.ends_with('\n') && !text.ends_with('\n') {
        text.push('\n');
    }
    trimmed(&text, parses)
}

fn is_bare_fence(line: &str) -> bool {
    matches!(line.trim().strip_prefix("```"), Some("" | "python" | "py"))
}

/// The text as it is if it parses, else without the fewest lines; of equally many, with the fewest at its beginning.
fn trimmed(text: &str, parses: &dyn Fn(&str) -> bool) -> Option<Found> {
    if parses(text) {
        return Some(Found { text: text.to_owned(), trimmed_head: 0, trimmed_tail: 0 });
    }
    let lines: Vec<_> = text.split_inclusive('\n').collect();
    let mut parsed = text.len();
    for total in 1..=2 * MAX_TRIM {
        for head in total.saturating_sub(MAX_TRIM)..=total.min(MAX_TRIM) {
            let tail = total - head;
            if total >= lines.len() {
                continue;
            }
            let candidate = lines[head..lines.len() - tail].concat();
            parsed += candidate.len();
            if parsed > MAX_PARSED_BYTES {
                return None;
            }
            if !candidate.trim().is_empty() && parses(&candidate) {
                let count = |lines: usize| u32::try_from(lines).unwrap_or(u32::MAX);
                return Some(Found { text: candidate, trimmed_head: count(head), trimmed_tail: count(tail) });
            }
        }
    }
    None
}

/// Whether a line of the text imports something, as every program for Blender must.
fn imports(text: &str) -> bool {
    text.lines().map(str::trim_start).any(|line| {
        let from = line.strip_prefix("from ").is_some_and(|rest| rest.contains(" import "));
        from || line.starts_with("import ")
    })
}

struct Block {
    text: String,
    closed: bool,
}

/// Blocks between fences of at least three backticks or tildes, as Markdown has them.
fn fenced(reply: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut fence: Option<(char, usize)> = None;
    for line in reply.split_inclusive('\n') {
        let marks = line.trim_start_matches(' ');
        let indent = line.len() - marks.len();
        let mark = marks.chars().next().filter(|mark| (*mark == '`' || *mark == '~') && indent <= 3);
        let count = mark.map_or(0, |mark| marks.chars().take_while(|c| *c == mark).count());
        match (fence, mark) {
            (None, Some(mark)) if count >= 3 && !marks[count..].contains('`') => {
                fence = Some((mark, count));
                blocks.push(Block { text: String::new(), closed: false });
            }
            (Some((open, least)), Some(mark)) if mark == open && count >= least && marks[count..].trim().is_empty() => {
                fence = None;
                if let Some(block) = blocks.last_mut() {
                    block.closed = true;
                }
            }
            (Some(_), _) => {
                if let Some(block) = blocks.last_mut() {
                    block.text.push_str(line);
                }
            }
            (None, _) => {}
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Not Python, but enough of it: no line of a program ends in a full stop, and brackets close.
    fn parses(text: &str) -> bool {
        let balance = text.matches('(').count() == text.matches(')').count();
        balance && text.lines().all(|line| !line.trim_end().ends_with(['.', ':', '!']))
    }

    #[test]
    fn programs_are_found_in_replies() {
        let none: Option<(&str, u32, u32)> = None;
        for (reply, expected) in [
            ("import bpy\nf()\n", Some(("import bpy\nf()\n", 0, 0))),
            ("Sure", none),
            ("I can't do that.", none),
            ("", none),
            ("```\n```", none),
            ("Here:\n```python\nimport bpy\n```\nEnjoy!", Some(("import bpy\n", 0, 0))),
            ("```Python title=chair\nimport bpy\n```", Some(("import bpy\n", 0, 0))),
            // The longest block, and tildes as well as backticks.
            ("```\nimport a\n```\n~~~py\nimport bpy\nf()\n~~~", Some(("import bpy\nf()\n", 0, 0))),
            // A fence within a longer fence is text.
            ("````\nimport bpy\nx = '''\n```\n'''\n````", Some(("import bpy\nx = '''\n```\n'''\n", 0, 0))),
            // A closed block that doesn't compile is a program that doesn't compile.
            ("```\nimport bpy\nfor x in y:\n```", Some(("import bpy\nfor x in y:\n", 0, 0))),
            // Cut off in the middle.
            ("Here:\n```python\nimport bpy\nf()\ng(", Some(("import bpy\nf()\n", 0, 1))),
            // No fence at all.
            ("Here it is.\nimport bpy\nf()\nEnjoy!\n", Some(("import bpy\nf()\n", 1, 1))),
            ("import bpy\n(\n", Some(("import bpy\n", 0, 1))),
        ] {
            let found = program(reply, &parses);
            let found = found.as_ref().map(|found| (found.text.as_str(), found.trimmed_head, found.trimmed_tail));
            assert_eq!(found, expected, "{reply:?}");
        }
    }

    #[test]
    fn a_reply_that_is_all_wrong_ends_the_search() {
        let long = format!("import bpy\n{}", "x (\n".repeat(200_000));
        let calls = std::cell::Cell::new(0);
        let found = program(&long, &|text| {
            calls.set(calls.get() + text.len());
            false
        });
        assert_eq!(found.unwrap().text, long);
        assert!(calls.get() <= 2 * MAX_PARSED_BYTES, "{}", calls.get());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_searched_without_a_fault(reply in "(import bpy\n|```|~~~|python|\n| |é|x\\(|\\)){0,40}") {
            for found in [program(&reply, &parses), official(&reply, &parses)].into_iter().flatten() {
                proptest::prop_assert!(found.text.lines().all(|line| reply.contains(line)));
            }
        }
    }
}
