-- Sessions of named admins in the console: what a browser's cookie stands for once its admin has shown a key and a code.
-- Their rows stand in the workspace of all zeros, as those of admins do.
create table console_admin_session (
  workspace_id uuid not null,
  -- SHA-256 of the cookie's value, which is stored nowhere.
  session_hash text not null check (session_hash ~ '^[0-9a-f]{64}$'),
  -- A browser sends a cookie to every port of a host, so a session also needs what only the page of its own origin has.
  proof_hash text not null check (proof_hash ~ '^[0-9a-f]{64}$'),
  admin_id uuid not null,
  -- The admin's key that it was opened with.
  key_id uuid not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  -- Until then it may change something; null: it only reads.
  writes_until timestamptz(3),
  primary key (workspace_id, session_hash),
  foreign key (workspace_id, admin_id) references svc_admin (workspace_id, admin_id),
  foreign key (workspace_id, key_id) references svc_admin_key (workspace_id, key_id)
);
create index console_admin_session_admin on console_admin_session (workspace_id, admin_id, created_at);
alter table console_admin_session enable row level security;
alter table console_admin_session force row level security;
create policy console_admin_session_own on console_admin_session to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
grant select, insert, update, delete on console_admin_session to svc_app;

-- Whoever opened a session at the terminal could make and revoke keys by the command line, too.
alter table console_session add column manages_keys boolean not null default false;

grant create on schema svc_system to svc_definer;
drop function svc_system.use_console_session(text, text, timestamptz, integer);
-- Finds a session that has neither ended nor been idle too long, and notes its use, at most twice a minute.
create function svc_system.use_console_session(
    p_hash text, p_proof_hash text, p_now timestamptz, p_idle_seconds integer
  )
  returns table (
    workspace_id uuid, public_id text, scopes text[], max_sensitivity public.sensitivity, expires_at timestamptz,
    writes_until timestamptz, manages_keys boolean
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
    select f.workspace_id, f.public_id, f.scopes, f.max_sensitivity, f.expires_at, f.writes_until, f.manages_keys
      from found f
  $$;
alter function svc_system.use_console_session(text, text, timestamptz, integer) owner to svc_definer;
revoke create on schema svc_system from svc_definer;
revoke all on function svc_system.use_console_session(text, text, timestamptz, integer) from public;
grant execute on function svc_system.use_console_session(text, text, timestamptz, integer) to svc_app;
