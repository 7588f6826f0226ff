import type { Gateway } from '../gateway.ts';
import type { Principal } from './auth.ts';
import { mayUseAgent } from './authorize.ts';

type Kind = 'counter' | 'gauge';
type Metric = readonly [name: string, kind: Kind, help: string, samples: readonly Sample[]];
type Sample = readonly [value: number, labels?: Readonly<Record<string, string>>];

/** Metrics in the Prometheus text format. Only agents that `principal` may use are named. */
export async function metricsText(
  gateway: Gateway,
  answered: readonly number[],
  principal: Principal,
): Promise<string> {
  const { engine, agents, feed, store } = gateway;
  const backlog = await store.turns.backlog();
  const { rss, heapUsed } = process.memoryUsage();
  const { counts } = engine;
  const metrics: Metric[] = [
    ['plugboard_messages_admitted_total', 'counter', 'Messages taken in.', [[counts.admitted]]],
    [
      'plugboard_messages_steered_total',
      'counter',
      'Messages taken into a running turn.',
      [[counts.steered]],
    ],
    ['plugboard_turns_begun_total', 'counter', 'Turns begun.', [[counts.begun]]],
    ['plugboard_turns_ended_total', 'counter', 'Turns ended.', [[counts.ended]]],
    [
      'plugboard_turns_interrupted_total',
      'counter',
      'Turns found cut off at the start.',
      [[counts.interrupted]],
    ],
    ['plugboard_turns_running', 'gauge', 'Turns that run now.', runningByAgent(gateway, principal)],
    ['plugboard_messages_waiting', 'gauge', 'Messages that wait for a turn.', [[backlog.waiting]]],
    [
      'plugboard_oldest_message_seconds',
      'gauge',
      'Age of the oldest message that waits.',
      [[backlog.oldestMs / 1000]],
    ],
    ['plugboard_resident_agents', 'gauge', 'Agent processes that stay between turns.', [[agents.residents]]],
    [
      'plugboard_leases',
      'gauge',
      'Sessions that this gateway has for their next turn.',
      [[engine.leases.all.length]],
    ],
    ['plugboard_claims_total', 'counter', 'Looks for a turn to begin.', [[engine.dispatcher.claims.count]]],
    [
      'plugboard_claim_seconds_total',
      'counter',
      'What they took together.',
      [[engine.dispatcher.claims.ms / 1000]],
    ],
    ...nodeMetrics(gateway),
    ['plugboard_followers', 'gauge', 'Event streams that are open.', [[feed.followers]]],
    ['plugboard_deliveries', 'gauge', 'Deliveries by state.', await deliveriesByState(gateway)],
    ['plugboard_http_requests_total', 'counter', 'Requests answered, by status.', byStatus(answered)],
    [
      'plugboard_event_loop_delay_seconds',
      'gauge',
      'How long the event loop was held up in the last ten seconds.',
      loopDelays(gateway),
    ],
    ['process_resident_memory_bytes', 'gauge', 'Resident memory.', [[rss]]],
    ['nodejs_heap_used_bytes', 'gauge', 'Heap in use.', [[heapUsed]]],
    ['process_uptime_seconds', 'gauge', 'Since the start.', [[process.uptime()]]],
  ];
  return metrics.map(formatMetric).join('');
}

/** None for a gateway that has its store alone. */
function nodeMetrics({ store: { nodes }, membership }: Gateway): Metric[] {
  if (nodes === undefined || membership === undefined) return [];
  const { open, idle, waiting } = nodes.connections;
  const seen: Sample[] = [[nodes.isAlive ? 1 : 0]];
  return [
    ['plugboard_node_peers', 'gauge', 'Other gateways that are alive.', [[nodes.peers.length]]],
    ['plugboard_node_alive', 'gauge', 'Whether the other gateways can see this one.', seen],
    ['plugboard_node_draining', 'gauge', 'Whether it takes no new turns.', [[membership.isDraining ? 1 : 0]]],
    ['plugboard_takeovers_total', 'counter', 'Dead gateways taken over.', [[membership.takeovers]]],
    [
      'plugboard_store_connections',
      'gauge',
      'Connections to the database, and calls that wait for one.',
      [
        [open - idle, { state: 'busy' }],
        [idle, { state: 'idle' }],
        [waiting, { state: 'waiting' }],
      ],
    ],
  ];
}

function loopDelays({ loopDelay: { seconds } }: Gateway): Sample[] {
  return [
    [seconds.median, { quantile: '0.5' }],
    [seconds.p99, { quantile: '0.99' }],
    [seconds.most, { quantile: '1' }],
  ];
}

function byStatus(answered: readonly number[]): Sample[] {
  return [2, 3, 4, 5].map((kind) => [answered[kind] ?? 0, { status: `${kind}xx` }]);
}

function runningByAgent({ engine, agents }: Gateway, principal: Principal): Sample[] {
  const counts = new Map(agents.names.map((name) => [name, 0]));
  for (const { claim } of engine.running.values()) {
    counts.set(claim.session.agent, (counts.get(claim.session.agent) ?? 0) + 1);
  }
  return [...counts]
    .filter(([agent]) => mayUseAgent(principal, agent))
    .map(([agent, count]) => [count, { agent }]);
}

/** Counts deliveries that may need an operator. `sent` is left out, because its number is unbounded. */
async function deliveriesByState({ store }: Gateway): Promise<Sample[]> {
  const states = ['pending', 'sending', 'unknown', 'failed', 'expired'] as const;
  return Promise.all(
    states.map(
      async (state) => [(await store.outbox.list({ state, limit: 1_000 })).length, { state }] as const,
    ),
  );
}

function formatMetric([name, kind, help, samples]: Metric): string {
  const lines = samples.map(([value, labels]) => `${name}${labelText(labels)} ${value}`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${lines.join('\n')}\n`;
}

function labelText(labels: Readonly<Record<string, string>> | undefined): string {
  if (labels === undefined) return '';
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
