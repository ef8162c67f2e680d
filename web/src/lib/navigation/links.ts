/** A sender's address is a link only where it leads to the web. */
export function isWeb(url: string): boolean {
  return /^https?:\/\//i.test(url);
}
