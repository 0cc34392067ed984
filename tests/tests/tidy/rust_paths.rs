//! Every path that a Rust file names outside of its tests, as a list of segments. `use` trees are spelt out,
//! `super` and `self` are resolved against the file's own place, and macros are searched by their tokens.

use syn::{
    Attribute, Item, Macro, Meta, UseTree,
    visit::{self, Visit},
};

/// The paths in `text`; `file` is its path from the package's `src/` folder, such as `api/mod.rs`.
///
/// # Panics
/// When the text is not Rust: then nothing could be promised about it.
pub fn of(file: &str, text: &str) -> Vec<Vec<String>> {
    let syntax = syn::parse_file(text).unwrap_or_else(|error| panic!("{file} is not Rust: {error}"));
    let mut finder = Finder { module: module(file), paths: Vec::new() };
    finder.visit_file(&syntax);
    finder.paths
}

/// Whether `path` begins with these segments.
pub fn begins(path: &[String], start: &str) -> bool {
    let mut segments = path.iter();
    start.split("::").all(|wanted| segments.next().is_some_and(|segment| segment == wanted))
}

struct Finder {
    module: Vec<String>,
    paths: Vec<Vec<String>>,
}

fn module(file: &str) -> Vec<String> {
    let mut parts: Vec<_> = file.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if parts.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        parts.pop();
    }
    parts
}

impl Finder {
    fn add(&mut self, segments: Vec<String>) {
        let mut here = self.module.clone();
        let mut rest = segments.as_slice();
        let mut relative = false;
        while let [first, tail @ ..] = rest {
            match first.as_str() {
                "super" => drop(here.pop()),
                "self" => {}
                _ => break,
            }
            relative = true;
            rest = tail;
        }
        self.paths.push(if relative {
            std::iter::once("crate".to_owned()).chain(here).chain(rest.iter().cloned()).collect()
        } else {
            segments
        });
    }

    fn spell_out(&mut self, tree: &UseTree, before: &[String]) {
        let with = |name: String| before.iter().cloned().chain([name]).collect::<Vec<_>>();
        match tree {
            UseTree::Path(path) => self.spell_out(&path.tree, &with(path.ident.to_string())),
            UseTree::Name(name) => self.add(with(name.ident.to_string())),
            UseTree::Rename(name) => self.add(with(name.ident.to_string())),
            UseTree::Glob(_) => self.add(before.to_vec()),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.spell_out(tree, before)),
        }
    }
}

fn for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        Meta::Path(path) => path.is_ident("test"),
        Meta::NameValue(_) => false,
    })
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes = match item {
            Item::Mod(item) => &item.attrs,
            Item::Fn(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            _ => return visit::visit_item(self, item),
        };
        if for_tests(attributes) {
            return;
        }
        if let Item::Mod(item) = item {
            self.module.push(item.ident.to_string());
            visit::visit_item_mod(self, item);
            self.module.pop();
        } else {
            visit::visit_item(self, item);
        }
    }

    fn visit_use_tree(&mut self, tree: &'ast UseTree) {
        self.spell_out(tree, &[]);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.add(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.visit_path(&call.path);
        let text = call.tokens.to_string().replace(' ', "");
        for word in
            text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).filter(|word| word.contains("::"))
        {
            self.add(word.split("::").filter(|segment| !segment.is_empty()).map(str::to_owned).collect());
        }
    }
}

#[test]
fn paths_are_found_wherever_they_stand() {
    let found = |text: &str| of("pipeline/trial.rs", text).iter().any(|path| begins(path, "crate::api"));
    for (text, why) in [
        ("use crate::api::Trial;", "a plain use"),
        ("use crate::{store, api};", "in a group"),
        ("use crate::{store::{Run}, api::{self, x as y}};", "in a nested group"),
        ("use super::super::api::*;", "by super, with a glob"),
        ("fn f() { crate::api::go() }", "in an expression"),
        ("fn f(x: &crate::api::T) {}", "in a type"),
        ("fn f() { println!(\"{}\", crate::api::NAME) }", "in a macro"),
        ("mod inner { use super::super::super::api::T; }", "from an inner module"),
    ] {
        assert!(found(text), "{why}: {text}");
    }
    for (text, why) in [
        ("use crate::apiary::Bee;", "another name with the same start"),
        ("#[cfg(test)] mod tests { use crate::api::T; }", "only in tests"),
        ("use super::api::T;", "the neighbour `pipeline::api`"),
    ] {
        assert!(!found(text), "{why}: {text}");
    }
}
