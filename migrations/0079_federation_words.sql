-- What another instance says of an item of which something else is shown here: kept while it may still come to be shown,
-- so that nothing has to be asked for again. Gone with the item.
alter table federation_version add column word jsonb;
-- The hash of what is shown: the writer of the version may have published another one since.
alter table federation_item add column shown_hash bytea check (length(shown_hash) = 32);
-- The other version stands in the register, or is a unit.
alter table federation_conflict drop column body;
-- What the voters said, and until when the others may.
alter table federation_conflict add column claims jsonb not null default '{}';
create index federation_version_deferred on federation_version (workspace_id, writer) where verdict = 'deferred';
create index federation_conflict_unit on federation_conflict (workspace_id, unit_id) where state = 'contested';

-- A relation that its origin erased while its ends stay.
create function svc_system.delete_relation(p_id uuid)
  returns table (id uuid, version integer, sensitivity public.sensitivity)
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    delete from public.relation r
     where r.workspace_id = public.current_workspace() and r.id = p_id
    returning r.id, r.version, r.sensitivity
  $$;
grant create on schema svc_system to svc_definer;
alter function svc_system.delete_relation(uuid) owner to svc_definer;
revoke create on schema svc_system from svc_definer;
revoke all on function svc_system.delete_relation(uuid) from public;
grant execute on function svc_system.delete_relation(uuid) to svc_app;
