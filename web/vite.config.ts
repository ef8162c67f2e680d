import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { build, defineConfig, type Plugin, type Rolldown } from 'vite';

const COMPRESSIBLE = /\.(js|css|svg|webmanifest|json|txt)$/;
const FIRST_SCRIPT_BUDGET = 230 * 1024;

/** Writes `.gz` and `.br` beside each file, and refuses a first script that is over its budget. */
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
      for (const file of Object.values(bundle)) {
        if (file.type === 'chunk' && file.isEntry) {
          const size = gzipSync(file.code, { level: 9 }).length;
          if (size > FIRST_SCRIPT_BUDGET) this.error(`the first script is ${size} bytes compressed`);
        }
      }
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

function shellOf(bundle: Rolldown.OutputBundle): string[] {
  const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
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
  build: { assetsInlineLimit: 0, target: 'es2022', modulePreload: { polyfill: false }, reportCompressedSize: false },
  server: {
    port: 5173,
    proxy: { '/v1': { target: process.env.INBOX_URL ?? 'http://127.0.0.1:8080' } },
  },
});
