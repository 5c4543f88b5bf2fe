"""Traces for OpenTelemetry, where the settings name a collector: what is known of its library is in `sender` alone."""
