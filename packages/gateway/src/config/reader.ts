/** Reused from `@plugboard/host/profile`: the same places, messages and suggestions, and the same agent fields. */
export {
  checkFields,
  isRecord,
  meant,
  parseSource,
  prewarmProblem,
  problemAt,
  profileFrom,
  profileSchemas,
  readSource,
} from '@plugboard/host/profile';
