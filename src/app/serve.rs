//! `pointsman serve`: a local endpoint that answers as IAM's policy simulator does, for any AWS SDK or the AWS CLI.

use std::io::{self, Write};

use crate::iam::simulator::reply;
use crate::ports::Endpoint;

/// Says on `told` where `endpoint` listens, and answers until a signal ends it.
///
/// # Errors
/// When `told` cannot be written to.
pub fn run(endpoint: &dyn Endpoint, told: &mut dyn Write) -> io::Result<()> {
    let address = endpoint.address();
    writeln!(told, "serving on http://{address}")?;
    writeln!(
        told,
        "try: aws iam simulate-custom-policy --endpoint-url http://{address} --policy-input-list \"$(cat policy.json)\" --action-names route53:GetChange"
    )?;
    writeln!(
        told,
        "     an SDK takes AWS_ENDPOINT_URL_IAM=http://{address}; any credentials do; ^C ends it"
    )?;
    told.flush()?;
    endpoint.serve(reply);
    Ok(())
}
