// The daily jobs of a community manager, who moderates the board of feature requests.
import assert from 'node:assert/strict';

const BOARD = '/v1/engagement/internal/feature-requests';
const UNANSWERED = 'Feature requests without an answer, most votes first';

/** Returns a feature request without an answer that the start page shows. */
async function unanswered({ api, used }) {
  const { data } = await api.get(`${BOARD}?answered=false&suspended=false&merged=false&sort=-votes&limit=5`);
  const found = data.find(({ uuid }) => !used.has(uuid));
  used.add(found.uuid);
  return found;
}

const read = ({ api }, uuid) => api.get(`${BOARD}/${uuid}`);

export const BOARD_JOBS = {
  async 'answer a feature request'(job, world) {
    const { uuid, title } = await unanswered(world);
    await job.start();
    await job.act(UNANSWERED, 'Answer', title);
    await job.type('Answer', 'We plan it for the next quarter.');
    await job.runAndConfirm('feature_request_answer');
    assert.ok((await read(world, uuid)).answered_at);
  },
  async 'change the status of a feature request'(job, world) {
    const { uuid, title } = await unanswered(world);
    await job.start();
    await job.act(UNANSWERED, 'Change status', title);
    await job.select('Status', 'PLANNED');
    await job.type('Public note', 'Planned for the spring.');
    await job.runAndConfirm('feature_request_change_status');
    assert.equal((await read(world, uuid)).status, 'PLANNED');
  },
  async 'merge a feature request into a similar one'(job, world) {
    const { uuid, title } = await unanswered(world);
    await job.start();
    await job.act(UNANSWERED, 'Merge', title);
    await job.choose('Merge into');
    await job.type('Public note', 'Both ask for the same.');
    const { merged_into_uuid } = await job.runAndConfirm('feature_request_merge');
    assert.equal((await read(world, uuid)).merged_into_uuid, merged_into_uuid);
  },
  async 'suspend a feature request'(job, world) {
    const { uuid, title } = await unanswered(world);
    await job.start();
    await job.click(job.page.getByRole('list', { name: UNANSWERED }).getByRole('link', { name: title }));
    await job.click(job.page.getByRole('list', { name: 'Next steps', exact: true }).getByRole('button', { name: 'Suspend a feature request' }));
    await job.type('Reason', 'The text contains names of customers.');
    await job.runAndConfirm('feature_request_suspend');
    assert.ok((await read(world, uuid)).suspended_at);
  },
  async 'resolve a report'(job, world) {
    const { uuid, title } = await unanswered(world);
    const partner = await world.signIn('bastien.faure@belletablee.example');
    await partner.post(`/v1/engagement/feature-requests/${uuid}:report`, { reason: 'OFF_TOPIC', note: 'This is no feature.' });
    await job.start();
    await job.act('Reports on feature requests and comments', 'Resolve', title);
    await job.select('Outcome', 'DISMISSED');
    await job.runAndConfirm('report_resolve');
    assert.equal((await read(world, uuid)).open_reports, 0);
  },
};
