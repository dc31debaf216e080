//! A form of the AWS query protocol, read: `Name=value&List.member.1=value` (WHATWG URL, `x-www-form-urlencoded`).

use std::collections::BTreeMap;

use super::exchange::{ContextEntry, Query, Refusal};

/// How many parameters a request may have.
const MAX_PARAMETERS: usize = 50_000;

/// The parameters of a request.
#[derive(Debug, Default)]
pub(super) struct Form {
    values: BTreeMap<String, String>,
}

type Read<T> = Result<T, Refusal>;

impl Form {
    /// Reads a form.
    pub(super) fn read(body: &[u8]) -> Read<Self> {
        let mut form = Self::default();
        let pairs = body
            .split(|byte| *byte == b'&')
            .filter(|pair| !pair.is_empty());
        for pair in pairs {
            let mut parts = pair.splitn(2, |byte| *byte == b'=');
            let key = decoded(parts.next().unwrap_or_default())?;
            let value = decoded(parts.next().unwrap_or_default())?;
            if form.values.len() >= MAX_PARAMETERS {
                let message = format!("more than {MAX_PARAMETERS} parameters are not read");
                return Err(malformed(message));
            }
            if form.values.insert(key.clone(), value).is_some() {
                return Err(malformed(format!("the parameter `{key}` is there twice")));
            }
        }
        Ok(form)
    }

    /// Takes a parameter out.
    pub(super) fn take(&mut self, name: &str) -> Option<String> {
        self.values.remove(name)
    }

    /// Takes a list out: `NAME.member.N`, by number; `NAME=` alone is an empty one.
    fn list(&mut self, name: &str) -> Vec<String> {
        if self.values.get(name).is_some_and(String::is_empty) {
            self.values.remove(name);
        }
        let mut found = Vec::new();
        for number in self.numbers(name) {
            found.extend(self.values.remove(&format!("{name}.member.{number}")));
        }
        found
    }

    /// The numbers that `NAME.member.N…` has, in their order.
    fn numbers(&self, name: &str) -> Vec<u64> {
        let prefix = format!("{name}.member.");
        let from = self.values.range(prefix.clone()..);
        let mut numbers: Vec<u64> = from
            .map_while(|(key, _)| key.strip_prefix(&prefix))
            .filter_map(|rest| {
                let number = rest.split('.').next()?;
                let parsed: u64 = number.parse().ok()?;
                // `01` would stand beside `1`.
                (parsed.to_string() == number).then_some(parsed)
            })
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// Takes the policies out.
    pub(super) fn policies(&mut self) -> Vec<String> {
        self.list("PolicyInputList")
    }

    /// Takes a request to `SimulateCustomPolicy` out.
    pub(super) fn query(&mut self) -> Read<Query> {
        if self.values.contains_key("ResourceHandlingOption") {
            return Err(Refusal::invalid_input(
                "ResourceHandlingOption, for scenarios of EC2, is not simulated here",
            ));
        }
        let levels = self.numbers("OrderedOrganizationPolicyInputList");
        let levels = levels.into_iter().map(|number| {
            let level = format!("OrderedOrganizationPolicyInputList.member.{number}");
            self.list(&format!("{level}.ServiceControlPolicyInputList"))
        });
        let ordered_organization_policy_input_list = levels.collect();
        Ok(Query {
            policy_input_list: self.policies(),
            permissions_boundary_policy_input_list: self.list("PermissionsBoundaryPolicyInputList"),
            ordered_organization_policy_input_list,
            action_names: self.list("ActionNames"),
            resource_arns: self.list("ResourceArns"),
            resource_policy: self.take("ResourcePolicy"),
            resource_owner: self.take("ResourceOwner"),
            caller_arn: self.take("CallerArn"),
            context_entries: self.context()?,
            max_items: self.max_items()?,
            marker: self.take("Marker"),
        })
    }

    fn context(&mut self) -> Read<Vec<ContextEntry>> {
        if self
            .values
            .get("ContextEntries")
            .is_some_and(String::is_empty)
        {
            self.values.remove("ContextEntries");
        }
        let numbers = self.numbers("ContextEntries").into_iter();
        let entry = |number: u64| {
            let name = format!("ContextEntries.member.{number}");
            let key = self.take(&format!("{name}.ContextKeyName"));
            let values = self.list(&format!("{name}.ContextKeyValues"));
            let kind = self.take(&format!("{name}.ContextKeyType"));
            Ok(ContextEntry {
                context_key_name: key.ok_or_else(|| {
                    Refusal::invalid_input(format!("{name} has no ContextKeyName"))
                })?,
                context_key_values: values,
                context_key_type: kind.ok_or_else(|| {
                    Refusal::invalid_input(format!("{name} has no ContextKeyType"))
                })?,
            })
        };
        numbers.map(entry).collect()
    }

    fn max_items(&mut self) -> Read<Option<u32>> {
        let Some(written) = self.take("MaxItems") else {
            return Ok(None);
        };
        let number = written.parse().ok();
        let wrong = || Refusal::validation(format!("`{written}` is no number for MaxItems"));
        number.ok_or_else(wrong).map(Some)
    }

    /// That nothing is left that nobody has looked at.
    pub(super) fn finish(&self, action: &str) -> Read<()> {
        match self.values.keys().next() {
            None => Ok(()),
            Some(name) => Err(Refusal::validation(format!(
                "`{name}` is no parameter of {action} here"
            ))),
        }
    }
}

fn malformed(message: String) -> Refusal {
    Refusal {
        code: "MalformedQueryString".to_owned(),
        message,
    }
}

fn decoded(bytes: &[u8]) -> Read<String> {
    let mut plain = Vec::with_capacity(bytes.len());
    let mut rest = bytes.iter();
    while let Some(byte) = rest.next() {
        plain.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digit = |byte: Option<&u8>| char::from(*byte?).to_digit(16);
                let pair = (digit(rest.next()), digit(rest.next()));
                let (Some(high), Some(low)) = pair else {
                    return Err(malformed("`%` without two hexadecimal digits".to_owned()));
                };
                u8::try_from(high * 16 + low).unwrap_or_default()
            }
            other => *other,
        });
    }
    let wrong = |_| malformed("the form is not UTF-8".to_owned());
    String::from_utf8(plain).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_come_by_number_and_escapes_are_undone() {
        let body = b"ActionNames.member.10=j%3Ak&ActionNames.member.2=a%3aB+c&PolicyInputList=&MaxItems=7\
            &OrderedOrganizationPolicyInputList.member.1.ServiceControlPolicyInputList.member.1=x\
            &ContextEntries.member.1.ContextKeyName=aws%3AUserId&ContextEntries.member.1.ContextKeyType=string\
            &ContextEntries.member.1.ContextKeyValues.member.1=%ED%95%9C";
        let mut form = Form::read(body).unwrap();
        let query = form.query().unwrap();
        assert_eq!(query.action_names, ["a:B c", "j:k"]);
        assert!(query.policy_input_list.is_empty());
        assert_eq!(query.max_items, Some(7));
        assert_eq!(query.ordered_organization_policy_input_list, [["x"]]);
        assert_eq!(query.context_entries[0].context_key_values, ["한"]);
        form.finish("SimulateCustomPolicy").unwrap();
    }

    #[test]
    fn what_is_no_form_is_refused() {
        for (body, told) in [
            (&b"a=%4"[..], "two hexadecimal"),
            (b"a=%ff", "not UTF-8"),
            (b"a=1&a=2", "`a` is there twice"),
        ] {
            let refusal = Form::read(body).unwrap_err();
            assert!(refusal.message.contains(told), "{refusal:?}");
        }
        let mut form = Form::read(b"ActionName=a&ResourceArns.member.01=b").unwrap();
        form.query().unwrap();
        assert!(
            form.finish("X")
                .unwrap_err()
                .message
                .contains("`ActionName`")
        );
    }
}
