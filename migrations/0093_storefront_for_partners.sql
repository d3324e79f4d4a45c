-- A partner's users and machine clients see listings as customers do; no scope lets them write customer reviews.
update feature
set scope = 'storefront', description = 'Published listings, as customers see them.'
where feature_code = 'storefront_access';
