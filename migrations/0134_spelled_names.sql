-- Names are also stored in plain letters ("zoe" for "Zoë"): a worker does it for the units that an earlier build named.
set local lock_timeout = '3s';
drop index unit_unnamed;
create index unit_unnamed on unit (workspace_id, id) where names_rule < 2;
