"""What a running server tells its operator: log lines and figures, and never a hidden card or a secret."""
