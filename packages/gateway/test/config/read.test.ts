import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/read.ts';
import { CODER, ENVIRONMENT, folder, optionsOf, WHOLE } from './folder.ts';

const SERVER = {
  host: '127.0.0.1',
  port: 7420,
  exposed: false,
  names: [],
  proxies: [],
  bodyBytes: 1_048_576,
  mediaBytes: 26_214_400,
  requestsPerMinute: 600,
  openaiStrict: false,
};

describe('a configuration that says nothing', () => {
  it.each(['', '# nothing\n', '{}', 'agents:\nserver:\nlimits:\n', 'agents: {}'])(
    'is the demos on this machine alone: %j',
    async (text) => {
      using at = folder(text);
      const config = await at.read();
      expect(config).toMatchObject({
        file: at.config,
        files: [at.config],
        defaultAgent: 'demo',
        store: { driver: 'sqlite', file: join(at.path, 'data/plugboard.db'), synchronous: 'full' },
        channels: { web: { enabled: true }, cli: { enabled: true }, platforms: new Map() },
        spawn: 'auto',
        log: { level: 'info', format: 'text' },
      });
      expect(config.server).toEqual(SERVER);
      expect(config.limits).toEqual({
        agents: 16,
        resident: 32,
        waiting: 1000,
        waitingPerPrincipal: 500,
        waitingPerSession: 20,
        turnMs: 0,
        graceMs: 20_000,
        recordings: 200,
        recordingBytes: 1_048_576,
        retentionDays: 0,
      });
      expect([...config.agents.keys()]).toEqual(['demo', 'demo-resident']);
      expect(config.agents.get('demo')).toMatchObject({
        name: 'demo',
        description: 'Says things back',
        share: false,
        parkAfterMs: 300_000,
        onCrash: 'fail',
        profile: { name: 'demo', settings: { command: { argv: ['demo-agent'] } } },
      });
    },
  );

  it('need not be a file at all', async () => {
    using at = folder();
    const config = await readConfig(undefined, optionsOf(at.path));
    expect(config).toMatchObject({ files: [], defaultAgent: 'demo', server: SERVER });
    expect(config.file).toBeUndefined();
  });

  it('is not what a file that was named and is not there stands for', async () => {
    using at = folder({});
    expect(await at.problems()).toEqual(['There is no configuration at plugboard.yaml.']);
  });
});

describe('a configuration that says everything', () => {
  it('is read, in the spelling of the code, with milliseconds and absolute paths', async () => {
    using at = folder({ 'plugboard.yaml': WHOLE, 'coder.yaml': CODER });
    const config = await at.read(ENVIRONMENT);
    expect(config).toMatchObject({
      files: [at.config, join(at.path, 'coder.yaml')],
      env: ['TOKEN', 'NAME'],
      defaultAgent: 'helper',
      store: { driver: 'sqlite', file: join(at.path, 'own.db'), synchronous: 'normal' },
      channels: { web: { enabled: false }, cli: { enabled: true }, platforms: new Map() },
      spawn: 'node',
      log: { level: 'debug', format: 'json' },
    });
    expect(config.server).toEqual({
      host: '0.0.0.0',
      port: 8080,
      exposed: true,
      names: ['chat.example.org'],
      proxies: ['10.0.0.1', '::1'],
      bodyBytes: 2048,
      mediaBytes: 4096,
      requestsPerMinute: 10,
      openaiStrict: true,
      publicUrl: 'https://ada.example.org',
    });
    expect(config.limits).toEqual({
      agents: 2,
      resident: 32,
      waiting: 3,
      waitingPerPrincipal: 500,
      waitingPerSession: 4,
      turnMs: 1500,
      graceMs: 6000,
      recordings: 7,
      recordingBytes: 2048,
      retentionDays: 9,
    });
  });

  it('has agents of every kind', async () => {
    using at = folder({ 'plugboard.yaml': WHOLE, 'coder.yaml': CODER });
    const { agents } = await at.read(ENVIRONMENT);
    expect([...agents.keys()]).toEqual(['coder', 'helper', 'demo']);
    expect(agents.get('coder')).toMatchObject({
      name: 'coder',
      description: 'Writes code',
      onCrash: 'retry',
      profile: { name: 'coder', identity: 'coding', dialect: 'nuum', workspace: at.path },
    });
    expect(agents.get('helper')).toMatchObject({
      share: true,
      parkAfterMs: 60_000,
      maxRunning: 4,
      profile: {
        name: 'helper',
        identity: `${at.config}#helper`,
        dialect: 'terminal',
        workspace: at.path,
        settings: { command: { argv: ['python3', 'helper.py', '${NOT_OURS}'] } },
      },
    });
  });

  it('may be JSON', async () => {
    using at = folder('{"server": {"port": 1}, "agents": {"a": {"dialect": "nib", "command": "x"}}}');
    const config = await at.read();
    expect([config.server.port, config.defaultAgent]).toEqual([1, 'a']);
  });

  it('has its agents in the order they were written, whatever they are called', async () => {
    using at = folder('agents:\n  b: { demo: true }\n  10: { demo: true }\n  2: { demo: true }\n');
    const config = await at.read();
    expect([[...config.agents.keys()], config.defaultAgent]).toEqual([['b', '10', '2'], 'b']);
  });

  it.each(['agentproc', 'agentproc/v4', 'nib', 'nuum', 'terminal'])(
    'takes the fields of a profile of the dialect %s',
    async (dialect) => {
      using at = folder(
        `agents: { a: { dialect: ${dialect}, command: [x, "y z"], timeout_secs: 3, kill_grace_secs: 1 } }`,
      );
      expect((await at.read()).agents.get('a')?.profile).toMatchObject({
        dialect,
        settings: { command: { argv: ['x', 'y z'] }, timeoutSecs: 3, killGraceSecs: 1 },
      });
    },
  );

  it('keeps processes waiting for an agent whose profile stands in a file', async () => {
    using at = folder({
      'plugboard.yaml': 'agents: { t: { profile: t.yaml, prewarm: 2 } }',
      't.yaml': 'dialect: terminal\ncommand: x\n',
    });
    expect((await at.read()).agents.get('t')?.profile).toMatchObject({ prewarm: 2 });
  });

  it('takes profiles as AgentProc and nanobot have them', async () => {
    using at = folder({
      'plugboard.yaml': 'agents: { a: { profile: ap.yaml }, n: { profile: ./nano/config.json } }',
      'ap.yaml': 'command: ./a\nenv: { KEY: "${ANY_NAME}" }\n',
      'nano/config.json': '{"terminal": {"command": "date"}}',
    });
    const { agents } = await at.read();
    expect(agents.get('a')?.profile.settings.env.KEY).toBe('${ANY_NAME}');
    expect(agents.get('n')?.profile).toMatchObject({ dialect: 'terminal', workspace: join(at.path, 'nano') });
  });
});
