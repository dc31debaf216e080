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
    // In one piece, so that a reader of the first line alone (`| head -n 1`) ends nothing.
    let text = format!(
        "serving on http://{address}\n\
         try: aws iam simulate-custom-policy --region us-east-1 --endpoint-url http://{address} --policy-input-list \"$(cat policy.json)\" --action-names route53:GetChange\n\
         \u{20}    an SDK takes AWS_ENDPOINT_URL_IAM=http://{address}; any credentials do; ^C ends it\n"
    );
    told.write_all(text.as_bytes())?;
    told.flush()?;
    endpoint.serve(reply);
    Ok(())
}
