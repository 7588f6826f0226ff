import type { Conversation } from './machine.ts';

const line = (value: object): string => JSON.stringify(value);
const about = { threadId: 'th1', turnId: 'u1' };
const tell = (method: string, params: object): string => line({ method, params: { ...about, ...params } });
const turn = (method: string, id: string, status: string): string =>
  line({ method, params: { threadId: 'th1', turn: { id, status, error: null } } });
const command = { type: 'commandExecution', id: 'c1', command: 'ls', cwd: '/', commandActions: [] };
const ask = (id: unknown, method: string, params: object = {}): string =>
  line({ id, method, params: { ...about, itemId: 'c1', ...params } });

/** Answers to the requests of a turn and of those that follow it, whatever they are. */
const answers = [4, 5, 6, 7].flatMap((id) => [
  line({ id, result: { turnId: 'u1', turn: { id: `u${id}` } } }),
  line({ id, error: { code: -32600, message: 'no active turn to steer' } }),
]);

/** Codex in the middle of a turn that asks, is steered and is stopped. */
export const CODEX_CONVERSATION: Conversation = {
  opening: [
    line({ id: 0, result: { userAgent: 'x/1.0' } }),
    line({ id: 1, result: { data: [] } }),
    line({ id: 2, result: { thread: { id: 'th1' }, model: 'm', approvalPolicy: 'on-request' } }),
  ],
  sendAt: 2,
  lines: [
    line({ id: 3, result: { turn: { id: 'u1' } } }),
    line({ id: 3, error: { code: -32600, message: 'refused' } }),
    turn('turn/started', 'u1', 'inProgress'),
    turn('turn/started', 'u4', 'inProgress'),
    turn('turn/completed', 'u1', 'completed'),
    turn('turn/completed', 'u1', 'interrupted'),
    turn('turn/completed', 'u4', 'failed'),
    tell('item/started', { item: { ...command, status: 'inProgress' } }),
    tell('item/completed', { item: { ...command, status: 'declined' } }),
    tell('item/commandExecution/outputDelta', { itemId: 'c1', delta: 'x' }),
    tell('item/agentMessage/delta', { itemId: 'm1', delta: 'x' }),
    tell('item/completed', { item: { type: 'agentMessage', id: 'm1', text: 'x' } }),
    tell('error', { error: { message: 'again' }, willRetry: true }),
    ask(0, 'item/commandExecution/requestApproval'),
    ask('s', 'item/fileChange/requestApproval'),
    ask(1, 'item/permissions/requestApproval', { permissions: {} }),
    ask(2, 'item/tool/requestUserInput', {
      questions: [{ id: 'q', question: '?', options: [{ label: 'a' }] }],
    }),
    ask(3, 'mcpServer/elicitation/request', { mode: 'form', message: 'x', requestedSchema: {} }),
    line({ method: 'serverRequest/resolved', params: { threadId: 'th1', requestId: 0 } }),
    line({ method: 'serverRequest/resolved', params: { threadId: 'th1', requestId: 's' } }),
    ...answers,
  ],
};
