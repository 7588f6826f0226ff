/** A name that nobody else has. `crypto.randomUUID` is not there in a page that came over plain HTTP from another machine. */
export function uniqueId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
