"""Parts of `hexagon-tcm-allocation`: `plan` (pure decisions) and `liveness` (what is live when)."""
