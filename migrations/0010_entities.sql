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
