import { defineConfig } from 'vite';

export default defineConfig({
  envDir: false,
  build: {
    target: 'es2022',
    // Every asset is a file of its own: the policy of the pages allows none from a data: address.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
