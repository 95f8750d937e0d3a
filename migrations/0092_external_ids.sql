-- Names that callers' own systems have for sessions and facts: unique in a workspace, for each of the two.
alter table session add column external_id text check (char_length(external_id) between 1 and 200);
create unique index session_external on session (workspace_id, external_id) where external_id is not null;

-- A fact's is a member of its body, so that each version of it has the one that it had. It is a column, too: `->>` is not
-- leakproof, so under row-level security an index on it would never be used.
alter table unit add column external_id text generated always as (body ->> 'externalId') stored;
create unique index unit_external on unit (workspace_id, type, external_id) where external_id is not null;
grant select (external_id) on unit to svc_definer;

-- Who has some of these names. A name that something above the caller's clearance has is taken, too, so this looks at all of
-- the workspace that the transaction is bound to; it tells ids, and nothing else.
grant select (workspace_id, id, external_id) on session to svc_definer;
create policy session_names_definer on session for select to svc_definer
  using (workspace_id = (select current_workspace()));
grant create on schema svc_system to svc_definer;
create function svc_system.find_external_ids(p_type text, p_ids text[]) returns table (external_id text, id uuid)
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select u.external_id, u.id from public.unit u
     where u.workspace_id = (select public.current_workspace()) and u.type = p_type
       and u.external_id is not null and u.external_id = any(p_ids)
     union all
    select s.external_id, s.id from public.session s
     where s.workspace_id = (select public.current_workspace()) and p_type = 'session' and s.external_id = any(p_ids)
  $$;
alter function svc_system.find_external_ids(text, text[]) owner to svc_definer;
revoke create on schema svc_system from svc_definer;
revoke all on function svc_system.find_external_ids(text, text[]) from public;
grant execute on function svc_system.find_external_ids(text, text[]) to svc_app;
