//! The parts of a picture: boxes, lines and words of SVG 1.1, each text escaped.

/// A picture as it grows.
#[derive(Debug, Default)]
pub(in crate::report) struct Chart {
    body: String,
}

/// Which end of a text stands at its place.
#[derive(Debug, Clone, Copy)]
pub(in crate::report) enum Anchor {
    Start,
    Middle,
    End,
}

impl Chart {
    pub(in crate::report) fn rect(
        &mut self,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        class: &str,
        title: &str,
    ) {
        let title = escaped(title);
        self.body.push_str(&format!("<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{height:.1}\" class=\"{class}\"><title>{title}</title></rect>\n",
            width.max(0.0)));
    }

    pub(in crate::report) fn line(
        &mut self,
        (x1, y1): (f64, f64),
        (x2, y2): (f64, f64),
        class: &str,
    ) {
        self.body.push_str(&format!("<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" class=\"{class}\"/>\n"));
    }

    pub(in crate::report) fn text(
        &mut self,
        (x, y): (f64, f64),
        anchor: Anchor,
        class: &str,
        text: &str,
    ) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = escaped(text);
        self.body.push_str(&format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" class=\"{class}\">{text}</text>\n"));
    }

    pub(in crate::report) fn finish(self, width: f64, height: f64, title: &str) -> String {
        let title = escaped(title);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" aria-label=\"{title}\">\n<title>{title}</title>\n<style>{STYLE}</style>\n<rect x=\"0\" y=\"0\" width=\"{width:.0}\" height=\"{height:.0}\" class=\"paper\"/>\n{}</svg>\n",
            self.body
        )
    }
}

/// Text for an element of XML or HTML, or for an attribute in double quotes.
pub(in crate::report) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // Neither XML 1.0 nor a terminal wants them.
            _ if letter.is_control() => escaped.push(' '),
            _ => escaped.push(letter),
        }
    }
    escaped
}

/// Colours after Okabe and Ito (2008), which stay apart for colour-blind readers.
const STYLE: &str = "text{font-family:system-ui,sans-serif;font-size:13px;fill:#1b1b1b}\
.title{font-size:17px;font-weight:600}.small{font-size:11px;fill:#555555}.inside{font-size:11px;fill:#1b1b1b}\
.bold{font-weight:600}.paper{fill:#ffffff}.grid{stroke:#dddddd;stroke-width:1}.axis{stroke:#555555;stroke-width:1}\
.whisker{stroke:#1b1b1b;stroke-width:1.5}\
.p0{fill:#e69f00}.p1{fill:#999999}.p2{fill:#56b4e9}.p3{fill:#b39ddb}.p4{fill:#009e73}.p5{fill:#666666}.p6{fill:#f0e442}.p7{fill:#d98cb3}\
.sooner{fill:#009e73}.later{fill:#d55e00}.cut{stroke:#ffffff;stroke-width:2.5}\
.home{fill:#0072b2}.away{fill:#b07cd8}.absent{fill:#c8c8c8}.down{fill:#d55e00}.wrong{fill:#1b1b1b}.mark{stroke:#d55e00;stroke-width:1.5;stroke-dasharray:4 3}\
@media (prefers-color-scheme:dark){text{fill:#eaeaea}.small{fill:#b4b4b4}.inside{fill:#ffffff}.paper{fill:#181818}\
.p0{fill:#946200}.p1{fill:#6b6b6b}.p2{fill:#1f6fa8}.p3{fill:#7556a8}.p4{fill:#00755a}.p6{fill:#7d7200}.p7{fill:#a2507b}.grid{stroke:#3a3a3a}\
.axis{stroke:#b4b4b4}.whisker{stroke:#eaeaea}.p5{fill:#595959}.cut{stroke:#181818}.absent{fill:#555555}.wrong{fill:#eaeaea}}";
