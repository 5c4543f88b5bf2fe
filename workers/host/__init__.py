"""The process that runs tasks: slots, leases, the guardians of agents and what agents may write."""
