import { defineConfig } from '@hey-api/openapi-ts';

/** The typed client, generated from the document of our own API. `src/api` is never committed. */
export default defineConfig({
  input: './openapi.json',
  output: { path: './src/api' },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk', '@tanstack/react-query'],
});
