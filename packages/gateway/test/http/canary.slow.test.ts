import { describe, expect, it } from 'vitest';
import { createLogger } from '../../../cli/src/gateway/logger.ts';
import { newSecret } from '../../src/http/secrets.ts';
import { shell, worker } from '../harness.ts';
import { type Door, startDoor } from './door.ts';

/** The logger of the real program, writing into memory. */
function memoryLogger(format: 'text' | 'json', level: 'debug' | 'info' = 'debug') {
  const lines: string[] = [];
  const log = createLogger({
    level: () => level,
    format: () => format,
    write: (line) => void lines.push(line),
    now: () => new Date(0),
  });
  return { lines, log };
}

/** A secret as it could be found again: itself, as part of an address, or as Base64. */
function formsOf(secret: string): string[] {
  const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
  return [
    secret,
    encodeURIComponent(secret),
    base64,
    Buffer.from(secret).toString('base64url'),
    Buffer.from(secret).toString('hex'),
  ];
}

const CODE = 'canary-login-code-0123456789';
const TEXT = 'CANARY-WORDS-OF-A-PERSON';

/** Asks for everything that can go right or wrong, with a secret wherever one can stand. */
async function askEverything(door: Door, secrets: string[]): Promise<void> {
  const [wrong = '', key = ''] = secrets;
  const own = `Bearer ${door.token}`;
  const asks: [string, string, Record<string, string>, unknown?][] = [
    ['GET', '/api/me', { authorization: `Bearer ${wrong}` }],
    ['GET', '/api/me', { cookie: `plugboard_session=${wrong}` }],
    ['GET', `/api/me?token=${wrong}`, {}],
    ['GET', `/nothing/${wrong}?code=${wrong}`, { authorization: own }],
    ['GET', `/api/sessions/${wrong}`, { authorization: own }],
    ['POST', '/api/login', {}, { code: CODE }],
    ['POST', '/api/login', {}, { code: door.door.codes.create() }],
    ['POST', '/api/tokens', { authorization: own }, { name: wrong, scopes: ['nothing'] }],
    [
      'POST',
      '/v1/chat/completions',
      { authorization: own, 'idempotency-key': key },
      { model: 'echo', messages: [{ role: 'user', content: TEXT }] },
    ],
    [
      'POST',
      '/v1/chat/completions',
      { authorization: own, 'idempotency-key': key },
      { model: 'broken', messages: [{ role: 'user', content: TEXT }] },
    ],
    ['POST', '/api/sessions', { authorization: own }, { place: key, agent: 'nobody' }],
    ['POST', '/api/backup', { authorization: own }, { file: `/nowhere/${wrong}` }],
  ];
  for (const [method, path, headers, body] of asks) {
    const answer = await fetch(`${door.door.url}${path}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!path.includes('backup')) expect([path, text.includes(wrong)]).toEqual([path, false]);
  }
}

describe('the log', () => {
  it.each(['text', 'json'] as const)(
    'as %s has no secret in it, whatever was asked and went wrong',
    async (format) => {
      const { lines, log } = memoryLogger(format);
      const door = await startDoor({
        log,
        agents: (at) => [
          shell('echo', 'echo hello', at),
          worker('broken', 'agentproc/v4', at),
          shell('dead', 'exit 3', at),
        ],
      });
      const secrets = [newSecret(), newSecret()];
      await askEverything(door, secrets);
      for (const agent of ['echo', 'broken', 'dead']) {
        const session = await door.store.sessions.open({ channel: 'web', place: agent, agent });
        await door.ask(session, `fail ${TEXT}`);
      }
      const fail = () =>
        Promise.reject(
          new Error(`library: https://user:${secrets[0]}@host/?token=${secrets[0]} Bearer ${secrets[1]}`),
        );
      const { sessions } = door.store;
      const [get] = [sessions.get];
      (sessions as { get: unknown }).get = fail;
      expect((await door.call('GET', '/api/sessions/x')).status).toBe(500);
      (sessions as { get: unknown }).get = get;
      const all = lines.join('');
      expect(all).toContain('A request failed');
      for (const secret of [...secrets, door.token, CODE]) {
        for (const form of formsOf(secret)) expect(all.includes(form)).toBe(false);
      }
      expect(all).not.toContain(TEXT);
      for (const line of lines) expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
    },
  );

  it.each([
    'two\nlines',
    'back\rwards',
    '\x1b[2Jcleared',
    '\x9b31mred',
    'right\u202eleft',
    'separated\u2028lines\u2029',
    '"}\n{"level":"error","message":"forged"}',
    'tag\u{e0041}s',
    '\x7f\0',
  ])('keeps %j on one line, as what it is', (said) => {
    for (const format of ['text', 'json'] as const) {
      const { lines, log } = memoryLogger(format, 'info');
      log.info(said, { said });
      expect(lines).toHaveLength(1);
      const line = lines[0]?.slice(0, -1) ?? '';
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
      if (format === 'json') expect(JSON.parse(line)).toMatchObject({ level: 'info', message: said, said });
    }
  });
});
