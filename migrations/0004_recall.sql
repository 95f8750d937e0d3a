-- The recall index: packed postings, the vocabulary, corpus sizes and embeddings.
--
-- The packing is a matter of speed: at a million turns a row per (term, turn) takes 25 million rows, the packed form
-- about a sixth of that for batches and far less after compaction. The policy is a prefix of the primary key, so
-- forced row-level security costs nothing here.
create table posting (
  workspace_id uuid not null references workspace,
  term text collate "C" not null,
  kind smallint not null,
  sensitivity sensitivity not null,
  first_doc bigint not null,
  last_doc bigint not null,
  n integer not null check (n > 0),
  -- 12 bytes an entry, little endian: doc_no, group_no, position << 14 | tf << 8 | length.
  entries bytea not null,
  primary key (workspace_id, term, kind, sensitivity, first_doc)
);
alter table posting alter column entries set storage external;

-- Every term that was ever indexed, for spelling expansion of terms that the index does not hold.
create table vocabulary (
  workspace_id uuid not null references workspace,
  sensitivity sensitivity not null,
  term text collate "C" not null,
  primary key (workspace_id, term, sensitivity)
);

-- Documents, tokens and sessions per kind: deltas, which a worker folds, so that writers never wait for one counter row.
create table corpus_size (
  workspace_id uuid not null references workspace,
  kind smallint not null,
  sensitivity sensitivity not null,
  id bigint generated always as identity,
  docs bigint not null,
  tokens bigint not null,
  groups bigint not null,
  primary key (workspace_id, kind, sensitivity, id)
);

do $$
declare
  t text;
begin
  foreach t in array array['posting', 'vocabulary', 'corpus_size'] loop
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

-- When a unit happened, as the temporal arm and the window filter read it. CASE rather than coalesce(), which Postgres
-- does not take for leakproof: under row-level security no index on it would be used.
create index unit_time on unit (workspace_id, (case when occurred_at is not null then occurred_at
                                                    when valid_from is not null then valid_from else recorded_at end));
