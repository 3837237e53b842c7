// The details of one event: facts, problems, and its content as JSON, text and bytes.

import { useMemo, useState } from 'react';
import { shareableAddress } from '../../api/token.ts';
import { HexView } from '../../parts/hex-view.tsx';
import { JsonTree } from '../../parts/json-tree.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { addressOf, goTo } from '../../route.ts';
import { useCell } from '../../state/cell.ts';
import { commandOf } from '../../state/copy-command.ts';
import { columns, isAlarming, problems, wireRows } from '../../state/inspected.ts';
import { secretsShown } from '../../state/secrets.ts';
import { copyText } from '../../text/copy.ts';
import { visible } from '../../text/visible.ts';
import { StderrTail } from '../servers/last-exit-note.tsx';
import { callOf, copyCall, exactOf, isOfClient, type ToolCall } from './copy-call.ts';
import { type Loading, useDetail } from './event-details.ts';
import { EventFacts } from './event-facts.tsx';
import { ExchangeOf } from './exchange-of.tsx';
import { FoundText } from './found-text.tsx';
import { HttpOf } from './http-of.tsx';
import { nameOf } from './timeline-row.tsx';
import { detailOpen, moveToSeq } from './wire-state.ts';

type Form = 'json' | 'text' | 'hex';

export function DetailPane({ seq }: { seq: number }) {
  useCell(wireRows.version);
  const loading = useDetail(seq);
  const index = columns.indexOf(seq);
  const row = index < 0 ? loading.detail?.row : columns.row(index);
  if (!row) return null;
  const { pairSeq } = row;
  return (
    <section className="detail" id="detail" tabIndex={-1} aria-label={`Event ${seq}`}>
      <header className="detail-head">
        <h2 className="cut">{nameOf(row)}</h2>
        <div className="buttons">
          {pairSeq !== undefined && (
            <button type="button" title="Matching request or response (p)" onClick={() => moveToSeq(pairSeq)}>
              {row.kind === 'http' ? 'Message' : pairSeq > row.seq ? 'Answer' : 'Request'} #{pairSeq}
            </button>
          )}
          <button
            type="button"
            title="Copy a link to this event"
            onClick={() => copyText(shareableAddress(addressOf('wire', { event: seq })), 'Link')}
          >
            Link
          </button>
          <button type="button" className="quiet" aria-label="Close details" onClick={() => detailOpen.set(false)}>
            ✕
          </button>
        </div>
      </header>
      <div className="detail-body">
        <EventFacts row={row} detail={loading.detail} />
        <ExchangeOf key={seq} row={row} />
        <HttpOf key={`http ${seq}`} detail={loading.detail} />
        <Explained seq={seq} loading={loading} />
        {loading.detail?.text !== undefined && <FoundText text={loading.detail.text} />}
        <Contents seq={seq} loading={loading} />
      </div>
    </section>
  );
}

function Explained({ seq, loading: { detail } }: { seq: number; loading: Loading }) {
  const here = useCell(problems).filter((problem) => problem.seq === seq);
  const tail = detail?.evidence?.stderrTail;
  return (
    <>
      {here.map((problem) => (
        <div key={problem.kind + problem.title} className={isAlarming(problem) ? 'note bad' : 'note'}>
          <strong>{visible(problem.title)}</strong>
          <p>{visible(problem.explanation)}</p>
        </div>
      ))}
      {detail?.problems.map((problem) => (
        <p key={problem} className="note bad">
          {visible(problem)}
        </p>
      ))}
      {tail && <StderrTail text={tail} />}
      {detail?.cut && (
        <p className="note">
          The message is too long to be stored in full. Only its beginning is shown, and it was not validated.
        </p>
      )}
      {detail?.redacted && (
        <p className="note">
          {secretsShown
            ? 'Secrets were replaced before this was stored.'
            : 'Secrets are replaced. Size and offset are those of the original.'}
        </p>
      )}
    </>
  );
}

function Contents({ seq, loading }: { seq: number; loading: Loading }) {
  const { detail, failure } = loading;
  const [wished, setWished] = useState<Form>('json');
  const exact = useMemo(() => exactOf(detail), [detail]);
  if (failure) return <p className="note">The content is not available: {failure}</p>;
  if (!detail) return <p className="muted">Loading…</p>;
  const { json, text, base64, offset } = detail;
  // The names in a client request may differ from those of the server.
  const call = isOfClient(detail.row) ? undefined : callOf(exact);
  const hasJson = json !== undefined && json !== null;
  if (!hasJson && !text && base64 === '') return null;
  const tabs: { key: Form; title: string }[] = [
    ...(hasJson ? [{ key: 'json' as const, title: 'JSON' }] : []),
    ...(text !== undefined ? [{ key: 'text' as const, title: 'Text' }] : []),
    { key: 'hex', title: 'Hex' },
  ];
  const form = tabs.some(({ key }) => key === wished) ? wished : tabs[0]!.key;
  return (
    <>
      <Tabs label="Contents" tabs={tabs} chosen={form} onChoose={setWished}>
        {form === 'json' && <JsonTree key={seq} value={exact} label="Contents as JSON" />}
        {form === 'text' && <LongText key={seq} text={text ?? ''} label="Contents as text" />}
        {form === 'hex' && <HexView key={seq} base64={base64} offset={offset} />}
      </Tabs>
      {detail.tailBase64 && (
        <>
          <h3>Last bytes</h3>
          <HexView base64={detail.tailBase64} offset={undefined} />
        </>
      )}
      <div className="buttons">
        {text !== undefined && (
          <button type="button" onClick={() => copyText(text, 'Text')}>
            Copy text
          </button>
        )}
        {call && (
          <button type="button" title={commandOf(detail.row.server, call)} onClick={() => copyCall(seq)}>
            Copy as standpipe call
          </button>
        )}
        {call?.kind === 'tool' && (
          <button type="button" onClick={() => goTo(addressOf('tools', callParams(detail.row.server, call)))}>
            Open in Tools
          </button>
        )}
      </div>
    </>
  );
}

function callParams(server: string, { name, args, argsText }: ToolCall) {
  const text = argsText ?? JSON.stringify(args);
  return { server, name, args: text.length < 4000 ? text : undefined };
}
