-- The make-up and health of a workspace at a time, for history and drift. One row for each sensitivity, which holds what
-- is exactly that sensitive: a reader adds up the rows that its clearance sees. No row holds content: terms are hashes.
create table snapshot (
  workspace_id uuid not null references workspace,
  id uuid not null,
  period_start timestamptz(3) not null,
  taken_at timestamptz(3) not null,
  sensitivity sensitivity not null,
  data jsonb not null,
  -- One snapshot a period, whichever process takes it.
  primary key (workspace_id, period_start, sensitivity)
);
create index snapshot_id on snapshot (workspace_id, id);
alter table snapshot enable row level security;
alter table snapshot force row level security;
create policy snapshot_own on snapshot to svc_app
  using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))
  with check (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()));
grant select, insert, delete on snapshot to svc_app;
