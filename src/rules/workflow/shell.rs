//! Scripts as the shell takes them apart, as far as pipes and lists go: what stands in quotes, comments, expressions and
//! here-documents is nobody's command.
//!
//! Source: POSIX.1-2024, Shell Command Language, 2.2 Quoting, 2.7.4 Here-Document, 2.9 Shell Commands.

use std::ops::Range;

use crate::model::workflow::embedded;

/// The script with every byte that is no command of the shell replaced by a blank; line ends stay.
pub(super) fn commands(script: &str) -> String {
    let mut masked = Masked {
        text: String::with_capacity(script.len()),
        ends: Vec::new(),
    };
    let hidden: Vec<Range<usize>> = embedded(script)
        .into_iter()
        .map(|part| part.whole)
        .collect();
    let mut at = 0;
    for line in script.split_inclusive('\n') {
        masked.line(line, at, &hidden);
        at += line.len();
    }
    masked.text
}

struct Masked {
    text: String,
    /// The words that end the here-documents that are open.
    ends: Vec<String>,
}

impl Masked {
    fn line(&mut self, line: &str, at: usize, hidden: &[Range<usize>]) {
        if let Some(end) = self.ends.first() {
            if line.trim() == end {
                self.ends.remove(0);
            }
            self.blank(line);
            return;
        }
        let mut quote = None;
        let mut before = ' ';
        for (offset, letter) in line.char_indices() {
            let place = at + offset;
            let is_hidden = hidden.iter().any(|range| range.contains(&place));
            let is_comment = letter == '#' && quote.is_none() && before.is_whitespace();
            if is_comment && !is_hidden {
                self.blank(line.get(offset..).unwrap_or_default());
                return;
            }
            match quote {
                _ if is_hidden => self.keep(' ', letter),
                Some(open) => {
                    quote = (letter != open).then_some(open);
                    self.keep(' ', letter);
                }
                None if letter == '\'' || letter == '"' => {
                    quote = Some(letter);
                    self.keep('_', letter);
                }
                None => {
                    if letter == '<' && before == '<' {
                        self.ends.extend(end_word(line.get(offset + 1..)));
                    }
                    self.keep(letter, letter);
                }
            }
            before = letter;
        }
    }

    /// `shown` in place of `letter`, in as many bytes.
    fn keep(&mut self, shown: char, letter: char) {
        if letter == '\n' {
            self.text.push('\n');
        } else if shown == letter {
            self.text.push(letter);
        } else {
            let blank = if shown.is_ascii() { shown } else { ' ' };
            self.text
                .extend(std::iter::repeat_n(blank, letter.len_utf8()));
        }
    }

    fn blank(&mut self, line: &str) {
        for letter in line.chars() {
            self.keep(' ', letter);
        }
    }
}

/// The word that ends a here-document, behind its `<<`.
fn end_word(behind: Option<&str>) -> Option<String> {
    let word = behind?.trim_start_matches('-').trim_start();
    let word = word.trim_start_matches(['\'', '"', '\\']);
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let end = word.find(|letter| !is_part(letter)).unwrap_or(word.len());
    word.get(..end)
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
}

/// The bytes of every `|` between two commands.
pub(super) fn pipes(commands: &str) -> Vec<Range<usize>> {
    let bytes = commands.as_bytes();
    let at = |index: usize| bytes.get(index).copied().unwrap_or_default();
    let is_pipe = |index: &usize| {
        let before = index.checked_sub(1).map_or(0, at);
        at(*index) == b'|' && at(index + 1) != b'|' && before != b'|' && before != b'>'
    };
    let in_case = |index: &usize| {
        let rest = commands.get(*index..).unwrap_or_default();
        let line = rest.lines().next().unwrap_or_default();
        let close = line.find(')');
        close.is_some_and(|close| !line.get(..close).unwrap_or_default().contains('('))
            && !before_on_line(commands, *index).contains('(')
    };
    let all = (0..bytes.len()).filter(is_pipe);
    all.filter(|index| !in_case(index))
        .map(|index| index..index + 1)
        .collect()
}

/// What stands before `at` on its line.
pub(super) fn before_on_line(commands: &str, at: usize) -> &str {
    let before = commands.get(..at).unwrap_or_default();
    before.rsplit('\n').next().unwrap_or(before)
}

/// The last command before `at` on its line: what follows the last `;`, `&&`, `||`, `|`, `(` or `{`.
pub(super) fn command_before(commands: &str, at: usize) -> &str {
    let line = before_on_line(commands, at);
    let command = line.rsplit([';', '&', '|', '(', '{']).next();
    let command = command.unwrap_or(line).trim_start();
    ["if ", "then ", "do ", "else ", "! "]
        .iter()
        .fold(command, |command, word| {
            command.strip_prefix(word).unwrap_or(command)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pipes_are_found_outside_of_quotes_comments_and_documents() {
        let script = "a | b # c | d\necho 'x | y' \"z | w\" || c\ncat <<EOF\n1 | 2\nEOF\ncase $x in y | z) ;; esac\n${{ a | b }} >| c\n한 | 글\n";
        let masked = commands(script);
        assert_eq!(masked.len(), script.len());
        let found: Vec<&str> = pipes(&masked)
            .into_iter()
            .map(|pipe| command_before(&masked, pipe.start))
            .collect();
        assert_eq!(found, ["a ", "한 "]);
    }

    #[test]
    fn the_command_before_a_place_is_the_last_of_its_line() {
        let text = "x; if curl y | z";
        let at = text.find('|').unwrap();
        assert_eq!(command_before(text, at), "curl y ");
    }
}
