// Data of the mock for the start page and the record pages: one partner with everything that belongs to it, and work that waits.

/** Ids of the mock's records. */
export const IDS = {
  partner: '0193a4b0-0000-7000-8000-00000000000a',
  app: '0193a4b0-0000-7000-8000-00000000000b',
  user: '0193a4b0-0000-7000-8000-00000000000c',
  client: '0193a4b0-0000-7000-8000-00000000000d',
  ticket: '0193a4b0-0000-7000-8000-00000000000e',
  request: '0193a4b0-0000-7000-8000-00000000000f',
  item: '0193a4b0-0000-7000-8000-000000000010',
  review: '0193a4b0-0000-7000-8000-000000000011',
  text: '0193a4b0-0000-7000-8000-000000000012',
  colleague: '0193a4b0-0000-7000-8000-000000000013',
  similar: '0193a4b0-0000-7000-8000-000000000014',
};

/** Text that a page must show as text and never interpret. */
export const MARKUP = '<img src=x onerror="document.title=1"> & <b>bold</b>';

const NAME = 'Brasserie Software SARL';
const AT = '2026-11-20T09:12:44.120000Z';
const LATER = '2027-01-01T00:00:00Z';
const listOf = (...data) => ({ data, page: { has_more: false, next_cursor: null, total: data.length } });
const isAbout = (id) => (asked) => Object.values(asked).includes(id);

const partner = {
  uuid: IDS.partner,
  slug: 'brasserie-software',
  company_name: NAME,
  state: 'ACTIVE',
  state_reason: null,
  pending_company_name: 'Brasserie Group SARL',
  closes_at: null,
  reopen_until: null,
  state_changed_at: AT,
  labels: ['pilot'],
  country: 'FR',
  website: 'https://brasserie.example',
  address: { city: 'Lyon' },
  registered_at: AT,
  updated_at: AT,
  counts: { members: 2, invitations: 0, apps: 1, listings: 1, machine_clients: 1, contacts: 1, notes: 1 },
  subscription: { tier_code: 'GROWTH', tier_name: 'Growth', state: 'ACTIVE', started_at: AT, period_end: LATER },
  allowed_actions: ['suspend', 'close'],
  tickets: () => [ticket],
  apps: () => [app],
  team: () => [user],
};

const app = {
  uuid: IDS.app,
  slug: 'tableside-orders',
  name: 'Tableside Orders',
  tagline: MARKUP,
  state: 'LISTED',
  default_locale: 'fr',
  is_visible: true,
  partner_uuid: IDS.partner,
  partner_name: NAME,
  latest_version: { uuid: IDS.text, number: '1.0.3', state: 'SUBMITTED', created_at: AT },
  published_version: { uuid: IDS.text, number: '1.0.2', published_at: AT },
  created_at: AT,
  updated_at: AT,
  allowed_actions: ['suspend'],
  partner: () => partner,
};

const user = {
  uuid: IDS.user,
  kind: 'PARTNER_USER',
  name: 'Claire Fontaine',
  email: 'claire@brasserie.example',
  email_verified_at: AT,
  partner_uuid: IDS.partner,
  company_name: NAME,
  role: 'ADMINISTRATOR',
  state: 'LOCKED',
  locale: 'fr',
  sessions_count: 1,
  created_at: AT,
  updated_at: AT,
  last_sign_in_at: AT,
  allowed_actions: ['unlock'],
};

const client = {
  uuid: IDS.client,
  name: 'Order sync',
  client_id: 'order-sync',
  partner_uuid: IDS.partner,
  company_name: NAME,
  state: 'ACTIVE',
  allowed_scopes: ['marketplace.apps'],
  unused_scopes: [],
  allowed_networks: [],
  secrets: [],
  created_at: AT,
  updated_at: AT,
  last_used_at: AT,
  allowed_actions: ['disable'],
};

const ticket = {
  uuid: IDS.ticket,
  partner_uuid: IDS.partner,
  company_name: NAME,
  subject: 'Requests return 429 since Monday',
  topic: 'API',
  app_uuid: IDS.app,
  app_slug: app.slug,
  state: 'OPEN',
  state_changed_at: AT,
  priority: 'HIGH',
  assignee: null,
  opened_by_uuid: IDS.user,
  opened_by_name: user.name,
  messages_count: 1,
  last_message_at: AT,
  waiting_since: AT,
  created_at: AT,
  updated_at: AT,
  allowed_actions: ['answer', 'resolve', 'close'],
  messages: [{ uuid: IDS.text, side: 'PARTNER', author_uuid: IDS.user, author_name: user.name, body: MARKUP, created_at: AT }],
  notes: [],
  partner: () => partner,
};

const request = {
  uuid: IDS.request,
  title: 'Webhooks for bookings',
  body: MARKUP,
  status: 'OPEN',
  status_at: AT,
  votes: 14,
  comments_count: 1,
  proposed_by: { partner_uuid: IDS.partner, company_name: NAME, person_name: null },
  pinned: false,
  locked: false,
  open_reports: 1,
  active_at: AT,
  created_at: AT,
  allowed_actions: ['change-status', 'answer', 'pin', 'lock'],
  partner: () => partner,
};

/** A feature request into which the first one can be merged. */
const similar = { ...request, uuid: IDS.similar, title: 'Webhooks for cancellations', votes: 9 };

const item = {
  uuid: IDS.item,
  kind: 'CHANGELOG_ENTRY',
  state: 'DRAFT',
  audience: 'PUBLIC',
  slug: 'apps-have-taglines',
  title: 'Apps have taglines',
  summary: 'Short.',
  body: MARKUP,
  tags: [],
  version: '1.4.0',
  change: 'ADDED',
  operations: ['marketplace_apps_create'],
  action_required: false,
  created_by: { kind: 'STAFF_USER', uuid: IDS.colleague, name: 'Ines Duarte' },
  created_at: AT,
  updated_at: AT,
  allowed_actions: ['schedule', 'release'],
};

const review = {
  uuid: IDS.review,
  app_uuid: IDS.app,
  app_name: app.name,
  partner_uuid: IDS.partner,
  partner_name: NAME,
  state: 'PENDING',
  waiting: { text_uuid: IDS.text, rating: 2, title: 'Slow', body: MARKUP, locale: 'fr', written_at: AT },
  reports_count: 0,
  queued_at: AT,
  created_at: AT,
  updated_at: AT,
  allowed_actions: ['approve', 'reject'],
};

const report = {
  uuid: IDS.text,
  target: {
    kind: 'FEATURE_REQUEST',
    uuid: IDS.request,
    feature_request_uuid: IDS.request,
    title: request.title,
    excerpt: MARKUP,
    suspended: false,
    open_reports: 1,
  },
  reason: 'SPAM',
  outcome: 'OPEN',
  partner_uuid: IDS.partner,
  company_name: NAME,
  reported_at: AT,
  allowed_actions: ['resolve'],
};

const attention = [
  ['TICKET_WAITING', 1, 'HIGH', 'partner_support_desk_list'],
  ['SUBMISSION_WAITING', 1, 'NORMAL', 'marketplace_submissions_list'],
  ['REVIEW_WAITING', 1, 'NORMAL', 'marketplace_moderation_list_reviews'],
  ['JOB_PAUSED', 1, 'LOW', 'admin_jobs_list'],
];

/** Finds by any word of the title. */
const matches = (q, title) =>
  !q ||
  q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => title.toLowerCase().includes(word));
const search =
  (list, title) =>
  ({ filter: { q } = {} }) =>
    listOf(...list.filter((one) => matches(q, title(one))));

const found = [
  { kind: 'PARTNER', uuid: IDS.partner, title: NAME, subtitle: partner.slug, state: partner.state },
  { kind: 'USER', uuid: IDS.user, title: user.name, subtitle: user.email, state: user.state },
  { kind: 'TICKET', uuid: IDS.ticket, title: ticket.subject, subtitle: NAME, state: ticket.state },
];

/** Resolvers of the root fields. */
export const recordResolvers = {
  admin_overview_get_attention: () => ({
    data: attention.map(([kind, count, severity, operation_id]) => ({ kind, count, severity, operation_id, oldest_at: AT, link: '/v1/' })),
    left_out: [],
  }),
  admin_overview_search: ({ q }) => ({
    data: found.filter(({ title }) => matches(q, title)).map((one) => ({ ...one, matched: 'PART', link: '/v1/', operation_id: 'x' })),
    left_out: [],
  }),
  admin_partners_get: (asked) => (isAbout(IDS.partner)(asked) ? partner : missing('partner')),
  admin_partners_list: search([partner], ({ company_name }) => company_name),
  admin_users_list: search([user], ({ name }) => name),
  admin_users_get: () => user,
  admin_users_list_security_events: () =>
    listOf({ uuid: IDS.text, occurred_at: AT, kind: 'SIGN_IN', outcome: 'REFUSED', address: '192.0.2.7', device: 'Firefox' }),
  admin_apps_get: () => app,
  admin_apps_list: search([app], ({ name }) => name),
  admin_apps_list_of_partner: () => listOf(app),
  admin_apps_list_versions: () => listOf(),
  admin_apps_list_events: () => listOf(),
  admin_machine_clients_get: () => client,
  admin_machine_clients_list: search([client], ({ name }) => name),
  admin_machine_clients_list_token_grants: () => listOf(),
  admin_subscriptions_get: () => ({
    partner_uuid: IDS.partner,
    company_name: NAME,
    tier_code: 'GROWTH',
    tier_name: 'Growth',
    price: { amount_minor: 4900, currency: 'EUR' },
    billing_period: 'MONTH',
    state: 'ACTIVE',
    started_at: AT,
    period_start: AT,
    period_end: LATER,
    pending_change: null,
    allowed_actions: ['change-tier', 'extend'],
  }),
  admin_rate_limits_get: () => ({
    partner_uuid: IDS.partner,
    company_name: NAME,
    tier_code: 'GROWTH',
    burst: { limit: 20, source: 'TIER', tier_limit: 20 },
    daily: { limit: 50_000, used: 12_345, remaining: 37_655, source: 'TIER', tier_limit: 50_000, resets_at: LATER },
    override: null,
  }),
  admin_rate_limits_list_refusals: () =>
    listOf({
      hour: AT,
      account: { kind: 'PARTNER', uuid: IDS.partner, name: NAME },
      operation: 'marketplace_apps_list',
      code: 'RATE_LIMITED',
      required_scope: null,
      budget: 'burst',
      refusals: 31,
      last_at: AT,
      request_ids: ['01a22610-bee4-7793-bb64-b8caa58f0372'],
    }),
  admin_notes_list: () =>
    listOf({ uuid: IDS.text, author: { uuid: IDS.colleague, name: 'Ines Duarte' }, body: MARKUP, created_at: AT, updated_at: AT }),
  admin_partners_list_timeline: () =>
    listOf({
      uuid: IDS.text,
      occurred_at: AT,
      group: 'ACCOUNT',
      kind: 'REGISTERED',
      outcome: 'SUCCEEDED',
      actor: { kind: 'PARTNER_USER', uuid: IDS.user, name: user.name },
      reason: null,
      detail: {},
    }),
  partner_support_desk_get: () => ticket,
  partner_support_desk_list: search([ticket], ({ subject }) => subject),
  engagement_moderation_get_feature_request: () => request,
  engagement_moderation_list_feature_requests: search([request, similar], ({ title }) => title),
  engagement_reports_list: () => listOf(report),
  marketplace_moderation_list_reviews: ({ filter: { flagged, reported } = {} }) => (flagged || reported ? listOf() : listOf(review)),
  publication_items_get: () => item,
  publication_items_list: ({ filter: { state } = {} }) => (!state || state.includes(item.state) ? listOf(item) : listOf()),
  publication_items_list_transitions: () => listOf(),
};

function missing(noun) {
  throw Object.assign(new Error(`The ${noun} does not exist.`), {
    extensions: { code: 'NOT_FOUND', title: 'Not found', detail: `The ${noun} does not exist, or you may not see it.` },
  });
}
