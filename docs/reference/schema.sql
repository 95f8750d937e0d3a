-- Every table as it is after all migrations. Made by scripts/gen/schema.ts; why each is so stands in migrations/.

table api_key (
  workspace_id uuid not null
  public_id text not null
  key_id uuid not null
  name text not null
  secret_hash text not null
  scopes text[] not null
  max_sensitivity sensitivity not null default 'confidential'::sensitivity
  cidrs text[] not null default '{}'::text[]
  rate_limit jsonb
  created_at timestamp(3) with time zone not null default now()
  expires_at timestamp(3) with time zone
  revoked_at timestamp(3) with time zone
  last_used_at timestamp(3) with time zone
  version integer not null default 1
  updated_at timestamp(3) with time zone not null default now()
  given_by uuid
  PRIMARY KEY (workspace_id, key_id)
  CHECK (((length(name) >= 1) AND (length(name) <= 200)))
  CHECK ((public_id ~ '^[0-9A-Za-z]{12}$'::text))
  CHECK ((secret_hash ~~ '$argon2id$%'::text))
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- CREATE INDEX api_key_given ON public.api_key USING btree (workspace_id, given_by) WHERE (given_by IS NOT NULL)
  -- CREATE INDEX api_key_id ON public.api_key USING btree (key_id)
  -- CREATE UNIQUE INDEX api_key_public_id ON public.api_key USING btree (public_id)
  -- policy api_key_definer for all to svc_definer
  -- policy api_key_own for all to svc_app
)

table api_key_former_secret (
  workspace_id uuid not null
  public_id text not null
  key_id uuid not null
  secret_hash text not null
  expires_at timestamp(3) with time zone not null
  PRIMARY KEY (workspace_id, public_id)
  CHECK ((public_id ~ '^[0-9A-Za-z]{12}$'::text))
  CHECK ((secret_hash ~~ '$argon2id$%'::text))
  FOREIGN KEY (workspace_id, key_id) REFERENCES api_key(workspace_id, key_id)
  -- CREATE INDEX api_key_former_key ON public.api_key_former_secret USING btree (workspace_id, key_id)
  -- CREATE UNIQUE INDEX api_key_former_public_id ON public.api_key_former_secret USING btree (public_id)
  -- policy api_key_former_secret_definer for all to svc_definer
  -- policy api_key_former_secret_own for all to svc_app
)

table change (
  workspace_id uuid not null
  seq bigint not null
  kind text not null
  resource_type text not null
  resource_id uuid not null
  version integer not null
  sensitivity sensitivity not null
  actor text not null
  recorded_at timestamp(3) with time zone not null
  payload jsonb not null default '{}'::jsonb
  PRIMARY KEY (workspace_id, seq)
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- CREATE INDEX change_resource ON public.change USING btree (workspace_id, resource_id, seq)
  -- policy change_append for insert to svc_app
  -- policy change_erase for all to svc_eraser
  -- policy change_read for select to svc_app
)

table cluster_identity (
  only_one boolean not null default true
  name text not null
  PRIMARY KEY (only_one)
  CHECK ((name ~ '^[a-z][a-z0-9-]{0,29}$'::text))
  CHECK (only_one)
)

table console_admin_session (
  workspace_id uuid not null
  session_hash text not null
  proof_hash text not null
  admin_id uuid not null
  key_id uuid
  created_at timestamp(3) with time zone not null
  last_used_at timestamp(3) with time zone not null
  expires_at timestamp(3) with time zone not null
  writes_until timestamp(3) with time zone
  PRIMARY KEY (workspace_id, session_hash)
  CHECK ((proof_hash ~ '^[0-9a-f]{64}$'::text))
  CHECK ((session_hash ~ '^[0-9a-f]{64}$'::text))
  FOREIGN KEY (workspace_id, admin_id) REFERENCES svc_admin(workspace_id, admin_id)
  FOREIGN KEY (workspace_id, key_id) REFERENCES svc_admin_key(workspace_id, key_id)
  -- CREATE INDEX console_admin_session_admin ON public.console_admin_session USING btree (workspace_id, admin_id, created_at)
  -- policy console_admin_session_own for all to svc_app
)

table console_session (
  workspace_id uuid not null
  session_hash text not null
  proof_hash text not null
  key_id uuid not null
  public_id text not null
  scopes text[] not null
  max_sensitivity sensitivity not null
  created_at timestamp(3) with time zone not null
  last_used_at timestamp(3) with time zone not null
  expires_at timestamp(3) with time zone not null
  writes_until timestamp(3) with time zone
  manages_keys boolean not null default false
  PRIMARY KEY (workspace_id, session_hash)
  CHECK ((proof_hash ~ '^[0-9a-f]{64}$'::text))
  CHECK ((public_id ~ '^[0-9A-Za-z]{12}$'::text))
  CHECK ((session_hash ~ '^[0-9a-f]{64}$'::text))
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  FOREIGN KEY (workspace_id, key_id) REFERENCES api_key(workspace_id, key_id)
  -- CREATE INDEX console_session_expiry ON public.console_session USING btree (workspace_id, expires_at)
  -- CREATE INDEX console_session_hash ON public.console_session USING btree (session_hash)
  -- CREATE INDEX console_session_key ON public.console_session USING btree (workspace_id, key_id, created_at)
  -- policy console_session_definer for all to svc_definer
  -- policy console_session_own for all to svc_app
)

table corpus_size (
  workspace_id uuid not null
  kind smallint not null
  sensitivity sensitivity not null
  id bigint not null
  docs bigint not null
  tokens bigint not null
  groups bigint not null
  PRIMARY KEY (workspace_id, kind, sensitivity, id)
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- policy corpus_size_own for all to svc_app
)

table deletion_log (
  workspace_id uuid not null
  resource_id uuid not null
  resource_type text not null
  origin_instance text not null
  sensitivity sensitivity not null
  erased_at timestamp(3) with time zone not null
  erased_by text not null
  receipt jsonb not null default '{}'::jsonb
  PRIMARY KEY (workspace_id, resource_id, resource_type)
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- policy deletion_log_own for all to svc_app
)

table dependant_pass (
  workspace_id uuid not null
  source_id uuid not null
  what text not null
  after_id uuid not null
  fallen_id uuid
  how text
  fallen_sensitivity sensitivity
  queued_at timestamp(3) with time zone not null
  PRIMARY KEY (workspace_id, source_id, what)
  CHECK ((what = ANY (ARRAY['standing'::text, 'trust'::text])))
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- policy dependant_pass_own for all to svc_app
)

table deployment (
  singleton boolean not null default true
  embedding_dimension integer not null
  created_at timestamp(3) with time zone not null default now()
  PRIMARY KEY (singleton)
  CHECK (((embedding_dimension >= 8) AND (embedding_dimension <= 2000)))
  CHECK (singleton)
)

table embedding (
  workspace_id uuid not null
  doc_no bigint not null
  kind smallint not null
  sensitivity sensitivity not null
  model text not null
  vector vector not null
  PRIMARY KEY (workspace_id, doc_no)
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- CREATE INDEX embedding_model_latest ON public.embedding USING btree (workspace_id, model, doc_no DESC)
  -- policy embedding_gauges for select to svc_definer
  -- policy embedding_own for all to svc_app
)

table embedding_pending (
  workspace_id uuid not null
  doc_no bigint not null
  kind smallint not null
  sensitivity sensitivity not null
  model text
  vector vector
  PRIMARY KEY (workspace_id, doc_no)
  CHECK (((model IS NULL) = (vector IS NULL)))
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- policy embedding_pending_gauges for select to svc_definer
  -- policy embedding_pending_own for all to svc_app
)

table entity_block (
  workspace_id uuid not null
  block bigint not null
  entity_id uuid not null
  sensitivity sensitivity not null
  PRIMARY KEY (workspace_id, block, entity_id)
  FOREIGN KEY (workspace_id, entity_id) REFERENCES unit(workspace_id, id) ON DELETE CASCADE
  -- CREATE INDEX entity_block_entity ON public.entity_block USING btree (workspace_id, entity_id)
  -- policy entity_block_own for all to svc_app
)

table entity_merge (
  workspace_id uuid not null
  source_id uuid not null
  survivor_id uuid not null
  root_id uuid not null
  sensitivity sensitivity not null
  merge_id uuid
  survivor_version integer
  detail jsonb not null default '{}'::jsonb
  merged_at timestamp(3) with time zone not null
  merged_by text not null
  PRIMARY KEY (workspace_id, source_id)
  CHECK ((root_id <> source_id))
  FOREIGN KEY (workspace_id, source_id) REFERENCES unit(workspace_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
  -- CREATE INDEX entity_merge_root ON public.entity_merge USING btree (workspace_id, root_id)
  -- CREATE INDEX entity_merge_survivor ON public.entity_merge USING btree (workspace_id, survivor_id)
  -- policy entity_merge_own for all to svc_app
)

table entity_name (
  workspace_id uuid not null
  name_key text not null
  entity_id uuid not null
  kind text not null
  entity_type text not null
  status text not null
  sensitivity sensitivity not null
  PRIMARY KEY (workspace_id, name_key, entity_id)
  CHECK ((kind = ANY (ARRAY['name'::text, 'alias'::text])))
  CHECK (((octet_length(name_key) >= 1) AND (octet_length(name_key) <= 1024)))
  FOREIGN KEY (workspace_id, entity_id) REFERENCES unit(workspace_id, id) ON DELETE CASCADE
  -- CREATE INDEX entity_name_entity ON public.entity_name USING btree (workspace_id, entity_id)
  -- CREATE UNIQUE INDEX entity_name_one ON public.entity_name USING btree (workspace_id, name_key, entity_type, sensitivity) WHERE (kind = 'name'::text)
  -- policy entity_name_own for all to svc_app
  -- trigger entity_name_given: note_name_changes
  -- trigger entity_name_taken: note_name_changes
)

table event (
  workspace_id uuid not null
  id uuid not null
  type text not null
  agent_id text
  session_id uuid
  sensitivity sensitivity not null default 'internal'::sensitivity
  data jsonb not null default '{}'::jsonb
  occurred_at timestamp(3) with time zone not null
  recorded_at timestamp(3) with time zone not null
  created_by text not null
  PRIMARY KEY (workspace_id, id)
  CHECK (((length(type) >= 1) AND (length(type) <= 200)))
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- CREATE INDEX event_agent ON public.event USING btree (workspace_id, agent_id, occurred_at, id) WHERE (agent_id IS NOT NULL)
  -- CREATE INDEX event_session ON public.event USING btree (workspace_id, session_id, occurred_at, id) WHERE (session_id IS NOT NULL)
  -- CREATE INDEX event_time ON public.event USING btree (workspace_id, occurred_at, id)
  -- CREATE INDEX event_type ON public.event USING btree (workspace_id, type, occurred_at, id)
  -- policy event_own for all to svc_app
  -- trigger event_kept: refuse_event_deletion
)

table federation_conflict (
  workspace_id uuid not null
  id uuid not null
  origin_instance text not null
  origin_id uuid not null
  writer text not null
  type text not null
  state text not null default 'contested'::text
  unit_id uuid not null
  other_unit_id uuid
  strategy text not null
  review_item_id uuid
  task_id uuid
  sensitivity sensitivity not null
  resolution jsonb
  opened_at timestamp(3) with time zone not null
  resolved_at timestamp(3) with time zone
  resolved_by text
  claims jsonb not null default '{}'::jsonb
  PRIMARY KEY (workspace_id, id)
  CHECK ((state = ANY (ARRAY['contested'::text, 'resolved'::text, 'dismissed'::text])))
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- CREATE UNIQUE INDEX federation_conflict_open ON public.federation_conflict USING btree (workspace_id, origin_instance, origin_id, writer) WHERE (state = 'contested'::text)
  -- CREATE INDEX federation_conflict_unit ON public.federation_conflict USING btree (workspace_id, unit_id) WHERE (state = 'contested'::text)
  -- policy federation_conflict_own for all to svc_app
)

table federation_cursor (
  workspace_id uuid not null
  published_seq bigint not null default 0
  next_seq bigint not null default 1
  epoch uuid not null
  walk text
  walk_after uuid
  PRIMARY KEY (workspace_id)
  CHECK ((walk = ANY (ARRAY['unit'::text, 'relation'::text])))
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- policy federation_cursor_definer for select to svc_definer
  -- policy federation_cursor_own for all to svc_app
)

table federation_erasure (
  workspace_id uuid not null
  peer_id text not null
  origin_instance text not null
  origin_id uuid not null
  type text not null
  version integer not null
  erased_at timestamp(3) with time zone not null
  attempts integer not null default 0
  next_attempt_at timestamp(3) with time zone not null
  acked_at timestamp(3) with time zone
  outcome text
  ack jsonb
  PRIMARY KEY (workspace_id, peer_id, origin_instance, origin_id)
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- CREATE INDEX federation_erasure_due ON public.federation_erasure USING btree (workspace_id, peer_id, next_attempt_at) WHERE (acked_at IS NULL)
  -- policy federation_erasure_definer for select to svc_definer
  -- policy federation_erasure_own for all to svc_app
)

table federation_invite (
  workspace_id uuid not null
  id uuid not null
  sealed text not null
  failures smallint not null default 0
  expires_at timestamp(3) with time zone not null
  used_at timestamp(3) with time zone
  peer_id text
  created_by text not null
  created_at timestamp(3) with time zone not null
  key_id uuid not null
  PRIMARY KEY (workspace_id, id)
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  FOREIGN KEY (workspace_id, key_id) REFERENCES api_key(workspace_id, key_id)
  -- CREATE INDEX federation_invite_key ON public.federation_invite USING btree (workspace_id, key_id)
  -- policy federation_invite_own for all to svc_app
)

table federation_item (
  workspace_id uuid not null
  origin_instance text not null
  origin_id uuid not null
  unit_id uuid not null
  role text not null
  shown_writer text
  shown_version integer
  context jsonb not null default '{}'::jsonb
  settled jsonb not null default '{}'::jsonb
  is_own boolean not null default false
  shown_hash bytea
  PRIMARY KEY (workspace_id, origin_instance, origin_id)
  CHECK ((role = ANY (ARRAY['unit'::text, 'stand_in'::text, 'reserved'::text])))
  CHECK ((length(shown_hash) = 32))
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- CREATE INDEX federation_item_local ON public.federation_item USING btree (workspace_id, unit_id)
  -- CREATE UNIQUE INDEX federation_item_unit ON public.federation_item USING btree (workspace_id, unit_id) WHERE (role <> 'stand_in'::text)
  -- policy federation_item_own for all to svc_app
)

table federation_peer (
  workspace_id uuid not null
  id text not null
  uid uuid not null
  source text not null
  endpoint text not null
  state text not null
  stale boolean not null default false
  approved_at timestamp(3) with time zone
  approved_by text
  verified_at timestamp(3) with time zone
  removed_at timestamp(3) with time zone
  direction text not null default 'bidirectional'::text
  remote_workspace_id uuid not null
  region text
  max_sensitivity sensitivity not null default 'internal'::sensitivity
  conflict_resolution text not null default 'manual'::text
  trust_weight smallint
  cert_pin text
  cert_pin_next text
  cert_pin_next_since timestamp(3) with time zone
  client_cert_pin text
  signing_key bytea
  signing_key_next bytea
  signing_key_next_since timestamp(3) with time zone
  secrets text
  inbound_key_id uuid
  told jsonb not null default '{}'::jsonb
  found jsonb
  contact_at timestamp(3) with time zone
  success_at timestamp(3) with time zone
  level_at timestamp(3) with time zone
  degraded_at timestamp(3) with time zone
  failures integer not null default 0
  next_attempt_at timestamp(3) with time zone
  last_error jsonb
  skew_ms integer
  certificate jsonb
  pull_cursor text
  remote_epoch text
  pushed_seq bigint not null default 0
  acked_seq bigint not null default 0
  reconciled_at timestamp(3) with time zone
  reconciliation jsonb
  counts jsonb not null default '{}'::jsonb
  lease_id uuid
  lease_expires_at timestamp(3) with time zone
  version integer not null default 1
  created_at timestamp(3) with time zone not null
  updated_at timestamp(3) with time zone not null
  removed_by text
  PRIMARY KEY (workspace_id, id)
  CHECK ((conflict_resolution = ANY (ARRAY['theirs_wins'::text, 'ours_wins'::text, 'consensus'::text, 'manual'::text])))
  CHECK ((direction = ANY (ARRAY['bidirectional'::text, 'push'::text])))
  CHECK (((endpoint ~~ 'https://%'::text) AND (length(endpoint) <= 2000)))
  CHECK ((id ~ '^instance:[a-z0-9][a-z0-9.:-]{0,252}$'::text))
  CHECK ((length(signing_key) = 32))
  CHECK ((length(signing_key_next) = 32))
  CHECK ((source = ANY (ARRAY['config'::text, 'stored'::text, 'srv'::text])))
  CHECK ((state = ANY (ARRAY['DISCOVERED'::text, 'HANDSHAKE'::text, 'ACTIVE'::text, 'DEGRADED'::text])))
  CHECK (((trust_weight >= 0) AND (trust_weight <= 100)))
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  FOREIGN KEY (workspace_id, inbound_key_id) REFERENCES api_key(workspace_id, key_id)
  UNIQUE (workspace_id, uid)
  -- CREATE INDEX federation_peer_due ON public.federation_peer USING btree (next_attempt_at) WHERE ((removed_at IS NULL) AND (approved_at IS NOT NULL))
  -- CREATE INDEX federation_peer_key ON public.federation_peer USING btree (workspace_id, inbound_key_id) WHERE (inbound_key_id IS NOT NULL)
  -- policy federation_peer_definer for all to svc_definer
  -- policy federation_peer_own for all to svc_app
)

table federation_remote_fact (
  workspace_id uuid not null
  peer_id text not null
  fact_id uuid not null
  hash text not null
  region text not null
  seen_at timestamp(3) with time zone not null
  PRIMARY KEY (workspace_id, peer_id, fact_id)
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- policy federation_remote_fact_own for all to svc_app
)

table federation_version (
  workspace_id uuid not null
  origin_instance text not null
  origin_id uuid not null
  writer text not null
  type text not null
  version integer not null
  updated_at timestamp(3) with time zone not null
  hash bytea not null
  seen jsonb not null default '{}'::jsonb
  affirms text
  is_deleted boolean not null default false
  is_withdrawn boolean not null default false
  sensitivity sensitivity not null
  least_sensitivity sensitivity not null
  seq bigint
  key bytea not null
  leaf bytea not null
  withdrawn_leaf bytea
  verdict text not null
  unit_id uuid
  unit_version integer
  received_at timestamp(3) with time zone
  word jsonb
  bucket integer not null generated always as ((get_byte(key, 0) * 256) + get_byte(key, 1)) stored
  PRIMARY KEY (workspace_id, origin_instance, origin_id, writer)
  CHECK ((affirms = ANY (ARRAY['kept'::text, 'taken'::text])))
  CHECK ((least_sensitivity <= sensitivity))
  CHECK (((verdict = 'own'::text) = (seq IS NOT NULL)))
  CHECK ((length(hash) = 32))
  CHECK ((length(key) = 8))
  CHECK ((length(leaf) = 32))
  CHECK ((verdict = ANY (ARRAY['own'::text, 'shown'::text, 'equal'::text, 'kept_ours'::text, 'contested'::text, 'covered'::text, 'blocked'::text, 'deferred'::text, 'erased'::text])))
  CHECK ((version >= 1))
  CHECK ((length(withdrawn_leaf) = 32))
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- CREATE INDEX federation_version_deferred ON public.federation_version USING btree (workspace_id, writer) WHERE (verdict = 'deferred'::text)
  -- CREATE INDEX federation_version_digest ON public.federation_version USING btree (workspace_id, writer, bucket, key) INCLUDE (leaf, withdrawn_leaf, sensitivity, least_sensitivity, origin_instance, origin_id)
  -- CREATE INDEX federation_version_origin ON public.federation_version USING btree (workspace_id, origin_id) WHERE (seq IS NOT NULL)
  -- CREATE UNIQUE INDEX federation_version_seq ON public.federation_version USING btree (workspace_id, seq) WHERE (seq IS NOT NULL)
  -- CREATE INDEX federation_version_unit ON public.federation_version USING btree (workspace_id, unit_id) WHERE (unit_id IS NOT NULL)
  -- policy federation_version_own for all to svc_app
)

table feed_head (
  workspace_id uuid not null
  seq bigint not null
  PRIMARY KEY (workspace_id)
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- policy feed_head_definer for select to svc_definer
  -- policy feed_head_own for all to svc_app
)

table gate_action (
  workspace_id uuid not null
  id uuid not null
  action text not null
  reason text not null
  acted_at timestamp(3) with time zone not null
  acted_by text not null
  PRIMARY KEY (workspace_id, id)
  CHECK ((action = ANY (ARRAY['hold'::text, 'release'::text])))
  CHECK (((length(reason) >= 1) AND (length(reason) <= 1000)))
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- policy gate_action_own for all to svc_app
)

table idempotent_reply (
  workspace_id uuid not null
  operation_id text not null
  key_hash text not null
  fingerprint text not null
  sensitivity sensitivity not null
  status smallint
  headers jsonb not null
  body text
  sealed boolean not null default false
  resource_ids uuid[] not null default '{}'::uuid[]
  created_at timestamp(3) with time zone not null default clock_timestamp()
  PRIMARY KEY (workspace_id, operation_id, key_hash)
  CHECK (((status >= 200) AND (status <= 299)))
  -- CREATE INDEX idempotent_reply_age ON public.idempotent_reply USING btree (workspace_id, created_at)
  -- policy idempotent_reply_definer for all to svc_definer
  -- policy idempotent_reply_own for all to svc_app
)

table import_id (
  workspace_id uuid not null
  source text not null
  source_id uuid not null
  local_id uuid not null
  PRIMARY KEY (workspace_id, source, source_id)
  CHECK (((length(source) >= 1) AND (length(source) <= 400)))
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- policy import_id_own for all to svc_app
)

table job (
  workspace_id uuid not null
  id uuid not null
  kind text not null
  state text not null default 'queued'::text
  sensitivity sensitivity not null
  input jsonb not null default '{}'::jsonb
  progress jsonb not null default '{}'::jsonb
  report jsonb
  failure text
  attempts integer not null default 0
  lease_id uuid
  lease_expires_at timestamp(3) with time zone
  requested_by text not null
  created_at timestamp(3) with time zone not null
  started_at timestamp(3) with time zone
  finished_at timestamp(3) with time zone
  updated_at timestamp(3) with time zone not null
  PRIMARY KEY (workspace_id, id)
  CHECK (((lease_id IS NULL) = (lease_expires_at IS NULL)))
  CHECK (((finished_at IS NOT NULL) = (state = ANY (ARRAY['completed'::text, 'failed'::text]))))
  CHECK (((length(kind) >= 1) AND (length(kind) <= 64)))
  CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'completed'::text, 'failed'::text])))
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- CREATE UNIQUE INDEX job_alone ON public.job USING btree (workspace_id) WHERE ((state = ANY (ARRAY['queued'::text, 'running'::text])) AND (kind = 'consolidate'::text))
  -- CREATE INDEX job_finished ON public.job USING btree (workspace_id, finished_at) WHERE (finished_at IS NOT NULL)
  -- CREATE INDEX job_open ON public.job USING btree (workspace_id, id) WHERE (state = ANY (ARRAY['queued'::text, 'running'::text]))
  -- CREATE UNIQUE INDEX job_sync_alone ON public.job USING btree (workspace_id, ((input ->> 'same'::text))) WHERE ((state = ANY (ARRAY['queued'::text, 'running'::text])) AND (kind = 'federation_sync'::text))
  -- CREATE INDEX job_sync_open ON public.job USING btree (workspace_id) WHERE ((state = ANY (ARRAY['queued'::text, 'running'::text])) AND (kind = 'federation_sync'::text))
  -- policy job_definer for select to svc_definer
  -- policy job_own for all to svc_app
)

table job_step (
  workspace_id uuid not null
  job_id uuid not null
  step_no integer not null
  sensitivity sensitivity not null
  kind text not null
  unit_ids uuid[] not null
  detail jsonb not null
  done_at timestamp(3) with time zone not null
  reverted_by uuid
  PRIMARY KEY (workspace_id, job_id, step_no)
  FOREIGN KEY (workspace_id, job_id) REFERENCES job(workspace_id, id) ON DELETE CASCADE
  -- CREATE INDEX job_step_reverted ON public.job_step USING btree (workspace_id, job_id) WHERE (reverted_by IS NOT NULL)
  -- policy job_step_own for all to svc_app
)

table loop_round (
  workspace_id uuid not null
  due_at timestamp(3) with time zone not null
  seq bigint not null default 0
  quiet smallint not null default 0
  build text
  PRIMARY KEY (workspace_id)
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE
  -- CREATE INDEX loop_round_due ON public.loop_round USING btree (due_at)
  -- policy loop_round_definer for all to svc_definer
  -- policy loop_round_own for all to svc_app
)

table loop_timer (
  workspace_id uuid not null
  loop text not null
  due_at timestamp(3) with time zone not null
  PRIMARY KEY (workspace_id, loop)
  CHECK (((length(loop) >= 1) AND (length(loop) <= 64)))
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id) ON DELETE CASCADE
  -- CREATE INDEX loop_timer_due ON public.loop_timer USING btree (due_at)
  -- policy loop_timer_definer for all to svc_definer
  -- policy loop_timer_own for all to svc_app
)

table mention (
  workspace_id uuid not null
  entity_id uuid not null
  doc_no bigint not null
  subject_id uuid not null
  subject_type text not null
  sensitivity sensitivity not null
  mentioned_at timestamp(3) with time zone not null
  live boolean not null default true
  given boolean not null default false
  PRIMARY KEY (workspace_id, entity_id, doc_no)
  FOREIGN KEY (workspace_id, entity_id) REFERENCES unit(workspace_id, id) ON DELETE CASCADE
  -- CREATE INDEX mention_doc ON public.mention USING btree (workspace_id, doc_no)
  -- policy mention_definer for all to svc_definer
  -- policy mention_own for all to svc_app
)

table name_change (
  workspace_id uuid not null
  name_key text not null
  sensitivity sensitivity not null
  attempt integer not null default 1
  seen_xid xid8
  after_doc bigint not null default 0
  lost boolean not null default true
  PRIMARY KEY (workspace_id, name_key, sensitivity)
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- policy name_change_own for all to svc_app
)

table name_sighting (
  workspace_id uuid not null
  name_key text not null
  doc_no bigint not null
  sensitivity sensitivity not null
  name text not null
  strength smallint not null
  pending boolean not null default true
  PRIMARY KEY (workspace_id, name_key, doc_no)
  CHECK (((strength >= 0) AND (strength <= 2)))
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- CREATE INDEX name_sighting_doc ON public.name_sighting USING btree (workspace_id, doc_no)
  -- CREATE INDEX name_sighting_pending ON public.name_sighting USING btree (workspace_id, doc_no) WHERE pending
  -- policy name_sighting_own for all to svc_app
)

table newer_cursor (
  workspace_id uuid not null
  before_doc bigint not null
  PRIMARY KEY (workspace_id)
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- policy newer_cursor_gauges for select to svc_definer
  -- policy newer_cursor_own for all to svc_app
)

table newer_link (
  workspace_id uuid not null
  id bigint not null
  older_unit uuid
  older_turn uuid
  newer_unit uuid
  newer_turn uuid
  strength real not null
  sensitivity sensitivity not null
  words real not null default 0
  PRIMARY KEY (workspace_id, id)
  CHECK (((num_nonnulls(older_unit, older_turn) = 1) AND (num_nonnulls(newer_unit, newer_turn) = 1)))
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  FOREIGN KEY (workspace_id, newer_turn) REFERENCES turn(workspace_id, id) ON DELETE CASCADE
  FOREIGN KEY (workspace_id, newer_unit) REFERENCES unit(workspace_id, id) ON DELETE CASCADE
  FOREIGN KEY (workspace_id, older_turn) REFERENCES turn(workspace_id, id) ON DELETE CASCADE
  FOREIGN KEY (workspace_id, older_unit) REFERENCES unit(workspace_id, id) ON DELETE CASCADE
  -- CREATE INDEX newer_link_newer_turn ON public.newer_link USING btree (workspace_id, newer_turn, id) WHERE (newer_turn IS NOT NULL)
  -- CREATE INDEX newer_link_newer_unit ON public.newer_link USING btree (workspace_id, newer_unit, id) WHERE (newer_unit IS NOT NULL)
  -- CREATE INDEX newer_link_older_turn ON public.newer_link USING btree (workspace_id, older_turn, id) WHERE (older_turn IS NOT NULL)
  -- CREATE INDEX newer_link_older_unit ON public.newer_link USING btree (workspace_id, older_unit, id) WHERE (older_unit IS NOT NULL)
  -- policy newer_link_own for all to svc_app
)

table newer_start (
  only_row boolean not null default true
  doc_no bigint not null
  at timestamp(3) with time zone not null default now()
  PRIMARY KEY (only_row)
  CHECK (only_row)
)

table oauth_device_request (
  workspace_id uuid not null
  device_hash text not null
  user_hash text not null
  client_id text not null
  scopes text[] not null
  resource text not null
  created_at timestamp(3) with time zone not null
  expires_at timestamp(3) with time zone not null
  ask_from timestamp(3) with time zone not null
  interval_seconds integer not null
  denied_at timestamp(3) with time zone
  PRIMARY KEY (workspace_id, device_hash)
  CHECK (((octet_length(client_id) >= 1) AND (octet_length(client_id) <= 4096)))
  CHECK ((device_hash ~ '^[0-9a-f]{64}$'::text))
  CHECK (((interval_seconds >= 1) AND (interval_seconds <= 600)))
  CHECK (((octet_length(resource) >= 1) AND (octet_length(resource) <= 1000)))
  CHECK ((user_hash ~ '^[0-9a-f]{64}$'::text))
  -- CREATE INDEX oauth_device_request_age ON public.oauth_device_request USING btree (workspace_id, expires_at)
  -- CREATE UNIQUE INDEX oauth_device_request_user ON public.oauth_device_request USING btree (workspace_id, user_hash)
  -- policy oauth_device_request_own for all to svc_app
)

table oauth_grant (
  workspace_id uuid not null
  key_id uuid not null
  client_id text not null
  redirect_host text
  resource text not null
  created_at timestamp(3) with time zone not null
  PRIMARY KEY (workspace_id, key_id)
  CHECK (((octet_length(client_id) >= 1) AND (octet_length(client_id) <= 4096)))
  CHECK (((length(redirect_host) >= 1) AND (length(redirect_host) <= 300)))
  CHECK (((octet_length(resource) >= 1) AND (octet_length(resource) <= 1000)))
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- policy oauth_grant_own for all to svc_app
)

table oauth_secret (
  workspace_id uuid not null
  secret_hash text not null
  key_id uuid not null
  kind text not null
  challenge text
  redirect_uri text
  created_at timestamp(3) with time zone not null
  expires_at timestamp(3) with time zone not null
  used_at timestamp(3) with time zone
  PRIMARY KEY (workspace_id, secret_hash)
  CHECK ((challenge ~ '^[A-Za-z0-9_-]{43}$'::text))
  CHECK (((kind = 'code'::text) = (challenge IS NOT NULL)))
  CHECK (((kind = 'code'::text) = (redirect_uri IS NOT NULL)))
  CHECK ((kind = ANY (ARRAY['code'::text, 'device'::text, 'refresh'::text])))
  CHECK (((octet_length(redirect_uri) >= 1) AND (octet_length(redirect_uri) <= 2000)))
  CHECK ((secret_hash ~ '^[0-9a-f]{64}$'::text))
  FOREIGN KEY (workspace_id, key_id) REFERENCES oauth_grant(workspace_id, key_id)
  -- CREATE INDEX oauth_secret_expiry ON public.oauth_secret USING btree (workspace_id, expires_at)
  -- CREATE INDEX oauth_secret_grant ON public.oauth_secret USING btree (workspace_id, key_id, created_at)
  -- CREATE INDEX oauth_secret_hash ON public.oauth_secret USING btree (secret_hash)
  -- policy oauth_secret_definer for select to svc_definer
  -- policy oauth_secret_own for all to svc_app
)

table placement (
  id uuid not null
  cluster text not null
  placed_at timestamp(3) with time zone not null default now()
  PRIMARY KEY (id)
  CHECK ((cluster ~ '^[a-z][a-z0-9-]{0,29}$'::text))
)

table placement_mark (
  id uuid not null
  state text not null
  paused_until timestamp with time zone
  mover uuid not null
  PRIMARY KEY (id)
  CHECK (((state = 'paused'::text) = (paused_until IS NOT NULL)))
  CHECK ((state = ANY (ARRAY['arriving'::text, 'paused'::text, 'left'::text])))
)

table placement_move (
  id uuid not null
  source text not null
  target text not null
  phase text not null
  copied jsonb not null default '{}'::jsonb
  started_at timestamp(3) with time zone not null default now()
  switched_at timestamp(3) with time zone
  PRIMARY KEY (id)
  CHECK ((target <> source))
  CHECK ((phase = ANY (ARRAY['copy'::text, 'switched'::text])))
)

table posting (
  workspace_id uuid not null
  term text not null
  kind smallint not null
  sensitivity sensitivity not null
  first_doc bigint not null
  last_doc bigint not null
  n integer not null
  entries bytea not null
  stamp uuid
  PRIMARY KEY (workspace_id, term, kind, sensitivity, first_doc)
  CHECK ((n > 0))
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- policy posting_own for all to svc_app
  -- trigger posting_inserted: stamp_postings
  -- trigger posting_updated: stamp_postings
)

table procedural_playbook (
  workspace_id uuid not null
  id uuid not null
  agent_id text not null
  sensitivity sensitivity not null
  last_rule_no integer not null default 0
  last_version integer not null default 0
  current_version integer
  candidate_version integer
  created_at timestamp(3) with time zone not null
  updated_at timestamp(3) with time zone not null
  created_by text not null
  PRIMARY KEY (workspace_id, id)
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- CREATE UNIQUE INDEX procedural_playbook_agent ON public.procedural_playbook USING btree (workspace_id, agent_id, sensitivity)
  -- policy procedural_playbook_definer for all to svc_definer
  -- policy procedural_playbook_own for all to svc_app
)

table procedural_rule (
  workspace_id uuid not null
  playbook_id uuid not null
  no integer not null
  sensitivity sensitivity not null
  section text not null
  text text not null
  lesson text not null
  status text not null
  retired_reason text
  source text not null
  helpful integer not null default 0
  harmful integer not null default 0
  support integer not null default 1
  unused integer not null default 0
  pinned boolean not null default false
  created_at timestamp(3) with time zone not null
  updated_at timestamp(3) with time zone not null
  version integer not null default 1
  PRIMARY KEY (workspace_id, playbook_id, no)
  CHECK ((no >= 0))
  CHECK ((source = ANY (ARRAY['lesson'::text, 'derived'::text])))
  CHECK ((status = ANY (ARRAY['trial'::text, 'active'::text, 'retired'::text])))
  CHECK ((version >= 1))
  FOREIGN KEY (workspace_id, playbook_id) REFERENCES procedural_playbook(workspace_id, id) ON DELETE CASCADE
  -- policy procedural_rule_definer for all to svc_definer
  -- policy procedural_rule_own for all to svc_app
  -- trigger procedural_rule_version: count_rule_version
)

table procedural_source (
  workspace_id uuid not null
  source_id uuid not null
  playbook_id uuid not null
  no integer not null
  sensitivity sensitivity not null
  PRIMARY KEY (workspace_id, source_id, playbook_id, no)
  FOREIGN KEY (workspace_id, playbook_id) REFERENCES procedural_playbook(workspace_id, id) ON DELETE CASCADE
  -- CREATE INDEX procedural_source_playbook ON public.procedural_source USING btree (workspace_id, playbook_id)
  -- policy procedural_source_definer for all to svc_definer
  -- policy procedural_source_own for all to svc_app
)

table procedural_trajectory (
  workspace_id uuid not null
  playbook_id uuid not null
  trajectory_key text not null
  sensitivity sensitivity not null
  content_hash text not null
  task_key text not null
  prompt_version integer
  outcome text not null
  score double precision not null
  body jsonb not null
  seq bigint not null
  recorded_at timestamp(3) with time zone not null
  PRIMARY KEY (workspace_id, playbook_id, trajectory_key)
  CHECK (((score >= (0)::double precision) AND (score <= (1)::double precision)))
  FOREIGN KEY (workspace_id, playbook_id) REFERENCES procedural_playbook(workspace_id, id) ON DELETE CASCADE
  -- CREATE INDEX procedural_trajectory_age ON public.procedural_trajectory USING btree (workspace_id, recorded_at)
  -- CREATE INDEX procedural_trajectory_task ON public.procedural_trajectory USING btree (workspace_id, playbook_id, task_key, seq)
  -- policy procedural_trajectory_definer for all to svc_definer
  -- policy procedural_trajectory_own for all to svc_app
  -- trigger procedural_trajectory_erased: refuse_erased_run
)

table procedural_version (
  workspace_id uuid not null
  playbook_id uuid not null
  version integer not null
  sensitivity sensitivity not null
  status text not null
  cause text not null
  reason text
  base_version integer
  rules jsonb not null
  runs integer not null default 0
  score_sum double precision not null default 0
  evidence jsonb
  created_at timestamp(3) with time zone not null
  created_by text not null
  decided_at timestamp(3) with time zone
  PRIMARY KEY (workspace_id, playbook_id, version)
  CHECK ((cause = ANY (ARRAY['optimize'::text, 'rollback'::text, 'edit'::text])))
  CHECK ((status = ANY (ARRAY['candidate'::text, 'current'::text, 'superseded'::text, 'rejected'::text, 'discarded'::text])))
  CHECK ((version >= 1))
  FOREIGN KEY (workspace_id, playbook_id) REFERENCES procedural_playbook(workspace_id, id) ON DELETE CASCADE
  -- policy procedural_version_definer for all to svc_definer
  -- policy procedural_version_own for all to svc_app
)

table reasoning_entry (
  workspace_id uuid not null
  id uuid not null
  version integer not null default 1
  goal_key text not null
  goal text not null
  context_kind text not null
  context jsonb
  context_key text not null
  steps jsonb not null
  answer text not null
  outcome text not null
  tokens_spent integer not null
  agent_id text
  standing text not null default 'active'::text
  helpful integer not null default 0
  harmful integer not null default 0
  broken boolean not null default false
  attempts jsonb not null
  attempt_hash text not null
  use_count integer not null default 0
  tokens_saved bigint not null default 0
  last_used_at timestamp(3) with time zone
  expires_at timestamp(3) with time zone
  sensitivity sensitivity not null default 'internal'::sensitivity
  tags text[] not null default '{}'::text[]
  content_hash text not null
  created_at timestamp(3) with time zone not null
  updated_at timestamp(3) with time zone not null
  created_by text not null
  PRIMARY KEY (workspace_id, id)
  CHECK ((context_kind = ANY (ARRAY['none'::text, 'text'::text, 'object'::text])))
  CHECK ((harmful >= 0))
  CHECK ((helpful >= 0))
  CHECK ((outcome = ANY (ARRAY['success'::text, 'partial'::text, 'failure'::text])))
  CHECK ((standing = ANY (ARRAY['active'::text, 'demoted'::text, 'retired'::text])))
  CHECK ((tokens_spent >= 0))
  CHECK ((version >= 1))
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- CREATE INDEX reasoning_entry_agent ON public.reasoning_entry USING btree (workspace_id, agent_id, id) WHERE (agent_id IS NOT NULL)
  -- CREATE INDEX reasoning_entry_expiry ON public.reasoning_entry USING btree (workspace_id, expires_at) WHERE (expires_at IS NOT NULL)
  -- CREATE UNIQUE INDEX reasoning_entry_goal ON public.reasoning_entry USING btree (workspace_id, goal_key, sensitivity)
  -- CREATE INDEX reasoning_entry_restricted ON public.reasoning_entry USING btree (workspace_id, updated_at) WHERE (sensitivity = 'restricted'::sensitivity)
  -- CREATE INDEX reasoning_entry_retired ON public.reasoning_entry USING btree (workspace_id, updated_at) WHERE (broken OR (standing = 'retired'::text))
  -- policy reasoning_entry_definer for all to svc_definer
  -- policy reasoning_entry_own for all to svc_app
)

table reasoning_precondition (
  workspace_id uuid not null
  unit_id uuid not null
  entry_id uuid not null
  sensitivity sensitivity not null
  content_hash text
  PRIMARY KEY (workspace_id, unit_id, entry_id)
  FOREIGN KEY (workspace_id, entry_id) REFERENCES reasoning_entry(workspace_id, id) ON DELETE CASCADE
  -- CREATE INDEX reasoning_precondition_entry ON public.reasoning_precondition USING btree (workspace_id, entry_id)
  -- CREATE INDEX reasoning_precondition_erased ON public.reasoning_precondition USING btree (workspace_id, entry_id) WHERE (content_hash IS NULL)
  -- policy reasoning_precondition_definer for all to svc_definer
  -- policy reasoning_precondition_own for all to svc_app
)

table reasoning_term (
  workspace_id uuid not null
  term text not null
  entry_id uuid not null
  sensitivity sensitivity not null
  PRIMARY KEY (workspace_id, term, entry_id)
  FOREIGN KEY (workspace_id, entry_id) REFERENCES reasoning_entry(workspace_id, id) ON DELETE CASCADE
  -- CREATE INDEX reasoning_term_entry ON public.reasoning_term USING btree (workspace_id, entry_id)
  -- policy reasoning_term_own for all to svc_app
)

table reasoning_use (
  workspace_id uuid not null
  entry_id uuid not null
  run_id text not null
  sensitivity sensitivity not null
  used_at timestamp(3) with time zone not null
  PRIMARY KEY (workspace_id, entry_id, run_id)
  FOREIGN KEY (workspace_id, entry_id) REFERENCES reasoning_entry(workspace_id, id) ON DELETE CASCADE
  -- CREATE INDEX reasoning_use_age ON public.reasoning_use USING btree (workspace_id, used_at)
  -- policy reasoning_use_own for all to svc_app
)

table reasoning_vector (
  workspace_id uuid not null
  entry_id uuid not null
  sensitivity sensitivity not null
  model text not null
  vector vector
  PRIMARY KEY (workspace_id, entry_id)
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- CREATE INDEX reasoning_vector_hnsw ON public.reasoning_vector USING hnsw (((vector)::vector(384)) vector_cosine_ops)
  -- CREATE INDEX reasoning_vector_model ON public.reasoning_vector USING btree (workspace_id, model)
  -- policy reasoning_vector_definer for all to svc_definer
  -- policy reasoning_vector_own for all to svc_app
)

table reasoning_vote (
  workspace_id uuid not null
  entry_id uuid not null
  agent_id text not null
  sensitivity sensitivity not null
  helpful boolean not null
  note text
  voted_at timestamp(3) with time zone not null
  given_by text
  PRIMARY KEY (workspace_id, entry_id, agent_id)
  FOREIGN KEY (workspace_id, entry_id) REFERENCES reasoning_entry(workspace_id, id) ON DELETE CASCADE
  -- policy reasoning_vote_own for all to svc_app
)

table recall_entry (
  workspace_id uuid not null
  id uuid not null
  sensitivity sensitivity not null
  recalled_at timestamp(3) with time zone not null
  path text not null
  operation text not null
  query text
  query_hash bigint generated always as hashtextextended(words_of(query), (0)::bigint) stored
  filters jsonb
  named_ids uuid[] not null default '{}'::uuid[]
  session_id uuid
  agent_id text
  caller text not null
  request_id text not null
  trace_id text not null
  evidence_confidence double precision not null
  result_count integer not null
  duration_ms double precision not null
  PRIMARY KEY (workspace_id, id)
  CHECK (((length(operation) >= 1) AND (length(operation) <= 100)))
  CHECK ((path = ANY (ARRAY['hot'::text, 'full'::text])))
  CHECK ((result_count >= 0))
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- CREATE INDEX recall_entry_named ON public.recall_entry USING gin (named_ids) WHERE (named_ids <> '{}'::uuid[])
  -- CREATE INDEX recall_entry_session ON public.recall_entry USING btree (workspace_id, session_id) WHERE (session_id IS NOT NULL)
  -- CREATE INDEX recall_entry_time ON public.recall_entry USING btree (workspace_id, recalled_at, id)
  -- CREATE INDEX recall_entry_words ON public.recall_entry USING btree (workspace_id, query_hash) WHERE (query_hash IS NOT NULL)
  -- policy recall_entry_definer for all to svc_definer
  -- policy recall_entry_own for all to svc_app
)

table recall_shown (
  workspace_id uuid not null
  recall_id uuid not null
  position smallint not null
  unit_id uuid not null
  type text not null
  sensitivity sensitivity not null
  score double precision not null
  from_pins boolean not null
  PRIMARY KEY (workspace_id, recall_id, "position")
  FOREIGN KEY (workspace_id, recall_id) REFERENCES recall_entry(workspace_id, id) ON DELETE CASCADE
  -- CREATE INDEX recall_shown_unit ON public.recall_shown USING btree (workspace_id, unit_id, recall_id)
  -- policy recall_shown_definer for all to svc_definer
  -- policy recall_shown_own for all to svc_app
)

table relation (
  workspace_id uuid not null
  id uuid not null
  version integer not null default 1
  status text not null default 'active'::text
  verb text not null
  is_hyper boolean not null
  identity text not null
  weight real not null
  confidence real not null
  attribution text not null
  trust_score smallint not null
  own_sensitivity sensitivity not null
  sensitivity sensitivity not null
  stale boolean not null default false
  valid_from timestamp(3) with time zone
  valid_to timestamp(3) with time zone
  evidence_ids uuid[] not null default '{}'::uuid[]
  tags text[] not null default '{}'::text[]
  metadata jsonb not null default '{}'::jsonb
  created_at timestamp(3) with time zone not null
  updated_at timestamp(3) with time zone not null
  created_by text not null
  PRIMARY KEY (workspace_id, id)
  CHECK (((valid_to IS NULL) OR (valid_from IS NULL) OR (valid_to >= valid_from)))
  CHECK ((sensitivity >= own_sensitivity))
  CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision)))
  CHECK ((status = ANY (ARRAY['active'::text, 'archived'::text])))
  CHECK (((trust_score >= 0) AND (trust_score <= 100)))
  CHECK ((verb = ANY (ARRAY['supports'::text, 'contradicts'::text, 'supersedes'::text, 'derived_from'::text, 'causes'::text, 'precedes'::text, 'part_of'::text, 'about'::text, 'related_to'::text])))
  CHECK ((version >= 1))
  CHECK (((weight >= (0)::double precision) AND (weight <= (1)::double precision)))
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- CREATE INDEX relation_same ON public.relation USING btree (workspace_id, identity) WHERE (status = 'active'::text)
  -- CREATE INDEX relation_verb ON public.relation USING btree (workspace_id, verb, id)
  -- policy relation_definer for all to svc_definer
  -- policy relation_own for all to svc_app
  -- trigger relation_history: keep_row_history
)

table relation_participant (
  workspace_id uuid not null
  relation_id uuid not null
  place smallint not null
  role text not null
  unit_id uuid not null
  node_id uuid not null
  verb text not null
  weight real not null
  is_active boolean not null
  sensitivity sensitivity not null
  PRIMARY KEY (workspace_id, relation_id, place)
  FOREIGN KEY (workspace_id, relation_id) REFERENCES relation(workspace_id, id) ON DELETE CASCADE
  FOREIGN KEY (workspace_id, unit_id) REFERENCES unit(workspace_id, id) DEFERRABLE INITIALLY DEFERRED
  -- CREATE INDEX relation_participant_node ON public.relation_participant USING btree (workspace_id, node_id, relation_id)
  -- CREATE INDEX relation_participant_unit ON public.relation_participant USING btree (workspace_id, unit_id)
  -- CREATE INDEX relation_participant_walk ON public.relation_participant USING btree (workspace_id, node_id, weight DESC, relation_id) INCLUDE (role, verb) WHERE is_active
  -- policy relation_participant_definer for all to svc_definer
  -- policy relation_participant_own for all to svc_app
)

table relation_revision (
  workspace_id uuid not null
  id uuid not null
  version integer not null
  written_at timestamp(3) with time zone not null
  replaced_at timestamp(3) with time zone not null
  sensitivity sensitivity not null
  row jsonb not null
  PRIMARY KEY (workspace_id, id, replaced_at, version)
  FOREIGN KEY (workspace_id, id) REFERENCES relation(workspace_id, id) ON DELETE CASCADE
  -- policy relation_revision_own for all to svc_app
)

table relation_source (
  workspace_id uuid not null
  source_id uuid not null
  relation_id uuid not null
  PRIMARY KEY (workspace_id, source_id, relation_id)
  FOREIGN KEY (workspace_id, relation_id) REFERENCES relation(workspace_id, id) ON DELETE CASCADE
  -- CREATE INDEX relation_source_relation ON public.relation_source USING btree (workspace_id, relation_id)
  -- policy relation_source_definer for all to svc_definer
  -- policy relation_source_own for all to svc_app
)

table replica_mark (
  only_one boolean not null default true
  epoch uuid not null
  timeline text not null
  beat bigint not null
  beaten_at timestamp with time zone not null
  PRIMARY KEY (only_one)
  CHECK (only_one)
)

table review_item (
  workspace_id uuid not null
  id uuid not null
  kind text not null
  status text not null default 'open'::text
  sensitivity sensitivity not null
  subject_id uuid not null
  other_id uuid
  detail jsonb not null default '{}'::jsonb
  resolution jsonb
  created_at timestamp(3) with time zone not null
  resolved_at timestamp(3) with time zone
  resolved_by text
  PRIMARY KEY (workspace_id, id)
  CHECK ((kind = ANY (ARRAY['contested_fact'::text, 'outdated_fact'::text, 'near_duplicate'::text, 'stale_dependant'::text, 'self_edit'::text, 'federation_conflict'::text])))
  CHECK ((status = ANY (ARRAY['open'::text, 'resolved'::text, 'dismissed'::text])))
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- CREATE INDEX review_open ON public.review_item USING btree (workspace_id, id) WHERE (status = 'open'::text)
  -- CREATE UNIQUE INDEX review_open_stale ON public.review_item USING btree (workspace_id, subject_id) WHERE ((kind = 'stale_dependant'::text) AND (status = 'open'::text))
  -- CREATE INDEX review_other ON public.review_item USING btree (workspace_id, other_id) WHERE (other_id IS NOT NULL)
  -- CREATE INDEX review_subject ON public.review_item USING btree (workspace_id, subject_id)
  -- policy review_item_definer for all to svc_definer
  -- policy review_item_own for all to svc_app
)

table self_edit (
  workspace_id uuid not null
  id uuid not null
  version integer not null default 1
  mode text not null
  source text not null
  reason text not null
  agent_id text
  sensitivity sensitivity not null
  reverts uuid
  reverted_by uuid
  created_at timestamp(3) with time zone not null
  updated_at timestamp(3) with time zone not null
  created_by text not null
  PRIMARY KEY (workspace_id, id)
  CHECK ((mode = ANY (ARRAY['atomic'::text, 'per_item'::text])))
  CHECK ((source = ANY (ARRAY['edit'::text, 'reflection'::text, 'revert'::text])))
  CHECK ((version >= 1))
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- CREATE INDEX self_edit_agent ON public.self_edit USING btree (workspace_id, agent_id, id) WHERE (agent_id IS NOT NULL)
  -- policy self_edit_definer for all to svc_definer
  -- policy self_edit_own for all to svc_app
)

table self_edit_content (
  workspace_id uuid not null
  edit_id uuid not null
  position smallint not null
  unit_id uuid
  operation jsonb not null
  PRIMARY KEY (workspace_id, edit_id, "position")
  FOREIGN KEY (workspace_id, edit_id) REFERENCES self_edit(workspace_id, id) ON DELETE CASCADE
  FOREIGN KEY (workspace_id, unit_id) REFERENCES unit(workspace_id, id) ON DELETE CASCADE
  -- CREATE INDEX self_edit_content_unit ON public.self_edit_content USING btree (workspace_id, unit_id) WHERE (unit_id IS NOT NULL)
  -- policy self_edit_content_definer for all to svc_definer
  -- policy self_edit_content_own for all to svc_app
)

table self_edit_operation (
  workspace_id uuid not null
  edit_id uuid not null
  position smallint not null
  op text not null
  ref text
  outcome text not null
  resource_id uuid
  resource_type text
  version_before integer
  version_after integer
  changes jsonb not null default '[]'::jsonb
  error jsonb
  result jsonb
  review_item_id uuid
  PRIMARY KEY (workspace_id, edit_id, "position")
  CHECK ((outcome = ANY (ARRAY['pending'::text, 'applied'::text, 'unchanged'::text, 'review'::text, 'declined'::text, 'refused'::text])))
  CHECK ((("position" >= 0) AND ("position" <= 99)))
  FOREIGN KEY (workspace_id, edit_id) REFERENCES self_edit(workspace_id, id) ON DELETE CASCADE
  FOREIGN KEY (workspace_id, review_item_id) REFERENCES review_item(workspace_id, id) ON DELETE SET NULL (review_item_id)
  -- CREATE INDEX self_edit_operation_resource ON public.self_edit_operation USING btree (workspace_id, resource_id) WHERE (resource_id IS NOT NULL)
  -- CREATE INDEX self_edit_operation_review ON public.self_edit_operation USING btree (workspace_id, review_item_id) WHERE (review_item_id IS NOT NULL)
  -- policy self_edit_operation_definer for all to svc_definer
  -- policy self_edit_operation_own for all to svc_app
)

table session (
  workspace_id uuid not null
  id uuid not null
  version integer not null default 1
  status text not null default 'open'::text
  title text
  agent_id text
  sensitivity sensitivity not null default 'internal'::sensitivity
  tags text[] not null default '{}'::text[]
  metadata jsonb not null default '{}'::jsonb
  scratchpad jsonb not null default '{}'::jsonb
  scratchpad_version integer not null default 1
  group_no bigint not null
  turn_count integer not null default 0
  token_count bigint not null default 0
  participants text[] not null default '{}'::text[]
  started_at timestamp(3) with time zone not null
  ended_at timestamp(3) with time zone
  episode_id uuid
  collapse jsonb
  created_at timestamp(3) with time zone not null
  updated_at timestamp(3) with time zone not null
  created_by text not null
  external_id text
  timezone text
  PRIMARY KEY (workspace_id, id)
  CHECK (((char_length(external_id) >= 1) AND (char_length(external_id) <= 200)))
  CHECK ((status = ANY (ARRAY['open'::text, 'collapsed'::text, 'discarded'::text])))
  CHECK (((octet_length(timezone) >= 1) AND (octet_length(timezone) <= 64)))
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- CREATE INDEX session_agent ON public.session USING btree (workspace_id, agent_id, id) WHERE (agent_id IS NOT NULL)
  -- CREATE UNIQUE INDEX session_external ON public.session USING btree (workspace_id, external_id) WHERE (external_id IS NOT NULL)
  -- CREATE UNIQUE INDEX session_group ON public.session USING btree (workspace_id, group_no)
  -- CREATE INDEX session_restricted ON public.session USING btree (workspace_id, updated_at) WHERE (sensitivity = 'restricted'::sensitivity)
  -- CREATE INDEX session_status ON public.session USING btree (workspace_id, status, id)
  -- policy session_names_definer for select to svc_definer
  -- policy session_own for all to svc_app
)

table snapshot (
  workspace_id uuid not null
  id uuid not null
  period_start timestamp(3) with time zone not null
  taken_at timestamp(3) with time zone not null
  sensitivity sensitivity not null
  data jsonb not null
  words jsonb not null default '{}'::jsonb
  PRIMARY KEY (workspace_id, period_start, sensitivity)
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- CREATE INDEX snapshot_id ON public.snapshot USING btree (workspace_id, id)
  -- policy snapshot_own for all to svc_app
)

table stem_cursor (
  workspace_id uuid not null
  rule smallint not null
  after_doc bigint not null
  PRIMARY KEY (workspace_id)
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- policy stem_cursor_own for all to svc_app
)

table stream_ticket (
  workspace_id uuid not null
  ticket_hash text not null
  key_id uuid not null
  public_id text not null
  max_sensitivity sensitivity not null
  expires_at timestamp(3) with time zone not null
  via text
  PRIMARY KEY (workspace_id, ticket_hash)
  CHECK ((public_id ~ '^[0-9A-Za-z]{12}$'::text))
  CHECK ((ticket_hash ~ '^[0-9a-f]{64}$'::text))
  CHECK ((via = ANY (ARRAY['mcp'::text, 'console'::text])))
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  FOREIGN KEY (workspace_id, key_id) REFERENCES api_key(workspace_id, key_id)
  -- CREATE INDEX stream_ticket_expiry ON public.stream_ticket USING btree (workspace_id, expires_at)
  -- CREATE INDEX stream_ticket_hash ON public.stream_ticket USING btree (ticket_hash)
  -- CREATE INDEX stream_ticket_key ON public.stream_ticket USING btree (workspace_id, key_id)
  -- policy stream_ticket_definer for all to svc_definer
  -- policy stream_ticket_own for all to svc_app
)

table svc_admin (
  workspace_id uuid not null
  admin_id uuid not null
  name text not null
  totp_sealed text
  totp_last_step bigint
  totp_tries integer not null default 0
  totp_tries_from timestamp(3) with time zone
  created_at timestamp(3) with time zone not null
  enrolled_at timestamp(3) with time zone
  disabled_at timestamp(3) with time zone
  PRIMARY KEY (workspace_id, admin_id)
  CHECK (((length(name) >= 1) AND (length(name) <= 200)))
  -- CREATE UNIQUE INDEX svc_admin_name ON public.svc_admin USING btree (workspace_id, lower(name))
  -- policy svc_admin_own for all to svc_app
)

table svc_admin_key (
  workspace_id uuid not null
  key_id uuid not null
  admin_id uuid not null
  public_id text not null
  name text not null
  secret_hash text not null
  cidrs text[] not null default '{}'::text[]
  created_at timestamp(3) with time zone not null
  expires_at timestamp(3) with time zone
  revoked_at timestamp(3) with time zone
  last_used_at timestamp(3) with time zone
  PRIMARY KEY (workspace_id, key_id)
  CHECK (((length(name) >= 1) AND (length(name) <= 200)))
  CHECK ((public_id ~ '^[0-9A-Za-z]{12}$'::text))
  CHECK ((secret_hash ~~ '$argon2id$%'::text))
  FOREIGN KEY (workspace_id, admin_id) REFERENCES svc_admin(workspace_id, admin_id)
  -- CREATE UNIQUE INDEX svc_admin_key_public_id ON public.svc_admin_key USING btree (workspace_id, public_id)
  -- policy svc_admin_key_own for all to svc_app
)

table svc_audit_address (
  workspace_id uuid not null
  seq bigint not null
  ip_address text not null
  salt bytea not null
  created_at timestamp(3) with time zone not null
  PRIMARY KEY (workspace_id, seq)
  -- CREATE INDEX svc_audit_address_time ON public.svc_audit_address USING btree (workspace_id, created_at)
  -- policy svc_audit_address_own for all to svc_app
)

table svc_audit_checkpoint (
  workspace_id uuid not null
  size bigint not null
  root bytea not null
  note text not null
  created_at timestamp(3) with time zone not null
  PRIMARY KEY (workspace_id, size)
  CHECK ((length(root) = 32))
  CHECK ((size >= 1))
  -- policy svc_audit_checkpoint_definer for select to svc_definer
  -- policy svc_audit_checkpoint_own for all to svc_app
  -- trigger svc_audit_checkpoint_kept: refuse_audit_change
  -- trigger svc_audit_checkpoint_not_truncated: refuse_audit_change
)

table svc_audit_head (
  workspace_id uuid not null
  seq bigint not null
  hash bytea not null
  PRIMARY KEY (workspace_id)
  -- policy svc_audit_head_definer for select to svc_definer
  -- policy svc_audit_head_own for all to svc_app
  -- trigger svc_audit_head_kept: refuse_audit_change
  -- trigger svc_audit_head_not_truncated: refuse_audit_change
)

table svc_audit_log (
  workspace_id uuid not null
  seq bigint not null
  id uuid not null
  actor_id text not null
  actor_type text not null
  event_type text not null
  outcome text not null
  request_id text not null
  targets uuid[] not null
  target_count integer not null
  detail jsonb not null
  created_at timestamp(3) with time zone not null
  ip_commitment text
  hash bytea not null
  PRIMARY KEY (workspace_id, seq)
  CHECK ((actor_type = ANY (ARRAY['key'::text, 'admin'::text, 'broker'::text, 'worker'::text, 'operator'::text, 'system'::text, 'peer'::text]))) NOT VALID
  CHECK (((length(event_type) >= 1) AND (length(event_type) <= 100)))
  CHECK ((length(hash) = 32))
  CHECK ((seq >= 1))
  -- CREATE INDEX svc_audit_log_time ON public.svc_audit_log USING btree (workspace_id, created_at, seq)
  -- policy svc_audit_log_own for all to svc_app
  -- trigger svc_audit_log_kept: refuse_audit_change
  -- trigger svc_audit_log_not_truncated: refuse_audit_change
)

table svc_audit_node (
  workspace_id uuid not null
  block bigint not null
  hash bytea not null
  PRIMARY KEY (workspace_id, block)
  CHECK ((length(hash) = 32))
  -- policy svc_audit_node_own for all to svc_app
)

table svc_break_glass_request (
  workspace_id uuid not null
  id uuid not null
  target_workspace_id uuid not null
  requested_by uuid not null
  reason text not null
  scopes text[] not null
  max_sensitivity sensitivity not null
  ttl_seconds integer not null
  decision text not null default 'pending'::text
  created_at timestamp(3) with time zone not null default clock_timestamp()
  approved_by uuid
  approved_at timestamp(3) with time zone
  expires_at timestamp(3) with time zone
  ended_by uuid
  ended_at timestamp(3) with time zone
  uses bigint not null default 0
  last_used_at timestamp(3) with time zone
  PRIMARY KEY (workspace_id, id)
  CHECK ((((approved_by IS NULL) = (approved_at IS NULL)) AND ((approved_by IS NULL) = (expires_at IS NULL)) AND ((decision <> 'approved'::text) OR (approved_by IS NOT NULL)) AND ((decision <> ALL (ARRAY['pending'::text, 'denied'::text])) OR (approved_by IS NULL))))
  CHECK ((expires_at <= (created_at + '24:00:00'::interval)))
  CHECK ((decision = ANY (ARRAY['pending'::text, 'approved'::text, 'denied'::text, 'revoked'::text])))
  CHECK (((length(reason) >= 1) AND (length(reason) <= 500)))
  CHECK ((cardinality(scopes) >= 1))
  CHECK (((ttl_seconds >= 1) AND (ttl_seconds <= 86400)))
  CHECK ((approved_by <> requested_by))
  FOREIGN KEY (workspace_id, approved_by) REFERENCES svc_admin(workspace_id, admin_id)
  FOREIGN KEY (workspace_id, ended_by) REFERENCES svc_admin(workspace_id, admin_id)
  FOREIGN KEY (workspace_id, requested_by) REFERENCES svc_admin(workspace_id, admin_id)
  -- policy svc_break_glass_request_own for all to svc_app
)

table svc_broker (
  workspace_id uuid not null
  broker_id uuid not null
  name text not null
  region text not null
  scopes text[] not null
  max_sensitivity sensitivity not null
  cidrs text[] not null default '{}'::text[]
  rate_limit jsonb
  public_id text not null
  secret_hash text not null
  former_public_id text
  former_secret_hash text
  former_valid_until timestamp(3) with time zone
  version integer not null default 1
  created_at timestamp(3) with time zone not null
  updated_at timestamp(3) with time zone not null
  expires_at timestamp(3) with time zone
  revoked_at timestamp(3) with time zone
  last_used_at timestamp(3) with time zone
  PRIMARY KEY (workspace_id, broker_id)
  CHECK (((former_public_id IS NULL) = (former_secret_hash IS NULL)))
  CHECK (((former_public_id IS NULL) = (former_valid_until IS NULL)))
  CHECK ((former_public_id ~ '^[0-9A-Za-z]{12}$'::text))
  CHECK ((former_secret_hash ~~ '$argon2id$%'::text))
  CHECK (((length(name) >= 1) AND (length(name) <= 200)))
  CHECK ((public_id ~ '^[0-9A-Za-z]{12}$'::text))
  CHECK ((region = ANY (ARRAY['us-east-1'::text, 'eu-west-1'::text, 'ap-southeast-1'::text])))
  CHECK ((cardinality(scopes) >= 1))
  CHECK ((secret_hash ~~ '$argon2id$%'::text))
  -- CREATE UNIQUE INDEX svc_broker_former_public_id ON public.svc_broker USING btree (workspace_id, former_public_id)
  -- CREATE UNIQUE INDEX svc_broker_name ON public.svc_broker USING btree (workspace_id, lower(name))
  -- CREATE UNIQUE INDEX svc_broker_public_id ON public.svc_broker USING btree (workspace_id, public_id)
  -- policy svc_broker_own for all to svc_app
)

table svc_instance_secret (
  name text not null
  value bytea not null
  PRIMARY KEY (name)
  CHECK ((name = ANY (ARRAY['handshake'::text, 'projection'::text])))
  CHECK ((length(value) = 32))
)

table svc_replay (
  jti_hash bytea not null
  expires_at timestamp with time zone not null
  PRIMARY KEY (jti_hash)
  CHECK ((length(jti_hash) = 32))
  -- CREATE INDEX svc_replay_age ON public.svc_replay USING btree (expires_at)
)

table svc_sealed_items (
  key_hash bytea not null
  items bigint not null
  PRIMARY KEY (key_hash)
  CHECK ((items >= 0))
  CHECK ((length(key_hash) = 32))
)

table svc_tenant (
  workspace_id uuid not null
  tenant_id uuid not null
  external_id text
  public_id text not null
  state text not null default 'creating'::text
  created_at timestamp(3) with time zone not null
  updated_at timestamp(3) with time zone not null
  suspended_at timestamp(3) with time zone
  erased_at timestamp(3) with time zone
  erased_rows jsonb
  version integer not null default 1
  PRIMARY KEY (workspace_id, tenant_id)
  CHECK (((state = 'erased'::text) = (external_id IS NULL)))
  CHECK (((state = 'erased'::text) = (erased_at IS NOT NULL)))
  CHECK (((state <> 'erased'::text) OR (erased_rows IS NOT NULL)))
  CHECK (((length(external_id) >= 1) AND (length(external_id) <= 200)))
  CHECK ((public_id ~ '^[0-9A-Za-z]{12}$'::text))
  CHECK ((state = ANY (ARRAY['creating'::text, 'active'::text, 'suspended'::text, 'erasing'::text, 'erased'::text])))
  -- CREATE UNIQUE INDEX svc_tenant_external_id ON public.svc_tenant USING btree (workspace_id, external_id text_pattern_ops)
  -- CREATE INDEX svc_tenant_id ON public.svc_tenant USING btree (tenant_id)
  -- policy svc_tenant_definer for select to svc_definer
  -- policy svc_tenant_own for all to svc_app
)

table task (
  workspace_id uuid not null
  id uuid not null
  version integer not null default 1
  kind text not null
  status text not null default 'pending'::text
  status_reason text
  title text not null
  description text
  priority smallint not null
  agent_id text
  is_agent_claimed boolean not null default false
  lease_expires_at timestamp(3) with time zone
  due_at timestamp(3) with time zone
  result jsonb
  delegations jsonb not null default '[]'::jsonb
  sensitivity sensitivity not null default 'internal'::sensitivity
  tags text[] not null default '{}'::text[]
  metadata jsonb not null default '{}'::jsonb
  started_at timestamp(3) with time zone
  finished_at timestamp(3) with time zone
  created_at timestamp(3) with time zone not null
  updated_at timestamp(3) with time zone not null
  created_by text not null
  PRIMARY KEY (workspace_id, id)
  CHECK (((lease_expires_at IS NULL) OR (status = 'in_progress'::text)))
  CHECK ((kind = ANY (ARRAY['task'::text, 'conflict_review'::text])))
  CHECK (((priority >= 0) AND (priority <= 3)))
  CHECK ((status = ANY (ARRAY['pending'::text, 'in_progress'::text, 'blocked'::text, 'completed'::text, 'failed'::text, 'cancelled'::text])))
  CHECK ((version >= 1))
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- CREATE INDEX task_agent ON public.task USING btree (workspace_id, agent_id, id) WHERE (agent_id IS NOT NULL)
  -- CREATE INDEX task_created ON public.task USING btree (workspace_id, created_at, id)
  -- CREATE INDEX task_due ON public.task USING btree (workspace_id, due_at) WHERE (due_at IS NOT NULL)
  -- CREATE INDEX task_lease ON public.task USING btree (workspace_id, lease_expires_at) WHERE (lease_expires_at IS NOT NULL)
  -- CREATE INDEX task_status ON public.task USING btree (workspace_id, status, id)
  -- policy task_own for all to svc_app
  -- trigger task_history: keep_row_history
)

table task_dependency (
  workspace_id uuid not null
  task_id uuid not null
  depends_on uuid not null
  PRIMARY KEY (workspace_id, task_id, depends_on)
  CHECK ((task_id <> depends_on))
  FOREIGN KEY (workspace_id, depends_on) REFERENCES task(workspace_id, id) ON DELETE CASCADE
  FOREIGN KEY (workspace_id, task_id) REFERENCES task(workspace_id, id) ON DELETE CASCADE
  -- CREATE INDEX task_dependency_on ON public.task_dependency USING btree (workspace_id, depends_on)
  -- policy task_dependency_own for all to svc_app
)

table task_revision (
  workspace_id uuid not null
  id uuid not null
  version integer not null
  written_at timestamp(3) with time zone not null
  replaced_at timestamp(3) with time zone not null
  sensitivity sensitivity not null
  row jsonb not null
  PRIMARY KEY (workspace_id, id, replaced_at, version)
  FOREIGN KEY (workspace_id, id) REFERENCES task(workspace_id, id) ON DELETE CASCADE
  -- policy task_revision_own for all to svc_app
)

table token_identity (
  workspace_id uuid not null
  issuer text not null
  subject text not null
  client text not null
  key_id uuid not null
  granted jsonb not null
  PRIMARY KEY (workspace_id, issuer, subject, client)
  CHECK ((length(client) <= 255))
  CHECK (((length(issuer) >= 1) AND (length(issuer) <= 500)))
  CHECK (((length(subject) >= 1) AND (length(subject) <= 255)))
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  FOREIGN KEY (workspace_id, key_id) REFERENCES api_key(workspace_id, key_id)
  -- CREATE INDEX token_identity_key ON public.token_identity USING btree (workspace_id, key_id)
  -- policy token_identity_own for all to svc_app
)

table turn (
  workspace_id uuid not null
  id uuid not null
  version integer not null default 1
  session_id uuid not null
  group_no bigint not null
  position integer not null
  doc_no bigint not null
  message_id text not null
  role text not null
  name text
  content text not null
  sensitivity sensitivity not null
  pinned boolean not null default false
  occurred_at timestamp(3) with time zone not null
  recorded_at timestamp(3) with time zone not null
  features jsonb not null default '{}'::jsonb
  tags text[] not null default '{}'::text[]
  metadata jsonb not null default '{}'::jsonb
  entity_ids uuid[] not null default '{}'::uuid[]
  utc_offset text
  erased_at timestamp(3) with time zone
  PRIMARY KEY (workspace_id, id)
  CHECK (((length(message_id) >= 1) AND (length(message_id) <= 200)))
  CHECK ((("position" >= 0) AND ("position" <= 262143)))
  CHECK ((role = ANY (ARRAY['user'::text, 'assistant'::text, 'system'::text, 'tool'::text])))
  CHECK ((utc_offset ~ '^[+-][0-9]{2}:[0-9]{2}$'::text))
  FOREIGN KEY (workspace_id, session_id) REFERENCES session(workspace_id, id) ON DELETE CASCADE
  UNIQUE (workspace_id, session_id, message_id)
  UNIQUE (workspace_id, session_id, "position")
  -- CREATE UNIQUE INDEX turn_doc ON public.turn USING btree (workspace_id, doc_no)
  -- CREATE INDEX turn_message ON public.turn USING btree (workspace_id, message_id)
  -- CREATE INDEX turn_occurred ON public.turn USING btree (workspace_id, occurred_at)
  -- CREATE INDEX turn_pinned ON public.turn USING btree (workspace_id, session_id, "position") WHERE pinned
  -- CREATE INDEX turn_speaker ON public.turn USING btree (workspace_id, session_id, name, doc_no) WHERE (name IS NOT NULL)
  -- policy turn_own for all to svc_app
)

table unit (
  workspace_id uuid not null
  id uuid not null
  type text not null
  version integer not null default 1
  status text not null
  attribution text not null
  trust_score smallint not null
  trust_cap smallint not null default 100
  confidence real not null
  sensitivity sensitivity not null default 'internal'::sensitivity
  tags text[] not null default '{}'::text[]
  metadata jsonb not null default '{}'::jsonb
  worth real not null default 0.5
  pinned boolean not null default false
  content_hash text not null
  origin_instance text not null
  origin_id uuid not null
  derived_from uuid[] not null default '{}'::uuid[]
  stale boolean not null default false
  text text not null
  doc_no bigint not null
  body jsonb not null
  triple_key text
  valid_from timestamp(3) with time zone
  valid_to timestamp(3) with time zone
  recorded_at timestamp(3) with time zone not null
  retracted_at timestamp(3) with time zone
  occurred_at timestamp(3) with time zone
  expires_at timestamp(3) with time zone
  entity_ids uuid[] not null default '{}'::uuid[]
  corroboration_count integer not null default 0
  use_count integer not null default 0
  last_used_at timestamp(3) with time zone
  created_at timestamp(3) with time zone not null
  updated_at timestamp(3) with time zone not null
  created_by text not null
  disputed boolean not null default false
  names_rule smallint not null default 0
  external_id text generated always as (body ->> 'externalId'::text) stored
  said_key text
  PRIMARY KEY (workspace_id, id)
  CHECK (((valid_to IS NULL) OR (valid_from IS NULL) OR (valid_to >= valid_from)))
  CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision)))
  CHECK (((trust_cap >= 0) AND (trust_cap <= 100)))
  CHECK (((trust_score >= 0) AND (trust_score <= 100)))
  CHECK ((type = ANY (ARRAY['fact'::text, 'decision'::text, 'strategy'::text, 'workflow'::text, 'skill'::text, 'episode'::text, 'entity'::text])))
  CHECK ((version >= 1))
  CHECK (((worth >= (0)::double precision) AND (worth <= (1)::double precision)))
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- CREATE INDEX unit_begins ON public.unit USING btree (workspace_id, valid_from) WHERE (valid_from IS NOT NULL)
  -- CREATE INDEX unit_by_creation ON public.unit USING btree (workspace_id, created_at, id)
  -- CREATE INDEX unit_by_update ON public.unit USING btree (workspace_id, updated_at, id)
  -- CREATE INDEX unit_by_worth ON public.unit USING btree (workspace_id, worth, id)
  -- CREATE INDEX unit_content_hash ON public.unit USING btree (workspace_id, type, content_hash)
  -- CREATE UNIQUE INDEX unit_doc ON public.unit USING btree (workspace_id, doc_no)
  -- CREATE INDEX unit_ending ON public.unit USING btree (workspace_id, valid_to) WHERE ((type = 'fact'::text) AND (status = ANY (ARRAY['active'::text, 'contested'::text])) AND ((body ->> 'supersededBy'::text) IS NOT NULL))
  -- CREATE INDEX unit_ends ON public.unit USING btree (workspace_id, valid_to) WHERE (valid_to IS NOT NULL)
  -- CREATE INDEX unit_expiring ON public.unit USING btree (workspace_id, expires_at) WHERE ((expires_at IS NOT NULL) AND (status = ANY (ARRAY['active'::text, 'contested'::text])))
  -- CREATE INDEX unit_expiry ON public.unit USING btree (workspace_id, expires_at) WHERE ((expires_at IS NOT NULL) AND (status = 'active'::text))
  -- CREATE UNIQUE INDEX unit_external ON public.unit USING btree (workspace_id, type, external_id) WHERE (external_id IS NOT NULL)
  -- CREATE INDEX unit_list ON public.unit USING btree (workspace_id, type, id)
  -- CREATE INDEX unit_moment ON public.unit USING btree (workspace_id, type, (
CASE
    WHEN (occurred_at IS NOT NULL) THEN occurred_at
    WHEN (valid_from IS NOT NULL) THEN valid_from
    ELSE recorded_at
END), id)
  -- CREATE INDEX unit_occurred ON public.unit USING btree (workspace_id, occurred_at) WHERE (occurred_at IS NOT NULL)
  -- CREATE INDEX unit_old_names ON public.unit USING btree (workspace_id, id) WHERE ((type = 'fact'::text) AND (((body -> 'folded'::text) ->> 'rule'::text) IS DISTINCT FROM '2'::text) AND ((((((COALESCE((body ->> 'subject'::text), ''::text) || ' '::text) || COALESCE((body ->> 'predicate'::text), ''::text)) || ' '::text) || COALESCE((body ->> 'object'::text), ''::text)) COLLATE "C") ~ '[^ -~]|''[sS]'::text))
  -- CREATE INDEX unit_origin ON public.unit USING btree (workspace_id, origin_instance, origin_id)
  -- CREATE INDEX unit_pinned ON public.unit USING btree (workspace_id, id) WHERE pinned
  -- CREATE INDEX unit_preference ON public.unit USING btree (workspace_id, pinned, worth, id) WHERE ((type = 'fact'::text) AND (status = ANY (ARRAY['active'::text, 'contested'::text])) AND ((body ->> 'factType'::text) = ANY (ARRAY['preference'::text, 'instruction'::text])))
  -- CREATE INDEX unit_recorded ON public.unit USING btree (workspace_id, recorded_at)
  -- CREATE INDEX unit_restricted ON public.unit USING btree (workspace_id, updated_at) WHERE (sensitivity = 'restricted'::sensitivity)
  -- CREATE INDEX unit_said ON public.unit USING btree (workspace_id, type, said_key) WHERE (said_key IS NOT NULL)
  -- CREATE INDEX unit_stale ON public.unit USING btree (workspace_id, id) WHERE stale
  -- CREATE INDEX unit_triple_latest ON public.unit USING btree (workspace_id, triple_key, recorded_at) WHERE (triple_key IS NOT NULL)
  -- CREATE INDEX unit_unnamed ON public.unit USING btree (workspace_id, id) WHERE (names_rule < 2)
  -- CREATE INDEX unit_unsaid ON public.unit USING btree (workspace_id, id) WHERE ((type = 'fact'::text) AND (said_key IS NULL))
  -- policy unit_definer for all to svc_definer
  -- policy unit_gauges for select to svc_definer
  -- policy unit_own for all to svc_app
)

table unit_name (
  workspace_id uuid not null
  unit_id uuid not null
  name_key text not null
  name_words text not null
  source text not null
  unit_type text not null
  sensitivity sensitivity not null
  since timestamp(3) with time zone not null
  until timestamp(3) with time zone
  PRIMARY KEY (workspace_id, unit_id, name_key, source, since)
  CHECK (((octet_length(name_key) >= 1) AND (octet_length(name_key) <= 2048)))
  CHECK ((source = ANY (ARRAY['name'::text, 'alias'::text, 'tag'::text])))
  FOREIGN KEY (workspace_id, unit_id) REFERENCES unit(workspace_id, id) ON DELETE CASCADE
  -- CREATE INDEX unit_name_key ON public.unit_name USING btree (workspace_id, name_key, unit_id)
  -- policy unit_name_own for all to svc_app
)

table unit_revision (
  workspace_id uuid not null
  id uuid not null
  version integer not null
  doc_no bigint not null
  sensitivity sensitivity not null
  recorded_at timestamp(3) with time zone not null
  replaced_at timestamp(3) with time zone
  changed_by text not null
  event text not null
  reason text
  snapshot jsonb not null
  PRIMARY KEY (workspace_id, id, version)
  FOREIGN KEY (workspace_id, id) REFERENCES unit(workspace_id, id) ON DELETE CASCADE
  -- CREATE INDEX unit_revision_doc ON public.unit_revision USING btree (workspace_id, doc_no, version)
  -- CREATE INDEX unit_revision_old_names ON public.unit_revision USING btree (workspace_id, id, version) WHERE (((snapshot ->> 'type'::text) = 'fact'::text) AND ((((snapshot -> 'body'::text) -> 'folded'::text) ->> 'rule'::text) IS DISTINCT FROM '2'::text) AND ((((((COALESCE(((snapshot -> 'body'::text) ->> 'subject'::text), ''::text) || ' '::text) || COALESCE(((snapshot -> 'body'::text) ->> 'predicate'::text), ''::text)) || ' '::text) || COALESCE(((snapshot -> 'body'::text) ->> 'object'::text), ''::text)) COLLATE "C") ~ '[^ -~]|''[sS]'::text))
  -- policy unit_revision_definer for select to svc_definer
  -- policy unit_revision_definer_reason for update to svc_definer
  -- policy unit_revision_own for all to svc_app
)

table unit_source (
  workspace_id uuid not null
  source_id uuid not null
  unit_id uuid not null
  kind text not null
  PRIMARY KEY (workspace_id, source_id, unit_id, kind)
  CHECK ((kind = ANY (ARRAY['derived_from'::text, 'evidence'::text])))
  FOREIGN KEY (workspace_id, unit_id) REFERENCES unit(workspace_id, id) ON DELETE CASCADE
  -- CREATE INDEX unit_source_unit ON public.unit_source USING btree (workspace_id, unit_id)
  -- policy unit_source_definer for all to svc_definer
  -- policy unit_source_own for all to svc_app
)

table unit_worth (
  workspace_id uuid not null
  unit_id uuid not null
  due_at timestamp(3) with time zone not null
  computed_at timestamp(3) with time zone
  parts jsonb not null default '{}'::jsonb
  PRIMARY KEY (workspace_id, unit_id)
  FOREIGN KEY (workspace_id, unit_id) REFERENCES unit(workspace_id, id) ON DELETE CASCADE
  -- CREATE INDEX unit_worth_due ON public.unit_worth USING btree (workspace_id, due_at)
  -- policy unit_worth_own for all to svc_app
)

table usage_counter (
  workspace_id uuid not null
  day date not null
  name text not null
  value bigint not null
  PRIMARY KEY (workspace_id, day, name)
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- policy usage_counter_own for all to svc_app
)

table use_signal (
  workspace_id uuid not null
  unit_id uuid not null
  given_by text not null
  given_at timestamp(3) with time zone not null
  PRIMARY KEY (workspace_id, unit_id, given_by)
  FOREIGN KEY (workspace_id, unit_id) REFERENCES unit(workspace_id, id) ON DELETE CASCADE
  -- policy use_signal_own for all to svc_app
)

table vocabulary (
  workspace_id uuid not null
  sensitivity sensitivity not null
  term text not null
  token uuid not null default gen_random_uuid()
  PRIMARY KEY (workspace_id, term, sensitivity)
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- policy vocabulary_own for all to svc_app
)

table webhook_delivery (
  workspace_id uuid not null
  endpoint_id uuid not null
  seq bigint not null
  id text not null
  kind text not null
  resource_type text not null
  resource_id uuid not null
  sensitivity sensitivity not null
  state text not null
  attempts integer not null default 0
  next_attempt_at timestamp(3) with time zone not null
  lease_id uuid
  lease_expires_at timestamp(3) with time zone
  last_status integer
  last_error text
  last_attempt_at timestamp(3) with time zone
  duration_ms integer
  created_at timestamp(3) with time zone not null
  finished_at timestamp(3) with time zone
  PRIMARY KEY (workspace_id, endpoint_id, seq)
  CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'dead'::text, 'skipped'::text])))
  FOREIGN KEY (workspace_id, endpoint_id) REFERENCES webhook_endpoint(workspace_id, id) ON DELETE CASCADE
  UNIQUE (workspace_id, endpoint_id, id)
  -- CREATE INDEX webhook_delivery_due ON public.webhook_delivery USING btree (workspace_id, endpoint_id, next_attempt_at) WHERE (state = 'pending'::text)
  -- CREATE INDEX webhook_delivery_finished ON public.webhook_delivery USING btree (workspace_id, finished_at) WHERE (finished_at IS NOT NULL)
  -- CREATE INDEX webhook_delivery_resource ON public.webhook_delivery USING btree (workspace_id, endpoint_id, resource_id, seq) WHERE (state = 'pending'::text)
  -- policy webhook_delivery_definer for select to svc_definer
  -- policy webhook_delivery_own for all to svc_app
)

table webhook_endpoint (
  workspace_id uuid not null
  id uuid not null
  version integer not null default 1
  url text not null
  description text
  kinds text[] not null default '{}'::text[]
  status text not null
  status_reason text
  sensitivity sensitivity not null
  with_tasks boolean not null
  rate_per_minute integer
  secrets text not null
  cursor_seq bigint not null
  verified_at timestamp(3) with time zone
  verify_attempts integer not null default 0
  verify_at timestamp(3) with time zone
  last_error text
  failing_since timestamp(3) with time zone
  failures integer not null default 0
  last_success_at timestamp(3) with time zone
  throttled_until timestamp(3) with time zone
  dead_told_at timestamp(3) with time zone
  created_by text not null
  created_at timestamp(3) with time zone not null
  updated_at timestamp(3) with time zone not null
  key_id uuid
  PRIMARY KEY (workspace_id, id)
  CHECK ((cursor_seq >= 0))
  CHECK ((rate_per_minute >= 1))
  CHECK ((status = ANY (ARRAY['unverified'::text, 'enabled'::text, 'disabled'::text])))
  CHECK ((length(url) <= 2000))
  FOREIGN KEY (workspace_id, key_id) REFERENCES api_key(workspace_id, key_id)
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- CREATE INDEX webhook_endpoint_key ON public.webhook_endpoint USING btree (workspace_id, key_id)
  -- policy webhook_endpoint_definer for select to svc_definer
  -- policy webhook_endpoint_own for all to svc_app
)

table workspace (
  workspace_id uuid not null
  name text not null
  region text not null
  settings jsonb not null default '{}'::jsonb
  created_at timestamp(3) with time zone not null default now()
  updated_at timestamp(3) with time zone not null default now()
  version integer not null default 1
  max_sensitivity sensitivity not null default 'restricted'::sensitivity
  rate_limit jsonb
  audit_address_days integer
  consolidate_every_hours integer
  restricted_retention_days integer
  restricted_retention_from timestamp(3) with time zone
  predicates jsonb not null default '{}'::jsonb
  recall_diary_days smallint not null default 0
  recall_diary_from timestamp(3) with time zone
  timezone text
  suspended_at timestamp(3) with time zone
  PRIMARY KEY (workspace_id)
  CHECK (((audit_address_days >= 1) AND (audit_address_days <= 3650)))
  CHECK (((restricted_retention_days IS NULL) = (restricted_retention_from IS NULL)))
  CHECK (((consolidate_every_hours >= 1) AND (consolidate_every_hours <= 720)))
  CHECK (((length(name) >= 1) AND (length(name) <= 200)))
  CHECK ((jsonb_typeof(predicates) = 'object'::text))
  CHECK (((recall_diary_days >= 0) AND (recall_diary_days <= 90)))
  CHECK ((region = ANY (ARRAY['us-east-1'::text, 'eu-west-1'::text, 'ap-southeast-1'::text])))
  CHECK (((restricted_retention_days >= 1) AND (restricted_retention_days <= 3650)))
  CHECK (((octet_length(timezone) >= 1) AND (octet_length(timezone) <= 64)))
  -- policy workspace_definer for all to svc_definer
  -- policy workspace_own for all to svc_app
  -- trigger workspace_loop_round: plan_loop_round
  -- trigger workspace_region_kept: refuse_region_change
)

table worth_cursor (
  workspace_id uuid not null
  seq bigint not null
  PRIMARY KEY (workspace_id)
  FOREIGN KEY (workspace_id) REFERENCES workspace(workspace_id)
  -- policy worth_cursor_own for all to svc_app
)

table worth_signal (
  workspace_id uuid not null
  unit_id uuid not null
  agent_id text not null
  is_helpful boolean not null
  weight real not null
  given_at timestamp(3) with time zone not null
  given_by text not null
  PRIMARY KEY (workspace_id, unit_id, agent_id)
  CHECK (((length(agent_id) >= 1) AND (length(agent_id) <= 400)))
  CHECK (((weight > (0)::double precision) AND (weight <= (1)::double precision)))
  FOREIGN KEY (workspace_id, unit_id) REFERENCES unit(workspace_id, id) ON DELETE CASCADE
  -- policy worth_signal_own for all to svc_app
)
