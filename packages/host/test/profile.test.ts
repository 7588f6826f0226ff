import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { temporaryDirectory } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { ProfileError } from '../src/profile/error.ts';
import { parseProfile, readProfileFile } from '../src/profile/read.ts';

/** The profiles that AgentProc's own package ships. */
const HUB = join(dirname(createRequire(import.meta.url).resolve('agentproc/package.json')), 'hub');

const ORIGIN = {
  file: '/profiles/helper.yaml',
  directory: '/profiles',
  workspace: '/profiles',
  name: 'helper',
  home: '/home/ada',
};
const parse = (text: string) => parseProfile('helper.yaml', text, ORIGIN);

function problems(text: string): readonly string[] {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof ProfileError) return error.problems;
    throw error;
  }
  return [];
}

describe('an AgentProc profile', () => {
  it('is read as it is, every field of it', () => {
    const profile = parse(`
command: ./my_agent.py --fast
args: ["{{MESSAGE}}"]
stdin: message
cwd: /srv/agent
env: { MY_API_KEY: "\${MY_API_KEY}", PORT: 8080 }
timeout_secs: 600
kill_grace_secs: 2
max_reply_chars: 100
truncation_suffix: " [cut]"
include_stderr_in_reply: true
send_error_reply: false
streaming: false
session_line_prefix: "SESSION:"
`);
    expect(profile).toMatchObject({
      name: 'helper',
      dialect: 'agentproc',
      inherit: 'base',
      workspace: '/srv/agent',
      settings: {
        command: { argv: ['./my_agent.py', '--fast', '{{MESSAGE}}'] },
        stdin: 'message',
        cwd: '/srv/agent',
        env: { MY_API_KEY: '${MY_API_KEY}', PORT: '8080' },
        timeoutSecs: 600,
        killGraceSecs: 2,
        maxReplyChars: 100,
        truncationSuffix: ' [cut]',
        includeStderrInReply: true,
        sendErrorReply: false,
        streaming: false,
        sessionLinePrefix: 'SESSION:',
      },
    });
  });

  it('has the defaults of the protocol', () => {
    expect(parse('command: ./a').settings).toMatchObject({
      stdin: 'none',
      timeoutSecs: 1800,
      killGraceSecs: 5,
      maxReplyChars: 8000,
      truncationSuffix: '\n\n…(truncated)',
      includeStderrInReply: false,
      sendErrorReply: true,
      streaming: true,
      sessionLinePrefix: 'AGENT_SESSION:',
    });
  });

  it('may stand below a key of that name, with words around it, for work in its user’s own directory', () => {
    const text =
      'name: claude\ncli: claude\nagentproc:\n  command: "{{PROFILE_DIR}}/x.py"\n  env_allowlist: [A]\ntags: [x]\n';
    const profile = parseProfile('p.yaml', text, ORIGIN, { workspace: '/home/ada/project' });
    expect(profile).toMatchObject({
      name: 'claude',
      workspace: '/home/ada/project',
      settings: { envAllowlist: ['A'] },
    });
    expect(parseProfile('p.yaml', text, ORIGIN, { dialect: 'agentproc/v4' }).dialect).toBe('agentproc/v4');
    expect(() => parse('agentproc:\n  comand: x\n')).toThrow('helper.yaml:2:3');
  });

  it.each(readdirSync(HUB).filter((name) => existsSync(join(HUB, name, 'profile.yaml'))))(
    'of the hub that npm agentproc 0.14 ships is read: %s',
    async (name) => {
      const profile = await readProfileFile(join(HUB, name, 'profile.yaml'), { workspace: '/work' });
      const { warnings, settings, workspace } = profile;
      expect({ warnings, workspace, command: settings.command }).toEqual({
        warnings: undefined,
        workspace: '/work',
        command: { argv: ['python3', '{{PROFILE_DIR}}/bridge.py'] },
      });
    },
  );

  it('with an executor speaks the wire that has executors, unless another is named', () => {
    expect(parse('executor: codex\ncommand: codex').dialect).toBe('agentproc/v4');
    expect(parse('agentproc: { executor: codex, command: codex }').dialect).toBe('agentproc/v4');
    expect(problems('dialect: agentproc\nexecutor: codex\ncommand: codex')).toHaveLength(1);
    expect(problems('executor: codex')).toEqual([expect.stringContaining('command')]);
  });

  it('may have fields without a value', () => {
    expect(parse('command: a b\nargs:\ncwd:\nenv:\nenv_allowlist:')).toEqual(parse('command: a b'));
    expect(problems('command:')).toHaveLength(1);
  });

  it('of the hub may have fields that are not known yet, and is told that they are ignored', () => {
    const { warnings, settings } = parse('agentproc:\n  command: a\n  colour: yes\n  tiemout_secs: 3');
    expect(settings.command).toEqual({ argv: ['a'] });
    expect(warnings).toEqual([
      'helper.yaml:3:3: unknown field "colour". It is ignored.',
      'helper.yaml:4:3: unknown field "tiemout_secs". Did you mean "timeout_secs"? It is ignored.',
    ]);
    expect(problems('agentproc: { command: a, colour: yes, timeout_secs: soon }')).toHaveLength(2);
  });

  it('is not split where quotes are, since it has no quotes', () => {
    expect(parse(`command: say "a b"`).settings.command).toEqual({ argv: ['say', '"a', 'b"'] });
  });
});

describe('a nanobot configuration', () => {
  const config = {
    agents: { defaults: { workspace: '~/bots/one', model: 'x' } },
    channels: { telegram: { enabled: false } },
    terminal: {
      enabled: true,
      command: 'python /opt/my-agent/main.py',
      timeout: 300,
      protocol: 'rich',
      passMedia: false,
      env: { CUSTOM_VAR: 'value' },
      providers: { My_Service: { apiKeys: ['a', 'b'], baseUrl: 'http://localhost:1' } },
    },
  };

  it('is read by its terminal block, with names kept as they are', () => {
    expect(parse(JSON.stringify(config))).toMatchObject({
      dialect: 'terminal',
      inherit: 'all',
      workspace: '/home/ada/bots/one',
      settings: {
        command: { shell: 'python /opt/my-agent/main.py' },
        timeoutSecs: 300,
        protocol: 'rich',
        passMedia: false,
        env: { CUSTOM_VAR: 'value' },
        providers: { My_Service: { apiKeys: ['a', 'b'], baseUrl: 'http://localhost:1' } },
      },
    });
  });

  it('has the defaults of the protocol', () => {
    expect(parse('{"terminal":{"command":"date"}}').settings).toMatchObject({
      timeoutSecs: 120,
      protocol: 'plain',
      passMedia: true,
      env: {},
      providers: {},
    });
  });

  it('with fields that are not known yet is read, and told that they are ignored', () => {
    const profile = parse(
      '{"terminal":{"command":"date","sandbox":{"a":1},"providers":{"x":{"apiKeys":["k"],"org":1}}}}',
    );
    expect(profile.settings).toMatchObject({ providers: { x: { apiKeys: ['k'] } } });
    expect(profile.warnings).toEqual([
      expect.stringMatching(/unknown field "org".* It is ignored\.$/),
      expect.stringMatching(/unknown field "sandbox".* It is ignored\.$/),
    ]);
  });

  it('that is switched off is not run', () => {
    expect(problems('{"terminal":{"enabled":false,"command":"date"}}')).toEqual([
      expect.stringContaining('terminal.enabled: This is false: nanobot would not start the agent.'),
    ]);
  });

  it('is refused when a provider has no keys', () => {
    expect(problems('{"terminal":{"command":"date","providers":{"x":{"apiKeys":[]}}}}')).toHaveLength(1);
  });
});

describe('a profile of ours', () => {
  it.each(['nib', 'agentproc', 'agentproc/v4', 'terminal', 'nuum'])('names the dialect %s', (dialect) => {
    expect(parse(`dialect: ${dialect}\ncommand: [./a, "b c"]\nprewarm: 0\ninherit: true`)).toMatchObject({
      dialect,
      inherit: 'all',
      prewarm: 0,
      workspace: '/profiles',
      settings: { command: { argv: ['./a', 'b c'] } },
    });
  });

  it.each([
    ['nib', '[./a]'],
    ['agentproc/v4', '[./a]'],
    ['terminal', './a --fast'],
  ])('keeps processes waiting that get their turn on stdin: %s', (dialect, command) => {
    expect(parse(`dialect: ${dialect}\ncommand: ${command}\nprewarm: 2`)).toMatchObject({ prewarm: 2 });
  });

  it.each([
    ['agentproc', './a', /prewarm: No process can start before its turn: .* environment/],
    ['agentproc/v4', '[./a, "{{SESSION_ID}}"]', /prewarm: No process can start before its turn: .* command/],
    ['terminal', './a {message}', /prewarm: No process can start before its turn: .* command/],
    ['nuum', './a', /prewarm: No process can start before its turn: it is one process that stays/],
  ])('is refused when no process can wait for its turn: %s', (dialect, command, problem) => {
    expect(problems(`dialect: ${dialect}\ncommand: ${command}\nprewarm: 2`)).toEqual([
      expect.stringMatching(problem),
    ]);
    expect(problems(`dialect: ${dialect}\ncommand: ${command}\nprewarm: 0`)).toEqual([]);
  });

  it('has the message as a word of its own where the command is a list', () => {
    expect(problems('dialect: terminal\ncommand: [sh, -c, "echo {message}"]')).toEqual([
      'helper.yaml:2:1: command: In a list, {message} must be a word of its own, not a part of "echo {message}".',
    ]);
    expect(problems('dialect: terminal\ncommand: [echo, "{message}"]')).toEqual([]);
  });

  it('of the newer AgentProc wire has a command of one word, or a list', () => {
    expect(problems('dialect: agentproc/v4\ncommand: python3 x.py')).toEqual([
      'helper.yaml:2:1: command: In agentproc/v4 a command is one word, or a list such as [python3, agent.py]; this has white space.',
    ]);
    expect(parse('dialect: agentproc/v4\ncommand: ["/opt/my agent"]').settings.command).toEqual({
      argv: ['/opt/my agent'],
    });
  });

  it('can have its own name, roots and limits', () => {
    const text =
      'dialect: nuum\nname: mine\ncommand: nuum --stdio\nmedia_roots: [out, ~/x]\nidle_timeout_secs: 9\nline_bytes: 2048';
    expect(parse(text)).toMatchObject({
      name: 'mine',
      mediaRoots: ['/profiles/out', '/home/ada/x'],
      settings: { idleTimeoutSecs: 9 },
      lineBytes: 2048,
    });
  });
});

describe('a profile of Codex', () => {
  it('is complete with its dialect alone, in both forms', () => {
    expect(parse('dialect: codex').settings).toMatchObject({
      command: { argv: ['codex'] },
      approvalsReviewer: 'user',
      timeoutSecs: 0,
    });
    expect(parse('dialect: codex/exec').settings).toMatchObject({ command: { argv: ['codex'] }, config: {} });
  });

  it('has every field of the program', () => {
    const text = [
      'dialect: codex',
      'command: /opt/codex',
      'model: gpt-5.5',
      'model_provider: lab',
      'effort: high',
      'approval_policy: on-request',
      'approvals_reviewer: auto_review',
      'sandbox: workspace-write',
      'network_access: true',
      'add_dirs: [/more]',
      'base_instructions: Be kind.',
      'developer_instructions: Be brief.',
      'config: { features.plugins: true, tools: { web_search: false } }',
      'mcp_servers: { files: { command: files } }',
      'mode: plan',
      'resume: th1',
      'continue: true',
      'fork: true',
      'ephemeral: true',
      'share: true',
      'start_timeout_secs: 5',
    ].join('\n');
    expect(parse(text).settings).toMatchObject({
      command: { argv: ['/opt/codex'] },
      model: 'gpt-5.5',
      modelProvider: 'lab',
      effort: 'high',
      approvalPolicy: 'on-request',
      approvalsReviewer: 'auto_review',
      sandbox: 'workspace-write',
      networkAccess: true,
      addDirs: ['/more'],
      baseInstructions: 'Be kind.',
      developerInstructions: 'Be brief.',
      config: { 'features.plugins': true, tools: { web_search: false } },
      mcpServers: { files: { command: 'files' } },
      mode: 'plan',
      resume: 'th1',
      continue: true,
      fork: true,
      ephemeral: true,
      share: true,
      startTimeoutSecs: 5,
    });
  });

  it('refuses values that Codex does not have, and fields of the other form', () => {
    expect(problems('dialect: codex\nsandbox: none')).toHaveLength(1);
    expect(problems('dialect: codex\napproval_policy: on-failure')).toHaveLength(1);
    expect(problems('dialect: codex\nadd_dirs: [more]')).toHaveLength(1);
    expect(problems('dialect: codex/exec\nfork: true')).toHaveLength(1);
  });
});

describe('a profile that cannot be used', () => {
  it('is told the place of an unknown field, and the field that was meant', () => {
    expect(problems('command: ./a\ntimout_secs: 5\n')).toEqual([
      'helper.yaml:2:1: unknown field "timout_secs". Did you mean "timeout_secs"?',
    ]);
  });

  it('is told every problem at once', () => {
    expect(problems('command: ./a\nstdin: maybe\nstreaming: sometimes\n')).toHaveLength(2);
  });

  it('is told of an unknown dialect', () => {
    expect(problems('dialect: termnal\ncommand: ./a')[0]).toMatch(
      /^helper\.yaml:1:1: unknown dialect "termnal". Did you mean "terminal"/,
    );
  });

  it('is told where the YAML is broken, and of keys that stand twice', () => {
    expect(problems('command: [')[0]).toMatch(/^helper\.yaml:1:\d+: /);
    expect(problems('command: a\ncommand: b')[0]).toMatch(/^helper\.yaml:2:1: "command" stands twice/);
    expect(problems(`{"command":"a","command":"b"}`)[0]).toMatch(/: "command" stands twice/);
  });

  it('is refused when the message would stand inside quotes', () => {
    expect(problems('dialect: terminal\ncommand: echo "{message}"')[0]).toMatch(
      /^helper\.yaml:2:1: command: .*quotes/,
    );
    expect(problems('{"terminal":{"command":"echo \'{message}\'"}}')[0]).toMatch(
      /^helper\.yaml:1:14: terminal\.command: /,
    );
  });

  it('is told which word was meant where there is a choice', () => {
    expect(problems('command: ./a\nstdin: mesage\n')).toEqual([
      'helper.yaml:2:1: stdin: Invalid option: expected one of "none"|"message". Did you mean "message"?',
    ]);
  });

  it('has variables that are text, numbers, yes or no, and not maps or nothing', () => {
    expect(parse('command: a\nenv: { A: 1, B: true, C: x }').settings.env).toEqual({
      A: '1',
      B: 'true',
      C: 'x',
    });
    expect(problems('command: a\nenv:\n  A: { b: 1 }\n  B:\n')).toEqual([
      'helper.yaml:3:3: env.A: Expected text, a number, true or false.',
      'helper.yaml:4:3: env.B: Expected text, a number, true or false.',
    ]);
    expect(problems('command: a\nenv: { "A B": x }')).toEqual([
      'helper.yaml:2:8: env.A B: A variable is named by letters, digits and _.',
    ]);
  });

  it('never hears back what may be a secret in the wrong place', () => {
    const secret = 'sk-ant-api03-canary-canary-canary-canary';
    expect(problems(`dialect: ${secret}\ncommand: a`).join()).not.toContain('canary');
    expect(problems(`command: a\nstdin: ${secret}`).join()).not.toContain('canary');
  });

  it.each([
    ['a tag of its own', 'command: !mine x', 'helper.yaml:1:10: Unresolved tag: !mine'],
    [
      'a tag for binary data',
      'command: !!binary aGk=',
      'helper.yaml:1:10: Unresolved tag: tag:yaml.org,2002:binary',
    ],
    [
      'a value inside itself',
      'a: &a [*a]',
      'helper.yaml: This file nests its values too deep, or puts one into itself.',
    ],
    ['a megabyte', `# ${'x'.repeat(1024 * 1024)}`, 'helper.yaml: This file is larger than 1 MiB.'],
  ])('is refused for %s', (_what, text, problem) => {
    expect(problems(text)).toEqual([problem]);
  });

  it.each([
    [
      'two documents',
      'command: a\n---\ncommand: b',
      'helper.yaml:2:1: A second document begins here; a file has only one.',
    ],
    [
      'no command',
      'command: ""',
      'helper.yaml:1:1: command: Expected the program to start: text, or a list of arguments.',
    ],
    [
      'an empty list',
      'command: []',
      'helper.yaml:1:1: command: Expected the program to start: text, or a list of arguments.',
    ],
    ['a list for a map', 'command: a\nenv: [A]', 'helper.yaml:2:1: env: Expected a map.'],
    ['a map for a list', 'command: a\nargs: {}', 'helper.yaml:2:1: args: Expected a list.'],
    [
      'a word for yes or no',
      'command: a\nstreaming: maybe',
      'helper.yaml:2:1: streaming: Expected true or false.',
    ],
    ['an empty name', 'command: a\nname: ""', 'helper.yaml:2:1: name: This must not be empty.'],
    [
      'a time below nothing',
      'command: a\ntimeout_secs: -1',
      'helper.yaml:2:1: timeout_secs: Expected a number, 0 or more.',
    ],
    ['what is no text', '\u007fELF\u0002\u0001', 'helper.yaml: This is not a text file.'],
    [
      'a field of another dialect',
      'dialect: terminal\ncommand: a\nstdin: none',
      'helper.yaml:3:1: unknown field "stdin": it belongs to agentproc.',
    ],
    [
      'a field of another dialect that has another name here',
      'command: a\ntimeout: 3',
      'helper.yaml:2:1: unknown field "timeout": it belongs to terminal. Did you mean "timeout_secs"?',
    ],
    [
      'two fields that say the same',
      'dialect: terminal\ncommand: a\ntimeout: 3\ntimeout_secs: 4',
      'helper.yaml:3:1: timeout: This says the same as timeout_secs; keep one of them.',
    ],
  ])('is told in plain words of %s', (_what, text, problem) => {
    expect(problems(text)).toEqual([problem]);
  });

  it('is told that it is not YAML, and what to do', () => {
    expect(problems('command: "a" b')[0]).toMatch(/^helper\.yaml:1:\d+: This is not YAML: .* in quotes\.$/);
  });

  it('is refused with a few words when it is nothing but brackets', () => {
    expect(problems('['.repeat(20_000)).length).toBeLessThanOrEqual(20);
    expect(problems(`${'{"a":'.repeat(200)}1${'}'.repeat(200)}`)).toHaveLength(1);
  });

  it('is refused when it is no map, has no command, or is a bomb', () => {
    expect(problems('- a')).toHaveLength(1);
    expect(problems('dialect: nib')).toHaveLength(1);
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'
      .split('')
      .map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[at]}`).join(',')}]`)
      .join('\n')}\n`;
    expect(() => parse(`${bomb}command: x`)).toThrow();
  });
});

describe('a profile file', () => {
  it('is refused, and not waited for, when it is a folder, a pipe or a device', async () => {
    using at = temporaryDirectory();
    const pipe = join(at.path, 'pipe');
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
    await expect(readProfileFile(at.path)).rejects.toThrow(`${at.path} is a folder; a profile is a file.`);
    await expect(readProfileFile(pipe)).rejects.toThrow(
      `${pipe} is a pipe or a device; a profile is a file.`,
    );
    await expect(readProfileFile('/dev/zero')).rejects.toThrow('/dev/zero is a pipe or a device');
  });

  it('that is not there, or is not text, is told in a sentence', async () => {
    using at = temporaryDirectory();
    const file = join(at.path, 'a.yaml');
    await expect(readProfileFile(file)).rejects.toThrow(`There is no profile at ${file}.`);
    writeFileSync(file, Buffer.from([0xc3, 0x28]));
    await expect(readProfileFile(file)).rejects.toThrow(`${file}: This is not a text file in UTF-8.`);
    await expect(readProfileFile(`${file}/b.yaml`)).rejects.toThrow(`There is no profile at ${file}/b.yaml.`);
  });

  it('that may not be read is told without the words of the system', async () => {
    using at = temporaryDirectory();
    const file = join(at.path, 'a.yaml');
    writeFileSync(file, 'command: a');
    chmodSync(file, 0);
    // The superuser may read everything, and is somebody else for a moment.
    const isSuperuser = process.geteuid?.() === 0;
    if (isSuperuser) process.seteuid?.(65_534);
    try {
      await expect(readProfileFile(file)).rejects.toThrow(
        `The profile ${file} cannot be read: this user may not read it.`,
      );
    } finally {
      if (isSuperuser) process.seteuid?.(0);
    }
  });
});
