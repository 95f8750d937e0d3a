-- The names of units: what they are called, their aliases and their tags, as recall compares them with queries. They follow
-- from the units; each write of a unit renews its rows.
create table unit_name (
  workspace_id uuid not null,
  unit_id uuid not null,
  -- The stems of the name's words, and the words themselves, with a space between them.
  name_key text collate "C" not null check (octet_length(name_key) between 1 and 2048),
  name_words text not null,
  source text not null check (source in ('name', 'alias', 'tag')),
  -- The unit's own, so that finding names reads no other table.
  unit_type text not null,
  -- At least that of every version that had the name.
  sensitivity sensitivity not null,
  -- From when to when the unit was known by it.
  since timestamptz(3) not null,
  until timestamptz(3),
  primary key (workspace_id, unit_id, name_key, source, since),
  foreign key (workspace_id, unit_id) references unit (workspace_id, id) on delete cascade
);
create index unit_name_key on unit_name (workspace_id, name_key, unit_id);

alter table unit_name enable row level security;
alter table unit_name force row level security;
create policy unit_name_own on unit_name to svc_app
  using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))
  with check (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()));
grant select, insert, update, delete on unit_name to svc_app;

-- Whose names an earlier build did not store: a worker does. Stems are made by the program, which this file cannot ask.
alter table unit add column names_rule smallint not null default 0;
create index unit_unnamed on unit (workspace_id, id) where names_rule < 1;
