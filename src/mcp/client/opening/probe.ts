// Derives the era of a server from its answer to `server/discover`. Pure: an answer in, a verdict out. "The client MUST
// NOT key on one code": every answer that is not clearly modern counts as legacy.

import { RpcError } from '../../../base/errors.ts';
import { firstChars } from '../../../base/first-chars.ts';
import { isObject } from '../../../base/json-object.ts';
import { wrongMember } from '../../../base/wrong-member.ts';
import { McpCode } from '../../protocol-errors.ts';
import { isLegacyRevision, type LegacyRevision, type ModernRevision, modernRevisions } from '../../revisions.ts';
import type { Result } from '../../service.ts';

const MOST_NAMED = 10;
const MOST_NAME_CHARS = 60;

export type ProbeAnswer = { result: unknown; error?: undefined } | { result?: undefined; error: Error };

export type Verdict =
  | { kind: 'modern'; revision: ModernRevision; result: Result }
  /** A modern server refused the probe and named this revision, which may be that of the probe. */
  | { kind: 'ask-again'; revision: ModernRevision }
  /** `offer` is a revision that the server named. `why` says why its result is not modern, if it should be. */
  | { kind: 'legacy'; offer?: LegacyRevision; why?: string }
  /** A modern server without a common revision. */
  | { kind: 'unusable'; why: string };

/** The hint for `why` of a legacy verdict. */
export const NAME_VERSIONS =
  'In the server, name this member `supportedVersions`: a list of the revisions that it supports, such as ["2026-07-28"].';

export function judgeProbe(answer: ProbeAnswer, asked: ModernRevision): Verdict {
  return answer.error ? judgeError(answer.error) : judgeResult(answer.result, asked);
}

function judgeResult(result: unknown, asked: ModernRevision): Verdict {
  if (!isObject(result)) return { kind: 'legacy' };
  const { supportedVersions } = result;
  if (!Array.isArray(supportedVersions) || !supportedVersions.some((each) => typeof each === 'string')) {
    return {
      kind: 'legacy',
      why: `its answer to server/discover ${wrongMember(result, 'supportedVersions', 'strings')}`,
    };
  }
  if (supportedVersions.includes(asked)) return { kind: 'modern', revision: asked, result };
  const verdict = chooseFrom(supportedVersions);
  // The list may contain only newer revisions and leave out those of `initialize`.
  return verdict.kind === 'unusable' ? { kind: 'legacy' } : verdict;
}

function judgeError(error: Error): Verdict {
  if (!(error instanceof RpcError)) return { kind: 'legacy' }; // the answer is unreadable
  const data = isObject(error.data) ? error.data : {};
  if (error.rpcCode === McpCode.unsupportedProtocolVersion && Array.isArray(data.supported)) {
    return chooseFrom(data.supported);
  }
  if (error.rpcCode === McpCode.missingClientCapability && isObject(data.requiredCapabilities)) {
    const names = listed(Object.keys(data.requiredCapabilities));
    return { kind: 'unusable', why: `it serves only clients that can handle ${names}` };
  }
  return { kind: 'legacy' };
}

function chooseFrom(supported: unknown[]): Verdict {
  const common = modernRevisions.find((revision) => supported.includes(revision));
  if (common) return { kind: 'ask-again', revision: common };
  const offer = supported.find(isLegacyRevision);
  if (offer) return { kind: 'legacy', offer };
  if (supported.length === 0) return { kind: 'legacy' };
  return { kind: 'unusable', why: `it supports only ${listed(supported)}` };
}

/** Names sent by the server may be long or not strings. */
function listed(named: readonly unknown[]): string {
  const texts = named.filter((each) => typeof each === 'string').map((text) => firstChars(text, MOST_NAME_CHARS));
  const shown = texts.slice(0, MOST_NAMED);
  return [...shown, ...(shown.length < named.length ? ['…'] : [])].join(', ');
}

/** Whether a server that is only modern refused `initialize`. */
export function isModernRefusal(error: unknown): boolean {
  return error instanceof RpcError && error.rpcCode === McpCode.unsupportedProtocolVersion;
}

/** The legacy revision that a refusal of `initialize` lists as supported, if any. */
export function revisionNamedIn(error: unknown): LegacyRevision | undefined {
  if (!(error instanceof RpcError) || !isObject(error.data) || !Array.isArray(error.data.supported)) return undefined;
  return error.data.supported.find(isLegacyRevision);
}
