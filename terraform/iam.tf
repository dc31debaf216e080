# Written by `pointsman generate` from pointsman.toml; change that file, not this one.

# The account's provider for GitHub's tokens; it is looked up, never made here.
data "aws_iam_openid_connect_provider" "github" {
  url = "https://token.actions.githubusercontent.com"
}

# Only the failover workflow can borrow this role. Equal to policies/trust.json.
resource "aws_iam_role" "failover" {
  name = "dns-failover"
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      {
        Sid    = "FailoverWorkflow"
        Effect = "Allow"
        Principal = {
          Federated = data.aws_iam_openid_connect_provider.github.arn
        }
        Action = "sts:AssumeRoleWithWebIdentity"
        Condition = {
          StringEquals = {
            "token.actions.githubusercontent.com:aud" = "sts.amazonaws.com"
            "token.actions.githubusercontent.com:sub" = "repo:acme@100001/dns-failover@200002:ref:refs/heads/main"
          }
        }
      },
    ]
  })
}

# UPSERT of exactly these records, and nothing else. Equal to policies/change-records.json.
resource "aws_iam_role_policy" "change_records" {
  name = "change-records"
  role = aws_iam_role.failover.name
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      {
        Sid      = "ChangeFailoverRecords"
        Effect   = "Allow"
        Action   = "route53:ChangeResourceRecordSets"
        Resource = "arn:aws:route53:::hostedzone/Z0123456789EXAMPLE"
        Condition = {
          "ForAllValues:StringEquals" = {
            "route53:ChangeResourceRecordSetsNormalizedRecordNames" = ["example.com", "\\052.example.com"]
            "route53:ChangeResourceRecordSetsRecordTypes"           = ["A"]
            "route53:ChangeResourceRecordSetsActions"               = ["UPSERT"]
          }
          Null = {
            "route53:ChangeResourceRecordSetsNormalizedRecordNames" = "false"
            "route53:ChangeResourceRecordSetsRecordTypes"           = "false"
            "route53:ChangeResourceRecordSetsActions"               = "false"
          }
        }
      },
    ]
  })
}

# Listing the zone and following a change; no condition key narrows these. Equal to policies/read-zone.json.
resource "aws_iam_role_policy" "read_zone" {
  name = "read-zone"
  role = aws_iam_role.failover.name
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      {
        Sid      = "ListZoneRecords"
        Effect   = "Allow"
        Action   = "route53:ListResourceRecordSets"
        Resource = "arn:aws:route53:::hostedzone/Z0123456789EXAMPLE"
      },
      {
        Sid      = "FollowChange"
        Effect   = "Allow"
        Action   = "route53:GetChange"
        Resource = "arn:aws:route53:::change/*"
      },
    ]
  })
}
