-- The index by words and by vectors.

-- A function may name a table of a later file.
set local check_function_bodies = off;

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
  stamp uuid,
  primary key (workspace_id, term, kind, sensitivity, first_doc)
);
alter table posting alter column entries set storage external;

-- Every term that was ever indexed, for spelling expansion of terms that the index does not hold.
create table vocabulary (
  workspace_id uuid not null references workspace,
  sensitivity sensitivity not null,
  term text collate "C" not null,
  -- Snapshots say which words a memory uses, for drift. They named a word by an unsalted hash of 32 bits, which a
  -- dictionary
  -- reverses; now by a random token that the vocabulary keeps beside the word. With a word's last text its row in the
  -- vocabulary goes, and the token with it: what is left of the word in snapshots is a number that nothing leads to.
  token uuid not null default gen_random_uuid(),
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

create table embedding (
  workspace_id uuid not null references workspace,
  doc_no bigint not null,
  kind smallint not null,
  sensitivity sensitivity not null,
  model text not null,
  vector vector not null,
  primary key (workspace_id, doc_no)
);
-- The embedding worker takes the latest texts first.
create index embedding_model_latest on embedding (workspace_id, model, doc_no desc);
create policy embedding_gauges on embedding for select to svc_definer using ((select current_workspace()) is null);
-- How many texts of all workspaces have no vector of a present model: a number for the metrics page, as in 0008.
grant select (workspace_id, model) on embedding to svc_definer;

-- Indexed texts that still need their vector: those of large batches, and those written while the provider was down.
-- A queue of its own, so that embedding a text never rewrites the row that holds it.
create table embedding_pending (
  workspace_id uuid not null references workspace,
  doc_no bigint not null,
  kind smallint not null,
  sensitivity sensitivity not null,
  -- The vector of a text that still waits for its place in the index, where it was computed with the write. It waits here
  -- because an entry of the index costs more than the rest of a write; a worker moves it when few others write.
  model text,
  vector vector,
  primary key (workspace_id, doc_no),
  constraint embedding_pending_whole check ((model is null) = (vector is null))
);
create policy embedding_pending_gauges on embedding_pending for select to svc_definer
  using ((select current_workspace()) is null);
grant select (workspace_id) on embedding_pending to svc_definer;

-- How far a worker has given the texts of a workspace the stems of words in other languages than English, and by which
-- rule
-- (`STEM_RULE` in src/language/foreign_stems.ts). Texts of an earlier build have none until the worker has come to them.
create table stem_cursor (
  workspace_id uuid primary key references workspace,
  rule smallint not null,
  -- Texts up to this one are done.
  after_doc bigint not null
);
alter table stem_cursor enable row level security;
alter table stem_cursor force row level security;
create policy stem_cursor_own on stem_cursor to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
grant select, insert, update on stem_cursor to svc_app;

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
do $$
declare
  t text;
begin
  foreach t in array array['embedding', 'embedding_pending'] loop
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

create function stamp_postings() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
  begin
    new.stamp := case when new.n >= 256 then gen_random_uuid() end;
    return new;
  end
  $$;

-- Reads the gaps between the models in the index, workspace by workspace, so that it costs what waits and not what is
-- there.
create function svc_system.count_unembedded(models text[])
  returns bigint
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    with sorted as (select array(select m from unnest(models) as m order by m) as m)
    select (select count(*) from public.embedding_pending) + coalesce(sum(outdated.n), 0)::bigint
      from public.workspace w, sorted s, lateral (
        select count(*) as n from public.embedding e where e.workspace_id = w.workspace_id and e.model < s.m[1]
        union all
        select (select count(*) from public.embedding e
                 where e.workspace_id = w.workspace_id and e.model > s.m[i] and e.model < s.m[i + 1])
          from generate_series(1, cardinality(s.m) - 1) as i
        union all
        select count(*) from public.embedding e where e.workspace_id = w.workspace_id and e.model > s.m[cardinality(s.m)]
      ) as outdated
  $$;

create trigger posting_inserted before insert on posting for each row
  when (new.n >= 256 or new.stamp is not null)
  execute function stamp_postings();
create trigger posting_updated before update on posting for each row
  when (new.n >= 256 or new.stamp is not null)
  execute function stamp_postings();

grant create on schema svc_system to svc_definer;
alter function svc_system.count_unembedded(text[]) owner to svc_definer;
revoke all on function svc_system.count_unembedded(text[]) from public;
grant execute on function svc_system.count_unembedded(text[]) to svc_app;
revoke create on schema svc_system from svc_definer;
