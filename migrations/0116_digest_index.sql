-- A digest reads all entries of a writer in the order of their buckets. From an index without what goes into the digest each
-- entry costs a look into the table, at a place of its own, which took three quarters of the time. This index holds all of it.
drop index federation_version_bucket;
create index federation_version_digest on federation_version (workspace_id, writer, bucket, key)
  include (leaf, withdrawn_leaf, sensitivity, least_sensitivity, origin_instance, origin_id);
