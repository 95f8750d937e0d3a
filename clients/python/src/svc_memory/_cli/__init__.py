"""`svc-memory`: the memory at a terminal, with the commands, options and answers of `svc` for agents."""
