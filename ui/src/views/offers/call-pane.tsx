// One tool, resource or prompt: its form, the running call or newest result, and the call history.

import { useMemo, useRef, useState } from 'react';
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
import { isStale } from '../../state/inspected.ts';
import { holdsReplacedSecret } from '../../text/command-line.ts';
import { visible, visibleLine } from '../../text/visible.ts';
import { CallHistory } from './call-history.tsx';
import { CallOutcome } from './call-outcome.tsx';
import { requestOf, schemaOf, valuesOf } from './call-subject.ts';
import { useEnteredForm } from './enter-form.ts';
import { hintsOf } from './offer-list.tsx';
import { keyOf, type Offered, type OfferKind } from './offered.ts';

const verbs = { tool: 'Call', resource: 'Read', template: 'Read', prompt: 'Get' } as const;
const lists: Record<Offered['kind'], OfferKind> = {
  tool: 'tools',
  resource: 'resources',
  template: 'resources',
  prompt: 'prompts',
};

export function CallPane({ offered, givenArgs }: { offered: Offered; givenArgs: string | undefined }) {
  const schema = useMemo(() => schemaOf(offered), [offered]);
  const keeper = useMemo(() => keeperOf(offered, schema, givenArgs), [offered, schema, givenArgs]);
  const draft = useDraft(schema, () => parsed(givenArgs) ?? firstValue(schema) ?? {}, keeper);
  const [round, setRound] = useState(0);
  const [shownId, setShownId] = useState<string>();
  const form = useRef<HTMLFormElement>(null);
  useEnteredForm(form);
  const mine = useCell(calls).filter((call) => call.server === offered.server && valuesOf(offered, call.request));
  const shown = mine.find(({ id }) => id === shownId) ?? mine[0];

  const request = () => requestOf(offered, draft.value, draft.text);
  const call = async (anyway: boolean) => {
    if (isStale() || !(await draft.admits(anyway))) return;
    try {
      setShownId(await startCall(offered.server, request()));
    } catch (error) {
      announce(`Not called: ${(error as Error).message}`, 'bad');
    }
  };

  return (
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
        {offered.kind !== 'resource' && <SchemaForm key={round} schema={schema} draft={draft} label="arguments" />}
        <Refusal draft={draft} anyway={`${verbs[offered.kind]} anyway`} onAnyway={() => void call(true)} />
        <div className="buttons">
          <button type="submit" className="primary" title="Ctrl+Enter">
            {verbs[offered.kind]}
          </button>
          <button type="button" onClick={() => copyCommand(offered.server, request())}>
            Copy as command
          </button>
        </div>
      </form>
      {shown && <CallOutcome call={shown} />}
      <CallHistory
        calls={mine}
        shownId={shown?.id}
        onShow={setShownId}
        onReuse={(again) => {
          const values = valuesOf(offered, again.request)!;
          if (holdsReplacedSecret(writeExact(values))) {
            announce('Secrets in these arguments were replaced. Enter them again.', 'bad');
          }
          draft.replace(values);
          setRound(round + 1);
          setShownId(again.id);
        }}
      />
    </section>
  );
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
