-- How many values predicates have at a time in a workspace, where its own words differ from the defaults of the service.
alter table workspace
  add column predicates jsonb not null default '{}' check (jsonb_typeof(predicates) = 'object');

-- Facts in force that another fact replaces from a known day on.
create index unit_ending on unit (workspace_id, valid_to)
  where type = 'fact' and status in ('active', 'contested') and body ->> 'supersededBy' is not null;
