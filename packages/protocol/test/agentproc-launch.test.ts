import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LaunchContext } from '../src/contract/host-side.ts';
import { agentproc } from '../src/dialects/agentproc/index.ts';
import type { AgentprocSettings } from '../src/dialects/agentproc/settings.ts';
import { createTurn, type TurnInput } from '../src/model/turn.ts';
import { asked } from './agentproc-sides.ts';
import { CONTEXT, hostEffects, writtenIn } from './one-shot.ts';

const { host } = agentproc;

function launch(
  turn: Partial<TurnInput>,
  settings: Partial<AgentprocSettings> = {},
  context: LaunchContext = CONTEXT,
) {
  const asked = createTurn({ id: 't1', ...turn });
  const launched = host.launch({ ...agentproc.defaults, ...settings }, context, asked);
  const stdin = writtenIn(
    hostEffects(host, { ...agentproc.defaults, ...settings }, [{ type: 'send', turn: asked }]),
  );
  return { ...launched, stdin };
}

function variables(
  turn: Partial<TurnInput>,
  settings: Partial<AgentprocSettings> = {},
): Record<string, string> {
  const launched = launch(turn, settings);
  if ('refused' in launched) throw new Error(launched.refused.message);
  return launched.env;
}

describe('launching an agentproc agent', () => {
  it('sets the variable of a single attachment only when there is exactly one of its kind', () => {
    const image = { kind: 'image', url: 'https://e.com/1' } as const;
    expect(Object.keys(variables({ attachments: [image, image] }))).not.toContain('AGENT_IMAGE_URL');
    const none = variables(
      { attachments: [{ kind: 'file' }] },
      { env: { AGENT_IMAGE_URL: 'x', AGENT_OWN: 'y' } },
    );
    expect(none).not.toHaveProperty('AGENT_IMAGE_URL');
    expect(none).not.toHaveProperty('AGENT_ATTACHMENTS');
    expect(none).toHaveProperty('AGENT_OWN', 'y');
  });

  it('takes the local copy of an attachment over its address on a channel', () => {
    const attachments = [
      { kind: 'image', url: 'https://secret@e.com/1', path: '/tmp/a\ud800#?.png' } as const,
    ];
    expect(variables({ attachments }).AGENT_IMAGE_URL).toBe('file:///tmp/a%EF%BF%BD%23%3F.png');
  });

  it('fills in the directory of the profile, and nothing where there is none', () => {
    const settings = { command: { argv: ['{{PROFILE_DIR}}/agent'] } };
    const context = { ...CONTEXT, profileDir: '/etc/agents' };
    expect(launch({}, settings, context)).toMatchObject({ command: { argv: ['/etc/agents/agent'] } });
    expect(launch({}, settings)).toMatchObject({ command: { argv: ['/agent'] } });
  });

  it('leaves a `~` alone when the host has no home', () => {
    expect(launch({}, { cwd: '~/x' }, { ...CONTEXT, environment: {} })).toMatchObject({ cwd: '~/x' });
  });

  it('leaves a line for the shell as it is, and refuses placeholders in it', () => {
    expect(launch({}, { command: { shell: 'cat | tee {{X}}' } })).toMatchObject({
      command: { shell: 'cat | tee {{X}}' },
    });
    expect(launch({}, { command: { shell: 'echo {{MESSAGE}}' } })).toMatchObject({
      refused: { code: 'unsafe-template' },
    });
  });

  it('never starts a process before its turn, which travels in the environment', () => {
    expect(host.prewarmProblem(agentproc.defaults)).toMatch(/in its environment/);
  });

  it.each<[string, Partial<TurnInput>, Partial<AgentprocSettings>]>([
    ['the message', { text: 'a\0b' }, { stdin: 'message' }],
    ['the session id', { session: { agentId: '\0' } }, {}],
    ['the session name', { session: { name: '\0' } }, {}],
    ['the sender', { sender: '\0' }, {}],
    ['a variable', {}, { env: { X: '\0' } }],
    ['an argument', {}, { command: { argv: ['a', '\0'] } }],
    ['the working directory', {}, { cwd: '/\0' }],
  ])('refuses a NUL in %s', (_where, turn, settings) => {
    expect(launch(turn, settings)).toMatchObject({ refused: { code: 'nul' } });
  });
});

describe('an agentproc message that is too long for the environment', () => {
  const longest = 131_071 - 'AGENT_MESSAGE='.length;

  it.each(['a', 'ö', '語', '😀'])('fits up to the last byte when made of %s', (letter) => {
    const bytes = Buffer.byteLength(letter);
    const text = letter.repeat(Math.floor(longest / bytes)) + 'a'.repeat(longest % bytes);
    expect(Buffer.byteLength(text)).toBe(longest);
    expect(variables({ text })).toHaveProperty('AGENT_MESSAGE', text);
    expect(launch({ text: `${text}a` })).toMatchObject({
      refused: { code: 'too-long', message: expect.stringContaining('`stdin: message`') },
    });
  });

  it('is whole on stdin and cut in its variable, at a character, when the profile says so', () => {
    const text = `${'a'.repeat(longest - 3)}😀b`;
    expect(launch({ text }, { stdin: 'message' })).toMatchObject({
      stdin: text,
      env: { AGENT_MESSAGE: 'a'.repeat(longest - 3), AGENT_MESSAGE_TRUNCATED: '1' },
    });
    expect(variables({ text: 'a'.repeat(longest) }, { stdin: 'message' })).not.toHaveProperty(
      'AGENT_MESSAGE_TRUNCATED',
    );
  });

  it('is refused in an argument and in a variable of the profile, one byte past the limit', () => {
    const fits = { text: 'a'.repeat(131_071) };
    const settings = { stdin: 'message', command: { argv: ['agent', '{{MESSAGE}}'] } } as const;
    expect(launch(fits, settings)).toHaveProperty('command.argv', ['agent', fits.text]);
    const refused = { refused: { code: 'too-long', message: expect.stringContaining('{{MESSAGE}}') } };
    expect(launch({ text: `${fits.text}a` }, settings)).toMatchObject(refused);
    expect(launch(fits, { stdin: 'message', env: { Q: '{{MESSAGE}}' } })).toMatchObject(refused);
  });

  it('is read from stdin by an agent, or from the variable when stdin has nothing', () => {
    const environment = { AGENT_MESSAGE: 'who', AGENT_MESSAGE_TRUNCATED: '1' };
    expect(asked(agentproc, environment, 'whole\n\ntext')).toMatchObject({
      input: true,
      requests: [{ type: 'turn', turn: { text: 'whole\n\ntext' } }],
    });
    expect(asked(agentproc, environment, '').requests).toMatchObject([{ turn: { text: 'who' } }]);
  });
});

describe('filling in the templates of a profile', () => {
  it('never reads a value again, whatever it holds', () => {
    const tricky = fc.constantFrom(
      '{{SESSION_ID}}',
      '{{MESSAGE}}',
      `\${HOME}`,
      `\${TOKEN}`,
      '$&',
      '$$',
      '$1',
      '{{',
      '}}',
    );
    const value = fc
      .array(fc.oneof(tricky, fc.string({ unit: 'grapheme' })), { maxLength: 6 })
      .map((all) => all.join(''));
    fc.assert(
      fc.property(value, value, value, (text, agentId, name) => {
        const template = '<{{MESSAGE}}|{{SESSION_ID}}|{{SESSION_NAME}}>';
        const settings = {
          command: { argv: ['a', template] },
          env: { Q: `\${TOKEN}${template}` },
          cwd: `/${template}`,
        };
        const filled = `<${text}|${agentId}|${name === '' ? 'default' : name}>`;
        expect(launch({ text, session: { agentId, name } }, settings)).toMatchObject({
          command: { argv: ['a', filled] },
          env: { Q: `s3cret${filled}` },
          cwd: `/${filled}`,
        });
      }),
    );
  });
});
