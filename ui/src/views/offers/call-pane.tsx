// One tool, resource or prompt: its form, the running call or newest result, the call history, and the frames of the shown call.

import { useMemo, useRef, useState } from 'react';
import type { CallRequest } from '../../../../src/app/inspector/api.ts';
import type { Schema } from '../../api/shapes.ts';
import { parseExact, writeExact } from '../../json/exact-json.ts';
import { MarkdownText } from '../../markdown/markdown-text.tsx';
import { looksLikeMarkdown } from '../../markdown/read-blocks.ts';
import { ServerChip } from '../../parts/server-chip.tsx';
import { addressOf, readRoute, replaceParams } from '../../route.ts';
import { firstValue } from '../../schema-form/first-value.ts';
import { Refusal } from '../../schema-form/refusal.tsx';
import { SchemaForm } from '../../schema-form/schema-form.tsx';
import { type DraftKeeper, useDraft } from '../../schema-form/use-draft.ts';
import { announce } from '../../state/announce.ts';
import { calls, startCall } from '../../state/calls.ts';
import { useCell } from '../../state/cell.ts';
import { copyCommand } from '../../state/copy-command.ts';
import { draftKeeper } from '../../state/drafts.ts';
import { connection, isStale } from '../../state/inspected.ts';
import { savedCalls } from '../../state/saved-calls.ts';
import { holdsReplacedSecret } from '../../text/command-line.ts';
import { visible, visibleLine } from '../../text/visible.ts';
import { ProtocolDock } from '../dock/protocol-dock.tsx';
import { CallHistory } from './call-history.tsx';
import { CallOutcome } from './call-outcome.tsx';
import { requestOf, schemaOf, valuesOf } from './call-subject.ts';
import { Definition } from './definition.tsx';
import { useEnteredForm } from './enter-form.ts';
import { hintsOf } from './offer-list.tsx';
import { keyOf, type Offered, type OfferKind } from './offered.ts';
import { RecordedCalls } from './recorded-calls.tsx';
import { SubscriptionPanel } from './subscription-panel.tsx';
import { useSuggest } from './suggest.ts';

const verbs = { tool: 'Call', resource: 'Read', template: 'Read', prompt: 'Get' } as const;
const lists: Record<Offered['kind'], OfferKind> = {
  tool: 'tools',
  resource: 'resources',
  template: 'resources',
  prompt: 'prompts',
};

interface Props {
  offered: Offered;
  givenArgs: string | undefined;
  /** Why it cannot be called, for example because its server is behind a tap. */
  watchedOnly: string | undefined;
}

export function CallPane({ offered, givenArgs, watchedOnly }: Props) {
  const schema = useMemo(() => schemaOf(offered), [offered]);
  const keeper = useMemo(() => keeperOf(offered, schema, givenArgs), [offered, schema, givenArgs]);
  const draft = useDraft(schema, () => parsed(givenArgs) ?? firstValue(schema) ?? {}, keeper);
  const suggest = useSuggest(offered, draft);
  const [round, setRound] = useState(0);
  const [shownId, setShownId] = useState<string>();
  const [recorded, setRecorded] = useState<number>();
  const form = useRef<HTMLFormElement>(null);
  useEnteredForm(form);
  useCell(connection);
  const isMine = ({ server, request }: { server: string; request: CallRequest }) =>
    server === offered.server && valuesOf(offered, request) !== undefined;
  const mine = useCell(calls).filter(isMine);
  const saved = useCell(savedCalls).filter(isMine);
  const shown = mine.find(({ id }) => id === shownId) ?? mine[0];

  const request = () => requestOf(offered, draft.value, draft.text);
  const call = async (anyway: boolean) => {
    if (watchedOnly !== undefined) return announce(`Not called: ${watchedOnly}`, 'bad');
    if (isStale()) return announce('Not called: the Inspector is disconnected.', 'bad');
    if (!(await draft.admits(anyway))) return;
    try {
      setShownId(await startCall(offered.server, request()));
    } catch (error) {
      announce(`Not called: ${(error as Error).message}`, 'bad');
    }
  };
  const reuse = (again: CallRequest) => {
    const values = valuesOf(offered, again)!;
    if (holdsReplacedSecret(writeExact(values))) {
      announce('Secrets in these arguments were replaced. Enter them again.', 'bad');
    }
    draft.replace(values);
    setRound(round + 1);
  };
  const uri = subscribedUri(offered, draft.value);
  const frames = watchedOnly === undefined ? shown && { call: shown.id, isOver: shown.state !== 'running' } : undefined;

  return (
    <div className="call-column">
      <section className="call-pane" aria-label={visibleLine(offered.title)}>
        <header className="call-head">
          <a className="narrow-only back" href={addressOf(lists[offered.kind], { server: offered.server })}>
            ‹ all {lists[offered.kind]}
          </a>
          <h2>{visibleLine(offered.title)}</h2>
          <ServerChip name={offered.server} />
          {offered.title !== offered.name && <code className="cut">{visibleLine(offered.name)}</code>}
          {hintsOf(offered).map((hint) => (
            <span key={hint} className="tag">
              {visibleLine(hint)}
            </span>
          ))}
        </header>
        {offered.description && <About text={offered.description} />}
        <form
          ref={form}
          onSubmit={(event) => {
            event.preventDefault();
            void call(false);
          }}
          noValidate
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
          }}
        >
          {offered.kind !== 'resource' && (
            <SchemaForm key={round} schema={schema} draft={draft} label="arguments" suggest={suggest} />
          )}
          <Refusal draft={draft} anyway={`${verbs[offered.kind]} anyway`} onAnyway={() => void call(true)} />
          <div className="buttons">
            {watchedOnly === undefined && (
              <button type="submit" className="primary" title="Ctrl+Enter">
                {verbs[offered.kind]}
              </button>
            )}
            <button type="button" onClick={() => copyCommand(offered.server, request())}>
              {watchedOnly === undefined ? 'Copy as command' : 'Copy as JSON'}
            </button>
          </div>
          {watchedOnly !== undefined && <p className="note">{watchedOnly}</p>}
          {isStale() && <p className="note bad">The Inspector is disconnected: nothing can be sent.</p>}
        </form>
        {uri !== undefined && watchedOnly === undefined && (
          <SubscriptionPanel server={offered.server} uri={uri} onRead={() => void call(false)} />
        )}
        {shown && <CallOutcome call={shown} />}
        <CallHistory
          calls={mine}
          saved={saved}
          shownId={shown?.id}
          onShow={setShownId}
          onReuse={(again, id) => {
            reuse(again);
            setShownId(id);
          }}
        />
        {offered.kind === 'tool' && (
          <RecordedCalls
            server={offered.server}
            tool={offered.name}
            shown={watchedOnly !== undefined}
            chosen={recorded}
            onChoose={setRecorded}
          />
        )}
        <Definition offered={offered} />
      </section>
      <ProtocolDock of={recorded === undefined ? frames : { seq: recorded }} />
    </div>
  );
}

/** The resource that updates are about: a template needs values first. */
function subscribedUri(offered: Offered, value: unknown): string | undefined {
  if (offered.kind === 'resource') return offered.name;
  if (offered.kind !== 'template') return undefined;
  const request = requestOf(offered, value);
  return request.kind === 'resource' && Object.keys(value as object).length > 0 ? request.uri : undefined;
}

function About({ text }: { text: string }) {
  if (looksLikeMarkdown(text)) return <MarkdownText text={text} label="Description" />;
  return <p className="about">{visible(text)}</p>;
}

/** The arguments of a link replace the draft. The first change takes them out of the address, so that a reload keeps the change. */
function keeperOf(offered: Offered, schema: Schema, givenArgs: string | undefined): DraftKeeper {
  const keeper = draftKeeper(keyOf(offered), schema);
  if (givenArgs === undefined) return keeper;
  return {
    read: () => undefined,
    keep(held) {
      keeper.keep(held);
      replaceParams({ ...readRoute().params, args: undefined });
    },
  };
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : parseExact(text);
  } catch {
    return undefined; // the link was truncated: the form starts empty
  }
}
