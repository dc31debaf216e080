//! XML, written (XML 1.0): elements and text, nothing else.

/// A document that grows.
#[derive(Debug, Default)]
pub(super) struct Xml {
    out: String,
}

impl Xml {
    /// An element with what `inside` writes into it.
    pub(super) fn element(&mut self, name: &str, inside: impl FnOnce(&mut Self)) {
        self.open(name, "");
        inside(self);
        self.out.push_str(&format!("</{name}>"));
    }

    /// The outermost element, in IAM's namespace.
    pub(super) fn document(name: &str, inside: impl FnOnce(&mut Self)) -> String {
        let mut xml = Self::default();
        xml.open(name, " xmlns=\"https://iam.amazonaws.com/doc/2010-05-08/\"");
        inside(&mut xml);
        xml.out.push_str(&format!("</{name}>\n"));
        xml.out
    }

    fn open(&mut self, name: &str, attributes: &str) {
        self.out.push_str(&format!("<{name}{attributes}>"));
    }

    /// An element with a text.
    pub(super) fn text(&mut self, name: &str, text: &str) {
        self.element(name, |xml| xml.escaped(text));
    }

    /// An element for each of `items`, as `member`.
    pub(super) fn members<T>(
        &mut self,
        name: &str,
        items: &[T],
        mut inside: impl FnMut(&mut Self, &T),
    ) {
        self.element(name, |xml| {
            for item in items {
                xml.element("member", |xml| inside(xml, item));
            }
        });
    }

    /// A text. Characters that XML has no way to write become U+FFFD.
    pub(super) fn escaped(&mut self, text: &str) {
        for character in text.chars() {
            match character {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                '\r' => self.out.push_str("&#13;"),
                '\n' | '\t' => self.out.push(character),
                '\u{fffe}' | '\u{ffff}' => self.out.push('\u{fffd}'),
                control if control < ' ' => self.out.push('\u{fffd}'),
                other => self.out.push(other),
            }
        }
    }
}
