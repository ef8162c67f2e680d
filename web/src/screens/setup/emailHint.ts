/** What stands below the address of the first account: it is accepted, but a slip in it would lock its owner out. */
export function emailHint(email: string): string {
  return /@[^.]*[^.\s]$/.test(email.trim())
    ? 'There is no dot after the @. Check the address if mail should reach you.'
    : 'You sign in with it.';
}
