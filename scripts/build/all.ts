import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleAgent, bundlePrograms } from './bundle.ts';
import { compile, placeAgentTypes, placeCompiled } from './compile.ts';
import { writeManifest } from './manifest.ts';
import { writeNotices } from './notices.ts';
import { placePage } from './page.ts';
import { placePrograms } from './programs.ts';
import { PROGRAMS, PUBLISHED } from './workspace.ts';

/** Builds every published package into its `dist`. */
export async function buildAll(): Promise<void> {
  const compiled = mkdtempSync(join(tmpdir(), 'plugboard-build-'));
  try {
    compile(compiled);
    placeCompiled(compiled);
    await bundleAgent();
    placeAgentTypes(compiled);
    for (const folder of PROGRAMS) writeNotices(folder, await bundlePrograms(folder));
    placePrograms();
    await placePage();
    for (const folder of PUBLISHED) writeManifest(folder);
  } finally {
    rmSync(compiled, { recursive: true, force: true });
  }
}
