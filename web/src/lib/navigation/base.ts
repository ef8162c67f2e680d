/** The manifest and the worker stand directly below the address of this service. A test has neither. */
const own =
  globalThis.document?.querySelector<HTMLLinkElement>('link[rel="manifest"]')?.href ?? globalThis.location?.href;

/** The path of this service on its host: empty, or such as `/inbox` where other services share the host. */
export const base = own === undefined ? '' : new URL('.', own).pathname.slice(0, -1);

/** The path of an address of this service, such as `/v1/me`, as browsers request it. */
export function below(path: string): string {
  return base + path;
}

/** The part of a path below this service, as the router and the API name it; null for an address of another one. */
export function within(path: string): string | null {
  return path.startsWith(`${base}/`) ? path.slice(base.length) : null;
}

/** The address of this service, for texts that people copy. */
export function ownAddress(): string {
  return location.origin + base;
}

/** Loads a page of this service anew. */
export function load(path: string): void {
  location.assign(below(path));
}

/** A name in this browser's storage. Services that share a host share its storage, too. */
export function ownName(name: string): string {
  return base === '' ? name : `${base} ${name}`;
}
