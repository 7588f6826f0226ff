import { Document, Scalar, visit } from 'yaml';

/** What `plugboard init` was told. */
export interface SampleAnswers {
  readonly agents: readonly SampleAgent[];
  readonly port?: number;
}

export interface SampleAgent {
  readonly name: string;
  readonly dialect: string;
  readonly command: string | readonly string[];
  readonly protocol?: 'plain' | 'rich';
}

const HEAD = ` yaml-language-server: $schema=./plugboard.schema.json
 The gateway's configuration. Every field is in docs/config.md; "plugboard config check" tells what is wrong here.`;

const AGENTS = ' The agents that people can talk to. The first answers when nobody is named.';

const SERVER =
  ' Where the gateway listens: on this machine alone, unless "host" and "exposed" say otherwise.';

/** The rest of a starter file: what most people come to want, for them to take the # away. */
const TAIL = `Variables of the environment that \${NAME} in this file may refer to.
env: [OPENAI_API_KEY]

limits:
  agents: 16          # turns that run at a time
  retention_days: 0   # 0 keeps messages for ever

log:
  level: info`;

/** The text of a commented file to begin with, which reads back as exactly what it was made of. */
export function writeSampleConfig({ agents, port = 7420 }: SampleAnswers): string {
  const document = new Document({ agents: agentsOf(agents), server: { port } });
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
  const tail = TAIL.split('\n').map((line) =>
    line === '' ? '' : `#${line.startsWith(' ') ? '' : ' '}${line}`,
  );
  return `${document.toString({ lineWidth: 0, flowCollectionPadding: false })}\n${tail.join('\n')}\n`;
}

function agentsOf(agents: readonly SampleAgent[]): Record<string, unknown> {
  if (agents.length === 0) return { demo: { demo: true } };
  return Object.fromEntries(agents.map(({ name, ...fields }) => [name, fields]));
}
