/** Reads and deletes the file of `NIB_AGENT_REQUEST_FILE`: the nib protocol makes deletion the agent's duty. */
export function takeRequestFile(path: string | undefined): string | undefined {
  if (path === undefined || path === '') return undefined;
  // A static import of `node:fs` loads its streams, a tenth of the start time of an agent that needs no file.
  const { readFileSync, rmSync } = process.getBuiltinModule('node:fs');
  try {
    const content = readFileSync(path, 'utf8');
    rmSync(path, { force: true });
    return content;
  } catch {
    return undefined;
  }
}
