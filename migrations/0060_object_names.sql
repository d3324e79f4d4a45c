-- The sweep of objects checks for many names whether a media item or one of its variants uses them.
set lock_timeout = '10s';

create index media_variants_idx on media using gin (jsonb_path_query_array(variants, '$.*.object_key') jsonb_path_ops);
create index partner_image_variants_idx
    on partner_image using gin (jsonb_path_query_array(variants, '$.*.object_key') jsonb_path_ops);

reset lock_timeout;
