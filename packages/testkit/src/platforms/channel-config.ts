import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FakePlatform } from './fake-platform.ts';

/** Settings that a configuration takes from files. */
const SECRET = /token|secret/;

/**
 * The fields of a channel that talks to a fake platform, for `channels` of a configuration. Its secrets are written to files
 * in `directory`.
 */
export function channelFields(
  kind: string,
  { settings }: Pick<FakePlatform, 'settings'>,
  directory: string,
): Record<string, unknown> {
  const fields = Object.entries(settings).map(([name, value]) => {
    if (!SECRET.test(name)) return [name, value];
    const file = join(directory, `${kind}-${name}`);
    writeFileSync(file, String(value), { mode: 0o600 });
    return [name, { file }];
  });
  return { kind, ...Object.fromEntries(fields) };
}
