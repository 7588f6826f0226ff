import { isIP } from 'node:net';
import { z } from 'zod';
import { numberBetween, oneOf, text, wholeBetween } from './kinds.ts';
import { isLoopback } from './loopback.ts';
import { mediaFields } from './media-place.ts';
import { storeUrl } from './store-url.ts';

/** `setTimeout` takes at most 2^31 - 1 ms. */
const LONGEST_SECS = 2_000_000;

export const seconds = numberBetween(0, LONGEST_SECS);
const count = wholeBetween(0, 1_000_000);
const bytes = wholeBetween(1024, 1024 ** 3);
const enabled = z.boolean().default(true);

/** Error for an invalid agent name. */
export const AGENT_NAME_WANTED = 'A name is 1 to 64 of a-z, 0-9 and -, and does not begin with -.';

export const agentName = text().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, AGENT_NAME_WANTED);

// `refine` instead of `regex`: a pattern in the JSON Schema would reject `${NAME}` in an editor.
const hostName = text()
  .refine((name) => /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(name), {
    error: 'Expected the name of a host alone, without port or path.',
  })
  .toLowerCase();

const address = text().refine((said) => isIP(said) !== 0, 'Expected an IP address.');

const host = z.union([address, hostName], {
  error: 'Expected an IP address or the name of a host, without port.',
});

const publicUrl = text().refine(
  isPlainUrl,
  'Expected an http or https address without user, query or fragment.',
);

const REACHABLE =
  'Other machines could reach this address, and whoever has a token can run your agents. ' +
  'Say "exposed: true" beside it if that is meant, or listen on 127.0.0.1.';

const server = z
  .strictObject({
    host: host.default('127.0.0.1').describe('The address to listen on.'),
    port: wholeBetween(0, 65_535).default(7420).describe('The port to listen on; 0 is any free one.'),
    exposed: z
      .boolean()
      .default(false)
      .describe('Other machines may reach the gateway: needed for any host but the loopback.'),
    names: z.array(hostName).default([]).describe('Further Host names that are answered.'),
    proxies: z
      .array(address)
      .default([])
      .describe('Addresses of peers whose Forwarded headers are believed.'),
    body_bytes: bytes.default(1024 ** 2).describe('The longest body of a request.'),
    media_bytes: bytes.default(25 * 1024 ** 2).describe('The largest file that can be sent to an agent.'),
    requests_per_minute: wholeBetween(1, 1_000_000)
      .default(600)
      .describe('Requests of each token or cookie.'),
    openai_strict: z
      .boolean()
      .default(false)
      .describe('Refuse the fields under /v1 that the gateway does not know, rather than pass them over.'),
    public_url: publicUrl.optional().describe('What links to the gateway begin with.'),
  })
  .superRefine(({ host, exposed }, context) => {
    if (!exposed && !isLoopback(host))
      context.addIssue({ code: 'custom', path: ['host'], message: REACHABLE });
  });

const store = z.strictObject({
  driver: oneOf(['sqlite', 'postgres']).optional().describe('The database; postgres when there is a url.'),
  file: text()
    .min(1)
    .optional()
    .describe('The database file; plugboard.db in the data directory when absent.'),
  synchronous: oneOf(['full', 'normal'])
    .default('full')
    .describe('With normal, a loss of power can lose the last messages; it is faster.'),
  url: storeUrl()
    .optional()
    .describe('The Postgres database; PLUGBOARD_STORE when there is neither url nor file.'),
});

/** The channels of platforms are read by `readPlatforms`, whose fields depend on the platform. */
const channels = z.looseObject({
  web: z
    .strictObject({ enabled: enabled.describe('Serve the page.') })
    .prefault({})
    .describe('Chat in the browser.'),
  cli: z
    .strictObject({ enabled: enabled.describe('Let terminals connect.') })
    .prefault({})
    .describe('Chat in a terminal, with the gateway behind.'),
});

const limits = z.strictObject({
  agents: wholeBetween(1, 10_000).default(16).describe('Turns that run at a time.'),
  resident: count
    .default(32)
    .describe(
      'Processes of resident agents that stay while they have nothing to do; beyond that, those used longest ago end.',
    ),
  waiting: count.default(1000).describe('Messages that may wait in all; more are refused.'),
  waiting_per_principal: count
    .default(500)
    .describe('Messages of one token, or of one sender in a channel, that may wait; more are refused.'),
  waiting_per_session: count
    .default(20)
    .describe(
      'Messages that may wait in one session, with those that were steered into its turn and not taken in yet; more are refused.',
    ),
  turn_secs: seconds.default(0).describe('Longest time of any turn; 0 leaves it to the profile.'),
  grace_secs: seconds.default(20).describe('How long running turns have when the gateway is stopped.'),
  recordings: count.default(200).describe('Turns whose frames are kept for the inspector; 0 is none.'),
  recording_bytes: bytes.default(1024 ** 2).describe('How much is kept of each of those.'),
  retention_days: numberBetween(0, 36_500)
    .default(0)
    .describe('After how many days old messages go; 0 is never.'),
});

const log = z.strictObject({
  level: oneOf(['debug', 'info', 'warn', 'error']).default('info').describe('What is worth a line.'),
  format: oneOf(['text', 'json']).default('text').describe('Lines for people, or for programs.'),
});

/** All fields except those inside an agent, which depend on its dialect. */
export const configFields = z.strictObject({
  $schema: text().optional().describe('The JSON Schema of this file, for editors.'),
  env: z
    .array(text().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'A variable is named by letters, digits and _.'))
    .default([])
    .describe('The variables that ${NAME} in this file may refer to.'),
  agents: z
    .record(agentName, z.unknown())
    .default({})
    .describe('The agents, by name; without any, the demos.'),
  default_agent: text().optional().describe('Who answers when nobody is named; the first agent when absent.'),
  server: server.prefault({}).describe('Where and for whom the gateway listens.'),
  store: store.prefault({}).describe('Where messages and sessions are kept.'),
  media: mediaFields
    .optional()
    .describe(
      'Where files of people and agents are; the data directory when absent, or the Postgres database.',
    ),
  channels: channels.prefault({}).describe('The places where people talk to agents.'),
  limits: limits.prefault({}).describe('How much of everything.'),
  spawn: oneOf(['auto', 'native', 'node', 'direct'])
    .default('auto')
    .describe('How agent processes are started; auto takes the fastest way there is.'),
  log: log.prefault({}).describe('What the gateway says about itself.'),
});

export type ConfigFields = z.infer<typeof configFields>;

function isPlainUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return false;
  return url.username === '' && url.password === '' && url.search === '' && url.hash === '';
}
