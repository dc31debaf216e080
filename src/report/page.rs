//! A result as one page of HTML: no scripts, nothing from elsewhere, readable on a dark and on a narrow screen.

use super::chart::escaped;

/// A picture that scrolls by itself on a narrow screen: its words stay as large as they are.
pub(in crate::report) fn picture(svg: &str) -> String {
    format!("<div class=\"scroll\">\n{svg}</div>\n")
}

/// The whole page around `body`; `style` is what it needs beside the common one.
pub(in crate::report) fn page(title: &str, style: &str, body: &str) -> String {
    let title = escaped(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>{STYLE}{style}{DARK}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )
}

const STYLE: &str = ":root{color-scheme:light dark}body{font-family:system-ui,sans-serif;color:#1b1b1b;background:#ffffff;max-width:980px;\
margin:2em auto;padding:0 1em;overflow-wrap:anywhere}\
.scroll{overflow-x:auto}svg{max-width:100%;min-width:880px;height:auto}table{border-collapse:collapse;margin:1em 0;overflow-wrap:normal}\
th,td{padding:.25em .6em;vertical-align:top;border-bottom:1px solid #dddddd}.good{color:#00664b;font-weight:600}.but{color:#7a5c00;font-weight:600}.bad,tr.bad td{color:#a33b00;font-weight:600}\
@media(max-width:700px){table{display:block;overflow-x:auto}}";

/// Last, so that it wins over what a page adds.
const DARK: &str = "@media(prefers-color-scheme:dark){body{color:#eaeaea;background:#181818}th,td{border-color:#3a3a3a}\
.good{color:#4fc3a1}.but{color:#e0b84a}.bad,tr.bad td{color:#ff9b66}}";
