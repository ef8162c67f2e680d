/** The key of the first source, between the set-up and the page after it. It is in the memory of this page alone. */
let key: string | null = null;

export function keepFirstKey(secret: string | null): void {
  key = secret;
}

export function firstKey(): string | null {
  return key;
}
