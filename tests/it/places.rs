//! Lines and columns counted anew, so that the program's own counting is not its judge: lines and columns from 1, columns
//! in Unicode characters.

use serde_json::Value;

use crate::binary::Folder;

/// Line and column of the byte at `offset`.
pub(crate) fn position(text: &str, offset: usize) -> (usize, usize) {
    let (mut line, mut column) = (1, 1);
    for (at, character) in text.char_indices() {
        if at >= offset {
            break;
        }
        match character {
            '\n' => (line, column) = (line + 1, 1),
            _ => column += 1,
        }
    }
    (line, column)
}

/// A number of a JSON report.
pub(crate) fn number(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()
}

/// Whether each place of a JSON report, told by line and column, is the place that it tells by offset.
pub(crate) fn each_place_is_its_text(folder: &Folder, report: &Value) -> Result<(), String> {
    let findings = report["findings"].as_array().unwrap();
    for finding in findings {
        let related = finding["related"].as_array().unwrap();
        for place in related.iter().chain([finding]) {
            one_place(folder, place)?;
        }
    }
    for list in ["undecided", "unread"] {
        for place in report[list].as_array().unwrap() {
            if !place["span"].is_null() {
                one_place(folder, place)?;
            }
        }
    }
    Ok(())
}

fn one_place(folder: &Folder, place: &Value) -> Result<(), String> {
    let path = place["path"].as_str().unwrap();
    let text = folder.read(path);
    for end in ["start", "end"] {
        let of = |name: &str| number(&place["span"][end][name]).unwrap();
        let offset = of("offset");
        let told = (of("line"), of("column"));
        if !text.is_char_boundary(offset) {
            return Err(format!("{path}: offset {offset} is inside a character"));
        }
        let counted = position(&text, offset);
        if told != counted {
            return Err(format!(
                "{path}: offset {offset} is {counted:?}, told as {told:?}"
            ));
        }
    }
    Ok(())
}
