-- Who removed a peer: one that a person removed does not come back from the configuration.
alter table federation_peer add column removed_by text;

-- Of all that came from a configuration, those that a person removed among them.
create or replace function svc_system.list_configured_peers() returns table (workspace_id uuid, id text)
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select p.workspace_id, p.id from public.federation_peer p
     where p.source = 'config' and p.removed_by is distinct from 'config' order by 1, 2
  $$;

-- The key of an invitation, so that it opens nothing before anybody has taken the invitation up.
alter table federation_invite add column key_id uuid not null;
alter table federation_invite add foreign key (workspace_id, key_id) references api_key (workspace_id, key_id);
create index federation_invite_key on federation_invite (workspace_id, key_id);

-- How it stands with the peers of all workspaces, for the metrics: by the peer's id, the worst of its entries. It shows no
-- workspace and no address.
grant create on schema svc_system to svc_definer;
create function svc_system.federation_gauges() returns table (
    peer text, active boolean, degraded boolean, stale boolean, level_at timestamptz,
    certificate_expires_at timestamptz)
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select p.id, bool_and(p.state = 'ACTIVE'), bool_or(p.state = 'DEGRADED'), bool_or(p.stale),
           -- An entry that never was level counts from its approval.
           min(coalesce(p.level_at, p.approved_at)), min((p.certificate ->> 'expiresAt')::timestamptz)
      from public.federation_peer p
     where p.approved_at is not null and p.removed_at is null
     group by p.id
     order by p.id collate "C"
     limit 1000
  $$;
alter function svc_system.federation_gauges() owner to svc_definer;
revoke create on schema svc_system from svc_definer;
revoke all on function svc_system.federation_gauges() from public;
grant execute on function svc_system.federation_gauges() to svc_app;
