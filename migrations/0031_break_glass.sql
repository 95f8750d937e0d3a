-- Admins of the service, their keys, and their access to workspaces under a grant. Decisions §2 "Break-glass".
--
-- They belong to no tenant: their rows stand in the workspace of all zeros, which no key of a tenant leads to.
create table svc_admin (
  workspace_id uuid not null,
  admin_id uuid not null,
  name text not null check (length(name) between 1 and 200),
  -- Sealed under SVC_ADMIN_TOTP_KEY; null until the admin is enrolled.
  totp_sealed text,
  -- The step of the last code that was accepted: no code of it or before counts again.
  totp_last_step bigint,
  -- Failed codes since `totp_tries_from`.
  totp_tries integer not null default 0,
  totp_tries_from timestamptz(3),
  created_at timestamptz(3) not null,
  enrolled_at timestamptz(3),
  disabled_at timestamptz(3),
  primary key (workspace_id, admin_id)
);
create unique index svc_admin_name on svc_admin (workspace_id, lower(name));

create table svc_admin_key (
  workspace_id uuid not null,
  key_id uuid not null,
  admin_id uuid not null,
  public_id text not null check (public_id ~ '^[0-9A-Za-z]{12}$'),
  name text not null check (length(name) between 1 and 200),
  secret_hash text not null check (secret_hash like '$argon2id$%'),
  cidrs text[] not null default '{}',
  created_at timestamptz(3) not null,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  primary key (workspace_id, key_id),
  foreign key (workspace_id, admin_id) references svc_admin (workspace_id, admin_id)
);
create unique index svc_admin_key_public_id on svc_admin_key (workspace_id, public_id);

create table svc_break_glass_request (
  workspace_id uuid not null,
  id uuid not null,
  target_workspace_id uuid not null,
  requested_by uuid not null,
  reason text not null check (length(reason) between 1 and 500),
  scopes text[] not null check (cardinality(scopes) >= 1),
  max_sensitivity sensitivity not null,
  ttl_seconds integer not null check (ttl_seconds between 1 and 86400),
  -- What was decided; that its time is over shows in the times alone. By the database's clock, as all times here.
  decision text not null default 'pending' check (decision in ('pending', 'approved', 'denied', 'revoked')),
  created_at timestamptz(3) not null default clock_timestamp(),
  approved_by uuid,
  approved_at timestamptz(3),
  expires_at timestamptz(3),
  ended_by uuid,
  ended_at timestamptz(3),
  uses bigint not null default 0,
  last_used_at timestamptz(3),
  primary key (workspace_id, id),
  foreign key (workspace_id, requested_by) references svc_admin (workspace_id, admin_id),
  foreign key (workspace_id, approved_by) references svc_admin (workspace_id, admin_id),
  foreign key (workspace_id, ended_by) references svc_admin (workspace_id, admin_id),
  -- Two people, and never for more than a day.
  constraint svc_break_glass_two_admins check (approved_by <> requested_by),
  constraint svc_break_glass_day check (expires_at <= created_at + interval '24 hours'),
  constraint svc_break_glass_approved check (
    (approved_by is null) = (approved_at is null) and (approved_by is null) = (expires_at is null)
    and (decision <> 'approved' or approved_by is not null) and (decision not in ('pending', 'denied') or approved_by is null)
  )
);

do $$
declare
  t text;
begin
  foreach t in array array['svc_admin', 'svc_admin_key', 'svc_break_glass_request'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format(
      'create policy %I on %I to svc_app
         using (workspace_id = (select current_workspace()))
         with check (workspace_id = (select current_workspace()))',
      t || '_own', t);
    execute format('grant select, insert, update on %I to svc_app', t);
  end loop;
end
$$;
