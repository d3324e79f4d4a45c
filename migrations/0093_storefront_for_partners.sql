-- A partner's people and programs see listings as customers do; nothing lets them write customers' reviews.
update feature
set scope = 'storefront', description = 'Published listings, as customers see them.'
where feature_code = 'storefront_access';
