/** How the host reads profiles: the same places, sentences and suggestions for this file, and the same fields for agents. */
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
