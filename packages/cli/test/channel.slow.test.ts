import { createHmac, randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { startFakeTelegram, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { home } from './gateway.ts';

const SECRET = 'a secret of more than 16 bytes';
const AGENT = `# the agents
agents:
  echo: { dialect: agentproc, command: ["/bin/sh", "-c", 'echo "heard $AGENT_MESSAGE"'] }
server: { port: 0 }
`;

/** A program that people write to reach a platform: it keeps what it is sent. */
async function startBridge() {
  const texts: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      texts.push((JSON.parse(body) as { text: string }).text);
      response.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    texts,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}

/** Posts a signed message of a person. */
async function say(gateway: string, text: string, sender = '7'): Promise<number> {
  const [id, at] = [randomUUID(), String(Math.floor(Date.now() / 1000))];
  const body = JSON.stringify({ type: 'message', place: 'p1', sender, senderName: 'Ada', text });
  const signature = createHmac('sha256', SECRET).update(`${id}.${at}.${body}`).digest('base64');
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': at,
    'webhook-signature': `v1,${signature}`,
  };
  return (await fetch(`${gateway}/hooks/webhook`, { method: 'POST', headers, body })).status;
}

describe.concurrent('plugboard channel', () => {
  it('adds a channel to a running gateway, waits for the first person, and that person is answered', async () => {
    await using bridge = await startBridge();
    await using place = home(AGENT);
    const up = await place.up();
    const secret = place.write(SECRET, 'secret.txt');
    let said: Promise<void> | undefined;
    const added = await place.run(
      [
        'channel',
        'add',
        'webhook',
        '--set',
        `url=${bridge.url}`,
        '--set',
        'private=true',
        '--from-file',
        `secret=${secret}`,
      ],
      {
        async during(_child, output) {
          const isAsked = (): boolean => /code to the bot within an hour: [A-Z2-9-]{9}/.test(output());
          await until(isAsked, 'the code', 20_000);
          const code = /hour: ([A-Z2-9-]{9})/.exec(output())?.[1] ?? '';
          said = say(up.url, code).then((status) => expect(status).toBe(204));
        },
      },
    );
    await said;
    expect(added).toMatchObject({ code: 0, stderr: expect.stringContaining('Ada may talk now.') });
    expect(await say(up.url, 'good morning')).toBe(204);
    await until(() => bridge.texts.at(-1) === 'heard good morning', 'the answer to arrive');
    const written = readFileSync(join(place.path, 'plugboard.yaml'), 'utf8');
    expect(written).toContain('# the agents');
    expect(written).not.toContain(SECRET);
    const listed = await place.run(['channel', 'list']);
    expect(listed.stdout).toMatch(/^webhook {2}webhook {2}ready, last message /m);
    expect((await place.run(['doctor'])).stdout).toMatch(
      /ok {4}channel\/webhook: The platform knows it as 127/,
    );
  });

  it('has doctor say so when the running gateway has stopped a channel, though its key is good again', async () => {
    await using platform = await startFakeTelegram();
    const { token } = platform;
    platform.world.token = '110201543:another-token-of-this-very-bot';
    await using place = home(
      `${AGENT}channels: { telegram: { api: "${platform.server.url}", token: { file: token.txt } } }\n`,
    );
    place.write(token, 'token.txt');
    const up = await place.up();
    type Listed = { readonly channels: readonly { readonly state: string }[] };
    const isFailed = async (): Promise<boolean> =>
      (await up.api<Listed>('GET', '/api/channels')).json.channels.some(({ state }) => state === 'failed');
    await until(isFailed, 'the channel to be stopped');
    platform.world.token = token;
    const running = await place.run(['doctor']);
    expect(running).toMatchObject({ code: 1 });
    expect(running.stdout).toMatch(
      /fail {2}channel\/telegram: The gateway that runs has stopped it: .*Telegram refuses the token/,
    );
    await up.end();
    const alone = await place.run(['doctor']);
    expect(alone.stdout).toMatch(/(ok {4}|warn {2})channel\/telegram: The platform knows it as @plug_bot/);
  });

  it('lets a stranger in by the code, lists people and removes them', async () => {
    await using bridge = await startBridge();
    await using place = home(
      `${AGENT}channels: { webhook: { url: "${bridge.url}", private: true, secret: { file: secret.txt } } }\n`,
    );
    place.write(SECRET, 'secret.txt');
    const up = await place.up();
    expect(await say(up.url, 'hello')).toBe(204);
    await until(() => /I do not know you yet/.test(bridge.texts.at(-1) ?? ''), 'people to be told');
    const code = /: ([A-Z2-9-]{9})\./.exec(bridge.texts.at(-1) ?? '')?.[1] ?? '';
    expect((await place.run(['channel', 'people'])).stdout).toMatch(/^webhook {2}7 {2}Ada {2}asks to talk/);
    expect(await place.run(['pair', 'AAAA-AAAA'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Nobody'),
    });
    expect(await place.run(['pair', code])).toMatchObject({
      code: 0,
      stderr: 'Ada may talk in webhook now.\n',
    });
    await until(() => /You may talk to me now/.test(bridge.texts.at(-1) ?? ''), 'people to be told');
    const people = JSON.parse((await place.run(['channel', 'people', '--json'])).stdout);
    expect(people).toMatchObject([{ sender: '7', state: 'paired', pairedBy: 'operator' }]);
    expect(await place.run(['channel', 'remove-person', 'webhook', '7'])).toMatchObject({ code: 0 });
    expect((await place.run(['channel', 'people'])).stdout).toBe('');
  });

  it('writes nothing that cannot be used, and no secret from a command line', async () => {
    await using place = home(AGENT);
    const before = readFileSync(join(place.path, 'plugboard.yaml'), 'utf8');
    const short = place.write('short', 'short.txt');
    for (const [args, said] of [
      [['telegrm'], 'There is no kind of channel "telegrm"'],
      [['webhook', '--set', 'secret=x'], 'a secret does not belong on a command line'],
      [['webhook', '--set', 'colour=x'], 'say FIELD=VALUE, with one of url, secret'],
      [['webhook', '--set', 'url=https://a.example'], 'Nobody can be asked here'],
      [
        ['webhook', '--set', 'url=nonsense', '--from-file', `secret=${short}`],
        'Expected an http or https address',
      ],
      [
        ['webhook', '--set', 'url=https://a.example', '--from-file', `secret=${short}`],
        'The secret has 5 bytes',
      ],
    ] as const) {
      const done = await place.run(['channel', 'add', ...args]);
      expect(done.code, args.join(' ')).toBeGreaterThan(0);
      expect(done.stderr).toContain(said);
    }
    expect(readFileSync(join(place.path, 'plugboard.yaml'), 'utf8')).toBe(before);
  });

  it('refers to a variable, and keeps a file as private as it was', async () => {
    await using place = home(AGENT);
    const env = { HOOK_SECRET: SECRET };
    const args = ['channel', 'add', 'webhook', '--name', 'hook', '--set', 'url=https://a.example/'];
    const done = await place.run([...args, '--from-env', 'secret=HOOK_SECRET'], { env });
    expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining('plugboard channel invite hook') });
    const file = join(place.path, 'plugboard.yaml');
    expect(readFileSync(file, 'utf8')).toMatch(
      /env:\s+- HOOK_SECRET[\s\S]*kind: webhook[\s\S]*\$\{HOOK_SECRET\}/,
    );
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await place.run([...args, '--from-env', 'secret=HOOK_SECRET'], { env })).stderr).toContain(
      'already',
    );
  });
});
