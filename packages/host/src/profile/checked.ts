/** The result of reading a file or fields: the `value`, or all `problems`, each with its place. */
export type Checked<T> =
  | { readonly ok: true; readonly value: T; readonly warnings?: readonly string[] }
  | { readonly ok: false; readonly problems: readonly string[] };

/** A usable value; `warnings` name the fields of the file that were ignored. */
export function good<T>(value: T, warnings: readonly string[] = []): Checked<T> {
  return warnings.length === 0 ? { ok: true, value } : { ok: true, value, warnings };
}

export function bad(...problems: readonly string[]): Checked<never> {
  return { ok: false, problems };
}
