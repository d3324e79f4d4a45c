// The daily jobs of a support agent.
import assert from 'node:assert/strict';

const TICKETS = '/v1/support-desk/tickets';
const WAITING = 'Support tickets waiting for a reply';

/** Opens a ticket as a partner. It becomes urgent, so that the start page shows it among the first. */
async function ticket({ api, signIn }, subject) {
  const partner = await signIn('bastien.faure@belletablee.example');
  const { partner_uuid } = await partner.get('/v1/auth/account');
  const body = 'Since Monday every third request fails.';
  const { uuid } = await partner.post(`/v1/partner/${partner_uuid}/support-tickets`, { subject, body, topic: 'API' });
  await api.patch(`${TICKETS}/${uuid}`, { priority: 'URGENT' });
  return uuid;
}

const read = ({ api }, uuid) => api.get(`${TICKETS}/${uuid}`);

export const SUPPORT_JOBS = {
  async 'answer a ticket'(job, world) {
    const uuid = await ticket(world, 'Requests fail since Monday');
    await job.start();
    await job.act(WAITING, 'Answer', 'Requests fail since Monday');
    await job.type('Answer', 'The budget of your tier was used up. It starts again at midnight.');
    await job.runAndConfirm('ticket_answer');
    const { messages, state } = await read(world, uuid);
    assert.match(messages.at(-1).body, /starts again at midnight/);
    assert.equal(state, 'WAITING_ON_PARTNER');
  },
  async 'assign a ticket to me'(job, world) {
    const uuid = (world.ticket = await ticket(world, 'Which limit applies to us?'));
    await job.start();
    await job.act(WAITING, 'Assign', 'Which limit applies to us?');
    await job.runAndConfirm('ticket_assign');
    assert.equal((await read(world, uuid)).assignee.name, world.name);
  },
  async 'resolve a ticket'(job, world) {
    await job.start();
    await job.act(WAITING, 'Resolve', 'Which limit applies to us?');
    await job.runAndConfirm('ticket_resolve');
    assert.equal((await read(world, world.ticket)).state, 'RESOLVED');
  },
  async 'find a partner by a vague name'(job) {
    await job.start();
    await job.find('belle tablee', /^Partner Belle Tablée/);
    await job.page.getByRole('heading', { name: 'Belle Tablée', level: 2 }).waitFor();
    await job.page.getByRole('region', { name: 'Team', exact: true }).getByRole('link', { name: 'Bastien Faure' }).waitFor();
  },
  async 'find out why the requests of a partner were rejected'(job) {
    await job.start();
    await job.find('kassen elbkontor', /^Partner Elbkontor/);
    const rows = job.page.getByRole('region', { name: 'Latest rejected requests', exact: true }).getByRole('row');
    await rows.filter({ hasText: 'RATE_LIMITED' }).filter({ hasText: 'burst' }).first().waitFor();
    await rows.filter({ hasText: 'SCOPE_MISSING' }).filter({ hasText: 'statistics' }).first().waitFor();
  },
};
