import { describe, expect, it } from 'vitest';
import { shell } from '../harness.ts';
import { startDoor } from './door.ts';

interface Family {
  readonly help: string;
  readonly type: string;
  readonly samples: Map<string, number>;
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABELS = /^(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\\\|\\"|\\n)*",?)*)\})?$/;

/** Reads the text form of Prometheus, and takes nothing that is not exactly that. */
function parseMetrics(text: string): Map<string, Family> {
  const families = new Map<string, Family>();
  if (!text.endsWith('\n')) throw new Error('The last line has no end.');
  const lines = text.slice(0, -1).split('\n');
  while (lines.length > 0) {
    const [, name = '', help = ''] = new RegExp(`^# HELP (${NAME}) (.+)$`).exec(lines.shift() ?? '') ?? [];
    const [, typed, type = ''] =
      new RegExp(`^# TYPE (${NAME}) (counter|gauge)$`).exec(lines.shift() ?? '') ?? [];
    if (name === '' || typed !== name || families.has(name)) throw new Error(`What is ${name}?`);
    const samples = new Map<string, number>();
    while (lines[0] !== undefined && !lines[0].startsWith('#')) {
      const line = lines.shift() ?? '';
      const [, sampled, labels = '', value] = new RegExp(`^(${NAME})(\\{.*\\})? (\\S+)$`).exec(line) ?? [];
      if (sampled !== name || !LABELS.test(labels) || !Number.isFinite(Number(value))) throw new Error(line);
      if (samples.has(labels)) throw new Error(`Twice: ${line}`);
      if (type === 'counter' && (Number(value) < 0 || !name.endsWith('_total'))) throw new Error(line);
      samples.set(labels, Number(value));
    }
    if (samples.size === 0) throw new Error(`${name} has no value.`);
    families.set(name, { help, type, samples });
  }
  return families;
}

describe('the metrics', () => {
  it('are in the form that Prometheus reads, and move', async () => {
    const door = await startDoor({
      agents: (at) => [shell('echo', 'echo hello', at)],
      limits: { agents: 0 },
    });
    const read = async () => parseMetrics(await (await door.call('GET', '/metrics')).text());
    const before = await read();
    const session = await door.begin();
    const canary = 'CANARY-TEXT';
    await door.call('POST', `/api/sessions/${session.id}/messages`, { text: canary });
    await fetch(`${door.door.url}/nothing`);
    const text = await (await door.call('GET', '/metrics')).text();
    const after = parseMetrics(text);
    const change = (name: string, labels = ''): number =>
      (after.get(name)?.samples.get(labels) ?? Number.NaN) -
      (before.get(name)?.samples.get(labels) ?? Number.NaN);
    expect(change('plugboard_messages_admitted_total')).toBe(1);
    expect(change('plugboard_messages_waiting')).toBe(1);
    expect(change('plugboard_http_requests_total', '{status="2xx"}')).toBe(3);
    expect(change('plugboard_http_requests_total', '{status="4xx"}')).toBe(1);
    for (const secret of [canary, door.token, session.id, door.directory]) expect(text).not.toContain(secret);
    for (const { help } of after.values()) expect(help).toMatch(/\.$/);
  });
});
