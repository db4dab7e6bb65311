//! The definition of a file as a JSON schema, by which editors complete and check it.

use crate::definition::{Form, Key, Silent, Table};
use giornata_analysis::quantity::{DURATIONS, SIZES};
use serde_json::{Map, Value, json};

/// What a name may be: it becomes a file name and an identifier.
const NAME: &str = "^[A-Za-z][A-Za-z0-9_-]{0,63}$";
/// The schema of a file (JSON Schema, draft 7). O(keys).
pub fn schema(title: &str, table: &Table) -> Value {
    let mut schema = Map::new();
    schema.insert(
        "$schema".into(),
        "http://json-schema.org/draft-07/schema#".into(),
    );
    schema.insert("title".into(), title.into());
    schema.extend(of_table(table));
    Value::Object(schema)
}

fn of_table(table: &Table) -> Map<String, Value> {
    let properties = table.keys.iter();
    let properties = properties.map(|key| (key.name.to_owned(), of_key(key)));
    let properties: Map<String, Value> = properties.collect();
    let needed = table.keys.iter().filter(|key| key.silent == Silent::Needed);
    let needed: Vec<&str> = needed.map(|key| key.name).collect();
    let mut all = Map::new();
    all.insert("description".into(), table.about.into());
    all.insert("type".into(), "object".into());
    all.insert("properties".into(), properties.into());
    all.insert("additionalProperties".into(), false.into());
    if !needed.is_empty() {
        all.insert("required".into(), needed.into());
    }
    all
}

fn of_key(key: &Key) -> Value {
    let mut schema = of_form(&key.form);
    let silent = match key.silent {
        Silent::Needed => String::new(),
        Silent::Value(value) => format!(" Without it: {value}."),
        Silent::Means(words) => format!(" Without it: {words}."),
    };
    if let Value::Object(schema) = &mut schema {
        let meaning = format!("{}.{silent}", key.meaning);
        schema.insert("description".into(), meaning.into());
        if let Silent::Value(value) = key.silent
            && let Ok(value) = serde_json::from_str::<Value>(value)
        {
            schema.insert("default".into(), value);
        }
    }
    schema
}

fn of_form(form: &Form) -> Value {
    match form {
        Form::Text => json!({ "type": "string" }),
        Form::Word(words) => json!({ "type": "string", "enum": words }),
        Form::Flag => json!({ "type": "boolean" }),
        Form::Number(least, most) => {
            json!({ "type": "integer", "minimum": least, "maximum": most })
        }
        Form::Size(most) => json!({ "anyOf": [
            { "type": "integer", "minimum": 0, "maximum": most },
            { "type": "string", "pattern": quantity(&SIZES) },
        ] }),
        Form::Duration => json!({ "type": "string", "pattern": quantity(&DURATIONS) }),
        Form::List(form) => json!({ "type": "array", "items": of_form(form) }),
        Form::Table(table) => Value::Object(of_table(table)),
        Form::Named(form) => json!({
            "type": "object",
            "propertyNames": { "pattern": NAME },
            "additionalProperties": of_form(form),
        }),
        Form::Keyed(_, form) => json!({
            "type": "object",
            "additionalProperties": of_form(form),
        }),
        Form::Either(forms) => {
            let forms: Vec<Value> = forms.iter().map(of_form).collect();
            json!({ "anyOf": forms })
        }
    }
}

/// What a number with one of these units may look like.
fn quantity(units: &[(&str, u64)]) -> String {
    let units: Vec<&str> = units.iter().map(|(name, _)| *name).collect();
    format!(
        "^\\s*_*[0-9][0-9_]*(\\.[0-9_]*)?\\s*({})\\s*$",
        units.join("|")
    )
}
