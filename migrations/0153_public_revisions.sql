-- Revisions of the public content. The service keeps an answer to a public read until the revision of its topic changes.
set lock_timeout = '10s';

-- The revision of a topic is the sum of its rows. A transaction that changes public content adds one to a row that no
-- other transaction has locked, so writers do not wait for each other.
create table public_revision (
    revision_id bigint generated always as identity constraint public_revision_pkey primary key,
    topic text not null,
    changes bigint not null default 1 constraint public_revision_changes_check check (changes > 0)
) with (fillfactor = 50);
create index public_revision_topic_idx on public_revision (topic);
comment on table public_revision is 'Counters of the changes of public content by topic; kept by triggers.';
insert into public_revision (topic) values ('storefront'), ('publication'), ('tiers');

-- Counts a change of the topic that the trigger names, once per transaction.
create function public_changed() returns trigger language plpgsql as $$
declare
    topic_changed constant text := tg_argv[0];
    marker constant text := 'labs.changed_' || topic_changed;
    own_id constant text := pg_current_xact_id()::text;
begin
    if current_setting(marker, true) is not distinct from own_id then
        return null;
    end if;
    perform set_config(marker, own_id, true);
    -- A transaction with one snapshot fails if it updates a row that changed since; it adds a row instead.
    if current_setting('transaction_isolation') = 'read committed' then
        update public.public_revision set changes = changes + 1
         where revision_id = (select revision_id from public.public_revision
                               where topic = topic_changed order by revision_id limit 1 for no key update skip locked);
        if found then
            return null;
        end if;
    end if;
    insert into public.public_revision (topic) values (topic_changed);
    return null;
end $$;

grant select, insert, update, delete on public_revision to labs_service;

create trigger listing_public after insert or update or delete on listing
    for each row execute function public_changed('storefront');
create trigger listing_translation_public after insert or update or delete on listing_translation
    for each row execute function public_changed('storefront');
create trigger listing_category_public after insert or update or delete on listing_category
    for each row execute function public_changed('storefront');
create trigger listing_media_public after insert or update or delete on listing_media
    for each row execute function public_changed('storefront');
create trigger media_public after update on media
    for each row execute function public_changed('storefront');
create trigger partner_image_public after update on partner_image
    for each row execute function public_changed('storefront');
create trigger partner_profile_public after insert or update or delete on partner_profile
    for each row execute function public_changed('storefront');
create trigger partner_public after update on partner for each row
    when ((old.slug, old.company_name, old.verified_at, old.state)
        is distinct from (new.slug, new.company_name, new.verified_at, new.state))
    execute function public_changed('storefront');
create trigger app_version_public after update on app_version for each row
    when (new.published_at is not null) execute function public_changed('storefront');
create trigger category_public after insert or update or delete on category
    for each row execute function public_changed('storefront');
create trigger category_address_public after insert or update or delete on category_address
    for each row execute function public_changed('storefront');
create trigger collection_public after insert or update or delete on collection
    for each row execute function public_changed('storefront');
create trigger collection_address_public after insert or update or delete on collection_address
    for each row execute function public_changed('storefront');
create trigger collection_listing_public after insert or update or delete on collection_listing
    for each row execute function public_changed('storefront');
-- Only published reviews are public.
create trigger customer_review_public after insert on customer_review for each row
    when (new.state = 'PUBLISHED') execute function public_changed('storefront');
create trigger customer_review_public_update after update on customer_review for each row
    when (old.state = 'PUBLISHED' or new.state = 'PUBLISHED') execute function public_changed('storefront');
create trigger customer_review_public_delete after delete on customer_review for each row
    when (old.state = 'PUBLISHED') execute function public_changed('storefront');
create trigger customer_review_text_public after insert or update or delete on customer_review_text
    for each row execute function public_changed('storefront');
create trigger customer_review_reply_public after insert or update or delete on customer_review_reply
    for each row execute function public_changed('storefront');
create trigger customer_rating_public after insert or update or delete on customer_rating
    for each row execute function public_changed('storefront');

create trigger publication_item_public after insert or update or delete on publication_item
    for each row execute function public_changed('publication');
create trigger publication_slug_public after insert or update or delete on publication_slug
    for each row execute function public_changed('publication');
create trigger contract_release_public after insert or update or delete on contract_release
    for each row execute function public_changed('publication');
-- A changelog entry names the feature requests that it ships.
create trigger feature_request_shipped after update on feature_request for each row
    when ((old.entry_uuid, old.shown, old.status_at) is distinct from (new.entry_uuid, new.shown, new.status_at)
        and (old.entry_uuid is not null or new.entry_uuid is not null))
    execute function public_changed('publication');
create trigger feature_request_deleted after delete on feature_request for each row
    when (old.entry_uuid is not null) execute function public_changed('publication');
-- A post may show its author.
create trigger person_public after update on person for each row
    when (old.kind = 'STAFF_USER' and old.name is distinct from new.name) execute function public_changed('publication');

create trigger tier_public after insert or update or delete on tier
    for each row execute function public_changed('tiers');
create trigger tier_feature_public after insert or update or delete on tier_feature
    for each row execute function public_changed('tiers');
create trigger feature_public after insert or update or delete on feature
    for each row execute function public_changed('tiers');
create trigger tier_catalogue_public after insert or update or delete on tier_catalogue
    for each row execute function public_changed('tiers');
