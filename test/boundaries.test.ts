import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const PACKAGES = join(import.meta.dirname, '..', 'packages');

/** What the source of each package may import beside its own files. */
const MAY_IMPORT: Record<string, readonly RegExp[]> = {
  protocol: [],
  process: [/^node:/],
  agent: [/^node:/, /^@plugboard\/protocol$/],
  host: [/^node:/, /^@plugboard\/(protocol|process)$/, /^yaml$/, /^zod$/],
  check: [/^node:/, /^@plugboard\/(protocol|process)$/],
  store: [/^node:/, /^@plugboard\/protocol$/],
  gateway: [
    /^node:/,
    /^@plugboard\/(host|host\/profile|process|protocol|store)$/,
    /^hono\/router\//,
    /^yaml$/,
    /^zod$/,
  ],
  cli: [
    /^node:/,
    /^@plugboard\/(agent|check|gateway|host|host\/profile|process|protocol|store)$/,
    /^@plugboard\/store\/sqlite$/,
    /^commander$/,
  ],
  // Proof that the SDK is enough to be an agent.
  nuum: [
    /^node:/,
    /^@plugboard\/(agent|process|protocol)$/,
    /^ai$/,
    /^@ai-sdk\/(anthropic|openai-compatible)$/,
    /^@modelcontextprotocol\/client/,
    /^yaml$/,
    /^zod$/,
  ],
  // Proof that the host library is enough to be a host; its two agents are below.
  nib: [
    /^node:/,
    /^@plugboard\/(agent|host|process|protocol)$/,
    /^ai$/,
    /^@ai-sdk\/openai-compatible$/,
    /^(ajv|commander|diff|yaml|zod)$/,
  ],
  web: [/^@plugboard\/protocol$/, /^react/, /^markdown-it$/, /^dompurify$/],
  testkit: [/^node:/, /^@plugboard\/(agent|host|protocol)$/],
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

describe.each(Object.entries(MAY_IMPORT))('%s', (name, allowed) => {
  const imports = sources(name).flatMap(importsOf);

  it('has source to look at', () => expect(imports.length).toBeGreaterThan(0));

  it('imports only what the layout allows', () => {
    const outside = imports.filter(({ specifier }) => !specifier.startsWith('.'));
    expect(outside.filter(({ specifier }) => !allowed.some((rule) => rule.test(specifier)))).toEqual([]);
  });

  it('never reaches into another package by a path', () => {
    const escaping = imports.filter(({ file, specifier }) => {
      return specifier.startsWith('.') && !normalize(join(dirname(file), specifier)).startsWith(`${name}/`);
    });
    expect(escaping).toEqual([]);
  });
});

describe('nib', () => {
  const outside = (backends: boolean): string[] =>
    sources('nib')
      .filter((file) => file.startsWith('nib/src/backends/') === backends)
      .flatMap(importsOf)
      .map(({ specifier }) => specifier);

  it('drives agents by the host library alone', () => {
    expect(
      outside(false).filter((name) => /^(@plugboard\/(agent|process)|ai|@ai-sdk\/.*)$/.test(name)),
    ).toEqual([]);
  });

  it('has backends that know nothing of a host', () => {
    expect(outside(true).filter((name) => name === '@plugboard/host')).toEqual([]);
  });
});

describe('a dialect', () => {
  const dialects = ['nib', 'agentproc', 'agentproc-v4', 'terminal', 'nuum'];

  it.each(dialects)('%s imports the model, framing and itself alone', (name) => {
    const own = [
      `protocol/src/dialects/${name}/`,
      'protocol/src/dialects/dialect.ts',
      'protocol/src/model/',
      'protocol/src/framing/',
    ];
    // A later version of a wire may share with the earlier one the rules that are really the same.
    if (name === 'agentproc-v4') own.push('protocol/src/dialects/agentproc/');
    const targets = sources('protocol')
      .filter((file) => file.startsWith(own[0] ?? ''))
      .flatMap(importsOf)
      .map(({ file, specifier }) => normalize(join(dirname(file), specifier)));
    expect(targets.filter((target) => !own.some((place) => target.startsWith(place)))).toEqual([]);
  });

  it('is nothing to the model and the framing', () => {
    const files = sources('protocol').filter((file) => /src\/(model|framing)\//.test(file));
    expect(files.flatMap(importsOf).filter(({ specifier }) => specifier.includes('dialects'))).toEqual([]);
  });
});

describe('what belongs to the process as a whole', () => {
  /** Only programs and the function that turns a program into an agent may touch these. */
  const owners = new RegExp(
    [
      '^cli/',
      '^web/',
      '^agent/src/serve\\.ts$',
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
