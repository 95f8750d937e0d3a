-- Of facts that speak about the same subject in the same respect the latest are read, without those before them.
create index unit_triple_latest on unit (workspace_id, triple_key, recorded_at) where triple_key is not null;
drop index unit_triple;
