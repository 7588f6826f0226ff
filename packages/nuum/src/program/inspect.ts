import type { Nuum } from '../agent/nuum.ts';
import type { KnowledgeNode } from '../memory/knowledge/entry.ts';
import { type Proposal, proposalsIn } from '../memory/knowledge/proposals.ts';
import type { Memory } from '../memory/memory.ts';
import { describe } from '../memory/people/describe.ts';

/** What a memory holds, in words; `full` tells of knowledge and summaries, too. */
export function inspection(memory: Memory, full: boolean): string {
  const all = describe(memory);
  const { messages, view, present, bytes } = all;
  const lines = [
    `memory    ${all.file} (${mib(bytes.file + bytes.log)} MiB)`,
    `agent     ${all.session}, since ${day(all.createdAt)}`,
    `messages  ${messages.count}, about ${messages.tokens} tokens; ${messages.covered} of them in ${view.summaries} summaries`,
    `in view   about ${view.tokens} tokens: the whole is ${view.ratio} times as much`,
    `mission   ${present.mission || '(none)'}`,
    `status    ${present.status || '(none)'}`,
    ...present.todos.map(({ content, status }) => `          [${status}] ${content}`),
  ];
  if (full) lines.push(...proposalsIn(memory).flatMap((proposal) => ['', proposalText(proposal).trimEnd()]));
  if (full)
    lines.push('', 'Knowledge', ...knowledgeLines(all.knowledge), '', 'Last summaries', ...summaryLines(all));
  return `${lines.join('\n')}\n`;
}

/** A proposal as a person is shown it. */
export function proposalText({ slug, body }: Proposal): string {
  const text = body.replaceAll(/^/gm, '  ');
  return `Proposed for "${slug}", which stands in every prompt:\n${text}\n`;
}

function knowledgeLines(nodes: readonly KnowledgeNode[]): string[] {
  if (nodes.length === 0) return ['  (none)'];
  return nodes.map(({ path, title, version }) => `  ${path}: ${title} (version ${version})`);
}

function summaryLines({ lastSummaries }: ReturnType<typeof describe>): string[] {
  if (lastSummaries.length === 0) return ['  (none)'];
  return lastSummaries.flatMap(({ from, to, context, facts }) => [
    `  #${from} to #${to}: ${context}`,
    ...facts.map((fact) => `    - ${fact}`),
  ]);
}

/** Background tasks and alarms, in words. */
export function inspectTasks({ life }: Nuum): string {
  const tasks = life.snapshot();
  if (tasks.length === 0) return 'No background tasks, no alarms.\n';
  const lines = tasks.map(({ id, kind, status, description, firesAt }) => {
    return `${id}  ${kind} ${status}${firesAt === undefined ? '' : ` for ${firesAt}`}: ${description}`;
  });
  return `${lines.join('\n')}\n`;
}

function mib(bytes: number): string {
  return (bytes / 1_048_576).toFixed(1);
}

function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
