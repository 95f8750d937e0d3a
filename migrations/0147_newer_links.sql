-- Which statement is newer than which other one about the same matter, by the words and the meaning of both. It is found at
-- the write of the later one; each statement is linked to a few others, so the table grows with the statements alone. A link
-- holds no text, is seen by who may see the newer statement, and goes with either one.
create table newer_link (
  workspace_id uuid not null references workspace,
  id bigint generated always as identity,
  older_unit uuid,
  older_turn uuid,
  newer_unit uuid,
  newer_turn uuid,
  -- How likely both are about the same matter; more is likelier.
  strength real not null,
  -- That of the newer statement.
  sensitivity sensitivity not null,
  primary key (workspace_id, id),
  check (num_nonnulls(older_unit, older_turn) = 1 and num_nonnulls(newer_unit, newer_turn) = 1),
  foreign key (workspace_id, older_unit) references unit (workspace_id, id) on delete cascade,
  foreign key (workspace_id, newer_unit) references unit (workspace_id, id) on delete cascade,
  foreign key (workspace_id, older_turn) references turn (workspace_id, id) on delete cascade,
  foreign key (workspace_id, newer_turn) references turn (workspace_id, id) on delete cascade
);
create index newer_link_older_unit on newer_link (workspace_id, older_unit, id) where older_unit is not null;
create index newer_link_older_turn on newer_link (workspace_id, older_turn, id) where older_turn is not null;
create index newer_link_newer_unit on newer_link (workspace_id, newer_unit, id) where newer_unit is not null;
create index newer_link_newer_turn on newer_link (workspace_id, newer_turn, id) where newer_turn is not null;
alter table newer_link enable row level security;
alter table newer_link force row level security;
create policy newer_link_own on newer_link to svc_app
  using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))
  with check (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()));
grant select, insert, update (sensitivity), delete on newer_link to svc_app;
