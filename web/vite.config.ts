import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { build, defineConfig, type Plugin, type Rolldown } from 'vite';

const COMPRESSIBLE = /\.(js|css|svg|webmanifest|json|txt)$/;
const FIRST_SCRIPTS_BUDGET = 160 * 1024;
const FIRST_SCRIPTS = 4;
/** What the screens that a phone opens first load besides: a dialog or a list of choices would be above it. */
const SCREEN_BUDGET = 60 * 1024;
/** What most screens import is split by what needs it: the inbox loads none of these. A group takes what its files import. */
const CHOICES = 'Combobox|NumberInput|TagsInput|MultiSelect|/Select/|PillsInput|react-number-format';
const BOXES = 'Checkbox|Radio|Switch|InlineInput|Textarea|SimpleGrid|/Tabs|FloatingIndicator';
const FORMS = `@mantine/form|klona|fast-deep-equal|PasswordInput|SegmentedControl|Chip|${BOXES}`;
/** What menus, lists of choices and dialogs are made of. */
const HOOKS = 'use-(focus-trap|focus-return|click-outside|long-press|debounced)|is-element|OptionalPortal';
const FLOATS = `/Popover|/Tooltip|/Floating/|/FocusTrap|@floating-ui|/ScrollArea|/Overlay/|${HOOKS}`;
/** Dialogs, drawers and menus. Each is loaded when it opens. */
const WINDOWS = '/Modal|/Drawer|/Menu|parts/dialogs';
const EDITORS =
  'parts/(dialogs|conflict|editor|history|NewPassword|ZoneSelect|Snippets|ShowOnce|usePassword|SettingsSection|PageSelect)';
/** Pages without the frame: signing in, links of a mail. */
const PUBLIC = '/src/(parts/(PublicPage|InvalidLink)|lib/session/(provider|passkey)|lib/navigation/linkToken)';
/** Small parts of rows of incidents. Each file of its own costs a request. */
const ROW_PARTS =
  'SnoozeMenu|incidentNotes|Undelivered|parkline|LastResolved|NotifiedNobody|useCurrentInView|silenceLike';
const ROWS = new RegExp(`/src/.*(${ROW_PARTS}|FacetPanel|Inbox.module)|react-query/.*/useQueries|/queriesObserver`);
/** Small files of those groups that the others import too. */
const BOTH = 'CheckIcon|RadioIcon|to-int';
const FIELDS = new RegExp(`node_modules/(.*(${BOTH})|(?!.*(${CHOICES}|${FORMS}|${WINDOWS}|${FLOATS})))`);
const SHARED = new RegExp(`/src/(?!${EDITORS})`);
/** Icons of two screens are in one file: each file of its own costs a round trip. */
const ICONS = /lucide-react/;
/** What at least so many screens import is in one file, which each screen loads. */
const SHARED_BY = 4;

const COMPONENT = /@mantine\/core\/esm\/(?:components|utils)\/.*?(\w+)\.mjs$/;
const STYLES = join(import.meta.dirname, 'node_modules', '@mantine', 'core', 'styles');

/** Gives each component of Mantine its styles: a page loads those of the components that it has. Theirs is a layer below ours. */
function stylesOfComponents(): Plugin {
  return {
    name: 'styles-of-components',
    enforce: 'pre',
    transform(code, id) {
      const name = COMPONENT.exec(id.split('?')[0] ?? '')?.[1];
      if (name === undefined || !existsSync(join(STYLES, `${name}.layer.css`))) return null;
      return { code: `${code}\nimport '@mantine/core/styles/${name}.layer.css';\n`, map: null };
    },
  };
}

/** Refuses a bundle that would be slow or broken, and writes `.gz` and `.br` beside each file of another one. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    generateBundle: { order: 'post', handler: (_, bundle) => checkBundle(bundle) },
    async writeBundle(options, bundle) {
      const folder = options.dir ?? 'dist';
      await buildWorker(folder, shellOf(bundle));
      writeFileSync(join(folder, 'screens.json'), JSON.stringify(screensOf(bundle)));
      const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
      for (const name of names.filter((each) => COMPRESSIBLE.test(each))) {
        const content = readFileSync(join(folder, name));
        writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }));
        const params = {
          [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
          [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
          [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
        };
        writeFileSync(join(folder, `${name}.br`), brotliCompressSync(content, { params }));
      }
      const document = join(folder, 'index.html');
      if (existsSync(document)) utimesSync(document, new Date(), new Date()); // the server reads the folder again now
    },
  };
}

const SCREEN = /screens\/([\w-]+)\/index\.tsx$/;
/** The screens that a phone opens first. */
const SMALL = ['screens/inbox/index.tsx', 'screens/incidents/index.tsx'];
/** The screens that start without a connection. */
const SHELL = [...SMALL, 'screens/pair/index.tsx'];

type WithStyles = { viteMetadata?: { importedCss: Set<string> } };

function chunksOf(bundle: Rolldown.OutputBundle): Rolldown.OutputChunk[] {
  return Object.values(bundle).filter((file) => file.type === 'chunk');
}

/** These files and what they import, directly or not. */
function withImports(chunks: Rolldown.OutputChunk[], names: string[]): Set<string> {
  const importsOf = new Map(chunks.map((each) => [each.fileName, each.imports]));
  const found = new Set(names);
  for (const name of found) (importsOf.get(name) ?? []).forEach((each) => found.add(each));
  return found;
}

/** The scripts that every page loads first. */
function firstScripts(bundle: Rolldown.OutputBundle): Rolldown.OutputChunk[] {
  const chunks = chunksOf(bundle);
  const page = bundle['index.html'];
  const text = page?.type === 'asset' ? String(page.source) : '';
  const named = chunks.map((each) => each.fileName).filter((name) => text.includes(name));
  const found = withImports(chunks, named);
  return chunks.filter((each) => found.has(each.fileName));
}

/** The files of each screen by its name, without those that every page loads: the document names them. */
function screensOf(bundle: Rolldown.OutputBundle): Record<string, string[]> {
  const chunks = chunksOf(bundle);
  const first = new Set(firstScripts(bundle).map((each) => each.fileName));
  const found: Record<string, string[]> = {};
  for (const screen of chunks) {
    const name = SCREEN.exec(screen.facadeModuleId ?? '')?.[1];
    if (name === undefined) continue;
    const names = new Set([...withImports(chunks, [screen.fileName])].filter((each) => !first.has(each)));
    found[name] = [...names, ...stylesOf(chunks, names)].map((each) => `/${each}`);
  }
  return found;
}

function stylesOf(chunks: Rolldown.OutputChunk[], names: ReadonlySet<string>): string[] {
  const styled = chunks.filter((each) => names.has(each.fileName)) as (Rolldown.OutputChunk & WithStyles)[];
  return styled.flatMap((each) => [...(each.viteMetadata?.importedCss ?? [])]);
}

/** What the service worker keeps: the first scripts and the screens of `SHELL`, with what these load later and the styles. */
function shellOf(bundle: Rolldown.OutputBundle): string[] {
  const chunks = chunksOf(bundle);
  const screens = chunks.filter((each) => SHELL.some((name) => each.facadeModuleId?.endsWith(name)));
  const others = new Set(chunks.filter((each) => SCREEN.test(each.facadeModuleId ?? '')).map((each) => each.fileName));
  const first = withImports(
    chunks,
    [...firstScripts(bundle), ...screens].map((each) => each.fileName),
  );
  const later = chunks.filter((each) => first.has(each.fileName)).flatMap((each) => each.dynamicImports);
  const names = withImports(chunks, [...first, ...later.filter((name) => !others.has(name))]);
  return [...new Set([...names, ...stylesOf(chunks, names)])].sort().map((name) => `/${name}`);
}

function compressedSize(chunks: Rolldown.OutputChunk[]): number {
  return chunks.reduce((sum, each) => sum + gzipSync(each.code, { level: 9 }).length, 0);
}

/** Throws for a bundle that would be slow or broken. */
function checkBundle(bundle: Rolldown.OutputBundle): void {
  const chunks = chunksOf(bundle);
  const first = firstScripts(bundle);
  const size = compressedSize(first);
  if (size > FIRST_SCRIPTS_BUDGET) throw new Error(`the first scripts are ${size} bytes compressed`);
  if (first.length === 0 || first.length > FIRST_SCRIPTS)
    throw new Error(`the first scripts are ${first.length} files`);
  for (const name of SMALL) {
    const screen = chunks.find((each) => each.facadeModuleId?.endsWith(name));
    if (!screen) throw new Error(`${name} has no file of its own`);
    const names = withImports(chunks, [screen.fileName]);
    const own = compressedSize(chunks.filter((each) => names.has(each.fileName) && !first.includes(each)));
    if (own > SCREEN_BUDGET) throw new Error(`the scripts of ${name} are ${own} bytes compressed`);
  }
  // A constant of a screen could be made before what it is made of: nothing but the open screen shows that.
  const cycle = chunks.find((each) => withImports(chunks, each.imports).has(each.fileName));
  if (cycle) throw new Error(`${cycle.fileName} imports itself by way of other files`);
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
  plugins: [stylesOfComponents(), react(), compressed()],
  resolve: { alias: { '@': join(import.meta.dirname, 'src') } },
  html: { cspNonce: '__NONCE__' },
  experimental: {
    // The server knows its path. Scripts and styles name each other relative to themselves.
    renderBuiltUrl: (name, { hostType }) => (hostType === 'html' ? `__BASE__/${name}` : { relative: true }),
  },
  build: {
    assetsInlineLimit: 0,
    target: 'es2022',
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700, // kilobytes before compression; the budget above counts
    rolldownOptions: {
      output: {
        codeSplitting: {
          // A screen is a file of its own. Without groups each icon would be one as well (decision 0027).
          groups: [
            { name: 'vendor', test: /node_modules/, tags: ['$initial'] },
            { name: 'app', tags: ['$initial'] },
            { name: 'icons', test: ICONS, minShareCount: 2 },
            { name: 'fields', test: FIELDS, minShareCount: SHARED_BY },
            { name: 'public', test: new RegExp(PUBLIC), minShareCount: SHARED_BY },
            { name: 'shared', test: SHARED, minShareCount: SHARED_BY },
            { name: 'rows', test: ROWS, minShareCount: 2 },
            { name: 'floats', test: new RegExp(FLOATS), minShareCount: SHARED_BY },
            { name: 'windows', test: new RegExp(WINDOWS), minShareCount: SHARED_BY },
            { name: 'forms', test: new RegExp(FORMS), minShareCount: SHARED_BY },
            { name: 'choices', test: new RegExp(CHOICES), minShareCount: SHARED_BY },
            { name: 'editors', minShareCount: SHARED_BY },
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
