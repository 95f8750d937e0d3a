-- The dates of a query match the times that a unit has, each by an index of its own. What was merely recorded at such a time is
-- looked for only when a query asks about recording.

drop index unit_time;
create index unit_occurred on unit (workspace_id, occurred_at) where occurred_at is not null;
create index unit_begins on unit (workspace_id, valid_from) where valid_from is not null;
create index unit_ends on unit (workspace_id, valid_to) where valid_to is not null;
create index unit_recorded on unit (workspace_id, recorded_at);
