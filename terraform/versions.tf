# Written by `pointsman generate` from pointsman.toml; change that file, not this one.

# The provider's region is the caller's choice; Route 53 and IAM have none.
terraform {
  required_version = ">= 1.5"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.0"
    }
  }
}
