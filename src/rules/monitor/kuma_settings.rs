//! How Uptime Kuma spells the settings of monitors and of webhooks.

use crate::model::monitor::{Form, Monitor};
use crate::text::{Text, nearest};

/// What a monitor has in an export of Uptime Kuma 1.23 to 2.5 (`server/model/monitor.js`, `toJSON`); what its API and
/// uptime-kuma-api take is among it.
const SETTINGS: [&str; 123] = [
    "accepted_statuscodes",
    "active",
    "authDomain",
    "authMethod",
    "authWorkstation",
    "basic_auth_pass",
    "basic_auth_user",
    "bearer_token",
    "body",
    "cacheBust",
    "childrenIDs",
    "conditions",
    "databaseConnectionString",
    "databaseQuery",
    "description",
    "dns_last_result",
    "dns_resolve_server",
    "dns_resolve_type",
    "docker_container",
    "docker_host",
    "domainExpiryNotification",
    "expectedTlsAlert",
    "expectedValue",
    "expiryNotification",
    "forceInactive",
    "game",
    "gamedigGivenPortOnly",
    "gamedigToken",
    "grpcBody",
    "grpcEnableTls",
    "grpcMetadata",
    "grpcMethod",
    "grpcProtobuf",
    "grpcServiceName",
    "grpcUrl",
    "headers",
    "hostname",
    "httpBodyEncoding",
    "humanReadableInterval",
    "id",
    "ignoreTls",
    "includeSensitiveData",
    "interval",
    "invertKeyword",
    "ipFamily",
    "jsonPath",
    "jsonPathOperator",
    "kafkaProducerAllowAutoTopicCreation",
    "kafkaProducerBrokers",
    "kafkaProducerMessage",
    "kafkaProducerSaslOptions",
    "kafkaProducerSsl",
    "kafkaProducerTopic",
    "keyword",
    "location",
    "maintenance",
    "manual_status",
    "maxredirects",
    "maxretries",
    "method",
    "mqttCheckType",
    "mqttPassword",
    "mqttSuccessMessage",
    "mqttTopic",
    "mqttUsername",
    "mqttWebsocketPath",
    "name",
    "notificationIDList",
    "ntpRootDispersionThreshold",
    "ntpStratumThreshold",
    "ntpTimeOffsetThreshold",
    "oauth_audience",
    "oauth_auth_method",
    "oauth_client_id",
    "oauth_client_secret",
    "oauth_scopes",
    "oauth_token_url",
    "packetSize",
    "parent",
    "path",
    "pathName",
    "ping_count",
    "ping_numeric",
    "ping_per_request_timeout",
    "port",
    "protocol",
    "proxyId",
    "pushToken",
    "rabbitmqNodes",
    "rabbitmqPassword",
    "rabbitmqUsername",
    "radiusCalledStationId",
    "radiusCallingStationId",
    "radiusPassword",
    "radiusSecret",
    "radiusUsername",
    "remote_browser",
    "remoteBrowsersToggle",
    "resendInterval",
    "responseMaxLength",
    "retryInterval",
    "retryOnlyOnStatusCodeFailure",
    "saveErrorResponse",
    "saveResponse",
    "screenshot",
    "screenshot_delay",
    "smtpSecurity",
    "snmp_v3_username",
    "snmpOid",
    "snmpVersion",
    "subtype",
    "system_service_name",
    "tags",
    "timeout",
    "tlsCa",
    "tlsCert",
    "tlsKey",
    "type",
    "upsideDown",
    "url",
    "weight",
    "wsIgnoreSecWebsocketAcceptHeader",
    "wsSubprotocol",
];

/// What a row of its table has beside these, where a file is a dump of the database.
const COLUMNS: [&str; 2] = ["accepted_statuscodes_json", "user_id"];

/// What a webhook has (`server/notification-providers/webhook.js`).
const OF_WEBHOOK: [&str; 5] = [
    "httpMethod",
    "webhookAdditionalHeaders",
    "webhookContentType",
    "webhookCustomBody",
    "webhookURL",
];

/// A key that Uptime Kuma does not know.
pub(super) enum Slip {
    /// It is a setting in another spelling.
    Spelled(&'static str),
    /// It is near to a setting.
    Near(&'static str),
    /// It is none.
    Foreign,
}

/// Keys of a monitor in Uptime Kuma's own form that it does not know, each with what it may be.
pub(super) fn slips(monitor: &Monitor) -> Vec<(Text, Slip)> {
    let entries = monitor.config().and_then(|config| config.as_map());
    let keys = || entries.into_iter().flatten().map(|entry| &entry.key);
    let is_row = keys().any(|key| COLUMNS.contains(&key.as_str()));
    if monitor.form == Form::Entity || !monitor.is_monitor() || is_row {
        return Vec::new();
    }
    keys()
        .filter_map(|key| Some((key.clone(), slip(key.as_str(), &SETTINGS)?)))
        .collect()
}

/// Keys of a webhook that are one of its settings in another spelling: its own settings are passed on as they are, in an
/// entity too.
pub(super) fn slips_of_webhook(monitor: &Monitor) -> Vec<(Text, &'static str)> {
    let keys = monitor.webhook.iter().flat_map(|webhook| &webhook.keys);
    keys.filter_map(|key| match slip(key.as_str(), &OF_WEBHOOK)? {
        Slip::Spelled(meant) => Some((key.clone(), meant)),
        Slip::Near(_) | Slip::Foreign => None,
    })
    .collect()
}

fn slip(key: &str, known: &[&'static str]) -> Option<Slip> {
    if known.contains(&key) {
        return None;
    }
    let same = known.iter().find(|name| bare(name) == bare(key));
    let near = || nearest(key, known.iter().copied());
    Some(match (same, near()) {
        (Some(meant), _) => Slip::Spelled(meant),
        (None, Some(meant)) => {
            let meant = known.iter().find(|name| **name == meant)?;
            Slip::Near(meant)
        }
        (None, None) => Slip::Foreign,
    })
}

/// A key without what its spellings differ in.
fn bare(key: &str) -> String {
    key.chars()
        .filter(|letter| !matches!(letter, '_' | '-' | ' '))
        .map(|letter| letter.to_ascii_lowercase())
        .collect()
}
