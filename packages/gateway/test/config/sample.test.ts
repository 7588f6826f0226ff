import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SampleAgent, writeSampleConfig } from '../../src/config/sample.ts';
import { folder } from './folder.ts';

describe('the file to begin with', () => {
  it('is the demo when there are no agents', async () => {
    using at = folder(writeSampleConfig({ agents: [] }));
    const config = await at.read();
    expect([config.defaultAgent, config.server.port]).toEqual(['demo', 7420]);
  });

  it('begins with the schema for editors and has comments for people', () => {
    const text = writeSampleConfig({ agents: [{ name: 'a', dialect: 'nib', command: 'x y' }], port: 81 });
    expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=./plugboard.schema.json');
    expect(text).toContain('\nagents:\n  a:\n    dialect: nib\n    command: x y\n');
    expect(text).toContain('\nserver:\n  port: 81\n');
  });

  it('can have each of its commented lines taken in', async () => {
    const text = writeSampleConfig({ agents: [] });
    const open = text.replace(/^# (env:|limits:|log:| {2})/gm, '$1');
    using at = folder(open);
    const config = await at.read();
    expect(open).not.toBe(text);
    expect(config.limits.agents).toBe(16);
  });

  it('reads back as what it was made of, whatever signs a command has', async () => {
    const word = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(...ODD),
    );
    const agent: fc.Arbitrary<SampleAgent> = fc.record({
      name: fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,63}$/),
      dialect: fc.constantFrom('nib', 'agentproc', 'agentproc/v4', 'nuum', 'terminal'),
      command: fc
        .tuple(fc.constantFrom('./x', 'a b'), fc.array(word))
        .map(([first, rest]) => [first, ...rest]),
    });
    const agents = fc.uniqueArray(agent, { selector: ({ name }) => name, maxLength: 4 });
    using at = folder();
    await fc.assert(
      fc.asyncProperty(agents, fc.integer({ min: 0, max: 65_535 }), async (given, port) => {
        // A message inside quotes is refused wherever it comes from.
        fc.pre(!given.some(({ command }) => command.includes('{message}')));
        // A file with these control characters is refused as binary, and `yaml` does not escape them.
        fc.pre(!given.some(({ command }) => /[\x7f-\x84\x86-\x9f]/.test(String(command))));
        at.write(writeSampleConfig({ agents: given, port }));
        const config = await at.read();
        expect(config.server.port).toBe(port);
        for (const { name, dialect, command } of given) {
          expect(config.agents.get(name)?.profile).toMatchObject({
            dialect,
            settings: { command: { argv: command } },
          });
        }
        expect(config.agents.size).toBe(Math.max(1, given.length));
      }),
      { numRuns: 150 },
    );
  });
});

const ODD = [
  '',
  ' ',
  '# no comment',
  '${NAME}',
  'a: b',
  '- x',
  '"',
  "'",
  '\\',
  '\n',
  'a\nb\n\n',
  '\t',
  '\r\n',
  '\u0000',
  '\u2028',
  '\ufeff',
  '\u0085',
  'yes',
  'null',
  '~',
  '0x10',
  '1e3',
  '&a',
  '*a',
  '!tag',
  '%',
  '@',
  '`',
  '---',
  '...',
  '{{MESSAGE}}',
  '<<',
  'x'.repeat(300),
  `${'word '.repeat(60)}end`,
];
