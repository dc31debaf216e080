//! Tags as versions, in order.
//!
//! Source: Semantic Versioning 2.0.0, section 11, as far as tags of actions go: numbers decide, and what stands behind a
//! hyphen is a pre-release.

/// A tag read as a version. The order is that of the numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// What stands before the last `/`: the part of the repository that the tag is of.
    pub line: String,
    /// The numbers.
    pub numbers: Vec<u64>,
    /// Whether it is a pre-release.
    pub is_prerelease: bool,
}

impl Version {
    /// Reads a tag: `v4`, `4.1.0`, `part/v0.2.2`, `v1.0.0-rc.1`. `None` for what is no version.
    #[must_use]
    pub fn parse(tag: &str) -> Option<Self> {
        let (line, version) = tag.rsplit_once('/').unwrap_or(("", tag));
        let version = version.strip_prefix(['v', 'V']).unwrap_or(version);
        let (release, behind) = match version.split_once(['-', '+']) {
            Some((release, _)) => (
                release,
                version
                    .get(release.len()..)
                    .is_some_and(|rest| rest.starts_with('-')),
            ),
            None => (version, false),
        };
        let numbers = release.split('.').map(|number| number.parse().ok());
        Some(Self {
            line: line.to_owned(),
            numbers: numbers.collect::<Option<Vec<u64>>>()?,
            is_prerelease: behind,
        })
    }

    /// Whether it has the same major version as `other`: the first number, and below 1.0 the second too (Semantic
    /// Versioning 2.0.0, section 4: with `0.y.z` anything may change).
    #[must_use]
    pub fn is_compatible(&self, other: &Self) -> bool {
        let number = |version: &Self, place| version.numbers.get(place).copied().unwrap_or(0);
        let same = |place| number(self, place) == number(other, place);
        same(0) && (number(self, 0) > 0 || same(1))
    }

    /// Whether it is a later version of the same line.
    #[must_use]
    pub fn is_after(&self, other: &Self) -> bool {
        // A pre-release comes before the release of the same numbers (section 11.3).
        let is_release = other.is_prerelease && !self.is_prerelease;
        let is_later = self.numbers > other.numbers || is_release && self.numbers == other.numbers;
        self.line == other.line && is_later
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_decide_and_not_letters() {
        let read = |tag| Version::parse(tag).unwrap();
        assert!(read("v10.0.0").is_after(&read("v9.9.9")));
        assert!(read("v6.4.0").is_after(&read("6")));
        assert!(read("v2.0.0").is_after(&read("v2.0.0-rc.1")));
        assert!(!read("v2.0.0-rc.1").is_after(&read("v2.0.0")));
        assert!(!read("v1.0.0+b-1").is_prerelease);
        assert!(!read("a/v2.0.0").is_after(&read("b/v1.0.0")));
        assert!(
            read("v4.1.0").is_compatible(&read("v4")) && read("v0.2.1").is_compatible(&read("0.2"))
        );
        assert!(
            !read("v5").is_compatible(&read("v4.9"))
                && !read("v0.3.0").is_compatible(&read("v0.2.9"))
        );
        assert!(read("v1.0.0-rc.1").is_prerelease && !read("v1.0.0+b").is_prerelease);
        for none in ["main", "v1.x", "", "stable"] {
            assert_eq!(Version::parse(none), None, "{none}");
        }
    }
}
