-- How much of rare words both statements have in common, apart from their meaning: links of earlier builds lack it, and texts
-- from before there were links have none. So the links of all texts that are there are found anew by a worker, the latest
-- text first.
alter table newer_link add column words real not null default 0;
truncate newer_link;

-- Texts below this number were there; later ones are linked at their write.
create table newer_start (
  only_row boolean primary key default true check (only_row),
  doc_no bigint not null,
  at timestamptz(3) not null default now()
);
insert into newer_start (doc_no) select last_value + 1 from doc_no;
grant select on newer_start to svc_app, svc_definer;

create table newer_cursor (
  workspace_id uuid primary key references workspace,
  -- Texts below this one are still to be linked; 0: none are.
  before_doc bigint not null
);
alter table newer_cursor enable row level security;
alter table newer_cursor force row level security;
create policy newer_cursor_own on newer_cursor to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
grant select, insert, update on newer_cursor to svc_app;

-- How many workspaces wait for links of their earlier texts: a number for the metrics page, as in 0008.
grant select on newer_cursor to svc_definer;
create policy newer_cursor_gauges on newer_cursor for select to svc_definer using ((select current_workspace()) is null);
grant create on schema svc_system to svc_definer;
create function svc_system.count_unlinked()
  returns bigint
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select count(*) from public.workspace w, public.newer_start s
     where w.created_at < s.at and not exists (
       select from public.newer_cursor c where c.workspace_id = w.workspace_id and c.before_doc = 0)
  $$;
alter function svc_system.count_unlinked() owner to svc_definer;
revoke create on schema svc_system from svc_definer;
revoke all on function svc_system.count_unlinked() from public;
grant execute on function svc_system.count_unlinked() to svc_app;
