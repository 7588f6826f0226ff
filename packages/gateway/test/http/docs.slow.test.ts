import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { allRoutes } from '../../src/http/http.ts';
import { TIMING } from '../../src/http/timing.ts';
import { shell } from '../harness.ts';
import { startDoor } from './door.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../../docs/http.md'), 'utf8');
const tools = ['curl', 'jq'].every((name) => spawnSync(name, ['--version']).status === 0);

/** The commands of the page, as one script. What would go on for ever is stopped after a moment. */
function scriptOf(page: string, url: string, token: string): string {
  const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  return blocks
    .join('\n')
    .replace(/^URL=.*$/m, `URL=${url}`)
    .replace(/^TOKEN=.*$/m, `TOKEN=${token}`)
    .replace(/^(curl -N .*)$/gm, '$1 -m 1 -s || [ $? = 28 ]')
    .replace(/^/, 'set -euo pipefail\n');
}

describe.concurrent('the page about the API', () => {
  it.skipIf(!tools)('has examples that work as they stand', async () => {
    const door = await startDoor({
      agents: (at) => [shell('echo', 'cat > /dev/null; echo "Hello to you."', at)],
    });
    const { stdout } = await promisify(execFile)('bash', ['-c', scriptOf(PAGE, door.door.url, door.token)]);
    expect(stdout).toContain('"duplicate":false');
    expect(stdout).toContain('{"type":"message","text":"Hello to you."}');
    expect(stdout).toContain('event: status');
    expect(stdout).toContain('id: 3\n');
    expect(stdout).toContain('name,size\nash,12');
  });

  it('names only routes that there are', () => {
    const known = new Set(allRoutes({ version: '0' }).map(({ path }) => path.replace(/:(\w+)/g, '{$1}')));
    const named = [
      ...PAGE.matchAll(/`(?:[A-Z`, ]+)?(\/(?:api|healthz|readyz|metrics|openapi|docs)[\w/{}.-]*)`/g),
    ].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((path) => !known.has(path))).toEqual([]);
  });

  it('tells the limits as they are', () => {
    const seconds = (ms: number): string => `${ms / 1_000} s`;
    for (const limit of [TIMING.bodyMs, TIMING.headersMs, TIMING.idleMs])
      expect(PAGE).toContain(seconds(limit));
    expect(PAGE).toContain(`every ${TIMING.heartbeatMs / 1_000} seconds`);
    expect(PAGE).toContain(`nothing for ${TIMING.stallMs / 1_000} seconds`);
  });
});
