// The details of one event: facts, problems, and its content as JSON, text and bytes.

import { shareableAddress } from '../../api/token.ts';
import { addressOf } from '../../route.ts';
import { useCell } from '../../state/cell.ts';
import { columns, isAlarming, problems, wireRows } from '../../state/inspected.ts';
import { secretsShown } from '../../state/secrets.ts';
import { copyText } from '../../text/copy.ts';
import { visible } from '../../text/visible.ts';
import { StderrTail } from '../servers/last-exit-note.tsx';
import { EventActions } from './event-actions.tsx';
import { Contents } from './event-contents.tsx';
import { type Loading, useDetail } from './event-details.ts';
import { EventFacts } from './event-facts.tsx';
import { ExchangeOf } from './exchange-of.tsx';
import { FoundText } from './found-text.tsx';
import { HttpOf } from './http-of.tsx';
import { nameOf } from './row-words.ts';
import { detailOpen, moveToSeq } from './wire-state.ts';

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
        {loading.detail && <EventActions detail={loading.detail} />}
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
