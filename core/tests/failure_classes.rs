//! Failures are told apart by what Blender itself said of them.

use meshmark_core::{
    failure::{FINGERPRINT_CHARS, classify, fingerprint},
    outcome::FailureClass,
};
use serde::Deserialize;

#[derive(Deserialize)]
struct Golden {
    said: Vec<Said>,
}

#[derive(Deserialize)]
struct Said {
    class: FailureClass,
    kind: String,
    message: String,
}

#[test]
fn what_blender_says_is_put_in_its_class() {
    let golden: Golden = serde_json::from_str(include_str!("../goldens/failure/messages.json")).unwrap();
    assert!(golden.said.len() > 40);
    for Said { class, kind, message } in golden.said {
        assert_eq!(classify(&kind, &message), class, "{kind}: {message}");
    }
}

#[test]
fn what_fits_no_class_or_two_is_other() {
    for (kind, message) in [
        ("", ""),
        ("KeyError", "'Specular'"),
        ("ModuleNotFoundError", ""),
        ("RuntimeError", "poll() failed"),
        ("AttributeError", "'Mesh' object has no attribute"),
        ("TypeError", "keyword \""),
        ("ImportError", "cannot import name 'x' from 'y'"),
    ] {
        assert_eq!(classify(kind, message), FailureClass::Other, "{kind}: {message}");
    }
}

#[test]
fn equal_causes_have_equal_fingerprints() {
    for (kind, message, is) in [
        ("ValueError", "bad", "ValueError: bad"),
        ("ValueError", "\n\n  bad\nmore", "ValueError:"),
        ("", "\nTraceback (most recent call last):\n  File \"/a.py\", line 3\nbad", "bad"),
        ("OSError", "[Errno 13] Permission denied: '/usr/x.txt'", "OSError: [Errno <n>] Permission denied: '<file>'"),
        ("SyntaxError", "invalid syntax (main.py, line 12)", "SyntaxError: invalid syntax (<file>, line <n>)"),
        ("TypeError", "<object at 0x7f12ab> of 3.5, 4 given.", "TypeError: <object at <address>> of <n>, <n> given."),
        ("KeyError", "'Cube.001'", "KeyError: 'Cube.001'"),
        ("ValueError", "a / b", "ValueError: a / b"),
    ] {
        assert_eq!(fingerprint(kind, message), is);
    }
    assert_eq!(fingerprint("E", &"é".repeat(1000)).chars().count(), FINGERPRINT_CHARS);
}
