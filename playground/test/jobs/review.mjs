// The daily jobs of a reviewer.
import assert from 'node:assert/strict';

const DESK = '/v1/marketplace/internal/submissions';
const MINE = 'My claimed submissions';

/** Differences in texts, for which the form suggests a requirement. */
const isText = ({ path }) => /release_notes|tagline|description/.test(path);

/** Claims a waiting submission that no earlier job has used. */
async function claimed({ api, used }, { appeal = false, differences = 0 } = {}) {
  const submission = await waiting({ api, used }, { appeal, differences });
  return api.post(`${DESK}/${submission.uuid}:claim`);
}

async function waiting({ api, used }, { appeal = false, differences = 0 } = {}) {
  const { data } = await api.get(`${DESK}?state=SUBMITTED&appeal=${appeal}&sort=queued_at&limit=50`);
  for (const { uuid } of data) {
    const submission = used.has(uuid) ? null : await api.get(`${DESK}/${uuid}`);
    if (!submission?.allowed_actions.includes('claim') || submission.differences.filter(isText).length < differences) continue;
    used.add(uuid);
    return submission;
  }
  throw new Error('the sample data has no such submission');
}

const messagesOf = async (api, uuid) => (await api.get(`${DESK}/${uuid}`)).messages;

/** Picks differences as places of findings, and completes the findings. The form suggests a requirement for most places. */
async function addFindings(job, count) {
  const boxes = job.page.getByRole('group', { name: 'Differences of the submission' }).getByRole('checkbox', { name: /release_notes|tagline|description/ });
  for (let index = 0; index < count; index += 1) await job.click(boxes.nth(index));
  for (let index = 1; index <= count; index += 1) {
    const finding = job.page.getByRole('group', { name: `Finding ${index}` });
    const requirement = finding.getByRole('combobox', { name: 'Requirement' });
    assert.notEqual(await requirement.inputValue(), '');
    await finding.getByLabel(/^Observed/).fill('The text names a function that the app does not have.');
    await finding.getByLabel(/^Text/).fill('Describe only functions of this version.');
  }
}

export const REVIEW_JOBS = {
  async 'claim a submission'(job, world) {
    const { uuid, app_name } = await waiting(world);
    world.used.delete(uuid);
    await job.start();
    await job.act('Submissions waiting for a reviewer', 'Claim', app_name);
    await job.runAndConfirm('submission_claim');
    const { state, reviewer } = await world.api.get(`${DESK}/${uuid}`);
    assert.deepEqual([state, reviewer.name], ['IN_REVIEW', world.name]);
    world.first = { uuid, app_name };
  },
  async 'end a claim'(job, world) {
    await job.start();
    await job.act(MINE, 'Unclaim', world.first.app_name);
    await job.runAndConfirm('submission_unclaim');
    assert.equal((await world.api.get(`${DESK}/${world.first.uuid}`)).state, 'SUBMITTED');
  },
  async 'write to a partner about a submission'(job, world) {
    const { uuid, app_name } = (world.open = await claimed(world));
    await job.start();
    await job.act(MINE, 'Write to the partner', app_name);
    await job.type('Message', 'Does the app still need the permission to read orders?');
    await job.runAndConfirm('submission_message');
    assert.match((await messagesOf(world.api, uuid)).at(-1).body, /permission to read orders/);
  },
  async 'write an internal note on a submission'(job, world) {
    const { uuid, app_name } = world.open;
    await job.start();
    await job.act(MINE, 'Write a note', app_name);
    await job.type('Note', 'The permission was discussed with the partner by telephone.');
    await job.runAndConfirm('submission_note');
    assert.match((await messagesOf(world.api, uuid)).at(-1).body, /by telephone/);
  },
  async 'request changes with two findings'(job, world) {
    const { uuid, app_name } = await claimed(world, { differences: 2 });
    await job.start();
    await job.act(MINE, 'Request changes', app_name);
    await addFindings(job, 2);
    await job.runAndConfirm('submission_request_changes');
    const { state, findings } = await world.api.get(`${DESK}/${uuid}`);
    assert.deepEqual([state, findings.length], ['CHANGES_REQUESTED', 2]);
  },
  async 'approve a submission'(job, world) {
    const { uuid, app_name } = await claimed(world);
    await job.start();
    await job.act(MINE, 'Approve', app_name);
    await job.type('Note to the partner', 'Well described.');
    await job.runAndConfirm('submission_approve');
    assert.equal((await world.api.get(`${DESK}/${uuid}`)).state, 'APPROVED');
  },
  async 'reject a submission with a finding'(job, world) {
    const { uuid, app_name } = await claimed(world, { differences: 1 });
    await job.start();
    await job.act(MINE, 'Reject', app_name);
    await addFindings(job, 1);
    await job.runAndConfirm('submission_reject');
    assert.equal((await world.api.get(`${DESK}/${uuid}`)).state, 'REJECTED');
  },
  async 'decide an appeal'(job, world) {
    const { uuid, app_name } = await claimed(world, { appeal: true });
    await job.start();
    await job.act(MINE, 'Approve', app_name);
    await job.runAndConfirm('submission_approve');
    assert.equal((await world.api.get(`${DESK}/${uuid}`)).state, 'APPROVED');
  },
  async 'approve a customer review'(job, world) {
    await job.start();
    const list = 'Customer reviews waiting for a moderator';
    const button = job.page.getByRole('list', { name: list }).getByRole('button', { name: /^Approve: / }).first();
    await job.click(button);
    const { uuid, state } = await job.runAndConfirm('review_approve');
    const { data } = await world.api.get(`/v1/marketplace/internal/reviews?review_uuid=${uuid}`);
    assert.deepEqual([state, data[0].state, data[0].waiting ?? null], ['PUBLISHED', 'PUBLISHED', null]);
  },
  async 'reject a flagged customer review'(job, world) {
    await job.start();
    const list = 'Customer reviews flagged by the partner';
    const button = job.page.getByRole('list', { name: list }).getByRole('button', { name: /^Reject: / }).first();
    await job.click(button);
    await job.select('Reason', 'OFF_TOPIC');
    const { uuid } = await job.runAndConfirm('review_reject');
    const { data } = await world.api.get(`/v1/marketplace/internal/reviews?review_uuid=${uuid}`);
    assert.equal(data[0].shown ?? null, null);
  },
};
