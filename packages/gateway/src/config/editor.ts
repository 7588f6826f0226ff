import { z } from 'zod';
import { anyAgent } from './agent-schema.ts';
import { anyPlatform } from './platform-schema.ts';
import { configFields } from './schema.ts';

const STORE = 'Where messages and sessions are kept: the URL of a Postgres database, or these fields.';

/** JSON Schema of the configuration file, for completion and hints in editors. */
export function configSchema(): Record<string, unknown> {
  const { agents } = configFields.shape;
  const names = agents.unwrap().keyType;
  const description = agents.description ?? '';
  const channels = configFields.shape.channels.unwrap();
  const whole = configFields.extend({
    store: z.union([z.string(), configFields.shape.store.unwrap()]).optional().describe(STORE),
    agents: z.record(names, anyAgent()).optional().describe(description),
    channels: channels
      .catchall(anyPlatform())
      .optional()
      .describe(configFields.shape.channels.description ?? ''),
  });
  const { $schema, ...schema } = z.toJSONSchema(whole, {
    target: 'draft-2020-12',
    io: 'input',
    unrepresentable: 'any',
  });
  return { $schema, title: 'Plugboard gateway', ...schema };
}
