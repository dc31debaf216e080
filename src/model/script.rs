//! Scripts for the shell, as far as single commands go: `curl` and `aws route53`, with their words and where they stand.
//!
//! What is not one of these commands is passed over, and so is what only the shell can know: functions, loops, the values
//! of variables. Source: POSIX.1-2024, Shell Command Language, 2.2 Quoting, 2.3 Token Recognition, 2.9 Shell Commands.

use crate::text::{Origin, Span, Text};

/// A script and its known commands.
#[derive(Debug, Clone)]
pub struct Script {
    /// The path of the file, as it is shown.
    pub path: String,
    /// Its commands that are known here, in written order.
    pub commands: Vec<Command>,
}

/// One command.
#[derive(Debug, Clone, Default)]
pub struct Command {
    /// Its words, the program first; a word with an expansion keeps the `$` as it is written.
    pub words: Vec<Text>,
}

impl Script {
    /// Reads a script.
    #[must_use]
    pub fn read(path: &str, text: &Text) -> Self {
        let mut reader = Reader::new(text);
        reader.run();
        let commands = reader.commands.into_iter().filter_map(Command::known);
        Self {
            path: path.to_owned(),
            commands: commands.collect(),
        }
    }
}

/// Words that stand before a command and are none of it.
const BEFORE: [&str; 15] = [
    "if", "then", "else", "elif", "while", "until", "do", "!", "{", "time", "exec", "sudo", "env",
    "command", "nohup",
];

impl Command {
    fn known(mut self) -> Option<Self> {
        let is_before = |word: &str| {
            let assigns = word.split_once('=').is_some_and(|(name, _)| {
                !name.is_empty()
                    && name
                        .bytes()
                        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            });
            assigns || BEFORE.contains(&word)
        };
        let first = self
            .words
            .iter()
            .position(|word| !is_before(word.as_str()))?;
        self.words.drain(..first);
        (self.is("curl") || self.is_route53()).then_some(self)
    }

    /// Whether it runs this program.
    #[must_use]
    pub fn is(&self, program: &str) -> bool {
        let name = |word: &Text| word.as_str().rsplit('/').next() == Some(program);
        self.words.first().is_some_and(name)
    }

    /// Whether it asks Route 53 over the AWS CLI.
    #[must_use]
    pub fn is_route53(&self) -> bool {
        self.is("aws") && self.words.iter().any(|word| word.as_str() == "route53")
    }

    /// The first word with this text.
    #[must_use]
    pub fn word(&self, wanted: &str) -> Option<&Text> {
        self.words.iter().find(|word| word.as_str() == wanted)
    }

    /// The values of an option in its long and its short spelling, each with the bytes of both.
    #[must_use]
    pub fn values(&self, long: &str, short: char) -> Vec<(&str, Span)> {
        let mut found = Vec::new();
        let mut words = self.words.iter().skip(1);
        while let Some(word) = words.next() {
            let text = word.as_str();
            let (name, rest) = match short_option(text) {
                Some((letter, rest)) if letter == short => (true, rest),
                Some((_, "")) => {
                    words.next();
                    continue;
                }
                Some(_) => continue,
                None => (text == long, ""),
            };
            if !name {
                continue;
            }
            if rest.is_empty() {
                if let Some(value) = words.next() {
                    found.push((value.as_str(), word.span().cover(value.span())));
                }
            } else {
                found.push((rest, word.span()));
            }
        }
        found
    }

    /// The word with this switch, in its long spelling or as a letter among others.
    #[must_use]
    pub fn switch(&self, long: &str, short: char) -> Option<&Text> {
        self.words.iter().skip(1).find(|word| {
            let text = word.as_str();
            let letters = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
            let switches =
                letters.map(|letters| letters.split(TAKE_VALUES).next().unwrap_or_default());
            text == long || switches.is_some_and(|switches| switches.contains(short))
        })
    }

    /// The URLs among its words.
    pub fn urls(&self) -> impl Iterator<Item = &Text> {
        let is_url = |word: &&Text| {
            let text = word.as_str();
            text.starts_with("https://") || text.starts_with("http://")
        };
        self.words.iter().skip(1).filter(is_url)
    }
}

/// Letters of curl's options that take a value (curl 8, `curl --help all`).
const TAKE_VALUES: [char; 20] = [
    'A', 'b', 'c', 'C', 'd', 'D', 'e', 'E', 'F', 'H', 'K', 'm', 'o', 'P', 'Q', 'r', 'T', 'u', 'w',
    'X',
];

/// The last option of a word of short options, if it takes a value, and what stands behind it.
fn short_option(word: &str) -> Option<(char, &str)> {
    let letters = word
        .strip_prefix('-')
        .filter(|rest| !rest.starts_with('-'))?;
    let at = letters.find(TAKE_VALUES)?;
    let mut rest = letters.get(at..)?.chars();
    let letter = rest.next()?;
    Some((letter, rest.as_str()))
}

/// What encloses the text that is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    /// Nothing: the script itself, or a command substitution.
    Plain,
    /// Double quotes.
    Quotes,
}

struct Reader<'a> {
    text: &'a Text,
    letters: std::iter::Peekable<std::str::CharIndices<'a>>,
    word: Option<(usize, String)>,
    command: Command,
    commands: Vec<Command>,
    within: Within,
    /// What encloses the substitutions that are open.
    open: Vec<Within>,
    /// Words that end here-documents, from the next line on.
    ends: Vec<String>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a Text) -> Self {
        Self {
            text,
            letters: text.as_str().char_indices().peekable(),
            word: None,
            command: Command::default(),
            commands: Vec::new(),
            within: Within::Plain,
            open: Vec::new(),
            ends: Vec::new(),
        }
    }

    fn run(&mut self) {
        while let Some((at, letter)) = self.letters.next() {
            if self.substitution(at, letter) {
                continue;
            }
            match self.within {
                Within::Quotes => self.quoted(at, letter),
                Within::Plain => self.plain(at, letter),
            }
        }
        self.end_command(self.text.as_str().len());
    }

    /// Whether a command substitution begins or ends here. Its commands are read like others.
    fn substitution(&mut self, at: usize, letter: char) -> bool {
        let next = self.letters.peek().map(|(_, letter)| *letter);
        if letter == '$' && next == Some('(') {
            self.letters.next();
            self.end_command(at);
            self.open.push(self.within);
            self.within = Within::Plain;
            return true;
        }
        if letter == ')' && self.within == Within::Plain {
            self.end_command(at);
            self.within = self.open.pop().unwrap_or(Within::Plain);
            // What stands behind is the rest of another command.
            self.word = Some((at, String::new()));
            return true;
        }
        false
    }

    fn quoted(&mut self, at: usize, letter: char) {
        match letter {
            '"' => self.within = Within::Plain,
            '\\' => self.escaped(at, "\"\\$`\n"),
            _ => self.push(at, letter),
        }
    }

    fn plain(&mut self, at: usize, letter: char) {
        match letter {
            ' ' | '\t' | '\r' => self.end_word(at),
            '\n' => {
                self.end_command(at);
                self.here_documents();
            }
            ';' | '&' | '|' | '(' | '`' => self.end_command(at),
            '#' if self.word.is_none() => {
                while self
                    .letters
                    .next_if(|(_, letter)| *letter != '\n')
                    .is_some()
                {}
            }
            '\'' => {
                self.begin(at);
                while let Some((at, letter)) =
                    self.letters.next().filter(|(_, letter)| *letter != '\'')
                {
                    self.push(at, letter);
                }
            }
            '"' => {
                self.begin(at);
                self.within = Within::Quotes;
            }
            '\\' => self.escaped(at, ""),
            '<' => self.here_document(at),
            _ => self.push(at, letter),
        }
    }

    /// `only`: the letters that a backslash takes their meaning from; all where it is empty.
    fn escaped(&mut self, at: usize, only: &str) {
        match self.letters.next() {
            Some((_, '\n')) => {}
            Some((_, letter)) => {
                if !only.is_empty() && !only.contains(letter) {
                    self.push(at, '\\');
                }
                self.push(at, letter);
            }
            None => self.push(at, '\\'),
        }
    }

    fn begin(&mut self, at: usize) -> &mut String {
        let (_, value) = self.word.get_or_insert_with(|| (at, String::new()));
        value
    }

    fn push(&mut self, at: usize, letter: char) {
        self.begin(at).push(letter);
    }

    fn end_word(&mut self, at: usize) {
        if let Some((start, value)) = self.word.take() {
            let origin = Origin::Source(self.text.span_of(start..at));
            self.command.words.push(Text::whole(value, origin));
        }
    }

    fn end_command(&mut self, at: usize) {
        self.end_word(at);
        let command = std::mem::take(&mut self.command);
        if !command.words.is_empty() {
            self.commands.push(command);
        }
    }

    fn here_document(&mut self, at: usize) {
        self.end_word(at);
        if self.letters.next_if(|(_, letter)| *letter == '<').is_none()
            || self
                .letters
                .peek()
                .is_some_and(|(_, letter)| *letter == '<')
        {
            return;
        }
        let mut end = String::new();
        let ends = |letter: char| letter.is_whitespace() || ";&|<>()".contains(letter);
        while let Some((_, letter)) = self
            .letters
            .next_if(|(_, letter)| !ends(*letter) || matches!(letter, ' ' | '\t'))
        {
            if letter == ' ' && !end.is_empty() {
                break;
            }
            if !matches!(letter, '-' | '\'' | '"' | '\\' | ' ' | '\t') {
                end.push(letter);
            }
        }
        self.ends.push(end);
    }

    /// Passes over the here-documents that begin on this line.
    fn here_documents(&mut self) {
        for end in std::mem::take(&mut self.ends) {
            loop {
                let mut line = String::new();
                let mut more = false;
                for (_, letter) in self.letters.by_ref() {
                    if letter == '\n' {
                        more = true;
                        break;
                    }
                    line.push(letter);
                }
                if line.trim() == end || !more {
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::SourceMap;
    use proptest::prelude::*;

    fn read(source: &str) -> Option<(SourceMap, Script)> {
        let mut sources = SourceMap::default();
        let file = sources.add("x.sh", source);
        let script = Script::read("x.sh", &sources.text(file)?);
        Some((sources, script))
    }

    #[test]
    fn commands_are_found_in_lists_conditions_and_substitutions() {
        let source = "#!/bin/sh\n# curl nothing\nset -e; code=$(curl -s -m10 -H 'Host: a' \\\n  https://198.51.100.10/ | cat)\nif ! A=1 curl -k \"https://$IP/\"; then echo \"curl no $(aws route53 list-hosted-zones) curl\"; fi\ncat <<'EOF'\ncurl in-a-document\nEOF\necho 'curl -k'\n";
        let (sources, script) = read(source).unwrap();
        let programs: Vec<_> = script.commands.iter().map(|it| it.words.len()).collect();
        assert_eq!(programs, [5 + 1, 3, 3]);
        let first = script.commands.first().unwrap();
        let (value, span) = first.values("--header", 'H').first().copied().unwrap();
        assert_eq!((value, sources.slice(span)), ("Host: a", "-H 'Host: a'"));
        assert_eq!(first.values("--max-time", 'm').first().unwrap().0, "10");
        assert!(script.commands[1].switch("--insecure", 'k').is_some());
    }

    proptest! {
        #[test]
        fn any_script_gives_words_inside_the_file(source in "[ -~\n$()'\"`<\\\\]{0,80}") {
            let (sources, script) = read(&source).unwrap();
            for word in script.commands.iter().flat_map(|command| &command.words) {
                prop_assert!(sources.slice(word.span()).len() <= source.len());
            }
        }
    }
}
