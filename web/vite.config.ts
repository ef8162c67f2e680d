import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const COMPRESSIBLE = /\.(js|css|svg|webmanifest|json|txt)$/;
const FIRST_SCRIPT_BUDGET = 230 * 1024;

/** Writes `.gz` and `.br` beside each file, and refuses a first script that is over its budget. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    writeBundle(options, bundle) {
      const folder = options.dir ?? 'dist';
      const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
      for (const name of names.filter((each) => COMPRESSIBLE.test(each))) {
        const content = readFileSync(join(folder, name));
        writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }));
        const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
        writeFileSync(join(folder, `${name}.br`), brotliCompressSync(content, { params }));
      }
      const document = join(folder, 'index.html');
      if (existsSync(document)) utimesSync(document, new Date(), new Date()); // the server reads the folder anew now
      for (const file of Object.values(bundle)) {
        if (file.type === 'chunk' && file.isEntry) {
          const size = gzipSync(file.code, { level: 9 }).length;
          if (size > FIRST_SCRIPT_BUDGET) this.error(`the first script is ${size} bytes compressed`);
        }
      }
    },
  };
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
