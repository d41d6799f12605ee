-- Ways to sign in besides links: passkeys, and the company's own sign-in service.

comment on table tieout.passkeys is 'Public halves of the keys that people''s devices hold. Removing one is in the audit log.';
comment on column tieout.passkeys.id is 'The device''s name of the key.';
comment on column tieout.passkeys.person_id is 'Whose it is.';
comment on column tieout.passkeys.name is 'What the person calls it.';
comment on column tieout.passkeys.public_key is 'Public key, in COSE form.';
comment on column tieout.passkeys.counter is 'How often the device says it was used. One that goes backwards is refused: it is a copy.';
comment on column tieout.passkeys.transports is 'How the device can be reached, as the browser said.';
comment on column tieout.passkeys.created_at is 'When it was added.';
comment on column tieout.passkeys.last_used_at is 'When it last signed somebody in.';

comment on table tieout.person_identities is 'Who a person is at the company''s own sign-in service (OpenID Connect).';
comment on column tieout.person_identities.issuer is 'Address of the service.';
comment on column tieout.person_identities.subject is 'Its word for the person, which never changes.';
comment on column tieout.person_identities.person_id is 'The person.';
comment on column tieout.person_identities.linked_at is 'When they first came that way.';

comment on table tieout.sign_in_states is 'What was asked of a browser that is about to prove who it is. Each is good once, for ten minutes.';
comment on column tieout.sign_in_states.token_hash is 'SHA-256 of the token in the browser''s cookie.';
comment on column tieout.sign_in_states.method is 'passkey, add-passkey or oidc.';
comment on column tieout.sign_in_states.asked is 'The challenge, or state, nonce and verifier, and where the person wanted to go.';
comment on column tieout.sign_in_states.expires_at is 'After this time it is good for nothing.';

-- Last of all, so that both roles get what they may have of every table and view above.
select tieout.admit_reader();
select tieout.admit_service();
