import { claude, isObject } from '@plugboard/protocol';
import { objectsOf, type Probe } from '../../detect/probe.ts';

const INITIALIZE = {
  type: 'control_request',
  request_id: 'plugboard-detect',
  request: { subtype: 'initialize' },
};

/**
 * Recognizes Claude Code by its answer to `initialize`, which asks no model. The program is known by its name as well:
 * the questions of the other probes would cost a model call each.
 */
export const claudeProbe: Probe = {
  dialect: 'claude',
  programs: ['claude', 'claude.exe', 'claude.cmd'],
  command(argv) {
    const launch = claude.host.launch(
      { ...claude.defaults, command: { argv } },
      { environment: {}, workspace: '/' },
    );
    return 'refused' in launch || 'shell' in launch.command ? argv : launch.command.argv;
  },
  start: () => ({
    env: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' },
    steps: [
      // The end of input is no hindrance to the answer, and brings an agent of another kind to its end.
      { send: `${JSON.stringify(INITIALIZE)}\n` },
      { close: true },
      {
        wait: {
          what: 'an answer to initialize',
          done: (lines) => lines.some(({ text }) => text.includes('"control_response"')),
        },
      },
      { stop: true },
    ],
  }),
  sign(sight) {
    const isAnswered = objectsOf(sight).some(
      ({ type, response }) =>
        type === 'control_response' &&
        isObject(response) &&
        response.request_id === INITIALIZE.request_id &&
        response.subtype === 'success',
    );
    return isAnswered ? 'it answered an initialize request' : undefined;
  },
};
