/** What came of reading something that people write: the value, or every problem with it, each with its place. */
export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly string[] };

export function good<T>(value: T): Checked<T> {
  return { ok: true, value };
}

export function bad(...problems: readonly string[]): Checked<never> {
  return { ok: false, problems };
}
