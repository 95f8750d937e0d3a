-- Entities and their names, mentions, relations.

-- A function may name a table of a later file.
set local check_function_bodies = off;

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

-- Entities: the names by which they are found, what near names share, and which of them were merged.
-- Every name and alias of every entity that was not merged, normalised. It follows from the units; each write of an
-- entity renews its rows.
create table entity_name (
  workspace_id uuid not null,
  name_key text collate "C" not null check (octet_length(name_key) between 1 and 1024),
  entity_id uuid not null,
  kind text not null check (kind in ('name', 'alias')),
  -- The entity's own, so that finding by name reads no other table.
  entity_type text not null,
  status text not null,
  sensitivity sensitivity not null,
  primary key (workspace_id, name_key, entity_id),
  foreign key (workspace_id, entity_id) references unit (workspace_id, id) on delete cascade
);
-- Of a name and type there is one entity for each sensitivity: who is not cleared for one can have another.
create unique index entity_name_one on entity_name (workspace_id, name_key, entity_type, sensitivity)
  where kind = 'name';
create index entity_name_entity on entity_name (workspace_id, entity_id);

-- What names that may be near share: bands of a MinHash of their trigrams, segments, initials, acronyms, as hashes.
create table entity_block (
  workspace_id uuid not null,
  block bigint not null,
  entity_id uuid not null,
  sensitivity sensitivity not null,
  primary key (workspace_id, block, entity_id),
  foreign key (workspace_id, entity_id) references unit (workspace_id, id) on delete cascade
);
create index entity_block_entity on entity_block (workspace_id, entity_id);

-- Entities that were merged into others. The chain of merges is kept, its end beside it, so that an old id is resolved
-- in one step.
create table entity_merge (
  workspace_id uuid not null,
  source_id uuid not null,
  -- Into which it was merged itself.
  survivor_id uuid not null,
  -- The entity at the end of the chain.
  root_id uuid not null check (root_id <> source_id),
  -- At least that of the entity at the end.
  sensitivity sensitivity not null,
  -- The merge that did it, the version of the survivor that it made, and what is needed to undo it; null where the merge
  -- was not made here.
  merge_id uuid,
  survivor_version integer,
  detail jsonb not null default '{}',
  merged_at timestamptz(3) not null,
  merged_by text not null,
  primary key (workspace_id, source_id),
  -- Checked at the end, so that an import may write it before the unit.
  foreign key (workspace_id, source_id) references unit (workspace_id, id) on delete cascade deferrable initially deferred
);
create index entity_merge_root on entity_merge (workspace_id, root_id);
create index entity_merge_survivor on entity_merge (workspace_id, survivor_id);

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
grant select, delete, update (identity, sensitivity, stale) on relation to svc_definer;

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
grant select, update (node_id, sensitivity) on relation_participant to svc_definer;

-- What speaks for a relation, for truth maintenance. A source may be gone: no foreign key.
create table relation_source (
  workspace_id uuid not null,
  source_id uuid not null,
  relation_id uuid not null,
  primary key (workspace_id, source_id, relation_id),
  foreign key (workspace_id, relation_id) references relation (workspace_id, id) on delete cascade
);
create index relation_source_relation on relation_source (workspace_id, relation_id);
create policy relation_source_own on relation_source to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
grant select on relation_source to svc_definer;

-- Which texts mention which entities; names that were seen and belong to nobody yet; names whose texts are to be read
-- again because somebody got or lost them.
-- One row for each text and entity. Texts are known by the number that the index gives them: a new text of a unit has a
-- new number. Without a foreign key to the text, which is a unit's or a turn's: what takes a text out of the index takes
-- its mentions along.
create table mention (
  workspace_id uuid not null,
  entity_id uuid not null,
  doc_no bigint not null,
  -- The unit or turn, and its type.
  subject_id uuid not null,
  subject_type text not null,
  -- The more sensitive of the text's and the entity's: neither tells of the other.
  sensitivity sensitivity not null,
  -- When it was said, or where nobody knows, recorded.
  mentioned_at timestamptz(3) not null,
  -- False: a former text of its unit, or an archived unit; neither is counted.
  live boolean not null default true,
  -- The author named the entity; the others were found in the text.
  given boolean not null default false,
  primary key (workspace_id, entity_id, doc_no),
  foreign key (workspace_id, entity_id) references unit (workspace_id, id) on delete cascade
);
create index mention_doc on mention (workspace_id, doc_no);
create policy mention_definer on mention to svc_definer
  using (workspace_id = (select current_workspace())) with check (workspace_id = (select current_workspace()));
-- A text may mention an entity that the one who takes the text away, or writes another in its place, must not know of:
-- those mentions go too. Entities that were opened for a name in a text (`metadata.inferredFrom`) and that nobody has
-- touched since go with the last text that names them: the functions tell which of some are left, and nothing else.
grant select, update (live), delete on mention to svc_definer;

-- Names in texts that no entity has. What was seen in two texts, and surely as a name in one, becomes an entity.
create table name_sighting (
  workspace_id uuid not null references workspace,
  name_key text collate "C" not null,
  doc_no bigint not null,
  sensitivity sensitivity not null,
  name text not null,
  -- 0: it may be a name; 1: it is one; 2: it is one and enough by itself.
  strength smallint not null check (strength between 0 and 2),
  -- The worker has not looked at it yet.
  pending boolean not null default true,
  primary key (workspace_id, name_key, doc_no)
);
create index name_sighting_doc on name_sighting (workspace_id, doc_no);
create index name_sighting_pending on name_sighting (workspace_id, doc_no) where pending;

-- Names that an entity got or lost since a text with the name may have been written.
create table name_change (
  workspace_id uuid not null references workspace,
  name_key text collate "C" not null,
  sensitivity sensitivity not null,
  -- Grows when the name changes again while its texts are read.
  attempt integer not null default 1,
  -- The transactions that had begun when the change was first seen: they may not know of it, and are waited for.
  seen_xid xid8,
  -- Texts up to this one are done.
  after_doc bigint not null default 0,
  -- Texts that know of everybody who has a name need not be read again, unless somebody lost it.
  lost boolean not null default true,
  primary key (workspace_id, name_key, sensitivity)
);

-- The names of units: what they are called, their aliases and their tags, as recall compares them with queries. They
-- follow
-- from the units; each write of a unit renews its rows.
create table unit_name (
  workspace_id uuid not null,
  unit_id uuid not null,
  -- The stems of the name's words, and the words themselves, with a space between them.
  name_key text collate "C" not null check (octet_length(name_key) between 1 and 2048),
  name_words text not null,
  source text not null check (source in ('name', 'alias', 'tag')),
  -- The unit's own, so that finding names reads no other table.
  unit_type text not null,
  -- At least that of every version that had the name.
  sensitivity sensitivity not null,
  -- From when to when the unit was known by it.
  since timestamptz(3) not null,
  until timestamptz(3),
  primary key (workspace_id, unit_id, name_key, source, since),
  foreign key (workspace_id, unit_id) references unit (workspace_id, id) on delete cascade
);
create index unit_name_key on unit_name (workspace_id, name_key, unit_id);
alter table unit_name enable row level security;
alter table unit_name force row level security;
create policy unit_name_own on unit_name to svc_app
  using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))
  with check (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()));
grant select, insert, update, delete on unit_name to svc_app;

do $$
declare
  t text;
begin
  foreach t in array array['entity_name', 'entity_block', 'entity_merge'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format(
      'create policy %I on %I to svc_app
         using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))
         with check (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))',
      t || '_own', t);
    execute format('grant select, insert, update, delete on %I to svc_app', t);
  end loop;
end
$$;
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
do $$
declare
  t text;
begin
  foreach t in array array['mention', 'name_sighting', 'name_change'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format(
      'create policy %I on %I to svc_app
         using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))
         with check (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))',
      t || '_own', t);
    execute format('grant select, insert, update, delete on %I to svc_app', t);
  end loop;
end
$$;

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
        join public.relation r on r.workspace_id = s.workspace_id and r.id = s.relation_id
        left join public.unit u on u.workspace_id = s.workspace_id and u.id = s.source_id
       where s.workspace_id = public.current_workspace() and (u.id is null or u.sensitivity <= r.sensitivity)
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

-- Whoever gives or takes a name (find-or-create, aliases, merging, archiving, import) need not think of older texts.
-- In the order of the keys, so that two writers cannot wait for each other in a circle.
create function note_name_changes() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
  begin
    insert into public.name_change as c (workspace_id, name_key, sensitivity, lost)
    select distinct n.workspace_id, n.name_key, n.sensitivity, tg_op = 'DELETE' from changed n
     order by 1, 2, 3
        on conflict (workspace_id, name_key, sensitivity) do update
       set attempt = c.attempt + 1, seen_xid = null, after_doc = 0, lost = c.lost or excluded.lost;
    return null;
  end
  $$;

create function svc_system.find_orphans(p_ids uuid[]) returns setof uuid
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    select u.id from public.unit u
     where u.workspace_id = public.current_workspace() and u.id = any(p_ids) and u.type = 'entity' and u.version = 1
       and not u.pinned and u.metadata operator(pg_catalog.?) 'inferredFrom'
       and not exists (select from public.mention m
                        where m.workspace_id = public.current_workspace() and m.entity_id = u.id)
       and not exists (select from public.relation_participant p
                        where p.workspace_id = public.current_workspace() and (p.unit_id = u.id or p.node_id = u.id))
       and not exists (select from public.unit_source s
                        where s.workspace_id = public.current_workspace() and s.source_id = u.id)
  $$;

create function svc_system.forget_mentions(p_docs bigint[]) returns setof uuid
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
  declare
    v_entities uuid[];
  begin
    with gone as (
      delete from public.mention m where m.workspace_id = public.current_workspace() and m.doc_no = any(p_docs)
      returning m.entity_id
    )
    select array_agg(distinct g.entity_id) into v_entities from gone g;
    return query select o from svc_system.find_orphans(v_entities) o;
  end
  $$;

create function svc_system.set_mentions_live(p_docs bigint[], p_live boolean) returns void
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    update public.mention set live = p_live
     where workspace_id = public.current_workspace() and doc_no = any(p_docs) and live <> p_live
  $$;

-- Keeps what a row said until now, and of one that changes without end the last 1000 to 1100 versions.
create function keep_row_history() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
  declare
    v_row jsonb := to_jsonb(old) - 'workspace_id';
  begin
    if tg_table_name = 'task' then
      v_row := v_row || jsonb_build_object('depends_on', to_jsonb(array(
        select d.depends_on from public.task_dependency d
         where d.workspace_id = old.workspace_id and d.task_id = old.id order by d.depends_on)));
    end if;
    execute format(
      'insert into public.%I (workspace_id, id, version, written_at, replaced_at, sensitivity, row)
       values ($1, $2, $3, $4, $5, $6, $7)', tg_table_name || '_revision')
      using old.workspace_id, old.id, old.version, old.updated_at, new.updated_at, old.sensitivity, v_row;
    if new.version % 100 = 0 then
      execute format(
        'delete from public.%1$I r
          where r.workspace_id = $1 and r.id = $2
            and r.replaced_at < (select k.replaced_at from public.%1$I k
                                  where k.workspace_id = $1 and k.id = $2
                                  order by k.replaced_at desc, k.version desc offset 999 limit 1)',
        tg_table_name || '_revision')
        using old.workspace_id, old.id;
    end if;
    return null;
  end
  $$;

create function svc_system.list_old_names() returns table (workspace_id uuid)
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select distinct u.workspace_id from public.unit u
     where u.type = 'fact' and (u.body -> 'folded' ->> 'rule') is distinct from '2'
       and (coalesce(u.body ->> 'subject', '') || ' ' || coalesce(u.body ->> 'predicate', '') || ' ' ||
            coalesce(u.body ->> 'object', '')) collate "C" ~ '[^ -~]|''[sS]'
  $$;

create trigger entity_name_given after insert on entity_name
  referencing new table as changed for each statement execute function note_name_changes();
create trigger entity_name_taken after delete on entity_name
  referencing old table as changed for each statement execute function note_name_changes();
create trigger relation_history after update on relation
  for each row when (old.version <> new.version) execute function keep_row_history();

grant create on schema svc_system to svc_definer;
revoke all on function relation_identity(text, boolean, text[], uuid[]) from public;
grant execute on function relation_identity(text, boolean, text[], uuid[]) to svc_definer;
alter function svc_system.survivor_of(uuid) owner to svc_definer;
alter function svc_system.relations_follow(uuid, uuid) owner to svc_definer;
alter function svc_system.settle_relations(uuid[]) owner to svc_definer;
alter function svc_system.delete_relations_of(uuid) owner to svc_definer;
revoke all on function svc_system.survivor_of(uuid), svc_system.relations_follow(uuid, uuid),
  svc_system.settle_relations(uuid[]), svc_system.delete_relations_of(uuid) from public;
grant execute on function svc_system.relations_follow(uuid, uuid), svc_system.settle_relations(uuid[]),
  svc_system.delete_relations_of(uuid) to svc_app;
alter function svc_system.find_orphans(uuid[]) owner to svc_definer;
alter function svc_system.forget_mentions(bigint[]) owner to svc_definer;
alter function svc_system.set_mentions_live(bigint[], boolean) owner to svc_definer;
revoke all on function svc_system.find_orphans(uuid[]), svc_system.forget_mentions(bigint[]),
  svc_system.set_mentions_live(bigint[], boolean) from public;
grant execute on function svc_system.find_orphans(uuid[]), svc_system.forget_mentions(bigint[]),
  svc_system.set_mentions_live(bigint[], boolean) to svc_app;
alter function svc_system.list_old_names() owner to svc_definer;
revoke all on function svc_system.list_old_names() from public;
grant execute on function svc_system.list_old_names() to svc_app;
revoke create on schema svc_system from svc_definer;
