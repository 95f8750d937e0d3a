-- Embeddings, one per indexed text and model. The dimension belongs to the deployment: it is fixed when the service
-- first migrates and checked at every boot; the nearest-neighbour index over it is made then, for that dimension.
create table deployment (
  singleton boolean primary key default true check (singleton),
  embedding_dimension integer not null check (embedding_dimension between 8 and 2000),
  created_at timestamptz(3) not null default now()
);
grant select on deployment to svc_app;

create table embedding (
  workspace_id uuid not null references workspace,
  doc_no bigint not null,
  kind smallint not null,
  sensitivity sensitivity not null,
  model text not null,
  vector vector not null,
  primary key (workspace_id, doc_no)
);
create index embedding_model on embedding (workspace_id, model);

-- Indexed texts that still need their vector: those of large batches, and those written while the provider was down.
-- A queue of its own, so that embedding a text never rewrites the row that holds it.
create table embedding_pending (
  workspace_id uuid not null references workspace,
  doc_no bigint not null,
  kind smallint not null,
  sensitivity sensitivity not null,
  primary key (workspace_id, doc_no)
);

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
