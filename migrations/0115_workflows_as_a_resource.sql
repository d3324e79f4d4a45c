-- The service generates one more developer resource: the workflows of its contract.
set lock_timeout = '10s';

alter table publication_item drop constraint publication_item_generated_check;
alter table publication_item
    add constraint publication_item_generated_check check (
        generated is null
        or (generated in ('OPENAPI_YAML', 'OPENAPI_JSON', 'POSTMAN_COLLECTION', 'INSOMNIA_EXPORT', 'TYPESCRIPT_TYPES',
                          'ARAZZO_WORKFLOWS')
            and object_key is null and resource_version is null));

reset lock_timeout;
