-- Units of all types are listed by the time of their last change and by that of their creation, in both directions.
create index unit_by_update on unit (workspace_id, updated_at, id);
create index unit_by_creation on unit (workspace_id, created_at, id);
-- The first of these does what this one did.
drop index unit_recent;
