// Why a server opened in no revision: the diagnosis that the rest of Standpipe gives, with the fix for its language.

import type { JsonObject } from '../../base/json-object.ts';
import { ownCommand } from '../../base/own-command.ts';
import { spellingOf, wrongMember } from '../../base/wrong-member.ts';
import { McpCode } from '../../mcp/protocol-errors.ts';
import { eraOf } from '../../mcp/revisions.ts';
import { diagnose } from '../../wire/diagnosis/diagnose.ts';
import { idAsText } from '../../wire/diagnosis/text-id.ts';
import { explainExit } from '../../wire/process/launch/explain-exit.ts';
import { answerLater } from '../answer-later.ts';
import type { Entry } from '../transcript.ts';
import { type Answer, ONE_MESSAGE_PER_READ, openingRequest, readAnswer, withoutResult } from './conversation.ts';
import { proofOfOneMessagePerRead } from './one-message-per-read.ts';
import type { Probe } from './probe.ts';
import type { RevisionRun } from './revision-run.ts';
import { discoverVersions, isListOfVersions } from './rules/modern/versions.ts';
import { splitWrites } from './rules/wire/split-writes.ts';
import type { ServerRule } from './server-rule.ts';
import { isEcho, stdoutOf, symptomsOf } from './symptoms.ts';

export interface Silence {
  /** The one whose evidence is reported. */
  revisionRun: RevisionRun;
  reason: string;
  /** Absent if the usual advice is the best. */
  fix?: string | undefined;
  /** The rule that is violated. Default: `lifecycle/opens`. */
  rule?: ServerRule;
  /** Default: all that went over the pipes. */
  proof?: readonly Entry[];
}

/** How long a server that does not exit at the end of its stdin is waited for. */
const MOST_AFTER_END_MS = 10_000;

const VERSIONS = 'supportedVersions';

const ACCEPT = 'Answer `initialize` with a published version of MCP that the server accepts when it is requested.';

const ACCEPT_MODERN =
  'Answer `server/discover` with `supportedVersions`, a list that has the published version of MCP that was requested.';

const NAME =
  'Answer `initialize` with `protocolVersion`, with this spelling. Its value is a string, the published version of MCP that the server uses.';

export async function explainSilence(refused: readonly RevisionRun[]): Promise<Silence> {
  // Most servers are legacy servers, and every client can open them.
  const tried = refused.filter(({ observed }) => observed.length > 0);
  const legacy = tried.filter(({ revision }) => eraOf(revision) === 'legacy');
  // A failure after an accepted revision is better evidence than a refused revision.
  const revisionRun = onlyModern(tried) ?? legacy.find(({ problem }) => problem) ?? legacy[0] ?? tried[0]!;
  const probe = revisionRun.observed[0]!;
  if (!revisionRun.problem) return { revisionRun, ...refusal(revisionRun) };
  if (isEcho(probe)) {
    const fix =
      'It is not a server. Use the command of the server itself, without `cat`, a shell or a terminal in between.';
    return { revisionRun, reason: 'The command echoes its input: `initialize` came back.', fix };
  }
  const isModern = eraOf(revisionRun.revision) === 'modern';
  const proof = isMuteLater(revisionRun) ? await proofOfOneMessagePerRead(revisionRun, isModern) : undefined;
  if (proof) return { revisionRun, rule: splitWrites, reason: ONE_MESSAGE_PER_READ, proof };
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

/** It answered the first request, and not what followed. */
function isMuteLater({ observed: [probe] }: RevisionRun): boolean {
  return probe?.answersTo(1)[0] !== undefined && probe.textId === undefined && probe.stopped === undefined;
}

/** The process in 2026-07-28 of a server that serves this era and not `initialize`, and whose answer to `server/discover` is wrong. */
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

/** What is wrong with the versions in the answer to `server/discover`, if its result can be of no revision but a modern one. */
export function wrongDiscovery(revisionRun: RevisionRun): string | undefined {
  const result = eraOf(revisionRun.revision) === 'modern' ? firstAnswer(revisionRun)?.result : undefined;
  if (!result || isListOfVersions(result.supportedVersions)) return undefined;
  const isModern = spellingOf(VERSIONS, result) ?? result[VERSIONS] ?? result.resultType;
  return isModern === undefined ? undefined : wrongVersions(result);
}

function wrongVersions(result: JsonObject): string {
  return `The answer to \`server/discover\` ${wrongMember(result, VERSIONS)}.`;
}

function refusal(revisionRun: RevisionRun): Omit<Silence, 'revisionRun'> {
  const isModern = eraOf(revisionRun.revision) === 'modern';
  const answer = firstAnswer(revisionRun);
  const reason = 'The server accepted no revision of MCP';
  const [method, fix] = isModern ? ['server/discover', ACCEPT_MODERN] : ['initialize', ACCEPT];
  if (!answer) return { reason: `${reason}.`, fix };
  const { result } = answer;
  if (!result) return { reason: `${reason}: \`${method}\` was answered with ${withoutResult(answer)}.`, fix };
  if (isModern) {
    const { supportedVersions } = result;
    if (!isListOfVersions(supportedVersions)) return { rule: discoverVersions, reason: wrongVersions(result) };
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
  if (later.slow) return { ...later.slow, proof: later.process.transcript.entries };
  const { proof = later.process.transcript.entries, ...found } = await diagnosed(later.process, message);
  return { ...found, proof };
}

/** Answers that come with the end of stdin are evidence too, so that it is stopped first. */
async function diagnosed(probe: Probe, message: string): Promise<Omit<Silence, 'revisionRun'>> {
  if (probe.ended) await probe.howItEnded();
  const hasExited = probe.process.exitStatus !== undefined;
  const bytesBeforeEof = hasExited ? undefined : stdoutOf(probe).length;
  // A server that has only just started, on a busy machine, needs as long as for an answer.
  probe.endInput();
  await probe.exitStatus(Math.min(probe.timeoutMs, MOST_AFTER_END_MS));
  await probe.stop();
  await probe.process.closed;
  const found = diagnose(symptomsOf(probe, bytesBeforeEof));
  if (found?.name === 'litemcp') {
    return { reason: 'The server speaks LiteMCP, not MCP.', fix: `Check it with \`${ownCommand} check --litemcp\`.` };
  }
  if (found) return { reason: `${message} The server ${found.problem}.`, fix: found.fix };
  if (!hasExited) return { reason: message };
  const { message: exit, hint } = explainExit(probe.process.evidence(probe.answersTo(1)[0] ? 'running' : 'startup'));
  return { reason: `${exit}${exit.endsWith('.') ? '' : '.'}`, fix: hint };
}
