import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { home } from '../gateway.ts';

/** An agent of rich terminal mode, as nanobot starts it. */
const SCRIPT = `
let text = '';
process.stdin.on('data', (chunk) => (text += chunk)).on('end', () => {
  const said = JSON.parse(text).text;
  console.log(JSON.stringify({ type: 'message', text: process.env.GREETING + ' ' + said }));
});
`;

function configOf(place: string, more: object = {}): string {
  const terminal = {
    command: `node ${join(place, 'agent.js')}`,
    protocol: 'rich',
    timeout: 30,
    passMedia: true,
    env: { GREETING: 'heard' },
  };
  const agents = { defaults: { workspace: join(place, 'workspace') } };
  return JSON.stringify({ agents, terminal, ...more });
}

describe.concurrent('a nanobot configuration', () => {
  it('is run as it is by plugboard up --nanobot', async () => {
    await using place = home();
    mkdirSync(join(place.path, 'workspace'));
    place.write(SCRIPT, 'agent.js');
    const file = place.write(
      configOf(place.path, { channels: { feishu: { enabled: true } } }),
      'config.json',
    );
    const up = await place.up('--nanobot', file, '--port', '0');
    expect(up.stderr).toContain('feishu: Plugboard has no such channel.');
    const answer = await place.run(['chat', '--gateway'], { input: 'good morning\n' });
    expect(answer.stdout).toBe('heard good morning\n');
  });

  it('becomes a configuration of ours by plugboard init --from-nanobot', async () => {
    await using place = home();
    const file = place.write(configOf(place.path), 'config.json');
    const done = await place.run(['init', '--from-nanobot', file]);
    expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining('plugboard.yaml was written') });
    const written = readFileSync(join(place.path, 'plugboard.yaml'), 'utf8');
    expect(written).toContain(`profile: "${file}"`);
    expect((await place.run(['config', 'check'])).code).toBe(0);
    expect((await place.run(['init', '--from-nanobot', file])).code).toBe(2);
  });

  it('is refused with a sentence when it is none', async () => {
    await using place = home();
    for (const [text, said] of [
      ['{', 'it is not JSON'],
      ['[]', 'no map of fields'],
      ['{"channels":{}}', 'has no terminal block'],
    ] as const) {
      const file = place.write(text, 'config.json');
      const done = await place.run(['init', '--from-nanobot', file]);
      expect(done).toMatchObject({ code: 2, stderr: expect.stringContaining(said) });
    }
    const missing = await place.run(['up', '--nanobot', 'missing.json']);
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be read') });
  });
});
