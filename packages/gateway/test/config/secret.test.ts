import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { format, inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { describeConfig } from '../../src/config/describe.ts';
import { parseSource } from '../../src/config/reader.ts';
import type { Reading } from '../../src/config/reading.ts';
import { fillReferences } from '../../src/config/references.ts';
import { Secret, secretField } from '../../src/config/secret.ts';
import { readSecrets } from '../../src/config/secrets.ts';
import { CODER, folder, optionsOf, WHOLE } from './folder.ts';

const CANARY = 'canary-7f3a91';

/** A channel that holds a secret, as later ones do. */
const schema = z.strictObject({ token: secretField() });

async function read(
  text: string,
  path = '/nowhere',
  environment: Record<string, string> = {},
): Promise<{ token?: Secret; problems: string[] }> {
  const source = parseSource('plugboard.yaml', text);
  if (!source.ok) throw new Error(source.problems.join());
  const listed = new Set(['TOKEN']);
  const filled = fillReferences(
    { source: source.value, value: source.value.value, base: [] },
    { listed, environment },
  );
  const checked = schema.safeParse(filled.value);
  if (!checked.success) return { problems: checked.error.issues.map(({ message }) => message) };
  const reading: Reading = {
    source: source.value,
    filled,
    directory: path,
    options: optionsOf(path),
    files: new Set(),
  };
  const problems = [...filled.problems];
  const { token } = await readSecrets(reading, checked.data, problems);
  return { token, problems };
}

describe('a secret', () => {
  it('shows itself to nobody who does not ask for it', () => {
    const value = new Secret(CANARY);
    expect(value.reveal()).toBe(CANARY);
    const shown = [
      String(value),
      `${value}`,
      JSON.stringify({ value }),
      inspect({ value }, { showHidden: true }),
    ];
    expect([...shown, format('%s %o %j', value, value, value)].join()).not.toContain('canary');
    expect(JSON.stringify({ value })).toBe('{"value":"[secret]"}');
    expect(Object.keys(value)).toEqual([]);
    expect(() => structuredClone(value)).not.toThrow();
  });

  it('is what a variable holds', async () => {
    const { token, problems } = await read('token: ${TOKEN}', '', { TOKEN: CANARY });
    expect([token?.reveal(), problems]).toEqual([CANARY, []]);
  });

  it.each([
    ['written in place', `token: ${CANARY}`, {}],
    ['around a reference', `token: ${CANARY}\${TOKEN}`, { TOKEN: 'x' }],
    ['written in place with an escape', `token: $\${TOKEN}${CANARY}`, {}],
    ['in a list', `token: [${CANARY}]`, {}],
    ['in a map of another kind', `token: { value: ${CANARY} }`, {}],
    ['as a number', 'token: 12345678', {}],
  ])('is refused without a word of it when it is %s', async (_how, text, environment) => {
    const { problems } = await read(text, '', environment);
    expect(problems.join()).toContain('A secret is not written here: give ${NAME}');
    expect(problems.join()).not.toMatch(/canary|1234/);
  });

  it('is not empty', async () => {
    expect((await read('token: ${TOKEN}', '', { TOKEN: '' })).problems).toEqual([
      'plugboard.yaml:1:1: token: The variable is empty.',
    ]);
  });
});

describe('a secret in a file', () => {
  it('is what the file holds, without the space around it', async () => {
    using at = folder({ 'token.txt': `\n ${CANARY} \n` });
    const { token, problems } = await read('token: { file: ./token.txt }', at.path);
    expect([token?.reveal(), problems]).toEqual([CANARY, []]);
  });

  it.each([0o644, 0o640, 0o604, 0o622])('is refused when others may use the file: mode %o', async (mode) => {
    using at = folder({ 'token.txt': CANARY });
    chmodSync(join(at.path, 'token.txt'), mode);
    const { problems } = await read('token: { file: token.txt }', at.path);
    expect(problems).toEqual([
      'plugboard.yaml:1:1: token: Others can read the file token.txt: run chmod 600 token.txt',
    ]);
  });

  it('is told of a file that is missing, empty, too long or none', async () => {
    using at = folder({ empty: ' \n', long: 'x'.repeat(70_000), 'dir/x': '' });
    chmodSync(join(at.path, 'dir'), 0o700);
    const problem = async (file: string) => (await read(`token: { file: ${file} }`, at.path)).problems[0];
    expect(await problem('none')).toContain('There is no file none.');
    expect(await problem('empty')).toContain('The file empty is empty.');
    expect(await problem('long')).toContain('The file long is too long for a secret.');
    expect(await problem('dir')).toContain('The file dir cannot be read.');
  });
});

describe('a configuration with secrets', () => {
  const environment = { TOKEN: CANARY, NAME: 'ada' };

  it('gives them to the agent and shows them nowhere', async () => {
    using at = folder({
      'plugboard.yaml': WHOLE.replace('PLAIN: text', `PLAIN: plain-${CANARY}`),
      'coder.yaml': CODER,
    });
    const config = await at.read(environment);
    const env = config.agents.get('helper')?.profile.settings.env;
    expect({ ...env }).toEqual({
      TOKEN: CANARY,
      GREETING: 'Hello ada, ${NAME}',
      PLAIN: `plain-${CANARY}`,
    });
    const agents = [...config.agents.values()];
    const shown = [
      JSON.stringify(config),
      JSON.stringify(agents),
      inspect(config, { depth: null, showHidden: true }),
      format('%o %j', agents, agents),
      describeConfig(config),
    ];
    expect(shown.join()).not.toContain('canary');
    expect(JSON.stringify(env)).toBe('{"TOKEN":"[hidden]","GREETING":"[hidden]","PLAIN":"[hidden]"}');
  });

  it.each([
    'agents: { a: { dialect: "${TOKEN}", command: x } }',
    'agents: { a: { profile: "${TOKEN}" } }',
    'agents: { a: { profile: "/${TOKEN}/${TOKEN}" } }',
    'default_agent: "${TOKEN}"',
    'server: { host: "${TOKEN}", public_url: "${TOKEN}", names: ["${TOKEN}/"], port: "${TOKEN}" }',
    'log: { level: "${TOKEN}" }',
    'store: { driver: "${TOKEN}" }',
    'agents: { a: { dialect: agentproc, command: x, env: { A: "${TOKEN}{{MESSAGE}}$${A}" } } }',
  ])('is told its problems without them: %s', async (text) => {
    using at = folder(`env: [TOKEN]\n${text}\n`);
    const problems = await at.problems(environment);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.join()).not.toContain('canary');
  });
});
