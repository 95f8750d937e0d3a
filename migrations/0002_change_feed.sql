-- The change feed: one append-only table, written in the same transaction as each change.
--
-- `seq` is given out under the row lock of `feed_head`, as the last statement before commit, so that it is gapless per
-- workspace and becomes visible in its own order: a reader never passes over a row that commits later.
create table feed_head (
  workspace_id uuid primary key references workspace,
  seq bigint not null
);

create table change (
  workspace_id uuid not null references workspace,
  seq bigint not null,
  kind text not null,
  resource_type text not null,
  resource_id uuid not null,
  version integer not null,
  sensitivity sensitivity not null,
  actor text not null,
  recorded_at timestamptz(3) not null,
  payload jsonb not null default '{}',
  primary key (workspace_id, seq)
);
create index change_resource on change (workspace_id, resource_id, seq);

alter table feed_head enable row level security;
alter table feed_head force row level security;
create policy feed_head_own on feed_head to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));

alter table change enable row level security;
alter table change force row level security;
create policy change_own on change to svc_app
  using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))
  with check (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()));

grant select, insert, update on feed_head to svc_app;
grant select, insert on change to svc_app;
