-- Alternative texts of a media item in further locales: objects of locale to text, next to the text for readers of
-- every other locale. A publication copies them too.
set lock_timeout = '10s';

alter table media
    add column alt_texts jsonb not null default '{}'
        constraint media_alt_texts_check check (jsonb_typeof(alt_texts) = 'object'),
    add column captions jsonb not null default '{}'
        constraint media_captions_check check (jsonb_typeof(captions) = 'object');
alter table listing_media
    add column alt_texts jsonb not null default '{}'
        constraint listing_media_alt_texts_check check (jsonb_typeof(alt_texts) = 'object'),
    add column captions jsonb not null default '{}'
        constraint listing_media_captions_check check (jsonb_typeof(captions) = 'object');

reset lock_timeout;
