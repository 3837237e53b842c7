// Sends the requests of a recording again and compares the answers with the recorded ones.

import { readFile } from 'node:fs/promises';
import { systemClock } from '../../base/clock.ts';
import { commandLine } from '../../base/command-line.ts';
import { UsageError } from '../../base/errors.ts';
import { isObject, type JsonObject } from '../../base/json-object.ts';
import { maskValues } from '../../base/secrets/mask-values.ts';
import { type Redact, redactor } from '../../base/secrets/redact.ts';
import { secretsInArguments } from '../../base/secrets/redact-arguments.ts';
import type { ServiceFacts } from '../../mcp/service.ts';
import { replacePrivately } from '../../wire/process/files/private-file.ts';
import type { Conversation } from '../replay/conversation.ts';
import { messageOf } from '../replay/diff-sessions.ts';
import { RecordedSession } from '../replay/recorded-session.ts';
import { CarriedValues } from './carried-values.ts';
import type { RecordedOpening } from './connection.ts';
import { type Judged, type JudgeOptions, judge, judgeHandshake } from './judge.ts';
import { KeptAnswers, learnFromRuns } from './learn-from-runs.ts';
import type { VerifyOptions, VerifyTarget } from './options.ts';
import type { VerifyReport, VerifyResult } from './report.ts';
import { allRules, parseRule, parseRules, RuleSet, requireRule, rulesText, type VerifyRule } from './rules.ts';
import { RecordingRun, type StepAnswer } from './run-recording.ts';
import { type Step, stepsOf } from './steps.ts';
import { newResponse, RecordingUpdate } from './update-recording.ts';

const DEFAULT_SLOWER_FACTOR = 2;
const DEFAULT_SLOWER_BY_MS = 500;
/** Limit of the listed results; all results are counted. */
const MOST_SAME = 10_000;
const MOST_OTHERS = 100_000;

export async function verify(file: string, target: VerifyTarget, options: VerifyOptions = {}): Promise<VerifyReport> {
  if (options.learn && options.update) {
    throw new UsageError('INVALID_OPTION', 'learn and update cannot be used together', {
      hint: 'Learn first: what still differs is a change of the server, which update accepts.',
    });
  }
  const rules = await readRules(file, options);
  const session = RecordedSession.open(file, options);
  try {
    return await new Verification(session, await session.read(), file, target, options, rules).run();
  } finally {
    await session.close();
  }
}

interface Handshake {
  readonly opening: RecordedOpening;
  readonly facts: ServiceFacts;
  readonly revision: string;
}

class Verification {
  readonly #session: RecordedSession;
  readonly #conversation: Conversation;
  readonly #file: string;
  readonly #target: VerifyTarget;
  readonly #options: VerifyOptions;
  readonly #redact: Redact;
  #rules: readonly VerifyRule[];
  readonly #results: VerifyResult[] = [];
  readonly #counts = { failing: 0, different: 0, fixed: 0, skipped: 0, same: 0, slower: 0 };
  readonly #warnings: string[] = [];
  #handshake: Handshake | undefined;
  #update: RecordingUpdate | undefined;
  #updated = 0;
  #restarts = 0;

  constructor(
    session: RecordedSession,
    conversation: Conversation,
    file: string,
    target: VerifyTarget,
    options: VerifyOptions,
    rules: readonly VerifyRule[],
  ) {
    this.#session = session;
    this.#conversation = conversation;
    this.#file = file;
    this.#target = target;
    this.#options = options;
    this.#rules = rules;
    this.#redact = redactor({ mask: maskValues(...secretsOf(target)) });
  }

  async run(): Promise<VerifyReport> {
    const { clock = systemClock, learn, update } = this.#options;
    const startMs = clock.nowMs();
    const damage = await this.#session.damage();
    if (damage !== undefined) this.#warnings.push(damage);
    if (update) this.#update = await RecordingUpdate.of(this.#file, this.#session.hasClients, this.#redact);
    const learned = learn ? await this.#learn() : [];
    if (!learn) {
      await this.#run((step, answer, carried) => this.#judged(step, answer, carried));
    }
    await this.#judgeHandshake();
    await this.#update?.write();
    return {
      file: this.#file,
      server: this.#redact(shownTarget(this.#target)),
      revision: this.#handshake?.revision ?? '',
      results: this.#results,
      counts: this.#counts,
      learned,
      updated: this.#updated,
      restarts: this.#restarts,
      warnings: this.#warnings,
      durationMs: Math.round(clock.nowMs() - startMs),
    };
  }

  async #run(
    answered: (step: Step, answer: StepAnswer, carried: CarriedValues) => Promise<void> | void,
  ): Promise<void> {
    const run = new RecordingRun(this.#session, this.#conversation, this.#target, this.#options, {
      opened: (opening, connection) => {
        this.#handshake = { opening, facts: connection.facts, revision: connection.revision };
      },
      answered,
    });
    try {
      await run.run();
    } finally {
      this.#restarts += run.restarts;
    }
  }

  /** Two runs show which values vary. The answers of the second run are then compared under the learned rules. */
  async #learn(): Promise<readonly VerifyRule[]> {
    const [first, second] = [new KeptAnswers(), new KeptAnswers()];
    await this.#run((_, answer) => first.add(answer));
    await this.#run((_, answer) => second.add(answer));
    const steps = () => stepsOf(this.#session, this.#conversation);
    const learned = await learnFromRuns(steps(), first, second, this.#rules);
    this.#rules = allRules(this.#rules, learned);
    replacePrivately(rulesFileOf(this.#file, this.#options)!, rulesText(this.#rules));
    const carried = new CarriedValues();
    let at = 0;
    for await (const step of steps()) {
      const answer = second.at(at++);
      if (!answer) break;
      await this.#judged(step, answer, carried);
      if (answer.answer && step.recorded) carried.learn(step.recorded, answer.answer);
    }
    return learned;
  }

  async #judged(step: Step, answer: StepAnswer, carried: CarriedValues): Promise<void> {
    const { method, target } = step.exchange;
    const judged = judge(step, answer, this.#judgeOptions(method, target, carried));
    const isUpdated = await this.#accept(step, answer, judged);
    this.#add(isUpdated ? { ...judged.result, isUpdated } : judged.result);
  }

  async #judgeHandshake(): Promise<void> {
    const { opening, facts } = this.#handshake ?? {};
    if (!opening?.facts || !opening.method || !facts) return;
    const options = this.#judgeOptions(opening.method, undefined, new CarriedValues());
    const judged = judgeHandshake(opening.method, comparedFacts(opening.facts), comparedFacts(facts), options);
    if (judged.result.status === 'same') return;
    const isUpdated = await this.#acceptHandshake(judged.merged);
    this.#results.unshift(isUpdated ? { ...judged.result, isUpdated } : judged.result);
    this.#counts.different++;
  }

  #judgeOptions(method: string, target: string | undefined, carried: CarriedValues): JudgeOptions {
    const { slowerFactor = DEFAULT_SLOWER_FACTOR, slowerByMs = DEFAULT_SLOWER_BY_MS } = this.#options;
    this.#ruleSet ??= new RuleSet(this.#rules);
    return { rules: this.#ruleSet.for(method, target), carried, slowerFactor, slowerByMs, redact: this.#redact };
  }

  #ruleSet: RuleSet | undefined;

  #add(result: VerifyResult): void {
    const { status, isSlower } = result;
    const listed = status === 'same' && !isSlower ? MOST_SAME : MOST_OTHERS;
    if (this.#results.length < listed) this.#results.push(result);
    this.#counts[status]++;
    if (isSlower) this.#counts.slower++;
    const done =
      this.#counts.same + this.#counts.different + this.#counts.failing + this.#counts.fixed + this.#counts.skipped;
    this.#options.onResult?.(result, done, this.#conversation.exchanges.length);
  }

  /** Remembers the new answer for the recording. Returns true if it takes the place of the recorded one. */
  async #accept(
    { exchange, pages }: Step,
    { pages: nowPages, answer }: StepAnswer,
    { result, merged }: Judged,
  ): Promise<true | undefined> {
    if (!this.#update || !merged || !answer) return undefined;
    const refuse = (why: string) => {
      this.#warnings.push(`Request ${result.number} was not updated: ${why}. Record it again`);
      return undefined;
    };
    const recorded = await messageOf(this.#session, exchange.answer);
    if (!recorded || !exchange.answer) return refuse('the recording has no answer to replace');
    if ((pages ?? 1) > 1 || (nowPages ?? 1) > 1) return refuse('its list has several pages');
    if (result.differences.some(({ path }) => path.startsWith('questions')))
      return refuse('the server asks other questions');
    const { questions: _, ...response } = merged;
    this.#update.put({ place: exchange.answer, message: newResponse(recorded, response) });
    this.#updated++;
    return true;
  }

  async #acceptHandshake(merged: JsonObject | undefined): Promise<true | undefined> {
    const handshake = this.#conversation.handshakes.values().next().value;
    const recorded = await messageOf(this.#session, handshake?.answer);
    if (!this.#update || !merged || !handshake || !isObject(recorded?.result)) return undefined;
    const { info, capabilities, instructions } = merged;
    const { instructions: _, ...result } = recorded.result;
    const before = isObject(result.serverInfo) ? { serverInfo: { ...result.serverInfo, ...(info as object) } } : {};
    const next = { ...result, ...before, capabilities, ...(instructions !== undefined && { instructions }) };
    this.#update.put({ place: handshake.answer, message: { ...recorded, result: next } });
    this.#updated++;
    return true;
  }
}

/** New versions of a server have another version number. */
function comparedFacts({ info, capabilities, instructions }: ServiceFacts): JsonObject {
  const { version: _, ...named } = info as { version?: unknown };
  return { info: named, capabilities, ...(instructions !== undefined && { instructions }) };
}

function secretsOf(target: VerifyTarget): Parameters<typeof maskValues> {
  if ('request' in target) return [];
  const { secrets = [] } = target;
  if (!('command' in target)) return [{}, [...secrets, ...Object.values(target.headers ?? {}).map(String)]];
  return [target.env ?? {}, [...secrets, ...secretsInArguments(target.args ?? [])]];
}

function shownTarget(target: VerifyTarget): string {
  if ('request' in target) return 'a service';
  return 'command' in target ? commandLine(target.command, target.args ?? []) : String(target.url);
}

function rulesFileOf(file: string, { rulesFile }: VerifyOptions): string | undefined {
  return rulesFile === false ? undefined : (rulesFile ?? `${file}.rules.json`);
}

async function readRules(file: string, options: VerifyOptions): Promise<VerifyRule[]> {
  const path = rulesFileOf(file, options);
  if (options.learn && path === undefined) {
    throw new UsageError('INVALID_OPTION', 'Rules cannot be learned without a rules file', {
      hint: 'Leave out rulesFile: false.',
    });
  }
  const given = (options.rules ?? []).map((rule) => (typeof rule === 'string' ? parseRule(rule) : requireRule(rule)));
  if (path === undefined) return allRules(given);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && (options.rulesFile === undefined || options.learn)) return undefined;
    throw new UsageError('INVALID_OPTION', `The rules file ${path} cannot be read: ${error.message}`, { cause: error });
  });
  return allRules(text === undefined ? [] : parseRules(text, path), given);
}
