//! A file is named after the one thing in it.

use crate::{Breach, tree::Tree};

const NEVER: &[&str] = &["util", "utils", "helper", "helpers", "common", "misc", "shared", "stuff"];

pub const BROKEN: &[(&str, &str)] =
    &[("core/src/utils.rs", ""), ("www/src/helpers/format.ts", ""), ("server/src/common/mod.rs", "")];

pub fn check(tree: &Tree) -> Vec<Breach> {
    let catch_all = |path: &str| {
        path.split('/').any(|part| NEVER.contains(&part.split('.').next().unwrap_or_default().to_lowercase().as_str()))
    };
    tree.all()
        .filter(|(path, _)| catch_all(path))
        .map(|(path, _)| Breach { place: path.to_owned(), message: "name it after what is in it".to_owned() })
        .collect()
}
