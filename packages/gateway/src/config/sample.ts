import { Document, Scalar, visit } from 'yaml';

/** Answers to `plugboard init`. */
export interface SampleAnswers {
  readonly agents: readonly SampleAgent[];
  readonly port?: number;
  /** Variables of the environment that the agents refer to as `${NAME}`. */
  readonly env?: readonly string[];
}

export interface SampleAgent {
  readonly name: string;
  readonly dialect: string;
  readonly command: string | readonly string[];
  readonly protocol?: 'plain' | 'rich';
  readonly env?: Readonly<Record<string, string>>;
}

const HEAD = ` yaml-language-server: $schema=./plugboard.schema.json
 The gateway's configuration. Every field is in docs/config.md; "plugboard config check" tells what is wrong here.`;

const AGENTS = ' The agents that people can talk to. The first answers when nobody is named.';

const SERVER =
  ' Where the gateway listens: on this machine alone, unless "host" and "exposed" say otherwise.';

/** A commented-out setting, where the file has none of its own. */
const ENV = `Variables of the environment that \${NAME} in this file may refer to.
env: [OPENAI_API_KEY]

`;

/** Further commented-out settings. */
const TAIL = `limits:
  agents: 16          # turns that run at a time
  retention_days: 0   # 0 keeps messages for ever

log:
  level: info`;

/** Writes a commented configuration that reads back as `SampleAnswers`. */
export function writeSampleConfig({ agents, port = 7420, env = [] }: SampleAnswers): string {
  const names = env.length === 0 ? {} : { env };
  const document = new Document({ agents: agentsOf(agents), ...names, server: { port } });
  document.commentBefore = HEAD;
  visit(document, {
    Pair(_key, { key }) {
      if (!(key instanceof Scalar)) return;
      if (key.value === 'agents') key.commentBefore = AGENTS;
      if (key.value === 'server') {
        key.commentBefore = SERVER;
        key.spaceBefore = true;
      }
      return visit.SKIP;
    },
  });
  const tail = `${env.length === 0 ? ENV : ''}${TAIL}`
    .split('\n')
    .map((line) => (line === '' ? '' : `#${line.startsWith(' ') ? '' : ' '}${line}`));
  return `${document.toString({ lineWidth: 0, flowCollectionPadding: false })}\n${tail.join('\n')}\n`;
}

function agentsOf(agents: readonly SampleAgent[]): Record<string, unknown> {
  if (agents.length === 0) return { demo: { demo: true } };
  return Object.fromEntries(agents.map(({ name, ...fields }) => [name, fields]));
}
