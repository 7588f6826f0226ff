import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Installation } from './installation.ts';
import { programsOf } from './programs.ts';
import { manifestOf, PROGRAMS, PUBLISHED, ROOT } from './workspace.ts';

/** One thing that a user of the published packages does, as it must go. */
export interface Proof {
  readonly name: string;
  /** Throws when it does not. */
  run(installation: Installation): void;
}

const COMMAND = './node_modules/.bin/plugboard';

const AGENT = `
import { serve } from '@plugboard/agent';
await serve((turn) => \`You said \${turn.text}\`);
`;

/** Brings a gateway up, looks at its page, asks its agent something, and ends it. */
const GATEWAY = `
import { spawn, execFileSync } from 'node:child_process';
import { once } from 'node:events';
const command = process.argv[2];
const gateway = spawn(command, ['up', '--port', '0', '--data', 'data'], { stdio: ['ignore', 'pipe', 'pipe'] });
let told = '';
gateway.stderr.setEncoding('utf8').on('data', (text) => { told += text; });
const [line] = await once(gateway.stdout.setEncoding('utf8'), 'data');
const page = await (await fetch(line.trim())).text();
if (!page.includes('<div id="')) throw new Error('no page: ' + page);
const answer = execFileSync(command, ['chat', '--gateway', '--data', 'data'], { input: 'good morning\\n', encoding: 'utf8' });
if (!answer.includes('You said: good morning')) throw new Error('no answer: ' + answer);
gateway.kill();
const [code] = await once(gateway, 'exit');
if (code !== 0) throw new Error('ended with ' + code + ': ' + told);
const how = /starts +(\\w+)/.exec(told);
console.log(how[1]);
`;

/** Makes nuum start the thread in which it searches files. */
const SCRIPT = `
rules:
  - when: find it
    calls: [{ name: grep, input: { pattern: "find\\\\sit" } }]
  - after: result
    text: "{result}"
`;

const TYPED_AGENT = `
import { type Handler, serve } from '@plugboard/agent';
const handler: Handler = async (turn, io) => io.reply(turn.text.toUpperCase());
await serve(handler);
`;

const TYPED_HOST = `
import { createTurn, makeProfile, open } from '@plugboard/host';
const profile = await makeProfile({ command: 'cat' }, { name: 'cat', directory: process.cwd() });
for await (const { type } of open(profile, { environment: process.env }).run(createTurn({ id: '1' }))) console.log(type);
`;

const TYPED_CLIENT = `
import { createClient, type SessionView } from '@plugboard/client';
const { sessions }: { readonly sessions: readonly SessionView[] } = await createClient({ url: '' }).sessions.list();
for (const { title } of sessions) console.log(title);
`;

export const PROOFS: readonly Proof[] = [
  {
    name: 'plugboard --version',
    run: ({ run }) => assert.equal(run(COMMAND, ['--version']), `${manifestOf('cli').version}\n`),
  },
  {
    name: 'plugboard run --demo -m hi',
    run: ({ run }) =>
      assert.match(run(COMMAND, ['run', '--demo', '-m', 'hi']), /agent that comes with Plugboard/),
  },
  {
    name: 'plugboard run with a profile',
    run({ run, write }) {
      write('echo.yaml', 'command: cat\nstdin: message\n');
      assert.match(run(COMMAND, ['run', 'echo.yaml', '-m', 'hello']), /hello/);
    },
  },
  {
    name: 'plugboard up: page, native helper, answer and store',
    run({ run, write }) {
      write('gateway.js', GATEWAY);
      assert.match(run(process.execPath, ['gateway.js', COMMAND]), /native|node/);
    },
  },
  {
    name: 'nuum: an answer, a search in files, a memory that lasts',
    run({ run, write }) {
      write('script.yaml', SCRIPT);
      const nuum = (...args: string[]): string =>
        run('./node_modules/.bin/nuum', [...args, '--db', 'nuum.db']);
      assert.match(nuum('-p', 'find it', '-q', '--model', 'script:script.yaml'), /script\.yaml/);
      assert.match(nuum('memory', 'search', 'find it'), /#1/);
    },
  },
  {
    name: 'nib: a project, a scene, its backends',
    run({ run }) {
      const bin = (name: string, ...args: string[]): string => run(`./node_modules/.bin/${name}`, args);
      bin('nib', 'init', 'novel', '--no-git');
      assert.match(bin('nib', '--help'), /novelists/);
      assert.match(bin('nib-agent-local', '--version'), /^\d/);
      assert.match(bin('nib-agent-claude', '--version'), /^\d/);
    },
  },
  {
    name: 'an agent of a few lines, also on the Node of the machine, which may be older',
    run({ run, write }) {
      write('agent.js', AGENT);
      for (const node of [process.execPath, process.env.npm_node_execpath ?? process.execPath]) {
        const frame = run(node, ['agent.js'], '{"version":1,"text":"hi"}\n');
        assert.deepEqual(JSON.parse(frame), { type: 'message', text: 'You said hi' });
      }
    },
  },
  {
    name: 'the declarations of @plugboard/agent by themselves, those of @plugboard/host and @plugboard/client',
    run({ run, write }) {
      write('typed.ts', TYPED_AGENT);
      write('host.ts', TYPED_HOST);
      write('client.ts', TYPED_CLIENT);
      const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules', '@types')];
      // An older target than ours: a declaration must not need the library of the newest.
      const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', ...types];
      run(join(ROOT, 'node_modules', '.bin', 'tsc'), [
        ...options,
        '--ignoreConfig',
        'typed.ts',
        'host.ts',
        'client.ts',
      ]);
    },
  },
  {
    name: 'the programs that are started as files',
    run({ run }) {
      const packages = PUBLISHED.map((folder) => ({
        name: manifestOf(folder).name,
        paths: programsOf(folder),
      }));
      const files = packages.flatMap(({ name, paths }) =>
        paths.filter((path) => /js$/.test(path)).map((path) => `node_modules/${name}/${path}`),
      );
      for (const file of files) run(process.execPath, ['--check', file]);
    },
  },
  {
    name: 'an import of every package',
    run({ run, write }) {
      const libraries = PUBLISHED.filter((folder) => !PROGRAMS.some((program) => program === folder)).map(
        (folder) => manifestOf(folder).name,
      );
      const imports = libraries.map(
        (name) => `console.log(Object.keys(await import('${name}')).length > 0);`,
      );
      write('imports.js', imports.join('\n'));
      assert.equal(run(process.execPath, ['imports.js']), 'true\n'.repeat(libraries.length));
    },
  },
];
