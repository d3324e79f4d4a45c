-- Profile of a partner: the draft of the team, the copy that readers see, and its two media items.
set lock_timeout = '10s';

-- `snapshot` is the profile as last published; readers see it while the state is PUBLISHED. It contains the texts, the
-- links and the ids of the media, so that later edits reach no reader before the next publication. A partner that never
-- wrote a profile has no row.
create table partner_profile (
    partner_uuid uuid constraint partner_profile_pkey primary key
        constraint partner_profile_partner_fkey references partner on delete cascade,
    default_locale text not null default 'en' constraint partner_profile_default_locale_check
        check (default_locale ~ '^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$'),
    -- Object of locale to {tagline, description}.
    texts jsonb not null default '{}' constraint partner_profile_texts_check check (jsonb_typeof(texts) = 'object'),
    website_url text,
    languages text[] not null default '{}',
    regions text[] not null default '{}',
    state text not null default 'UNPUBLISHED'
        constraint partner_profile_state_check check (state in ('UNPUBLISHED', 'PUBLISHED', 'TAKEN_DOWN')),
    state_reason text,
    state_changed_at timestamptz not null default labs_now(),
    snapshot jsonb constraint partner_profile_snapshot_check check (jsonb_typeof(snapshot) = 'object'),
    published_at timestamptz,
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    constraint partner_profile_published_check
        check (state = 'UNPUBLISHED' or (snapshot is not null and published_at is not null))
);

-- Logo and banner. The bytes are in the object storage under `object_key`; the row is written only after the upload and
-- never changes except when it is removed. An image that was removed from the draft keeps its row while the published
-- profile shows it.
create table partner_image (
    image_uuid uuid constraint partner_image_pkey primary key,
    partner_uuid uuid not null constraint partner_image_partner_fkey references partner on delete cascade,
    kind text not null constraint partner_image_kind_check check (kind in ('LOGO', 'BANNER')),
    alt_text text not null default '',
    media_type text not null
        constraint partner_image_media_type_check check (media_type in ('image/png', 'image/jpeg', 'image/webp')),
    width integer not null constraint partner_image_width_check check (width > 0),
    height integer not null constraint partner_image_height_check check (height > 0),
    size_bytes bigint not null constraint partner_image_size_bytes_check check (size_bytes > 0),
    sha256 bytea not null constraint partner_image_sha256_check check (octet_length(sha256) = 32),
    object_key text not null,
    variants jsonb not null default '{}'
        constraint partner_image_variants_check check (jsonb_typeof(variants) = 'object'),
    removed_at timestamptz,
    created_at timestamptz not null default labs_now()
);
create unique index partner_image_draft_key on partner_image (partner_uuid, kind) where removed_at is null;
create index partner_image_partner_idx on partner_image (partner_uuid, kind, image_uuid);
create index partner_image_object_key_idx on partner_image (object_key);

-- Where each image is used.
create view partner_image_shown as
select i.*, i.removed_at is null as in_draft,
    coalesce(f.state = 'PUBLISHED' and i.image_uuid in
        ((f.snapshot ->> 'logo_uuid')::uuid, (f.snapshot ->> 'banner_uuid')::uuid), false) as is_published
from partner_image as i
left join partner_profile as f on f.partner_uuid = i.partner_uuid;

call audit_watch('partner_profile', 'partner_uuid');
call audit_watch('partner_image', 'image_uuid');

grant select, insert, update, delete on partner_profile, partner_image to labs_service;
grant select on partner_image_shown to labs_service;

reset lock_timeout;
