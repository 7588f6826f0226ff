import { z } from 'zod';
import { anyAgent } from './agent-schema.ts';
import { configFields } from './schema.ts';

/** The JSON Schema of a configuration file, by which editors complete fields and show what each is for. */
export function configSchema(): Record<string, unknown> {
  const { agents } = configFields.shape;
  const names = agents.unwrap().keyType;
  const description = agents.description ?? '';
  const whole = configFields.extend({ agents: z.record(names, anyAgent()).optional().describe(description) });
  const { $schema, ...schema } = z.toJSONSchema(whole, {
    target: 'draft-2020-12',
    io: 'input',
    unrepresentable: 'any',
  });
  return { $schema, title: 'Plugboard gateway', ...schema };
}
