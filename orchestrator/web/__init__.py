"""The web dashboard: `lifecycle serve`. No other command imports this package."""
