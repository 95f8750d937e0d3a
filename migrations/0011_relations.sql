-- Relations between knowledge units of any types: two ends, or three to sixteen participants with roles.

create table relation (
  workspace_id uuid not null references workspace,
  id uuid not null,
  version integer not null default 1 check (version >= 1),
  status text not null default 'active' check (status in ('active', 'archived')),
  verb text not null check (verb in ('supports', 'contradicts', 'supersedes', 'derived_from', 'causes', 'precedes',
                                     'part_of', 'about', 'related_to')),
  is_hyper boolean not null,
  -- Equal for relations of the same verb between the same ends (see `relation_identity`).
  identity text not null,
  weight real not null check (weight between 0 and 1),
  confidence real not null check (confidence between 0 and 1),
  attribution text not null,
  trust_score smallint not null check (trust_score between 0 and 100),
  -- What its author asked for; it counts as at least as sensitive as each of its ends, whatever becomes of them.
  own_sensitivity sensitivity not null,
  sensitivity sensitivity not null,
  stale boolean not null default false,
  valid_from timestamptz(3),
  valid_to timestamptz(3),
  evidence_ids uuid[] not null default '{}',
  tags text[] not null default '{}',
  metadata jsonb not null default '{}',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by text not null,
  primary key (workspace_id, id),
  check (valid_to is null or valid_from is null or valid_to >= valid_from),
  check (sensitivity >= own_sensitivity)
);
create index relation_same on relation (workspace_id, identity) where status = 'active';
create index relation_verb on relation (workspace_id, verb, id);

-- The ends of a relation. Verb, weight, state and sensitivity are the relation's, so that a walk reads one index.
create table relation_participant (
  workspace_id uuid not null,
  relation_id uuid not null,
  place smallint not null,
  role text not null,
  -- The unit that was named, and the one that stands for it: another one when it is an entity that was merged.
  unit_id uuid not null,
  node_id uuid not null,
  verb text not null,
  weight real not null,
  is_active boolean not null,
  sensitivity sensitivity not null,
  primary key (workspace_id, relation_id, place),
  foreign key (workspace_id, relation_id) references relation (workspace_id, id) on delete cascade,
  -- Nothing dangles: whoever erases a unit deletes its relations with it.
  foreign key (workspace_id, unit_id) references unit (workspace_id, id) deferrable initially deferred
);
-- The strongest first: a walk takes so many of a hub and stops.
create index relation_participant_walk on relation_participant
  (workspace_id, node_id, weight desc, relation_id) include (role, verb) where is_active;
create index relation_participant_node on relation_participant (workspace_id, node_id, relation_id);
create index relation_participant_unit on relation_participant (workspace_id, unit_id);

-- What speaks for a relation, for truth maintenance. A source may be gone: no foreign key.
create table relation_source (
  workspace_id uuid not null,
  source_id uuid not null,
  relation_id uuid not null,
  primary key (workspace_id, source_id, relation_id),
  foreign key (workspace_id, relation_id) references relation (workspace_id, id) on delete cascade
);
create index relation_source_relation on relation_source (workspace_id, relation_id);

do $$
declare
  t text;
begin
  foreach t in array array['relation', 'relation_participant', 'relation_source'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('grant select, insert, update, delete on %I to svc_app', t);
    execute format(
      'create policy %I on %I to svc_definer
         using (workspace_id = (select current_workspace())) with check (workspace_id = (select current_workspace()))',
      t || '_definer', t);
  end loop;
  foreach t in array array['relation', 'relation_participant'] loop
    execute format(
      'create policy %I on %I to svc_app
         using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))
         with check (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))',
      t || '_own', t);
  end loop;
end
$$;
create policy relation_source_own on relation_source to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));

grant select, delete, update (identity, sensitivity, stale) on relation to svc_definer;
grant select, update (node_id, sensitivity) on relation_participant to svc_definer;
grant select on relation_source to svc_definer;

-- What relations of the same say have in common: the verb and the ends in their roles. Where the verb says the same both
-- ways, two ends have no order. `domain/relations/identity.ts` makes the same text.
create function relation_identity(p_verb text, p_is_hyper boolean, p_roles text[], p_nodes uuid[])
  returns text language sql immutable set search_path = pg_catalog, pg_temp
  as $$
    select md5(p_verb || '|' || string_agg(e.text, ',' order by e.text collate "C"))
      from (select case when not p_is_hyper and p_verb in ('contradicts', 'related_to') then 'end' else t.role end
                   || ':' || t.node::text as text
              from unnest(p_roles, p_nodes) as t(role, node)) e
  $$;
revoke all on function relation_identity(text, boolean, text[], uuid[]) from public;
grant execute on function relation_identity(text, boolean, text[], uuid[]) to svc_definer;

grant create on schema svc_system to svc_definer;

-- The entity that stands for one that was merged, over any number of merges; otherwise the unit itself.
create function svc_system.survivor_of(p_id uuid)
  returns uuid language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    with recursive chain as (
      select p_id as id, 0 as step
      union all
      select (u.body ->> 'mergedInto')::uuid, c.step + 1
        from chain c
        join public.unit u on u.workspace_id = public.current_workspace() and u.id = c.id and u.type = 'entity'
       where u.body ->> 'mergedInto' is not null and c.step < 64
    )
    select id from chain order by step desc limit 1
  $$;

-- Relations follow a unit that was changed, also those above the clearance of whoever changed it: an entity that was
-- merged, or is no longer merged into `p_before`, stands elsewhere; no relation is less sensitive than an end of it.
create function svc_system.relations_follow(p_id uuid, p_before uuid)
  returns void language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
  declare
    v_workspace uuid := public.current_workspace();
    v_before uuid := svc_system.survivor_of(p_before);
    v_relations uuid[];
  begin
    select array_agg(distinct p.relation_id) into v_relations from public.relation_participant p
     where p.workspace_id = v_workspace
       and (p.unit_id = p_id or p.node_id = p_id or (p.node_id = v_before and p.unit_id <> p.node_id));
    if v_relations is null then return; end if;
    update public.relation_participant p set node_id = svc_system.survivor_of(p.unit_id)
     where p.workspace_id = v_workspace and p.relation_id = any(v_relations)
       and (p.unit_id = p_id or p.node_id = p_id or (p.node_id = v_before and p.unit_id <> p.node_id))
       and p.node_id <> svc_system.survivor_of(p.unit_id);
    update public.relation r set sensitivity = n.sensitivity, identity = n.identity
      from (select x.id, greatest(x.own_sensitivity, max(greatest(u.sensitivity, s.sensitivity))) as sensitivity,
                   public.relation_identity(x.verb, x.is_hyper, array_agg(p.role), array_agg(p.node_id)) as identity
              from public.relation x
              join public.relation_participant p on p.workspace_id = x.workspace_id and p.relation_id = x.id
              join public.unit u on u.workspace_id = p.workspace_id and u.id = p.unit_id
              left join public.unit s on s.workspace_id = p.workspace_id and s.id = p.node_id
             where x.workspace_id = v_workspace and x.id = any(v_relations)
             group by x.workspace_id, x.id) n
     where r.workspace_id = v_workspace and r.id = n.id
       and (r.sensitivity, r.identity) is distinct from (n.sensitivity, n.identity);
    update public.relation_participant p set sensitivity = r.sensitivity
      from public.relation r
     where r.workspace_id = v_workspace and r.id = any(v_relations)
       and p.workspace_id = r.workspace_id and p.relation_id = r.id and p.sensitivity <> r.sensitivity;
  end
  $$;

-- Relations that rest on these units become stale where one of these has fallen, and fresh where all that they rest on
-- stands.
create function svc_system.settle_relations(p_ids uuid[])
  returns table (id uuid, version integer, sensitivity public.sensitivity, event text)
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    with resting as (
      select s.relation_id, s.source_id = any(p_ids) as is_named,
             u.id is not null and not u.stale and u.status not in ('superseded', 'retracted', 'rejected') as stands
        from public.relation_source s
        left join public.unit u on u.workspace_id = s.workspace_id and u.id = s.source_id
       where s.workspace_id = public.current_workspace()
         and s.relation_id in (select n.relation_id from public.relation_source n
                                where n.workspace_id = public.current_workspace() and n.source_id = any(p_ids))
    ), settled as (
      select relation_id, bool_or(is_named and not stands) as fell, bool_and(stands) as stand
        from resting group by relation_id
    )
    update public.relation r set stale = t.fell
      from settled t
     where r.workspace_id = public.current_workspace() and r.id = t.relation_id
       and (t.fell and not r.stale or t.stand and r.stale)
    returning r.id, r.version, r.sensitivity, case when r.stale then 'stale' else 'fresh' end
  $$;

-- Deletes the relations of a unit that is about to be erased.
create function svc_system.delete_relations_of(p_id uuid)
  returns table (id uuid, version integer, sensitivity public.sensitivity)
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    delete from public.relation r
     where r.workspace_id = public.current_workspace()
       and r.id in (select p.relation_id from public.relation_participant p
                     where p.workspace_id = public.current_workspace() and (p.unit_id = p_id or p.node_id = p_id))
    returning r.id, r.version, r.sensitivity
  $$;

alter function svc_system.survivor_of(uuid) owner to svc_definer;
alter function svc_system.relations_follow(uuid, uuid) owner to svc_definer;
alter function svc_system.settle_relations(uuid[]) owner to svc_definer;
alter function svc_system.delete_relations_of(uuid) owner to svc_definer;
revoke create on schema svc_system from svc_definer;

revoke all on function svc_system.survivor_of(uuid), svc_system.relations_follow(uuid, uuid),
  svc_system.settle_relations(uuid[]), svc_system.delete_relations_of(uuid) from public;
grant execute on function svc_system.relations_follow(uuid, uuid), svc_system.settle_relations(uuid[]),
  svc_system.delete_relations_of(uuid) to svc_app;

-- Timelines: units of a type and tasks by time, as events and turns are. CASE as in `unit_time`.
create index unit_moment on unit (workspace_id, type, (case when occurred_at is not null then occurred_at
                                                            when valid_from is not null then valid_from
                                                            else recorded_at end), id);
create index task_created on task (workspace_id, created_at, id);
