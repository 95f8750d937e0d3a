-- All rows have their stamps.
set local lock_timeout = '3s';
drop policy posting_stamping on posting;
