// The client sends requests with `fetch` to the service of the test.
export default {
  labs: {
    input: process.env.LABS_TEST_CONTRACT,
    output: { target: 'made/labs.ts', client: 'fetch', mode: 'single', baseUrl: process.env.LABS_TEST_BASE },
  },
};
