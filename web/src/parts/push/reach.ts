const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Why phones cannot use the instance at its address, and what an operator sets; null if they can. */
export function phoneObstacle(address: string): string | null {
  const { protocol, hostname } = new URL(address);
  const remedy = 'Set INBOX_BASE_URL to the https address of this instance.';
  if (LOOPBACK.test(hostname)) return `Phones cannot reach ${hostname}. ${remedy}`;
  return protocol === 'https:' ? null : `Phones get notifications over https only. ${remedy}`;
}
