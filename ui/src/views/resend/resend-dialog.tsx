// A recorded request beside its edited copy, and the two answers with their differences.

import { useEffect, useId, useState } from 'react';
import type { EventDetail } from '../../../../src/app/inspector/api.ts';
import { entriesOf, lossOf, parseExact, plainOf, writeExact } from '../../json/exact-json.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DiffView } from '../../parts/diff-view.tsx';
import { JsonTree } from '../../parts/json-tree.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { calls, startCall } from '../../state/calls.ts';
import { useCell } from '../../state/cell.ts';
import { columns, isStale } from '../../state/inspected.ts';
import { type Resent, resent, sendableServers } from '../../state/resend.ts';
import { holdsReplacedSecret } from '../../text/command-line.ts';
import { visibleLine } from '../../text/visible.ts';
import { CallOutcome } from '../offers/call-outcome.tsx';
import { exactOf } from '../wire/copy-call.ts';
import { loadDetail } from '../wire/event-details.ts';

/** A recorded request with its answer, as JSON that keeps all digits. */
interface Original {
  method: string;
  params: unknown;
  answer: unknown;
}

export default function ResendDialog() {
  const open = useCell(resent);
  if (!open) return null;
  return <Resending key={open.requestSeq} {...open} />;
}

function Resending({ server, requestSeq }: Resent) {
  const [original, setOriginal] = useState<Original>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    loadOriginal(requestSeq).then(setOriginal, (error: Error) => setFailure(error.message));
  }, [requestSeq]);
  return (
    <Dialog wide title={`Edit and resend #${requestSeq}`} onClose={() => resent.set(undefined)}>
      {failure && <p className="note bad">{failure}</p>}
      {!original && !failure && <p className="muted">Loading…</p>}
      {original && <Editor server={server} original={original} />}
    </Dialog>
  );
}

function Editor({ server: first, original }: { server: string; original: Original }) {
  const id = useId();
  const [server, setServer] = useState(first);
  const [text, setText] = useState(() => writeExact(original.params ?? {}, '  '));
  const [problem, setProblem] = useState<string>();
  const [callId, setCallId] = useState<string>();
  const call = useCell(calls).find((each) => each.id === callId);
  const send = async () => {
    const params = readParams(text);
    if (typeof params === 'string') return setProblem(params);
    if (isStale()) return setProblem('The Inspector is disconnected: nothing was sent.');
    setProblem(undefined);
    try {
      setCallId(await startCall(server, { kind: 'request', method: original.method, ...params }));
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <form
      className="resend"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
      }}
    >
      <p>
        <code>{visibleLine(original.method)}</code> to{' '}
        <select aria-label="Send to" value={server} onChange={(event) => setServer(event.target.value)}>
          {sendableServers().map((name) => (
            <option key={name} value={name}>
              {visibleLine(name)}
            </option>
          ))}
        </select>
      </p>
      <div className="resend-sides">
        <section aria-label="Original">
          <h3>Original parameters</h3>
          <JsonTree value={original.params ?? {}} label="Original parameters" />
        </section>
        <section aria-label="Edited">
          <label htmlFor={id}>
            <h3>Parameters to send</h3>
          </label>
          <textarea
            id={id}
            className="mono"
            rows={Math.min(18, Math.max(6, text.split('\n').length))}
            spellCheck={false}
            value={text}
            aria-invalid={problem !== undefined}
            onChange={(event) => {
              setText(event.target.value);
              setProblem(undefined);
            }}
          />
        </section>
      </div>
      {holdsReplacedSecret(text) && (
        <p className="note">
          Secrets in the parameters were replaced by placeholders. Enter them again before you send.
        </p>
      )}
      {problem !== undefined && (
        <p className="note bad" role="alert">
          Not sent: {visibleLine(problem)}
        </p>
      )}
      <div className="buttons">
        <button type="submit" className="primary" title="Ctrl+Enter">
          Send
        </button>
      </div>
      {call && <CallOutcome call={call} />}
      {call && call.state !== 'running' && (
        <Answers original={original} answerSeq={call.answerSeq} fallback={call.result ?? call.error} />
      )}
    </form>
  );
}

function Answers({
  original,
  answerSeq,
  fallback,
}: {
  original: Original;
  answerSeq: number | undefined;
  fallback: unknown;
}) {
  const [answer, setAnswer] = useState<unknown>();
  const [form, setForm] = useState<'diff' | 'both'>('diff');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the result of a call does not change
  useEffect(() => {
    setAnswer(undefined);
    if (answerSeq === undefined) return setAnswer(fallback ?? null);
    loadDetail(answerSeq).then(
      (detail) => setAnswer(answerIn(detail)),
      () => setAnswer(fallback ?? null), // the event was dropped meanwhile
    );
  }, [answerSeq]);
  if (original.answer === undefined) return <p className="note">The original request has no recorded answer.</p>;
  if (answer === undefined) return null;
  return (
    <Tabs
      label="Answers"
      tabs={[
        { key: 'diff', title: 'Differences' },
        { key: 'both', title: 'Side by side' },
      ]}
      chosen={form}
      onChoose={setForm}
    >
      {form === 'diff' ? (
        <DiffView
          before={writeExact(original.answer, '  ')}
          after={writeExact(answer, '  ')}
          label="Differences of the answers"
        />
      ) : (
        <div className="resend-sides">
          <JsonTree value={original.answer} label="Original answer" />
          <JsonTree value={answer} label="New answer" />
        </div>
      )}
    </Tabs>
  );
}

async function loadOriginal(requestSeq: number): Promise<Original> {
  const message = membersOf(exactOf(await loadDetail(requestSeq)));
  if (typeof message.method !== 'string')
    throw new Error('The request is not stored in full, so it cannot be sent again.');
  const index = columns.indexOf(requestSeq);
  const pair = index < 0 ? -1 : columns.numbers.pairSeq[index]!;
  const answer = pair > requestSeq ? answerIn(await loadDetail(pair)) : undefined;
  return { method: message.method, params: withoutEnvelope(message.params), answer };
}

/** The result or the error of an answer. */
function answerIn(detail: EventDetail): unknown {
  const { result, error } = membersOf(exactOf(detail));
  return result ?? error;
}

/** Members of `_meta` about the connection are written anew for each request. */
function withoutEnvelope(params: unknown): unknown {
  if (typeof params !== 'object' || params === null) return params;
  const entries = entriesOf(params).flatMap(([name, value]) => {
    if (name !== '_meta' || typeof value !== 'object' || value === null) return [[name, value] as const];
    const kept = entriesOf(value).filter(
      ([key]) => key !== 'progressToken' && !key.startsWith('io.modelcontextprotocol/'),
    );
    return kept.length === 0 ? [] : [[name, Object.fromEntries(kept)] as const];
  });
  return Object.fromEntries(entries);
}

function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(entriesOf(value))
    : {};
}

/** The parameters for the API. Returns the reason as text if they cannot be sent. */
function readParams(text: string): { params: Record<string, unknown>; texts?: Record<string, string> } | string {
  let exact: unknown;
  try {
    exact = parseExact(text.trim() === '' ? '{}' : text);
  } catch (error) {
    return `The parameters are not valid JSON: ${(error as Error).message}`;
  }
  if (typeof exact !== 'object' || exact === null || Array.isArray(exact))
    return 'The parameters must be a JSON object.';
  const lossy = entriesOf(exact).filter(([name, value]) => name !== '_meta' && lossOf(value) !== undefined);
  const texts = Object.fromEntries(lossy.map(([name, value]) => [name, writeExact(value)]));
  const params = plainOf(exact) as Record<string, unknown>;
  return lossy.length === 0 ? { params } : { params, texts };
}
