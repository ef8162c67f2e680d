// The plug-ins that the dashboard uses; the document is what a server answers at /v1/openapi.json.
export default {
  input: "./openapi.json",
  output: { path: "./generated", module: { extension: ".js" } },
  plugins: ["@hey-api/typescript", "@hey-api/sdk", "@hey-api/client-fetch"],
};
