import { describe, expect, it } from 'vitest';
import { CODER, ENVIRONMENT, folder, WHOLE } from './folder.ts';

const AGENT = 'agents:\n  a: { dialect: nib, command: x }\n';

describe('a configuration that cannot be used', () => {
  it.each([
    ['an unknown field', 'servr: {}', '1:1: unknown field "servr". Did you mean "server"?'],
    ['an unknown field further in', 'server:\n  prot: 1', '2:3: unknown field "prot". Did you mean "port"?'],
    ['a field of no part', 'server:\n  zzzzzz: 1', '2:3: unknown field "zzzzzz".'],
    [
      'a wrong kind',
      'server:\n  port: "80"',
      '2:3: server.port: Expected a whole number from 0 to 65535, without quotes or unit.',
    ],
    [
      'a port that is none',
      'server:\n  port: 65536',
      '2:3: server.port: Expected a whole number from 0 to 65535, without quotes or unit.',
    ],
    [
      'half a port',
      'server:\n  port: 1.5',
      '2:3: server.port: Expected a whole number from 0 to 65535, without quotes or unit.',
    ],
    [
      'seconds with a unit',
      'limits:\n  turn_secs: 5s',
      '2:3: limits.turn_secs: Expected a number from 0 to 2000000, without quotes or unit.',
    ],
    [
      'seconds of an agent with a unit',
      'agents:\n  a: { demo: true, park_after_secs: 5s }',
      '2:20: agents.a.park_after_secs: Expected a number from 0 to 2000000, without quotes or unit.',
    ],
    ['a number for a text', 'default_agent: 5', '1:1: default_agent: Expected text; put it in quotes.'],
    [
      'a profile in its place',
      'dialect: terminal\ncommand: ./agent.sh\nenv: { A: b }',
      /^ This looks like the profile of one agent.*plugboard run.*agents: \{ NAME: \{ profile: FILE \} \}\.$/,
    ],
    [
      'a profile with limits in its place',
      'command: ./agent.sh\nlimits: { memory: 1 GiB }',
      /^ This looks like the profile of one agent/,
    ],
    ['half a profile in its place', 'dialect: nib', /^ This looks like the profile of one agent/],
    [
      'a profile of another kind in its place',
      'terminal: { command: cat }\nagents: { defaults: {} }\nchannels: {}',
      /^ This looks like the profile of one agent/,
    ],
    ['a field of an agent beside its own', `${AGENT}command: x`, '3:1: unknown field "command".'],
    [
      'another word than the choices',
      'log:\n  level: inof',
      '2:3: log.level: Expected debug, info, warn or error. Did you mean "info"?',
    ],
    [
      'a host with a port',
      'server:\n  host: 127.0.0.1:80',
      '2:3: server.host: Expected an IP address or the name of a host, without port.',
    ],
    [
      'a name with a path',
      'server:\n  names: [a, b/c]',
      '2:14: server.names.1: Expected the name of a host alone, without port or path.',
    ],
    ['a proxy by name', 'server:\n  proxies: [gate]', '2:13: server.proxies.0: Expected an IP address.'],
    [
      'a link with a password',
      'server:\n  public_url: https://a:b@c/',
      '2:3: server.public_url: Expected an http or https address without user, query or fragment.',
    ],
    [
      'a store that is not there',
      'store:\n  driver: mysql',
      '2:3: store.driver: Expected sqlite or postgres.',
    ],
    [
      'an agent with a bad name',
      'agents:\n  Big Agent: { demo: true }',
      '2:3: agents.Big Agent: A name is 1 to 64 of a-z, 0-9 and -, and does not begin with -.',
    ],
    [
      'an agent that is no map',
      'agents:\n  a: x',
      '2:3: agents.a: An agent is a map of fields, such as { profile: FILE }.',
    ],
    [
      'an agent with nothing',
      'agents:\n  a:\n',
      '2:3: agents.a: An agent is a map of fields, such as { profile: FILE }.',
    ],
    [
      'an agent without a command',
      'agents:\n  a: { dialect: nib }',
      '2:3: agents.a.command: Expected the program to start: text, or a list of arguments.',
    ],
    [
      'an unknown dialect',
      'agents:\n  a:\n    dialect: termnal\n    command: x',
      /3:5: unknown dialect "termnal". Did you mean "terminal"\? There are: .*terminal, nuum/,
    ],
    [
      'a misspelt field of a profile',
      'agents:\n  a:\n    dialect: nib\n    command: x\n    timout_secs: 1',
      '5:5: unknown field "timout_secs". Did you mean "timeout_secs"?',
    ],
    [
      'a misspelt field of an agent',
      'agents:\n  a:\n    dialect: nib\n    command: x\n    max_runing: 1',
      '5:5: unknown field "max_runing". Did you mean "max_running"?',
    ],
    [
      'a demo that is not',
      'agents:\n  a: { demo: false }',
      '2:8: agents.a.demo: Expected true; leave the agent out to do without it.',
    ],
    [
      'a demo with a misspelt field',
      'agents:\n  a: { demo: true, shar: true }',
      '2:20: unknown field "shar". Did you mean "share"?',
    ],
    [
      'a message inside quotes',
      'agents:\n  a:\n    dialect: terminal\n    command: echo "{message}"',
      /^4:5: agents\.a\.command: .*quotes/,
    ],
    [
      'a default that is no agent',
      `${AGENT}  coder: { demo: true }\ndefault_agent: codr`,
      '4:1: default_agent: There is no such agent. Did you mean "coder"? There are: a, coder.',
    ],
    [
      'a key that stands twice',
      'server: {}\nserver: {}',
      '2:1: "server" stands twice in the same map; keep one of them.',
    ],
    [
      'an agent that stands twice',
      `${AGENT}  a: { demo: true }`,
      '3:3: "a" stands twice in the same map; keep one of them.',
    ],
    ['a tag of its own', 'server: !mine {}', '1:9: Unresolved tag: !mine'],
    ['broken YAML', 'server: {', /^1:10: /],
    ['a list', '- a', '1:1: A configuration is a map of fields; this file is not one.'],
  ])('is told of %s', async (_what, text, problem) => {
    using at = folder(text);
    const problems = await at.problems();
    expect(problems).toHaveLength(1);
    const said = problems[0]?.replace(/^plugboard\.yaml:/, '');
    if (typeof problem === 'string') expect(said).toBe(problem);
    else expect(said).toMatch(problem);
  });

  it('is told everything at once, in the order of the file', async () => {
    using at = folder(
      'limitz: {}\nagents:\n  a: { profile: none.yaml }\n  b: { dialect: nib, command: "" }\nserver: { port: x, host: "::" }\ndefault_agent: c\n',
    );
    expect((await at.problems()).map((problem) => problem.split(' ', 2).join(' '))).toEqual([
      'plugboard.yaml:1:1: unknown',
      'plugboard.yaml:3:8: agents.a.profile:',
      'plugboard.yaml:4:22: agents.b.command:',
      'plugboard.yaml:5:11: server.port:',
      'plugboard.yaml:6:1: default_agent:',
    ]);
  });

  it('is told of problems in a profile at their own place', async () => {
    using at = folder({
      'plugboard.yaml': 'agents:\n  a: { profile: sub/a.yaml }\n  b: { profile: b.yaml }\n',
      'sub/a.yaml': 'command: x\ntimout_secs: 1\n',
      'b.yaml': '- x',
    });
    expect(await at.problems()).toEqual([
      'sub/a.yaml:2:1: unknown field "timout_secs". Did you mean "timeout_secs"?',
      'b.yaml: a profile is a map of fields; this file is not one.',
    ]);
  });

  it('is told which fields belong in the profile that it names', async () => {
    using at = folder({
      'plugboard.yaml': 'agents:\n  a:\n    profile: a.yaml\n    env: { A: b }\n    prewarm: 1\n',
      'a.yaml': 'command: x\n',
    });
    expect(await at.problems()).toEqual([
      'plugboard.yaml:4:5: agents.a.env: This field belongs in the profile that is named here.',
    ]);
  });

  it('is told where no process can wait for its turn', async () => {
    using at = folder({
      'plugboard.yaml':
        'agents:\n  a: { profile: a.yaml, prewarm: 1 }\n  t: { profile: t.yaml, prewarm: 1 }\n',
      'a.yaml': 'command: x\n',
      't.yaml': 'dialect: terminal\ncommand: x\n',
    });
    expect(await at.problems()).toEqual([
      expect.stringMatching(
        /^plugboard.yaml:2:\d+: agents\.a\.prewarm: No process can start before its turn/,
      ),
    ]);
  });

  it('is refused when it is too large, too deep or a bomb', async () => {
    using at = folder(`# ${'x'.repeat(1024 * 1024)}`);
    expect(await at.problems()).toEqual(['plugboard.yaml: This file is larger than 1 MiB.']);
    at.write('a: &a [*a]');
    expect(await at.problems()).toHaveLength(1);
    const lines = 'bcdefghi'.split('').map((name, index) => {
      return `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[index]}`).join(',')}]`;
    });
    at.write(`a: &a [x,x,x,x,x,x,x,x,x]\n${lines.join('\n')}\n`);
    expect(await at.problems()).toEqual([
      'plugboard.yaml: This file repeats its values by aliases too often.',
    ]);
  });

  it('does no harm with keys that are names in JavaScript', async () => {
    using at = folder('__proto__: { polluted: 1 }\n');
    expect(await at.problems()).toEqual(['plugboard.yaml:1:1: unknown field "__proto__".']);
    at.write('agents: { __proto__: { demo: true }, constructor: { demo: true } }');
    expect(await at.problems()).toHaveLength(1);
    at.write('agents: { a: { dialect: nib, command: x, env: { __proto__: y, constructor: z } } }');
    expect((await at.read()).agents.get('a')?.profile.settings.env.constructor).toBe('z');
    at.write('env: [toString]\nserver: { public_url: "${toString}" }');
    expect((await at.problems())[0]).toContain('The variable toString is not set.');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe('an address that other machines can reach', () => {
  it.each(['0.0.0.0', '"::"', '192.168.1.4', 'example.org', '"::ffff:10.0.0.1"'])(
    'is refused unless that is meant: %s',
    async (host) => {
      using at = folder(`server:\n  host: ${host}\n`);
      expect(await at.problems()).toEqual([
        'plugboard.yaml:2:3: server.host: Other machines could reach this address, and whoever has a token can run your ' +
          'agents. Say "exposed: true" beside it if that is meant, or listen on 127.0.0.1.',
      ]);
      at.write(`server:\n  host: ${host}\n  exposed: true\n`);
      expect((await at.read()).server.exposed).toBe(true);
    },
  );

  it.each(['127.0.0.1', '127.8.8.8', 'localhost', '"::1"', '"::ffff:127.0.0.1"'])(
    'is not one of this machine alone: %s',
    async (host) => {
      using at = folder(`server: { host: ${host} }`);
      expect(await at.problems()).toEqual([]);
    },
  );
});

describe('a permission that changes nothing', () => {
  it.each(['', '  host: 127.0.0.1\n', '  host: localhost\n'])('is remarked on: %j', async (host) => {
    using at = folder(`server:\n${host}  exposed: true\n`);
    const { remarks = [] } = await at.read();
    expect(remarks).toEqual([
      expect.stringMatching(/:\d:3: server\.exposed: This changes nothing: .*0\.0\.0\.0/),
    ]);
  });

  it.each(['host: 0.0.0.0, exposed: true', 'exposed: false', ''])('is not seen in { %s }', async (server) => {
    using at = folder(`server: { ${server} }\n`);
    expect(await at.read()).not.toHaveProperty('remarks');
  });
});

describe('a misspelt key', () => {
  /** Each key of the sample with two of its letters swapped. */
  const mutations = [...WHOLE.matchAll(/([a-z_]{3,}):(?= |\n)/g)].flatMap((match) => {
    const word = match[1] ?? '';
    const at = [...word].findIndex((letter, index) => index > 0 && letter !== word[index + 1]);
    const wrong = word.slice(0, at) + (word[at + 1] ?? '') + word[at] + word.slice(at + 2);
    // Names of agents are the operator's own; the first line is a comment.
    if (['coder', 'helper'].includes(word) || match.index < WHOLE.indexOf('env:')) return [];
    if (word === 'demo' && WHOLE[match.index - 1] === ' ' && WHOLE[match.index - 3] === '\n') return [];
    const text = WHOLE.slice(0, match.index) + wrong + WHOLE.slice(match.index + word.length);
    const before = WHOLE.slice(0, match.index).split('\n');
    return [{ word, wrong, text, place: `${before.length}:${(before.at(-1) ?? '').length + 1}` }];
  });

  it('can be made of every key', () => expect(mutations.length).toBeGreaterThan(35));

  it.each(mutations)('$wrong at $place is told from $word', async ({ word, wrong, text, place }) => {
    using at = folder({ 'plugboard.yaml': text, 'coder.yaml': CODER });
    const problems = await at.problems(ENVIRONMENT);
    const wanted = `plugboard.yaml:${place}: unknown field "${wrong}". Did you mean "${word}"?`;
    expect(problems).toContain(wanted);
  });
});
