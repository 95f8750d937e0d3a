-- Counters per workspace and day, such as recalls and recalls that returned something. Processes add to them in batches.
create table usage_counter (
  workspace_id uuid not null references workspace,
  day date not null,
  name text not null,
  value bigint not null,
  primary key (workspace_id, day, name)
);
alter table usage_counter enable row level security;
alter table usage_counter force row level security;
create policy usage_counter_own on usage_counter to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
grant select, insert, update on usage_counter to svc_app;
