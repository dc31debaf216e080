//! The document of an answer that says no, in the forms that the SDK does not read.
//!
//! Route 53 API reference, `ChangeResourceRecordSets`, error `InvalidChangeBatch`: the root is the error's own name and its
//! `Messages` are a list; every other error is an `ErrorResponse` with one `Error` (service model `route53/2013-04-01`).

use aws_smithy_xml::decode::{Document, ScopedDecoder, try_data};

/// How deep a message may lie: `ErrorResponse`, `Error`, `Messages`.
const DEPTH: usize = 3;

/// What an answer says of itself.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Refused {
    /// The error's name.
    pub(super) code: Option<String>,
    /// All of its messages, in order.
    pub(super) messages: Vec<String>,
}

impl Refused {
    /// Reads the body of an answer; what is no such document says nothing.
    pub(super) fn read(body: &[u8]) -> Self {
        let mut read = Self::default();
        let Ok(mut document) = Document::try_from(body) else {
            return read;
        };
        let Ok(mut root) = document.root_element() else {
            return read;
        };
        let name = root.start_el().local().to_owned();
        read.take(&mut root, DEPTH);
        let says = !read.messages.is_empty();
        if says && read.code.is_none() && name != "ErrorResponse" {
            read.code = Some(name);
        }
        read
    }

    fn take(&mut self, element: &mut ScopedDecoder<'_, '_>, depth: usize) {
        while let Some(mut child) = element.next_tag() {
            let name = child.start_el().local().to_owned();
            match (name.as_str(), depth.checked_sub(1)) {
                ("Error" | "Messages", Some(depth)) => self.take(&mut child, depth),
                ("Message", _) => {
                    let text = try_data(&mut child).unwrap_or_default();
                    self.messages.extend(said(&text));
                }
                ("Code", _) => self.code = said(&try_data(&mut child).unwrap_or_default()),
                _ => {}
            }
        }
    }

    /// Its messages as one.
    pub(super) fn message(&self) -> String {
        self.messages.join("; ")
    }
}

fn said(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn both_forms_of_a_refusal_are_read() {
        let listed = "<?xml version=\"1.0\"?>\n<InvalidChangeBatch xmlns=\"https://route53.amazonaws.com/doc/2013-04-01/\">\n  <Messages>\n    <Message>one &lt;a&gt;</Message>\n    <Message>two</Message>\n  </Messages>\n  <RequestId>x</RequestId>\n</InvalidChangeBatch>";
        let read = Refused::read(listed.as_bytes());
        assert_eq!(read.code.as_deref(), Some("InvalidChangeBatch"));
        assert_eq!(read.message(), "one <a>; two");
        let nested = "<ErrorResponse><Error><Code>InvalidChangeBatch</Code><Messages><Message>one</Message></Messages></Error></ErrorResponse>";
        let read = Refused::read(nested.as_bytes());
        assert_eq!(read.code.as_deref(), Some("InvalidChangeBatch"));
        assert_eq!(read.message(), "one");
        for none in ["", "<html><body>Message</body></html>", "{}", "<a"] {
            assert_eq!(Refused::read(none.as_bytes()), Refused::default(), "{none}");
        }
    }

    proptest! {
        #[test]
        fn no_body_stops_the_reader(body in "(</?(Error|Message|Messages|Code|a)>|[a-z<>&;\"]{0,3}){0,20}") {
            drop(Refused::read(body.as_bytes()));
        }
    }
}
