"""Publishing: a release appears whole, verified and audited, or not at all."""
