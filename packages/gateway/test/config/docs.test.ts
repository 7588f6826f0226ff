import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { channelKinds } from '../../src/channels/kinds.ts';
import { agentFields, demoFields, profileFileFields } from '../../src/config/agent-schema.ts';
import { platformFields } from '../../src/config/platform-schema.ts';
import { isRecord } from '../../src/config/reader.ts';
import { configFields } from '../../src/config/schema.ts';
import { folder } from './folder.ts';

const FILE = join(import.meta.dirname, '../../../../docs/config.md');

type Json = Record<string, unknown>;

/** A row for each field that holds a value itself. */
function rows(schema: z.ZodType, path: readonly string[] = []): string[] {
  const json: unknown = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return isRecord(json) ? rowsOf(json, path) : [];
}

function rowsOf(json: Json, path: readonly string[]): string[] {
  const properties = isRecord(json.properties) ? json.properties : {};
  return Object.entries(properties).flatMap(([name, field]) => {
    if (!isRecord(field)) return [];
    const at = [...path, name];
    return isRecord(field.properties) ? rowsOf(field, at) : [row(at.join('.'), field)];
  });
}

function row(name: string, field: Json): string {
  const choices = Array.isArray(field.enum)
    ? ` One of ${field.enum.map((choice) => `\`${choice}\``).join(', ')}.`
    : '';
  const fallback =
    field.default === undefined || name === 'agents' ? '' : `\`${JSON.stringify(field.default)}\``;
  return `| \`${name}\` | ${String(field.description)}${choices} | ${fallback} |`;
}

function table(): string {
  const agent = ['agents', 'NAME'];
  const all = rows(configFields).flatMap((line) => {
    if (!line.startsWith('| `agents` ')) return [line];
    return [line, ...[demoFields, profileFileFields, agentFields].flatMap((schema) => rows(schema, agent))];
  });
  const platforms = [...channelKinds.values()].flatMap(({ name, fields }) =>
    rows(fields, ['channels', name]),
  );
  const last = all.findLastIndex((line) => line.startsWith('| `channels.'));
  all.splice(last + 1, 0, ...rows(platformFields, ['channels', 'NAME']), ...platforms);
  return ['| field | means | default |', '|---|---|---|', ...all].join('\n');
}

describe('docs/config.md', () => {
  const page = readFileSync(FILE, 'utf8');

  it('has every field as the schema has it', () => {
    const [before = '', rest = ''] = page.split('<!-- fields -->');
    const after = rest.split('<!-- /fields -->')[1] ?? '';
    const wanted = `${before}<!-- fields -->\n\n${table()}\n\n<!-- /fields -->${after}`;
    if (process.env.UPDATE_DOCS === '1') writeFileSync(FILE, wanted);
    else
      expect(page, 'run UPDATE_DOCS=1 npx vitest run packages/gateway/test/config/docs.test.ts').toBe(wanted);
  });

  it.each([...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => text))(
    'has examples that can be used: %s',
    async (text) => {
      using at = folder({
        'plugboard.yaml': text,
        's3-access': 'x',
        's3-secret': 'x',
        'coder.yaml': 'command: x\n',
      });
      expect(await at.problems({ OPENAI_API_KEY: 'x', CHAT_HOST: 'chat.example.org' })).toEqual([]);
    },
  );
});
