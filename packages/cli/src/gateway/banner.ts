import { type LoginLinks, PLAIN_HTTP } from './links.ts';
import { NO_PAGE } from './place.ts';

/** The facts that the banner prints when a gateway is up. */
export interface BannerFacts {
  readonly version: string;
  readonly url: string;
  readonly agents: readonly string[];
  readonly data: string;
  /** How agents are started. */
  readonly starts: string;
  /** Absent when there is no page to log in to. */
  readonly login?: LoginLinks;
}

/** Formats `facts`; without a built page no login link is shown. */
export function bannerOf(facts: BannerFacts, dim: (text: string) => string): string {
  const { version, url, agents, data, starts, login } = facts;
  return [
    `Plugboard ${version} is up at ${url}`,
    dim(`  agents   ${agents.join(', ')}`),
    dim(`  data     ${data}`),
    dim(`  starts   ${starts}`),
    ...(login === undefined ? [noPage()] : linkLines(login, dim)),
    '',
  ].join('\n');
}

function noPage(): string {
  return `  page     ${NO_PAGE.message} Run ${NO_PAGE.fix}, then start the gateway again.`;
}

function linkLines({ here, network, everywhere }: LoginLinks, dim: (text: string) => string): string[] {
  return [
    `  log in   ${here}`,
    ...network.map((link) => `  network  ${link}`),
    dim('           (good once, for five minutes; plugboard login makes another)'),
    ...(everywhere ? [`           ${PLAIN_HTTP}`] : []),
  ];
}
