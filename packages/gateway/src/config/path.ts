/** Where a value stands in the file. */
export type Path = readonly PropertyKey[];

/** The same as the key of a map. */
export function pathKey(path: Path): string {
  return JSON.stringify(path.map(String));
}
