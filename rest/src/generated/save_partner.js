// The paths of a partner contain its UUID. A staff member has none, and keeps the partner that they have set.
const me = pm.response.code === 200 ? pm.response.json() : {};
if (me.partner_uuid) pm.collectionVariables.set("partner_uuid", me.partner_uuid);
