//! The files that a rule looks at.

use std::{collections::BTreeMap, path::Path, process::Command};

/// Text files by their path in the checkout.
pub struct Tree {
    files: BTreeMap<String, String>,
}

impl Tree {
    /// Every text file that git knows or would add.
    pub fn of_checkout() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let output = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(root)
            .output()
            .expect("git can be started");
        assert!(output.status.success(), "git could not list the files of {}", root.display());
        let names = String::from_utf8(output.stdout).expect("names are UTF-8");
        // What isn't text, or was deleted but not yet committed, is nothing to look at.
        let read = |name: &str| Some((name.to_owned(), std::fs::read_to_string(root.join(name)).ok()?));
        Self { files: names.split_terminator('\0').filter_map(read).collect() }
    }

    /// A made-up tree.
    pub fn of<const N: usize>(files: [(&str, &str); N]) -> Self {
        Self { files: files.map(|(path, text)| (path.to_owned(), text.to_owned())).into() }
    }

    /// Every file, sorted by path.
    pub fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// The files below a folder; `folder` ends with a slash.
    pub fn below<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.all().filter(move |(path, _)| path.starts_with(folder))
    }

    /// The Rust files below a folder.
    pub fn rust<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.below(folder).filter(|(path, _)| Path::new(path).extension().is_some_and(|ending| ending == "rs"))
    }
}
