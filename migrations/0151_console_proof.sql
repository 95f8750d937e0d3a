-- A browser sends a cookie to every port of a host, so a session also needs what only the page of its own origin has.
delete from console_session;
alter table console_session add column proof_hash text not null check (proof_hash ~ '^[0-9a-f]{64}$');

drop function svc_system.use_console_session(text, timestamptz, integer);
grant create on schema svc_system to svc_definer;
create function svc_system.use_console_session(
    p_hash text, p_proof_hash text, p_now timestamptz, p_idle_seconds integer
  )
  returns table (
    workspace_id uuid, public_id text, scopes text[], max_sensitivity public.sensitivity, expires_at timestamptz,
    writes_until timestamptz
  )
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    with found as (
      select s.* from public.console_session s
       where s.session_hash = p_hash and s.proof_hash = p_proof_hash and s.expires_at > p_now
         and s.last_used_at > p_now - make_interval(secs => p_idle_seconds)
    ), noted as (
      update public.console_session s set last_used_at = p_now from found f
       where s.workspace_id = f.workspace_id and s.session_hash = f.session_hash
         and s.last_used_at < p_now - interval '30 seconds'
    )
    select f.workspace_id, f.public_id, f.scopes, f.max_sensitivity, f.expires_at, f.writes_until from found f
  $$;
alter function svc_system.use_console_session(text, text, timestamptz, integer) owner to svc_definer;
revoke create on schema svc_system from svc_definer;
revoke all on function svc_system.use_console_session(text, text, timestamptz, integer) from public;
grant execute on function svc_system.use_console_session(text, text, timestamptz, integer) to svc_app;
