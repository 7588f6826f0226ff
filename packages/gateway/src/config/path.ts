/** Location of a value in the file. */
export type Path = readonly PropertyKey[];

/** A `Path` as the key of a map. */
export function pathKey(path: Path): string {
  return JSON.stringify(path.map(String));
}
