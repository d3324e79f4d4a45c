// The daily jobs of an account manager: users, partners and their subscriptions.
import assert from 'node:assert/strict';

const button = (job, region, name) => job.page.getByRole(region === 'Next steps' ? 'complementary' : 'region', { name: region, exact: true }).getByRole('button', { name });

/** Returns a user of the sample data. */
async function user({ api }, name) {
  const { data } = await api.get(`/v1/admin/users?q=${encodeURIComponent(name)}`);
  return data[0];
}

async function partner({ api }, name) {
  const { data } = await api.get(`/v1/admin/partners?q=${encodeURIComponent(name)}`);
  return data[0];
}

/** Returns a request that waits for a decision. If the sample data has none, a partner creates one. */
async function tierRequest({ api, signIn }) {
  const waiting = async () => (await api.get('/v1/admin/tier-change-requests?state=PENDING')).data[0];
  const found = await waiting();
  if (found) return found;
  const administrator = await signIn('katharina.hoedl@murzeit.example');
  await administrator.post('/v1/subscription/change-requests', { tier_code: 'SCALE', message: 'We have three apps more.' });
  return waiting();
}

export const ACCOUNT_JOBS = {
  async 'send a password reset'(job, world) {
    await job.start();
    await job.find('olivier charpin', /^User Olivier Charpin/);
    await job.click(button(job, 'Next steps', 'Send a password reset to a user'));
    const { uuid } = await job.runAndConfirm('user_send_password_reset');
    assert.equal(uuid, (await user(world, 'Olivier Charpin')).uuid);
  },
  async 'unlock a user'(job, world) {
    const { uuid } = await user(world, 'Lieke Vermeulen');
    await world.api.post(`/v1/admin/users/${uuid}:lock`, { reason: 'Requested by the partner.' });
    await job.start();
    await job.find('lieke', /^User Lieke Vermeulen/);
    await job.click(button(job, 'Next steps', 'Unlock a user'));
    await job.runAndConfirm('user_unlock');
    assert.equal((await user(world, 'Lieke Vermeulen')).state, 'ACTIVE');
  },
  async 'end a session of a user'(job, world) {
    await world.signIn('daan.kuipers@voorraadhuis.example');
    const { uuid } = await user(world, 'Daan Kuipers');
    const sessions = async () => (await world.api.get(`/v1/admin/users/${uuid}/sessions`)).data.length;
    const before = await sessions();
    await job.start();
    await job.find('daan', /^User Daan Kuipers/);
    await job.click(button(job, 'Sessions', /^End: /).first());
    await job.runAndConfirm('user_end_session');
    assert.equal(await sessions(), before - 1);
  },
  async 'write a note about a partner'(job, world) {
    const { uuid } = await partner(world, 'Voorraadhuis');
    await job.start();
    await job.find('voorraadhuis', /^Partner Voorraadhuis/);
    await job.click(button(job, 'Notes and events', 'Write a note'));
    await job.type('Note', 'Prefers to be called in the morning.');
    await job.runAndConfirm('note_create');
    assert.match((await world.api.get(`/v1/admin/partners/${uuid}/notes`)).data[0].body, /in the morning/);
  },
  async 'change the tier of a partner'(job, world) {
    await job.start();
    await job.find('voorraadhuis', /^Partner Voorraadhuis/);
    await job.click(button(job, 'Subscription', 'Change tier'));
    await job.choose('New tier', /^Scale/);
    await job.type('Reason', 'Agreed in the yearly talk.');
    const { tier_code, pending_change } = await job.runAndConfirm('subscription_change_tier');
    assert.equal(pending_change?.tier_code ?? tier_code, 'SCALE');
  },
  async 'approve a tier change that a partner requested'(job, world) {
    const { company_name, partner_uuid, to_tier_code } = await tierRequest(world);
    await job.start();
    const list = job.page.locator('.waiting').filter({ hasText: 'Tier change requests waiting for a decision' });
    await job.click(list.getByRole('button', { name: 'Show entries' }));
    await job.act('Tier change requests waiting for a decision', 'Approve', company_name);
    await job.runAndConfirm('tier_change_request_approve');
    assert.equal((await world.api.get(`/v1/admin/partners/${partner_uuid}/subscription`)).tier_code, to_tier_code);
  },
  async 'suspend a partner'(job, world) {
    await job.start();
    await job.find('murzeit', /^Partner Murzeit/);
    await job.click(button(job, 'Next steps', 'Suspend a partner'));
    await job.type('Reason', 'Invoices are unpaid since March.');
    await job.runAndConfirm('partner_suspend');
    assert.equal((await partner(world, 'Murzeit')).state, 'SUSPENDED');
  },
  async 'reinstate a partner'(job, world) {
    await job.start();
    await job.find('murzeit', /^Partner Murzeit/);
    await job.click(button(job, 'Next steps', 'Reinstate a partner'));
    await job.runAndConfirm('partner_reinstate');
    assert.equal((await partner(world, 'Murzeit')).state, 'ACTIVE');
  },
};
