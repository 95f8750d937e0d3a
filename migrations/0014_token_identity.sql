-- Whoever an issuer of tokens vouches for: on whose behalf a token is, and which client got it. Each acts by a key of its
-- own, whose secret nobody has, so that it has a name, limits and an end as every key has.
create table token_identity (
  workspace_id uuid not null references workspace,
  issuer text not null check (length(issuer) between 1 and 500),
  subject text not null check (length(subject) between 1 and 255),
  -- Empty: the token names no client.
  client text not null check (length(client) <= 255),
  key_id uuid not null,
  -- What the configuration granted last. Only when it grants something else is the key changed, so that what an admin has
  -- narrowed stays so.
  granted jsonb not null,
  primary key (workspace_id, issuer, subject, client),
  foreign key (workspace_id, key_id) references api_key (workspace_id, key_id)
);
create index token_identity_key on token_identity (workspace_id, key_id);
alter table token_identity enable row level security;
alter table token_identity force row level security;
create policy token_identity_own on token_identity to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
grant select, insert, update on token_identity to svc_app;
