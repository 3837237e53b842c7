import type { InspectedServer } from '../../../../src/app/inspector/api.ts';
import { MarkdownText } from '../../markdown/markdown-text.tsx';
import { looksLikeMarkdown } from '../../markdown/read-blocks.ts';
import { ServerChip } from '../../parts/server-chip.tsx';
import { addressOf } from '../../route.ts';
import type { Offer } from '../../state/offers.ts';
import { visible, visibleLine } from '../../text/visible.ts';
import { enterForm } from './enter-form.ts';
import { keyOf, type Offered, type OfferKind } from './offered.ts';

const SHOWN = 2_000;

interface Props {
  kind: OfferKind;
  offered: Offered[];
  chosen: Offered | undefined;
  known: Readonly<Record<string, Offer>>;
  asked: InspectedServer[];
  /** The server whose offers are listed. Empty: all servers. */
  listed: string;
}

export function OfferList({ kind, offered, chosen, known, asked, listed }: Props) {
  return (
    <nav className="offer-list" aria-label={`All ${kind}`}>
      {asked.map(({ name, status }) => (
        <ServerNote key={name} name={name} known={known[name]} state={status?.state ?? 'watched only'} />
      ))}
      <ul>
        {offered.slice(0, SHOWN).map((one) => (
          <li key={keyOf(one)}>
            <a
              href={addressOf(kind, { server: one.server, name: one.name, list: listed })}
              onClick={(event) => {
                if (!event.ctrlKey && !event.metaKey && !event.shiftKey) enterForm();
              }}
              aria-current={chosen && keyOf(chosen) === keyOf(one) ? 'true' : undefined}
            >
              <span className="offer-name cut">{visibleLine(one.title)}</span>
              <ServerChip name={one.server} />
              <span className="offer-about">
                {visibleLine(one.description || (one.title === one.name ? '' : one.name))}
              </span>
              <Hints one={one} />
            </a>
          </li>
        ))}
      </ul>
      {offered.length === 0 && <p className="muted pad">None.</p>}
      {offered.length > SHOWN && <p className="muted pad">{offered.length - SHOWN} more: search for them.</p>}
    </nav>
  );
}

function ServerNote({ name, known, state }: { name: string; known: Offer | undefined; state: string }) {
  if (known?.state === 'known' && !known.offer.error)
    return <Instructions name={name} text={known.offer.instructions} />;
  const words =
    known?.state === 'loading'
      ? 'loading…'
      : known?.state === 'failed'
        ? known.message
        : known?.state === 'known'
          ? known.offer.error!
          : `is ${state}: its lists are not known`;
  return (
    <p className={known?.state === 'failed' || known?.state === 'known' ? 'note bad' : 'note'}>
      <strong>{visibleLine(name)}</strong> {visible(words)}
    </p>
  );
}

function Instructions({ name, text }: { name: string; text: string | undefined }) {
  if (!text) return null;
  return (
    <details className="note">
      <summary>How to use {visibleLine(name)}</summary>
      {looksLikeMarkdown(text) ? <MarkdownText text={text} label="Instructions" /> : <p>{visible(text)}</p>}
    </details>
  );
}

function Hints({ one }: { one: Offered }) {
  const hints = hintsOf(one);
  if (hints.length === 0) return null;
  return (
    <span className="hints">
      {hints.map((hint) => (
        <span key={hint} className={`tag${hint === 'destructive' ? ' bad' : ''}`}>
          {visibleLine(hint)}
        </span>
      ))}
    </span>
  );
}

export function hintsOf(one: Offered): string[] {
  if (one.kind === 'template') return ['template'];
  if (one.kind === 'resource') return one.resource.mimeType ? [one.resource.mimeType] : [];
  if (one.kind === 'prompt') return [];
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = one.tool.annotations ?? {};
  return [
    readOnlyHint ? 'read-only' : '',
    destructiveHint && !readOnlyHint ? 'destructive' : '',
    idempotentHint ? 'idempotent' : '',
    openWorldHint ? 'open world' : '',
  ].filter((hint) => hint !== '');
}
