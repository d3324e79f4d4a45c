-- The sweep over objects asks of many names whether a picture or a smaller copy of one bears them.
set lock_timeout = '10s';

create index media_variants_idx on media using gin (jsonb_path_query_array(variants, '$.*.object_key') jsonb_path_ops);
create index partner_image_variants_idx
    on partner_image using gin (jsonb_path_query_array(variants, '$.*.object_key') jsonb_path_ops);

reset lock_timeout;
