// Builds the three pages into dist/, from node_modules alone:
//   dist/index.html    the front page, as written
//   dist/playground/   the staff's page, served below /playground
//   dist/reference/    the API reference, served below /reference
import { cp, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { accessPlugin, untitledPlugin } from './page/plugins.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Builds one page with its address as the base of every asset. */
async function page(root, base) {
  await build({
    root: here(root),
    base: `${base}/`,
    configFile: false,
    envDir: false,
    logLevel: 'warn',
    worker: { format: 'es' },
    plugins: [accessPlugin(), untitledPlugin()],
    resolve: {
      // The editor asks for the formatter's parts under two names each; one copy will do.
      alias: {
        'prettier/parser-graphql': 'prettier/plugins/graphql',
        'prettier/parser-babel': 'prettier/plugins/babel',
      },
    },
    build: {
      outDir: here(`dist${base}`),
      emptyOutDir: true,
      target: 'es2022',
      // Fonts and images stay files of their own: the policy allows no font from a data: address.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // The editor is one large part whichever way it is cut, and only staff load it.
      chunkSizeWarningLimit: 8000,
      // Libraries mark modules for servers that render React; in a page the mark means nothing.
      rolldownOptions: { onLog: (level, log, next) => log.code === 'MODULE_LEVEL_DIRECTIVE' || next(level, log) },
    },
  });
}

const started = Date.now();
await rm(here('dist'), { recursive: true, force: true });
await page('page', '/playground');
await page('reference', '/reference');
await cp(here('index/index.html'), here('dist/index.html'));
console.log(`built dist/ in ${((Date.now() - started) / 1000).toFixed(1)} s`);
