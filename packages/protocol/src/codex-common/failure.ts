import { wordsIn } from '../framing/error-body.ts';
import { isObject } from '../framing/json.ts';
import { objectOf, stringOf } from '../framing/narrow.ts';
import { endOf, stoppedEnd, wasStopped } from '../model/ending.ts';
import type { End, Failure } from '../model/event.ts';
import { type Exit, exitFailure } from '../model/exit.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';

const LOGIN = 'Log in by codex login, or set the key of its provider.';

/** The failure of a turn. `message` may be the body of an HTTP answer, whose own words are taken then. */
export function readFailure(error: JsonObject): Failure {
  const said = stringOf(error.message) ?? '';
  const words = wordsIn(said);
  const code = codeOf(error.codexErrorInfo);
  const detail = stringOf(error.additionalDetails) ?? (words === said ? undefined : said);
  const message = words === '' ? 'Codex stopped before it had answered.' : words;
  const isLogin = code === 'unauthorized' || code?.endsWith(' 401') === true;
  return {
    message: isLogin ? `${message.replace(/\.?$/, '.')} ${LOGIN}` : message,
    ...(code === undefined ? {} : { code }),
    ...(detail === undefined || detail === '' ? {} : { detail }),
  };
}

/** `codexErrorInfo` is a word, or an object with one key and perhaps a status of HTTP. */
function codeOf(info: JsonValue | undefined): string | undefined {
  if (typeof info === 'string') return info === 'other' ? undefined : info;
  if (!isObject(info)) return undefined;
  const [[name, about] = []] = Object.entries(info);
  const { httpStatusCode: status } = objectOf(about);
  return typeof status === 'number' ? `${name} ${status}` : name;
}

/** The `end` of a turn whose process has ended before it. */
export function endByExit(how: Exit): End {
  if (wasStopped(how)) return stoppedEnd(how, '');
  const failure = exitFailure(how);
  const words = lastWords(how.stderr);
  const message =
    how.exitCode !== 0 && words !== undefined && how.signal === null
      ? `Codex exited with code ${how.exitCode}: ${words}`
      : how.exitCode === 0
        ? 'Codex ended before it had answered.'
        : failure.message;
  return endOf(how, 'error', { text: '', error: { ...failure, message } });
}

/** The line of stderr that begins with `Error`, as the program writes it before it exits. */
function lastWords(stderr: string): string | undefined {
  const lines = stderr.split('\n').map((line) => line.trim());
  return lines
    .findLast((line) => /^error\b/i.test(line))
    ?.replace(/^error:\s*/i, '')
    .slice(0, 400);
}
