//! What JavaScript sees. Values cross as plain objects, spelt as the file formats spell them; what can't be done is
//! thrown as an object with `kind`, `where` and `message`.

#[cfg(feature = "scores")]
mod scores;
#[cfg(feature = "views")]
mod views;

use serde::Serialize;
use wasm_bindgen::JsValue;

/// A value as a plain object: maps as objects, absent values as null, as in JSON.
fn plain(value: &impl Serialize) -> Result<JsValue, JsValue> {
    value.serialize(&serde_wasm_bindgen::Serializer::json_compatible()).map_err(JsValue::from)
}

/// What is thrown when something can't be done.
#[derive(Serialize)]
struct Problem<'a> {
    kind: &'a str,
    #[serde(rename = "where")]
    place: &'a str,
    message: String,
}

impl Problem<'_> {
    fn thrown(&self) -> JsValue {
        plain(self).unwrap_or_else(|error| error)
    }
}
