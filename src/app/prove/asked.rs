//! What `access-not-granted` may be asked about: patterns of actions that there are, and of resources that they are made on.
//! A misspelt name would be granted by nobody, and so be proved.

use crate::app::AppError;
use crate::iam::catalog;

/// What of the question is not known.
pub(super) type Doubts = Vec<String>;

/// Whether `actions` are patterns of actions that there are; doubts where that is not known.
///
/// # Errors
/// When one is no pattern of actions, or is known to be none that there is.
pub(super) fn actions(actions: &[String]) -> Result<Doubts, AppError> {
    let mut doubts = Vec::new();
    for action in actions {
        if action.bytes().all(|byte| byte == b'*') && !action.is_empty() {
            continue;
        }
        let service = action.split_once(':').filter(|parts| is_pair(*parts));
        let Some((service, _)) = service else {
            return Err(AppError::usage(
                format!("`{}` is no pattern of actions", action.escape_debug()),
                "give one as `service:Name`, such as `s3:GetObject` or `s3:Get*`, or `*` for all; several by `--action` again",
            ));
        };
        if !catalog::is_real(action) {
            let near = catalog::nearest_action(action);
            let help = near.map_or_else(
                || format!("see the actions of `{service}` in the Service Authorization Reference"),
                |near| format!("did you mean `{near}`?"),
            );
            return Err(AppError::usage(
                format!("AWS has no action `{action}`"),
                help,
            ));
        }
        let open = service.contains(['*', '?']);
        if !open && catalog::service(service).is_none() {
            doubts.push(format!("`{service}` is no service that is known here"));
        } else if !open && !catalog::may_exist(action) {
            doubts.push(format!("`{action}` is no action that is known here"));
        }
    }
    Ok(doubts)
}

fn is_pair((service, name): (&str, &str)) -> bool {
    let plain = |text: &str, more: &[char]| {
        let fits = |letter: char| letter.is_ascii_alphanumeric() || more.contains(&letter);
        !text.is_empty() && text.chars().all(fits)
    };
    plain(service, &['-', '*', '?']) && plain(name, &['*', '?'])
}

/// Whether `resources` are patterns of what some of `actions` can be about.
///
/// # Errors
/// When one is no pattern of ARNs, or none of the actions is made on what it stands for.
pub(super) fn resources(resources: &[String], actions: &[String]) -> Result<(), AppError> {
    for resource in resources {
        if let Some(fault) = arn_fault(resource) {
            return Err(AppError::usage(
                format!(
                    "`{}` is no pattern of resources: {fault}",
                    resource.escape_debug()
                ),
                "give an ARN, such as `arn:aws:s3:::bucket/key` or `arn:aws:s3:::bucket/*`, or `*` for all",
            ));
        }
        let on = |action: &String| match catalog::actions_matching(action) {
            Some(all) => all.iter().any(|one| catalog::may_be_on(one, resource)),
            None => catalog::may_be_on(action, resource),
        };
        if !actions.iter().any(on) {
            let forms = actions
                .iter()
                .find_map(|action| match catalog::asked_on(action)? {
                    catalog::AskedOn::Everything => Some("`*`".to_owned()),
                    catalog::AskedOn::Of(forms, _) => {
                        let forms: Vec<String> =
                            forms.iter().map(|form| format!("`{form}`")).collect();
                        Some(forms.join(" or "))
                    }
                });
            let help = forms.map_or_else(
                || "give a resource that one of the actions is made on".to_owned(),
                |forms| format!("AWS asks for such an action on {forms} alone"),
            );
            return Err(AppError::usage(
                format!("none of the actions is made on `{resource}`"),
                help,
            ));
        }
    }
    Ok(())
}

/// Why `text` matches no ARN.
fn arn_fault(text: &str) -> Option<&'static str> {
    let fixed = text.split(['*', '?']).next().unwrap_or_default();
    if fixed != text && "arn:".starts_with(fixed) {
        return None;
    }
    let parts: Vec<&str> = text.splitn(6, ':').collect();
    match parts.as_slice() {
        ["arn", "", ..] => Some("the partition is empty"),
        ["arn", _, "", ..] => Some("the service is empty"),
        ["arn", _, _, _, _, ""] => Some("it names nothing behind the account"),
        ["arn", _, _, _, _, _] => None,
        // A `*` may stand for the segments that are not written.
        ["arn", rest @ ..] if rest.iter().any(|part| part.contains('*')) => None,
        ["arn", ..] => Some("it has fewer than six parts"),
        _ => Some("it does not begin with `arn:`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(texts: &[&str]) -> Vec<String> {
        texts.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn actions_that_there_are_not_are_refused() {
        for wrong in [
            "",
            "nonsense",
            "s3GetObject",
            "s3:GetObjct",
            "s3:Gett*",
            "s3:GetObject,s3:PutObject",
            "s3: GetObject",
            ":",
            "s3:",
        ] {
            assert!(actions(&list(&[wrong])).is_err(), "{wrong}");
        }
        for right in [
            "*",
            "s3:*",
            "S3:getobject",
            "*:Get*",
            "ec2:RunInstances",
            "ec2:Run*",
        ] {
            assert_eq!(
                actions(&list(&[right])).map(|doubts| doubts.len()).ok(),
                Some(0),
                "{right}"
            );
        }
        for open in ["nosuch:Thing", "nosuch:*", "ec2:RunInstancez"] {
            assert_eq!(
                actions(&list(&[open])).map(|doubts| doubts.len()).ok(),
                Some(1),
                "{open}"
            );
        }
    }

    #[test]
    fn resources_that_no_request_is_about_are_refused() {
        let get = list(&["s3:GetObject"]);
        for wrong in [
            "",
            "home/*",
            "s3://b/x",
            "arn:aws:s3::b/x",
            "arn:aws:s3:::b",
            "arn::s3:::b/x",
            "arn:aws",
            "arn:aws:s3:::",
        ] {
            assert!(resources(&list(&[wrong]), &get).is_err(), "{wrong}");
        }
        for right in [
            "*",
            "arn:*",
            "arn:aws:s3:::b/*",
            "arn:aws:s3:::*",
            "*/home/*",
        ] {
            assert!(resources(&list(&[right]), &get).is_ok(), "{right}");
        }
    }
}
