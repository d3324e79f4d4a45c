// Builds the four sets of pages into dist/, from node_modules only, and compresses them into packed/, which the service
// embeds:
// - dist/index.html: the front page, copied unchanged
// - dist/playground/: the staff playground, served below /playground
// - dist/reference/: the API reference, served below /reference, generated from the contract, contract/codes.yaml,
//   docs/glossary.md and reference/concepts. Each operation, code and concept has a complete page
// - dist/account/: the pages that links in e-mails open, served below /account
// - dist/llms.txt: an index of the reference for language models
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { build, runnerImport } from 'vite';
import { inputsPlugin } from './page/inputs.mjs';
import { accessPlugin, untitledPlugin } from './page/plugins.mjs';
import { readTexts } from './reference/texts.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Builds one page. Its address is the base of its assets. */
async function page(root, base) {
  await build({
    root: here(root),
    base: `${base}/`,
    configFile: false,
    envDir: false,
    logLevel: 'warn',
    worker: { format: 'es' },
    plugins: [accessPlugin(), inputsPlugin(), untitledPlugin()],
    resolve: {
      // The editor imports the formatter's plugins under two names each. The alias avoids a second copy.
      alias: {
        'prettier/parser-graphql': 'prettier/plugins/graphql',
        'prettier/parser-babel': 'prettier/plugins/babel',
      },
    },
    build: {
      outDir: here(`dist${base}`),
      emptyOutDir: true,
      target: 'es2022',
      // Fonts and images stay separate files: the content security policy allows no fonts from data: URLs.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // The editor is one large chunk regardless of the splitting, and only staff load it.
      chunkSizeWarningLimit: 8000,
      // Libraries mark modules for React server components. The marks have no effect in a browser.
      rolldownOptions: { onLog: (level, log, next) => log.code === 'MODULE_LEVEL_DIRECTIVE' || next(level, log) },
    },
  });
}

/** Writes the generated files of the reference next to its page, and the HTML pages made from its page. */
async function reference() {
  const { module } = await runnerImport(here('reference/make/index.ts'), { configFile: false, logLevel: 'error' });
  const { files, pages } = module.makeSite(await readTexts());
  const template = await readFile(here('dist/reference/index.html'), 'utf8');
  for (const [name, text] of [...files, ...pages(template)]) {
    await mkdir(dirname(here(`dist/${name}`)), { recursive: true });
    await writeFile(here(`dist/${name}`), text);
  }
}

/** Quality of brotli. A higher one takes 25 times as long and saves a tenth. */
const QUALITY = 7;

/** Writes packed/, the files for the service binary. A file that brotli makes smaller is stored as <name>.br. */
async function pack() {
  for (const entry of await readdir(here('dist'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const plain = await readFile(file);
    const packed = await promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } });
    const to = join(here('packed'), relative(here('dist'), file));
    await mkdir(dirname(to), { recursive: true });
    await (packed.length < plain.length ? writeFile(`${to}.br`, packed) : writeFile(to, plain));
  }
}

const started = Date.now();
await rm(here('packed'), { recursive: true, force: true });
await rm(here('dist'), { recursive: true, force: true });
await page('page', '/playground');
await page('reference', '/reference');
await page('account', '/account');
await reference();
await cp(here('index/index.html'), here('dist/index.html'));
await pack();
console.log(`built dist/ in ${((Date.now() - started) / 1000).toFixed(1)} s`);
