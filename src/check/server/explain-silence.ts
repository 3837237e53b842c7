// Why a server did not open in any revision: the general diagnosis of Standpipe, with the fix for its language.

import type { JsonObject } from '../../base/json-object.ts';
import { ownCommand } from '../../base/own-command.ts';
import { textOf } from '../../base/text-of.ts';
import { spellingOf, wrongMember } from '../../base/wrong-member.ts';
import { McpCode } from '../../mcp/protocol-errors.ts';
import { eraOf } from '../../mcp/revisions.ts';
import { diagnose } from '../../wire/diagnosis/diagnose.ts';
import { idAsText } from '../../wire/diagnosis/text-id.ts';
import { explainExit } from '../../wire/process/launch/explain-exit.ts';
import { answerLater, slowStart } from '../answer-later.ts';
import { ruleOf } from '../rule.ts';
import type { Entry } from '../transcript.ts';
import { Violation } from '../verdict.ts';
import {
  type Answer,
  initializeParams,
  ONE_MESSAGE_PER_READ,
  openingRequest,
  readAnswer,
  withEnvelope,
  withoutResult,
} from './conversation.ts';
import { initializeOn } from './initialize.ts';
import type { Probe } from './probe.ts';
import type { RevisionRun } from './revision-run.ts';
import { serverRules } from './rules/index.ts';
import { IDLE_MS } from './rules/lifecycle/opening.ts';
import { isListOfVersions } from './rules/modern/envelope.ts';
import type { ServerRule } from './server-rule.ts';
import { isEcho, stdoutOf, symptomsOf } from './symptoms.ts';

export interface Silence {
  /** The run whose evidence is reported. */
  revisionRun: RevisionRun;
  reason: string;
  /** The server opens, but not in time: no rule is violated. `reason` is a clause. */
  isSlow?: true;
  /** Default: the fix of the rule. */
  fix?: string | undefined;
  /** The rule that is violated. Default: `lifecycle/opens`. */
  rule?: ServerRule;
  /** Default: all traffic. */
  proof?: readonly Entry[];
}

/** Limit of the wait for an exit after the end of stdin. */
const MOST_AFTER_END_MS = 10_000;

export const DISCOVER_VERSIONS = 'modern/discover-versions';
const VERSIONS = 'supportedVersions';

const ACCEPT =
  'Answer `initialize` with a published version of MCP that the server also accepts as a requested version.';

const ACCEPT_MODERN =
  'Answer `server/discover` with `supportedVersions`, a list that contains the requested published version of MCP.';

const NAME =
  'Answer `initialize` with `protocolVersion`, with this spelling: a string with the published version of MCP that the server uses.';

const ANSWER =
  'If something that the server needs is missing, such as a file or a connection, report it in the results of calls, or exit with a message on stderr.';

export async function explainSilence(refused: readonly RevisionRun[]): Promise<Silence> {
  // Most servers are legacy servers, which every client supports.
  const tried = refused.filter(({ observed }) => observed.length > 0);
  const legacy = tried.filter(({ revision }) => eraOf(revision) === 'legacy');
  // A failure after an accepted revision is better evidence than a refused revision.
  const revisionRun = onlyModern(tried) ?? legacy.find(({ problem }) => problem) ?? legacy[0] ?? tried[0]!;
  const probe = revisionRun.observed[0]!;
  if (!revisionRun.problem) return { revisionRun, ...refusal(revisionRun) };
  if (isEcho(probe)) {
    const fix =
      'The command is not a server. Use the command of the server itself, without `cat`, a shell or a terminal before it.';
    return { revisionRun, reason: 'The command echoes its input: it wrote `initialize` back.', fix };
  }
  if (revisionRun.wasMute && !revisionRun.isMute && probe.textId === undefined && !probe.ended)
    return { revisionRun, reason: slowStart(probe), isSlow: true };
  const isModern = eraOf(revisionRun.revision) === 'modern';
  const proof = isMuteLater(revisionRun) ? await proofOfOneMessagePerRead(revisionRun, isModern) : undefined;
  if (proof)
    return { revisionRun, rule: ruleOf(serverRules, 'wire/split-writes'), reason: ONE_MESSAGE_PER_READ, proof };
  if (probe.textId !== undefined)
    return { revisionRun, reason: revisionRun.problem.message, fix: idAsText(probe.textId).fix };
  const isWaitedFor = revisionRun.isMute && !probe.ended && !diagnose(symptomsOf(probe));
  return {
    revisionRun,
    ...(await (isWaitedFor
      ? mute(revisionRun, revisionRun.problem.message)
      : diagnosed(probe, revisionRun.problem.message))),
  };
}

/** The server answered the first request, but not later ones. */
function isMuteLater({ observed: [probe] }: RevisionRun): boolean {
  return probe?.answersTo(1)[0] !== undefined && probe.textId === undefined && probe.stopped === undefined;
}

/** The run in 2026-07-28 of a server without `initialize` whose answer to `server/discover` is invalid. */
function onlyModern(tried: readonly RevisionRun[]): RevisionRun | undefined {
  const modern = tried.find(({ revision, problem }) => eraOf(revision) === 'modern' && !problem);
  const others = tried.filter((revisionRun) => revisionRun !== modern).map(firstAnswer);
  if (!modern || others.some((answer) => answer?.result)) return undefined;
  const isRefused = others.some((answer) => answer?.error?.code === McpCode.unsupportedProtocolVersion);
  return firstAnswer(modern)?.result || isRefused ? modern : undefined;
}

function firstAnswer({ observed: [probe] }: RevisionRun): Answer | undefined {
  const frame = probe?.answersTo(1)[0];
  return frame && readAnswer(frame, 1);
}

/** The fault of the versions in the answer to `server/discover`, if the result belongs to a modern revision. */
export function wrongDiscovery(revisionRun: RevisionRun): string | undefined {
  const result = eraOf(revisionRun.revision) === 'modern' ? firstAnswer(revisionRun)?.result : undefined;
  if (!result || isListOfVersions(result.supportedVersions)) return undefined;
  const isModern = spellingOf(VERSIONS, result) ?? result[VERSIONS] ?? result.resultType;
  return isModern === undefined ? undefined : wrongVersions(result);
}

function wrongVersions(result: JsonObject): string {
  return `The answer to \`server/discover\` ${wrongMember(result, VERSIONS, 'strings')}.`;
}

function refusal(revisionRun: RevisionRun): Omit<Silence, 'revisionRun'> {
  const isModern = eraOf(revisionRun.revision) === 'modern';
  const answer = firstAnswer(revisionRun);
  const reason = 'The server did not accept a revision of MCP';
  const [method, fix] = isModern ? ['server/discover', ACCEPT_MODERN] : ['initialize', ACCEPT];
  if (!answer) return { reason: `${reason}.`, fix };
  const { result } = answer;
  if (!result) {
    const refused = `\`${method}\` was answered with ${withoutResult(answer)}.`;
    if (isAboutVersion(answer)) return { reason: `${reason}: ${refused}`, fix };
    return { reason: refused, fix: `Answer \`${method}\` with a result. ${ANSWER}` };
  }
  if (isModern) {
    const { supportedVersions } = result;
    if (!isListOfVersions(supportedVersions))
      return { rule: ruleOf(serverRules, DISCOVER_VERSIONS), reason: wrongVersions(result) };
    return {
      reason: `${reason}: \`${method}\` was answered with the versions ${JSON.stringify(supportedVersions)}.`,
      fix,
    };
  }
  if (typeof result.protocolVersion === 'string') {
    return {
      reason: `${reason}: \`initialize\` was answered with the version ${JSON.stringify(result.protocolVersion)}.`,
      fix: ACCEPT,
    };
  }
  const wrong = wrongMember(result, 'protocolVersion');
  return { reason: `The answer to \`initialize\` ${wrong}.`, fix: NAME };
}

/** Servers refuse a version with various codes. */
function isAboutVersion({ error }: Answer): boolean {
  if (error?.code === McpCode.unsupportedProtocolVersion) return true;
  return /version|revision|protocol/i.test(`${textOf(error?.message)} ${JSON.stringify(error?.data)}`);
}

async function mute(revisionRun: RevisionRun, message: string): Promise<Omit<Silence, 'revisionRun'>> {
  const [first] = revisionRun.observed as [Probe];
  const later = await answerLater(
    first,
    async () => {
      const second = await revisionRun.start();
      second.send(openingRequest(revisionRun.revision, second.newId()));
      return second;
    },
    (probe) => probe.answersTo(1)[0],
  );
  if (later.slow) return { reason: later.slow, isSlow: true };
  const { proof = later.process.transcript.entries, ...found } = await diagnosed(later.process, message);
  return { ...found, proof };
}

/** Answers at the end of stdin are evidence too, so the process is stopped first. */
async function diagnosed(probe: Probe, message: string): Promise<Omit<Silence, 'revisionRun'>> {
  if (probe.ended) await probe.howItEnded();
  const hasExited = probe.process.exitStatus !== undefined;
  const bytesBeforeEof = hasExited ? undefined : stdoutOf(probe).length;
  // On a busy machine, a server that has just started may need as long as for an answer.
  probe.endInput();
  await probe.exitStatus(Math.min(probe.timeoutMs, MOST_AFTER_END_MS));
  await probe.stop();
  await probe.process.closed;
  const found = diagnose(symptomsOf(probe, bytesBeforeEof));
  if (found?.name === 'litemcp') {
    return { reason: 'The server uses LiteMCP, not MCP.', fix: `Use \`${ownCommand} check --litemcp\`.` };
  }
  const isOpened = probe.answersTo(1)[0] !== undefined;
  if (found && !(isOpened && hasExited)) return { reason: `${message} The server ${found.problem}.`, fix: found.fix };
  if (!hasExited) return { reason: message };
  const { message: exit, hint, evidence } = explainExit(probe.process.evidence(isOpened ? 'running' : 'startup'));
  const reason = `${exit}${exit.endsWith('.') ? '' : '.'}`;
  if (!isOpened) return { reason, fix: hint };
  const fix = found?.fix ?? (evidence?.stderrTail === undefined ? undefined : hint);
  return { rule: ruleOf(serverRules, 'lifecycle/keeps-running'), reason, fix, proof: probe.transcript.entries };
}

/**
 * Proves that a server which has answered its opening request treats one read as one message. Two messages in one write show it
 * independently of timing. Undefined if that is not the cause.
 */
async function proofOfOneMessagePerRead(
  revisionRun: RevisionRun,
  isModern: boolean,
): Promise<readonly Entry[] | undefined> {
  if (revisionRun.problem?.message === ONE_MESSAGE_PER_READ) return revisionRun.observed[0]!.transcript.entries;
  const opened = await answering(revisionRun, isModern);
  if (!opened) return undefined;
  const { probe, request } = opened;
  const from = probe.transcript.entries.length;
  const isRead = await answersTo(probe, [request, request]).then(
    () => true,
    () => false,
  );
  if (isRead) return undefined;
  if (!probe.ended) return probe.transcript.entries.slice(from);
  await probe.howItEnded();
  const isExitingAnyway = await (await answering(revisionRun, isModern))?.probe.exitStatus(IDLE_MS);
  return isExitingAnyway ? undefined : probe.transcript.entries.slice(from);
}

/** A new process that has answered a single request. */
async function answering(
  revisionRun: RevisionRun,
  isModern: boolean,
): Promise<{ probe: Probe; request: object } | undefined> {
  const probe = await revisionRun.start();
  const request = isModern
    ? { method: 'server/discover', params: withEnvelope(undefined, revisionRun.revision, {}) }
    : { method: 'ping' };
  try {
    if (!isModern) await initializeOn(probe, initializeParams(revisionRun.revision));
    await answersTo(probe, [request]);
  } catch (error) {
    if (error instanceof Violation) return undefined;
    throw error;
  }
  return { probe, request };
}

/** Sends the requests in one write. */
async function answersTo(probe: Probe, requests: readonly object[]): Promise<void> {
  const messages = requests.map((request) => ({ jsonrpc: '2.0', id: probe.newId(), ...request }));
  probe.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
  for (const { id } of messages) await probe.answerTo(id, 'a request');
}
