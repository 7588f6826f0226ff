import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const PACKAGES = join(import.meta.dirname, '..', 'packages');

/** Client libraries of chat platforms, by the folder of `gateway/src/channels` that may import them. */
const PLATFORM_CLIENTS: Readonly<Record<string, readonly RegExp[]>> = {
  telegram: [/^grammy\/(types|web)$/],
  discord: [/^@discordjs\/(core|rest|ws)$/],
  slack: [/^@slack\/(socket-mode|web-api)$/],
};

/** What the source of each package may import beside its own files. */
const MAY_IMPORT: Record<string, readonly RegExp[]> = {
  protocol: [],
  client: [/^@plugboard\/protocol$/],
  process: [/^node:/],
  agent: [/^node:/, /^@plugboard\/protocol$/],
  host: [/^node:/, /^@plugboard\/(protocol|process)$/, /^yaml$/, /^zod$/],
  check: [/^node:/, /^@plugboard\/(protocol|process)$/],
  llm: [/^node:/, /^@plugboard\/protocol$/, /^ai$/, /^@ai-sdk\/(anthropic|openai-compatible)$/],
  sqlite: [/^node:/],
  store: [/^node:/, /^@plugboard\/(protocol|sqlite)$/, /^pg$/],
  gateway: [
    /^node:/,
    /^@plugboard\/(host|host\/profile|process|protocol|store)$/,
    /^hono\/router\//,
    /^markdown-it$/,
    /^yaml$/,
    /^zod$/,
    // Clients of chat platforms, each allowed in the folder of its channel alone.
    ...Object.values(PLATFORM_CLIENTS).flat(),
  ],
  cli: [
    /^node:/,
    /^@plugboard\/(agent|check|client|gateway|host|host\/profile|process|protocol|store)$/,
    /^@plugboard\/store\/(sqlite|postgres|move)$/,
    /^commander$/,
    /^uqr$/,
  ],
  // Proof that the SDK is enough to be an agent.
  nuum: [
    /^node:/,
    /^@plugboard\/(agent|llm|process|protocol|sqlite)$/,
    /^@modelcontextprotocol\/client/,
    /^yaml$/,
    /^zod$/,
  ],
  // Proof that the host library is enough to be a host; its two agents are below.
  nib: [/^node:/, /^@plugboard\/(agent|host|llm|process|protocol)$/, /^(ajv|commander|diff|yaml)$/],
  web: [/^@plugboard\/(client|protocol)$/, /^react/, /^markdown-it$/, /^dompurify$/],
  testkit: [/^node:/, /^@plugboard\/(agent|host|protocol)$/, /^(pg|ws)$/],
};

interface Import {
  readonly file: string;
  readonly specifier: string;
}

function sources(name: string): string[] {
  return globSync(join(PACKAGES, name, 'src/**/*.{ts,tsx}')).map((file) => relative(PACKAGES, file));
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(PACKAGES, file), 'utf8');
  const found = text.matchAll(
    /(?:^|\n)\s*(?:import|export)\b[^;'"]*?from\s*'([^']+)'|\bimport\(\s*'([^']+)'\s*\)|(?:^|\n)import\s*'([^']+)'/g,
  );
  return [...found].map((match) => ({ file, specifier: match[1] ?? match[2] ?? match[3] ?? '' }));
}

/** The files of a package that import each other in a cycle, directly or through others: one list for each cycle. */
function findCycles(name: string): string[][] {
  const files = sources(name);
  const targets = new Map(
    files.map((file) => [
      file,
      importsOf(file).flatMap(({ specifier }) =>
        specifier.startsWith('.') ? [normalize(join(dirname(file), specifier))] : [],
      ),
    ]),
  );
  const reach = new Map(files.map((file) => [file, findReached(file, targets)]));
  const cycles = files.map((file) =>
    files.filter((other) => reach.get(file)?.has(other) && reach.get(other)?.has(file)),
  );
  return cycles.filter((cycle, index) => cycle.length > 0 && cycle[0] === files[index]);
}

/** All files that `start` imports, directly or through others; `start` itself only when it is on a cycle. */
function findReached(start: string, targets: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set<string>();
  const open = [start];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    for (const target of targets.get(file) ?? []) {
      if (reached.has(target)) continue;
      reached.add(target);
      open.push(target);
    }
  }
  return reached;
}

describe.each(Object.entries(MAY_IMPORT))('%s', (name, allowed) => {
  const imports = sources(name).flatMap(importsOf);

  it('has source to look at', () => expect(imports.length).toBeGreaterThan(0));

  it('imports only what the layout allows', () => {
    const outside = imports.filter(({ specifier }) => !specifier.startsWith('.'));
    expect(outside.filter(({ specifier }) => !allowed.some((rule) => rule.test(specifier)))).toEqual([]);
  });

  it('has no cycle of imports, types included', () => expect(findCycles(name)).toEqual([]));

  it('never reaches into another package by a path', () => {
    const escaping = imports.filter(({ file, specifier }) => {
      return specifier.startsWith('.') && !normalize(join(dirname(file), specifier)).startsWith(`${name}/`);
    });
    expect(escaping).toEqual([]);
  });
});

it('client imports types alone, so that a browser loads nothing but its own files', () => {
  const imports = sources('client').flatMap(
    (file) => code(file).match(/^(import|export)\b.*@plugboard.*/gm) ?? [],
  );
  expect(imports.length).toBeGreaterThan(0);
  expect(imports.filter((line) => !line.startsWith('import type '))).toEqual([]);
});

describe('nib', () => {
  const outside = (backends: boolean): string[] =>
    sources('nib')
      .filter((file) => file.startsWith('nib/src/backends/') === backends)
      .flatMap(importsOf)
      .map(({ specifier }) => specifier);

  it('drives agents by the host library alone', () => {
    expect(outside(false).filter((name) => /^@plugboard\/(agent|llm|process)$/.test(name))).toEqual([]);
  });

  it('has backends that know nothing of a host', () => {
    expect(outside(true).filter((name) => name === '@plugboard/host')).toEqual([]);
  });
});

describe('a dialect', () => {
  const dialects = globSync('protocol/src/dialects/*/', { cwd: PACKAGES }).map((path) => basename(path));

  it.each(dialects)('%s imports the model, framing, the contract and itself alone', (name) => {
    const own = [
      `protocol/src/dialects/${name}/`,
      'protocol/src/contract/',
      'protocol/src/model/',
      'protocol/src/framing/',
    ];
    // Dialects share what is the same in both; none imports another.
    if (name.startsWith('agentproc')) own.push('protocol/src/agentproc-common/');
    if (name.startsWith('codex')) own.push('protocol/src/codex-common/');
    if (['acp', 'codex'].includes(name)) own.push('protocol/src/rpc-host/');
    const targets = sources('protocol')
      .filter((file) => file.startsWith(own[0] ?? ''))
      .flatMap(importsOf)
      .map(({ file, specifier }) => normalize(join(dirname(file), specifier)));
    expect(targets.filter((target) => !own.some((place) => target.startsWith(place)))).toEqual([]);
  });

  it('is imported by neither model, framing nor contract', () => {
    const files = sources('protocol').filter((file) => /src\/(model|framing|contract)\//.test(file));
    expect(files.flatMap(importsOf).filter(({ specifier }) => specifier.includes('dialects'))).toEqual([]);
  });
});

describe('the name of a dialect', () => {
  /** Where it may stand: its folder, the registry, its profile fields and its cases. */
  const OWN =
    /^(protocol\/src\/(dialects|codex-common)\/|host\/src\/profile\/|check\/src\/(host\/)?cases\/|nib\/|nuum\/)/;
  /** Each with its reason. */
  const OTHERS: Readonly<Record<string, string>> = {
    'agent/src/serve/text.ts': 'the channel of a person at a terminal',
    'cli/src/gateway/config.ts': 'one demo agent for each way of showing what an agent does',
    'cli/src/known-agents/known-agents.ts': 'the profiles that come with plugboard',
    'cli/src/mistaken.ts': 'keys by which profiles of other programs are known',
    'cli/src/commands/install.ts': 'makes any agent a backend of nib',
  };

  it('stands nowhere else in the source', () => {
    const files = Object.keys(MAY_IMPORT)
      .flatMap(sources)
      .filter(
        (file) =>
          !OWN.test(file) &&
          /'(?:agentproc|agentproc\/v4|terminal|nib|nuum|claude|acp|codex|codex\/exec)'/.test(code(file)),
      );
    expect(files.sort()).toEqual(Object.keys(OTHERS).sort());
  });
});

it.each(Object.entries(PLATFORM_CLIENTS))('only the channel %s imports its client', (folder, clients) => {
  const importers = sources('gateway')
    .flatMap(importsOf)
    .filter(({ specifier }) => clients.some((client) => client.test(specifier)));
  const own = `gateway/src/channels/${folder}/`;
  expect(importers.filter(({ file }) => !file.startsWith(own))).toEqual([]);
});

describe('what belongs to the process as a whole', () => {
  /** Only programs and the function that turns a program into an agent may touch these. */
  const owners = new RegExp(
    [
      '^cli/',
      '^web/',
      '^agent/src/serve\\.ts$',
      // Browsers and programs use the client as it is; a test hands in another clock.
      '^client/src/clock\\.ts$',
      // Channels sign requests and count days by the wall clock; a test hands in another.
      '^gateway/src/clock\\.ts$',
      '/scripted/',
      // Times of files are those of the wall clock, which nobody can hand in.
      '^host/src/media/file-clock\\.ts$',
      '^nuum/src/(main\\.ts$|program/)',
      '^nib/src/(backends/\\w+/)?main\\.ts$',
    ].join('|'),
  );

  it.each([
    ['the environment', /\bprocess\.env\b/],
    ['the end of the process', /\bprocess\.exit\b/],
    ['the console', /\bconsole\./],
    ['the clock', /\bDate\.now\b|\bnew Date\(\)/],
  ])('%s is left to programs', (_what, pattern) => {
    const users = Object.keys(MAY_IMPORT)
      .filter((name) => name !== 'testkit')
      .flatMap(sources)
      .filter((file) => !owners.test(file) && pattern.test(code(file)));
    expect(users).toEqual([]);
  });
});

/** A file without its comments. */
function code(file: string): string {
  return readFileSync(join(PACKAGES, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
}
