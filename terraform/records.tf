# Written by `pointsman generate` from pointsman.toml; change that file, not this one.

# Terraform owns that this record exists and its TTL; the workflow owns where it points.
resource "aws_route53_record" "apex" {
  zone_id = "Z0123456789EXAMPLE"
  name    = "example.com"
  type    = "A"
  ttl     = 300
  records = ["198.51.100.10"]

  lifecycle {
    ignore_changes = [records]
  }
}

# Terraform owns that this record exists and its TTL; the workflow owns where it points.
resource "aws_route53_record" "wildcard" {
  zone_id = "Z0123456789EXAMPLE"
  name    = "*.example.com"
  type    = "A"
  ttl     = 300
  records = ["198.51.100.10"]

  lifecycle {
    ignore_changes = [records]
  }
}

# The monitor watches this host, and no switch moves it. It must exist: else the wildcard would answer for it, and after
# a switch the monitor would take the standby for a home that has recovered.
resource "aws_route53_record" "origin" {
  zone_id = "Z0123456789EXAMPLE"
  name    = "origin.example.com"
  type    = "A"
  ttl     = 300
  records = ["198.51.100.10"]
}
