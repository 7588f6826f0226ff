export type { LanguageModel } from 'ai';
export type { CallSettings } from './answer.ts';
export { type AskOptions, askModel } from './ask.ts';
export { type Failure, failureOf, ModelError } from './failure.ts';
export { loadAnthropic, loadOpenAICompatible } from './providers.ts';
export type { Call, CallResult, Listener, Question, Reply, Said, ToolOffer } from './question.ts';
export type { Patience } from './retry.ts';
export { createCallId } from './sendable.ts';
