import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const scratch = mkdtempSync(join(tmpdir(), 'plugboard-check-test-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Environment of programs under test: their own `PLUGBOARD_HOME`, and a shared `NODE_COMPILE_CACHE` for faster starts. */
export const ENVIRONMENT: Readonly<Record<string, string | undefined>> = {
  ...process.env,
  PLUGBOARD_HOME: scratch,
  NODE_COMPILE_CACHE: join(tmpdir(), 'plugboard-check-compile-cache'),
};
