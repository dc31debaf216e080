//! The quotas on the size of policies: each kind at its quota and one character above it.

use pointsman::check::Options;
use pointsman::diag::Severity;
use pointsman::model::policy::PolicyKind;

use crate::deployment::run;

const RULE: &str = "policy-too-large";

/// A policy of exactly `length` characters, with `white` more of white space.
fn policy(kind: PolicyKind, length: usize, white: usize) -> String {
    let principal = if kind.has_principals() {
        r#""Principal":{"AWS":"arn:aws:iam::123456789012:root"},"#
    } else {
        ""
    };
    let resource = if kind == PolicyKind::Trust {
        r#""Condition":{"StringEquals":{"sts:ExternalId":""#
    } else {
        r#""Resource":"arn:aws:s3:::example/"#
    };
    let action = if kind == PolicyKind::Trust {
        "sts:AssumeRole"
    } else {
        "s3:GetObject"
    };
    let end = if kind == PolicyKind::Trust {
        "\"}}}]}"
    } else {
        "\"}]}"
    };
    let start = format!(
        r#"{{"Version":"2012-10-17","Statement":[{{"Effect":"Deny",{principal}"Action":"{action}",{resource}"#
    );
    let filled = "x".repeat(length - start.len() - end.len());
    format!("{start}{filled}{end}").replacen(':', &(":".to_owned() + &" ".repeat(white)), 1)
}

fn told(kind: PolicyKind, text: &str) -> Vec<Severity> {
    let options = Options {
        policy_kind: Some(kind),
        ..Options::default()
    };
    let ran = run(&[("policy.json", text)], options);
    let found = ran.findings();
    found
        .filter(|(finding, ..)| finding.rule == RULE)
        .map(|(finding, ..)| finding.severity)
        .collect()
}

#[test]
fn each_kind_is_told_above_its_quota_and_not_at_it() {
    let quotas = [
        (PolicyKind::Identity, 10_240, Severity::Warning),
        (PolicyKind::ManagedIdentity, 6_144, Severity::Error),
        (PolicyKind::Boundary, 6_144, Severity::Error),
        (PolicyKind::Trust, 2_048, Severity::Warning),
        (PolicyKind::Trust, 4_096, Severity::Error),
        (PolicyKind::Scp, 5_120, Severity::Error),
        (PolicyKind::Rcp, 5_120, Severity::Error),
        (PolicyKind::Session, 2_048, Severity::Error),
        (PolicyKind::Endpoint, 20_480, Severity::Error),
        (PolicyKind::Resource, 20_480, Severity::Warning),
    ];
    for (kind, most, severity) in quotas {
        let at_quota = told(kind, &policy(kind, most, 0));
        assert!(!at_quota.contains(&severity), "{kind:?} at {most}");
        let above = told(kind, &policy(kind, most + 1, 0));
        assert_eq!(above, [severity], "{kind:?} above {most}");
    }
}

#[test]
fn white_space_counts_for_control_policies_alone() {
    for kind in [PolicyKind::Scp, PolicyKind::Rcp] {
        assert!(told(kind, &policy(kind, 5_000, 120)).is_empty(), "{kind:?}");
        let above = told(kind, &policy(kind, 5_000, 121));
        assert_eq!(above, [Severity::Warning], "{kind:?}");
    }
    for kind in [PolicyKind::Session, PolicyKind::Boundary, PolicyKind::Trust] {
        let long = policy(kind, 2_000, 10_000);
        assert!(told(kind, &long).is_empty(), "{kind:?}");
    }
}
