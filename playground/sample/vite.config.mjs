import { defineConfig } from 'vite';

export default defineConfig({
  envDir: false,
  build: {
    target: 'es2022',
    // Every asset is a separate file: the content security policy allows none from a data: URL.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
