-- A review asks about facts that a newer one likely outdates.
alter table review_item drop constraint review_item_kind_check;
alter table review_item add constraint review_item_kind_check
  check (kind in ('contested_fact', 'outdated_fact', 'near_duplicate', 'stale_dependant', 'self_edit', 'federation_conflict'));
