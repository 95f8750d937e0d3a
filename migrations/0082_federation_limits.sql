-- What bounds federation for the whole service: items that each key has sealed, peers of all workspaces, and the
-- notices of erasure that wait for peers, for the metrics.

-- Each sealed item has a random nonce, so a key may seal only so many. A key is known by a hash; the row of a key that
-- is used no more stays. Requests reach the table by the function below alone.
create table svc_sealed_items (
  key_hash bytea primary key check (length(key_hash) = 32),
  items bigint not null check (items >= 0)
);
-- `select` is what adding to a row takes.
grant select, insert, update on svc_sealed_items to svc_definer;

grant create on schema svc_system to svc_definer;

-- Adds items to what a key has sealed, before they are sealed; answers how many there are then. Items beyond the limit
-- are not added: the answer is greater than the limit.
create function svc_system.count_sealed_items(p_key_hash bytea, p_items integer, p_max bigint) returns bigint
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    with added as (
      insert into public.svc_sealed_items as s (key_hash, items)
      select p_key_hash, p_items where p_items <= p_max
      on conflict (key_hash) do update set items = s.items + excluded.items where s.items + excluded.items <= p_max
      returning items
    )
    select coalesce((select a.items from added a), p_max + 1)
  $$;
alter function svc_system.count_sealed_items(bytea, integer, bigint) owner to svc_definer;

-- How many instances other than one are approved peers, in whichever workspace. Transactions that count wait for each
-- other, so that two cannot both take the last place.
create function svc_system.count_other_peers(p_id text) returns integer
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
  begin
    perform pg_advisory_xact_lock(hashtextextended('federation peers of the service', 7305411));
    return (select count(distinct p.id)::integer from public.federation_peer p
             where p.approved_at is not null and p.removed_at is null and p.id is distinct from p_id);
  end
  $$;
alter function svc_system.count_other_peers(text) owner to svc_definer;

drop function svc_system.federation_gauges();
create function svc_system.federation_gauges() returns table (
    peer text, active boolean, degraded boolean, stale boolean, level_at timestamptz,
    certificate_expires_at timestamptz, erasures_pending bigint)
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select p.id, bool_and(p.state = 'ACTIVE'), bool_or(p.state = 'DEGRADED'), bool_or(p.stale),
           -- An entry that never was level counts from its approval.
           min(coalesce(p.level_at, p.approved_at)), min((p.certificate ->> 'expiresAt')::timestamptz),
           sum((select count(*) from public.federation_erasure e
                 where e.workspace_id = p.workspace_id and e.peer_id = p.id and e.acked_at is null))::bigint
      from public.federation_peer p
     where p.approved_at is not null and p.removed_at is null
     group by p.id
     order by p.id collate "C"
     limit 1000
  $$;
alter function svc_system.federation_gauges() owner to svc_definer;

revoke create on schema svc_system from svc_definer;
revoke all on function svc_system.count_sealed_items(bytea, integer, bigint), svc_system.count_other_peers(text),
  svc_system.federation_gauges() from public;
grant execute on function svc_system.count_sealed_items(bytea, integer, bigint), svc_system.count_other_peers(text),
  svc_system.federation_gauges() to svc_app;
