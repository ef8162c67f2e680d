import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { build, defineConfig, type Plugin, type Rolldown } from 'vite';

const COMPRESSIBLE = /\.(js|css|svg|webmanifest|json|txt)$/;
const FIRST_SCRIPTS_BUDGET = 230 * 1024;
const FIRST_SCRIPTS = 4;
/** What at least so many screens import is in one file, which each screen loads. */
const SHARED_BY = 4;

/** Writes `.gz` and `.br` beside each file, and refuses first scripts that are over their budget or too many. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    async writeBundle(options, bundle) {
      const folder = options.dir ?? 'dist';
      await buildWorker(folder, shellOf(bundle));
      const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
      for (const name of names.filter((each) => COMPRESSIBLE.test(each))) {
        const content = readFileSync(join(folder, name));
        writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }));
        const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
        writeFileSync(join(folder, `${name}.br`), brotliCompressSync(content, { params }));
      }
      const document = join(folder, 'index.html');
      if (existsSync(document)) utimesSync(document, new Date(), new Date()); // the server reads the folder again now
      const first = firstScripts(bundle);
      const size = first.reduce((sum, each) => sum + gzipSync(each.code, { level: 9 }).length, 0);
      if (size > FIRST_SCRIPTS_BUDGET) this.error(`the first scripts are ${size} bytes compressed`);
      const cycle = cycleOf(chunksOf(bundle));
      if (cycle)
        this.error(`${cycle} imports itself by way of other files: constants of a screen would not be set in time`);
      if (first.length === 0 || first.length > FIRST_SCRIPTS) this.error(`the first scripts are ${first.length} files`);
    },
  };
}

/** The files of the first screens: what the start, the inbox, an incident and the pairing import, with their styles. */
const SHELL = [
  'main.tsx',
  'index.html',
  'screens/inbox/index.tsx',
  'screens/incidents/index.tsx',
  'screens/pair/index.tsx',
];

function chunksOf(bundle: Rolldown.OutputBundle): Rolldown.OutputChunk[] {
  return Object.values(bundle).filter((file) => file.type === 'chunk');
}

/** A file that imports itself by way of others. */
function cycleOf(chunks: Rolldown.OutputChunk[]): string | undefined {
  const importsOf = new Map(chunks.map((each) => [each.fileName, each.imports]));
  return chunks
    .map((each) => each.fileName)
    .find((name) => {
      const seen = new Set(importsOf.get(name));
      for (const each of seen) (importsOf.get(each) ?? []).forEach((further) => seen.add(further));
      return seen.has(name);
    });
}

/** The scripts that every page loads first: those that the document names and what these import, directly or not. */
function firstScripts(bundle: Rolldown.OutputBundle): Rolldown.OutputChunk[] {
  const chunks = chunksOf(bundle);
  const page = bundle['index.html'];
  const text = page?.type === 'asset' ? String(page.source) : '';
  const found = new Set(chunks.filter((each) => text.includes(each.fileName)));
  for (const chunk of found) {
    chunks.filter((each) => chunk.imports.includes(each.fileName)).forEach((each) => found.add(each));
  }
  return [...found];
}

function shellOf(bundle: Rolldown.OutputBundle): string[] {
  const chunks = chunksOf(bundle);
  const found = new Set<string>();
  const add = (name: string) => {
    const chunk = chunks.find((each) => each.fileName === name);
    if (found.has(name) || chunk === undefined) return;
    found.add(name);
    const { importedCss = new Set<string>() } =
      (chunk as { viteMetadata?: { importedCss: Set<string> } }).viteMetadata ?? {};
    importedCss.forEach((each) => found.add(each));
    chunk.imports.forEach(add);
  };
  chunks
    .filter((each) => SHELL.some((name) => each.facadeModuleId?.endsWith(name)))
    .forEach((each) => add(each.fileName));
  return [...found].sort().map((name) => `/${name}`);
}

/** The service worker is one classic script beside the document. It knows the names of the files that it keeps. */
async function buildWorker(folder: string, files: string[]): Promise<void> {
  const entry = join(import.meta.dirname, 'src', 'worker', 'index.ts');
  const version = createHash('sha256').update(files.join('\n')).digest('hex').slice(0, 12);
  await build({
    configFile: false,
    logLevel: 'warn',
    resolve: { alias: { '@': join(import.meta.dirname, 'src') } },
    define: { SHELL_FILES: JSON.stringify(files), SHELL_VERSION: JSON.stringify(version) },
    publicDir: false,
    build: {
      outDir: folder,
      emptyOutDir: false,
      target: 'es2022',
      reportCompressedSize: false,
      rollupOptions: { input: entry, output: { format: 'iife', entryFileNames: 'sw.js', codeSplitting: false } },
    },
  });
}

/** `INBOX_URL=http://127.0.0.1:8080 npm run dev` shows sources as they are saved, with the API of a running instance. */
export default defineConfig({
  plugins: [react(), compressed()],
  resolve: { alias: { '@': join(import.meta.dirname, 'src') } },
  html: { cspNonce: '__NONCE__' },
  build: {
    assetsInlineLimit: 0,
    target: 'es2022',
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700, // kilobytes before compression; the budget above counts
    rolldownOptions: {
      output: {
        codeSplitting: {
          // A screen is a file of its own. Without groups each icon would be one as well (decision 0082).
          groups: [
            { name: 'vendor', test: /node_modules/, tags: ['$initial'] },
            { name: 'app', tags: ['$initial'] },
            {
              name: 'shared',
              minShareCount: SHARED_BY,
            },
          ],
        },
      },
    },
  },
  server: {
    port: 5173,
    proxy: { '/v1': { target: process.env.INBOX_URL ?? 'http://127.0.0.1:8080' } },
  },
});
