//! Condition operators (IAM User Guide, "IAM JSON policy elements: Condition operators").

use std::fmt;

/// An operator as it is written: `ForAllValues:StringLikeIfExists`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Operator {
    /// The set operator before the colon.
    pub quantifier: Option<Quantifier>,
    /// The comparison.
    pub base: BaseOperator,
    /// Whether it ends in `IfExists`.
    pub if_exists: bool,
}

/// A set operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Quantifier {
    /// Every value of the request must match; true when the key is absent or has no value.
    ForAllValues,
    /// One value of the request must match; false when the key is absent or has no value.
    ForAnyValue,
}

/// What kind of values an operator compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Strings.
    String,
    /// Numbers.
    Numeric,
    /// Points in time.
    Date,
    /// Truth values.
    Bool,
    /// Bytes in base64.
    Binary,
    /// Addresses and networks.
    Ip,
    /// Amazon resource names.
    Arn,
    /// Presence of the key.
    Null,
}

macro_rules! base_operators {
    ($($name:ident $family:ident $negated:literal,)*) => {
        /// A comparison.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[expect(missing_docs, reason = "the names are AWS's own and are documented there")]
        pub enum BaseOperator { $($name,)* }

        impl BaseOperator {
            /// Every comparison, in the order of the User Guide.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// As AWS writes it.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)* }
            }

            /// What it compares.
            #[must_use]
            pub fn family(self) -> Family {
                match self { $(Self::$name => Family::$family,)* }
            }

            /// Whether it is an inverted operator (`…Not…`): true when the key is absent, and its values join by NOR.
            #[must_use]
            pub fn is_negated(self) -> bool {
                match self { $(Self::$name => $negated,)* }
            }
        }
    };
}

base_operators! {
    StringEquals String false,
    StringNotEquals String true,
    StringEqualsIgnoreCase String false,
    StringNotEqualsIgnoreCase String true,
    StringLike String false,
    StringNotLike String true,
    NumericEquals Numeric false,
    NumericNotEquals Numeric true,
    NumericLessThan Numeric false,
    NumericLessThanEquals Numeric false,
    NumericGreaterThan Numeric false,
    NumericGreaterThanEquals Numeric false,
    DateEquals Date false,
    DateNotEquals Date true,
    DateLessThan Date false,
    DateLessThanEquals Date false,
    DateGreaterThan Date false,
    DateGreaterThanEquals Date false,
    Bool Bool false,
    BinaryEquals Binary false,
    IpAddress Ip false,
    NotIpAddress Ip true,
    ArnEquals Arn false,
    ArnLike Arn false,
    ArnNotEquals Arn true,
    ArnNotLike Arn true,
    Null Null false,
}

impl BaseOperator {
    /// Whether `*` and `?` in its values are patterns (`ArnEquals` behaves as `ArnLike`, by the User Guide).
    #[must_use]
    pub fn is_pattern(self) -> bool {
        matches!(self, Self::StringLike | Self::StringNotLike) || self.family() == Family::Arn
    }

    /// Whether letter case does not count.
    #[must_use]
    pub fn ignores_case(self) -> bool {
        matches!(
            self,
            Self::StringEqualsIgnoreCase | Self::StringNotEqualsIgnoreCase
        )
    }
}

impl Operator {
    /// Reads an operator in AWS's own spelling; `None` for anything else, also for another letter case, which AWS does
    /// not document. `NullIfExists` is read, so that it can be told what is wrong with it.
    #[must_use]
    pub fn parse(written: &str) -> Option<Self> {
        let (quantifier, rest) = match written.split_once(':') {
            Some(("ForAllValues", rest)) => (Some(Quantifier::ForAllValues), rest),
            Some(("ForAnyValue", rest)) => (Some(Quantifier::ForAnyValue), rest),
            Some(_) => return None,
            None => (None, written),
        };
        let (name, if_exists) = rest
            .strip_suffix("IfExists")
            .map_or((rest, false), |name| (name, true));
        let base = BaseOperator::ALL
            .iter()
            .copied()
            .find(|base| base.name() == name)?;
        Some(Self {
            quantifier,
            base,
            if_exists,
        })
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.quantifier {
            Some(Quantifier::ForAllValues) => f.write_str("ForAllValues:")?,
            Some(Quantifier::ForAnyValue) => f.write_str("ForAnyValue:")?,
            None => {}
        }
        f.write_str(self.base.name())?;
        f.write_str(if self.if_exists { "IfExists" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_reads_back_as_itself() {
        for base in BaseOperator::ALL {
            for quantifier in [
                None,
                Some(Quantifier::ForAllValues),
                Some(Quantifier::ForAnyValue),
            ] {
                for if_exists in [false, true] {
                    let operator = Operator {
                        quantifier,
                        base: *base,
                        if_exists,
                    };
                    assert_eq!(Operator::parse(&operator.to_string()), Some(operator));
                }
            }
        }
    }

    #[test]
    fn other_spellings_are_no_operators() {
        for written in [
            "stringequals",
            "ForAllValue:StringEquals",
            "ForAllValues:ForAnyValue:StringLike",
            "",
            "IfExists",
        ] {
            assert_eq!(Operator::parse(written), None, "{written}");
        }
    }
}
