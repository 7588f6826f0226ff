-- `Turns.recover` frees the leases that a dead node kept after its turns.
create index sessions_of_node on sessions (node) where node is not null and running = 0;
