-- Importing: the ids that could not be kept, and how long a unit's history is.

-- What an imported resource is called here, where the id that it had at its source was taken. References in later lines
-- and later imports from the same source follow it.
create table import_id (
  workspace_id uuid not null references workspace,
  -- Where the id was given: `<instance>/<workspace>`, or the name of a foreign format.
  source text not null check (length(source) between 1 and 400),
  source_id uuid not null,
  local_id uuid not null,
  primary key (workspace_id, source, source_id)
);
alter table import_id enable row level security;
alter table import_id force row level security;
create policy import_id_own on import_id to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
grant select, insert on import_id to svc_app;

-- How many versions of a unit there are, whatever the clearance: an import may lack some of those that its source had, so
-- the version's number does not tell.
grant select (workspace_id, id) on unit_revision to svc_definer;
create policy unit_revision_definer on unit_revision for select to svc_definer
  using (workspace_id = (select current_workspace()));
grant create on schema svc_system to svc_definer;
create function svc_system.count_revisions(p_id uuid) returns bigint
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select count(*) from public.unit_revision r
     where r.workspace_id = public.current_workspace() and r.id = p_id
  $$;
alter function svc_system.count_revisions(uuid) owner to svc_definer;
revoke create on schema svc_system from svc_definer;
revoke all on function svc_system.count_revisions(uuid) from public;
grant execute on function svc_system.count_revisions(uuid) to svc_app;
