/** Reads the request a host has left in a file, and deletes it: that is the agent's duty. */
export function takeRequestFile(path: string | undefined): string | undefined {
  if (path === undefined || path === '') return undefined;
  // An import of it would load all its streams, which is a tenth of the start of an agent that needs none of them.
  const { readFileSync, rmSync } = process.getBuiltinModule('node:fs');
  try {
    const content = readFileSync(path, 'utf8');
    rmSync(path, { force: true });
    return content;
  } catch {
    return undefined;
  }
}
