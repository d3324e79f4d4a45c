// What the sample data has none of, and where the entries of a path are found that no list stands before.
import assert from 'node:assert/strict';

/** Returns the entries of all arrays with this name, at any depth. */
const below = (value, name) =>
  Object.entries(value ?? {}).flatMap(([key, inner]) => {
    if (key === name && Array.isArray(inner)) return inner;
    return inner && typeof inner === 'object' ? below(inner, name) : [];
  });

/** The import of statistics that `furnish` started. No list contains it. */
const imports = [];

/** Returns functions that find the values of path parameters for which no list precedes the parameter. */
export const places = (values) => {
  const list = async (path, query = '') => (await values().get(path + query, path)).json?.data ?? [];
  const vendor = '/v1/marketplace/public/partners/{partner_slug}';
  const comments = '/v1/engagement/feature-requests/{request_uuid}/comments';
  const submission = '/v1/marketplace/internal/submissions/{submission_uuid}';
  return {
    '/v1/partner/{partner_uuid}': async () => [{ uuid: (await values().get('/v1/system/me')).json.partner_uuid }],
    '/v1/publication/changelog-entries/{entry_uuid}': () => list('/v1/publication/internal/items', '?kind=CHANGELOG_ENTRY'),
    [vendor]: async () => (await list('/v1/marketplace/public/listings')).map((listing) => listing.vendor),
    [`${vendor}/imagery/{kind}`]: async ({ partner_slug }) =>
      below((await values().get(vendor.replace('{partner_slug}', partner_slug), vendor)).json, 'imagery'),
    [`${submission}/media/{media_uuid}`]: async ({ submission_uuid }) =>
      below((await values().get(submission.replace('{submission_uuid}', submission_uuid), submission)).json, 'media'),
    '/v1/admin/statistics-imports/{import_uuid}': () => imports,
    '/v1/statistics/apps/{app_uuid}': () => list('/v1/marketplace/apps'),
    '/v1/engagement/comments/{comment_uuid}': async () => {
      const requests = await list('/v1/engagement/feature-requests');
      const read = ({ uuid }) => values().get(comments.replace('{request_uuid}', uuid), comments);
      return (await Promise.all(requests.map(read))).flatMap(({ json }) => json?.data ?? []);
    },
  };
};

/** Creates resources that the sample data does not have, from the examples of the contract. */
export const furnish = async (base, { partner, staff }, contract, partnerUuid) => {
  const call = (method, path, token, body) =>
    fetch(base + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    });
  const read = async (path) => {
    const answer = await call('GET', path, partner);
    assert.equal(answer.status, 200, `GET ${path}: ${answer.status}`);
    return (await answer.json()).data;
  };
  const example = (path) => {
    const { example: one, examples } = contract.paths[path].post.requestBody.content['application/json'];
    return one ?? Object.values(examples)[0].value;
  };
  const make = async (path, token, body) => {
    const answer = await call('POST', path.replace('{partner_uuid}', partnerUuid), token, body);
    assert.ok(answer.status < 300, `POST ${path}: ${answer.status} ${answer.ok || (await answer.text())}`);
    return answer.json();
  };
  const tickets = '/v1/partner/{partner_uuid}/support-tickets';
  await make(tickets, partner, { ...example(tickets), app_uuid: null });
  await make('/v1/admin/deprecations', staff, example('/v1/admin/deprecations'));
  await make('/v1/partner/{partner_uuid}/data-exports', partner);
  // A smaller tier is taken at once; the way back to SCALE is decided by staff.
  await make('/v1/subscription/change-requests', partner, { tier_code: 'FREE' });
  const asked = await make('/v1/subscription/change-requests', partner, { tier_code: 'SCALE' });
  if (asked.state === 'PENDING') await make(`/v1/admin/tier-change-requests/${asked.uuid}:approve`, staff, {});
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  imports.push(await make('/v1/admin/statistics-imports', staff, { days: [yesterday] }));
  const isReady = async () =>
    (await read(`/v1/partner/${partnerUuid}/data-exports`)).some(({ state }) => state === 'SUCCEEDED');
  for (const end = Date.now() + 60_000; !(await isReady()); ) {
    assert.ok(Date.now() < end, 'the archive is not ready');
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
};
