-- What people keep beside the books: named views, and files about a discrepancy.

create trigger refuse_change before update or delete on tieout.attachments
  for each row execute function tieout.refuse_change();
create trigger refuse_truncate before truncate on tieout.attachments
  for each statement execute function tieout.refuse_change();
comment on table tieout.saved_views is 'Filters of a screen under a name, for everybody who may see the accounts of whoever saved them.';
comment on column tieout.saved_views.id is 'Number of the view.';
comment on column tieout.saved_views.name is 'What people call it; used once on a screen among people of the same accounts, whatever the case of its letters.';
comment on column tieout.saved_views.screen is 'The screen, by its path.';
comment on column tieout.saved_views.query is 'Filters, sorting and columns, as they stand in the address.';
comment on column tieout.saved_views.account_ids is 'The accounts that whoever saved it was limited to; null: all accounts.';
comment on column tieout.saved_views.saved_by is 'Who saved it.';
comment on column tieout.saved_views.saved_at is 'When it was saved.';
comment on column tieout.saved_views.removed_at is 'When it was removed; its name is free from then on.';
comment on table tieout.attachments is 'Files that people put beside a discrepancy. Append-only.';
comment on column tieout.attachments.id is 'Number of the attachment.';
comment on column tieout.attachments.account_id is 'The account of the discrepancy.';
comment on column tieout.attachments.discrepancy_id is 'The discrepancy that it is about.';
comment on column tieout.attachments.file_name is 'Its name, without a path.';
comment on column tieout.attachments.kind is 'What its bytes are, by looking at them: pdf, png, jpeg, zip (spreadsheets too) or text.';
comment on column tieout.attachments.byte_count is 'Its size; at most 5 MB.';
comment on column tieout.attachments.sha256 is 'SHA-256 of its bytes.';
comment on column tieout.attachments.content is 'Its bytes.';
comment on column tieout.attachments.added_by is 'Who added it.';
comment on column tieout.attachments.added_at is 'When it was added.';

-- What the search of the page asks beside the names of transactions and lines.
create index payouts_by_ref on tieout.payouts (lower(payout_ref));
create index payouts_by_declared on tieout.payouts (net_declared) where net_declared is not null;
create index payouts_by_computed on tieout.payouts (net_computed);
create index discrepancies_by_value on tieout.discrepancies (value) where value is not null;
create index statements_by_file_name on tieout.statements (lower(file_name));
