// One offer: its form, the call that runs or the newest result, and the history to call again from.

import { useMemo, useState } from 'react';
import { ServerChip } from '../../parts/server-chip.tsx';
import { addressOf } from '../../route.ts';
import { firstValue } from '../../schema-form/first-value.ts';
import { SchemaForm } from '../../schema-form/schema-form.tsx';
import { announce } from '../../state/announce.ts';
import { calls, startCall } from '../../state/calls.ts';
import { useCell } from '../../state/cell.ts';
import { isStale } from '../../state/inspected.ts';
import { commandLine } from '../../text/command-line.ts';
import { copyText } from '../../text/copy.ts';
import { visible, visibleLine } from '../../text/visible.ts';
import { CallHistory } from './call-history.tsx';
import { CallOutcome } from './call-outcome.tsx';
import { requestOf, schemaOf, valuesOf } from './call-subject.ts';
import { hintsOf } from './offer-list.tsx';
import type { Offered, OfferKind } from './offered.ts';

type Values = Record<string, unknown>;

const verbs = { tool: 'Call', resource: 'Read', template: 'Read', prompt: 'Get' } as const;
const lists: Record<Offered['kind'], OfferKind> = {
  tool: 'tools',
  resource: 'resources',
  template: 'resources',
  prompt: 'prompts',
};

export function CallPane({ offered, givenArgs }: { offered: Offered; givenArgs: string | undefined }) {
  const schema = useMemo(() => schemaOf(offered), [offered]);
  const [values, setValues] = useState<Values>(() => parsed(givenArgs) ?? ((firstValue(schema) ?? {}) as Values));
  const [round, setRound] = useState(0);
  const [shownId, setShownId] = useState<string>();
  const mine = useCell(calls).filter((call) => call.server === offered.server && valuesOf(offered, call.request));
  const shown = mine.find(({ id }) => id === shownId) ?? mine[0];

  const call = async () => {
    try {
      setShownId(await startCall(offered.server, requestOf(offered, values)));
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
      {offered.description && <p className="about">{visible(offered.description)}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!isStale()) void call();
        }}
        noValidate
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
        }}
      >
        {offered.kind !== 'resource' && (
          <SchemaForm
            key={round}
            schema={schema}
            value={values}
            label="arguments"
            onChange={(next) => setValues((next ?? {}) as Values)}
          />
        )}
        <div className="buttons">
          <button type="submit" className="primary" title="Ctrl+Enter">
            {verbs[offered.kind]}
          </button>
          <button
            type="button"
            onClick={() => copyText(commandLine(offered.server, requestOf(offered, values)), 'Command')}
          >
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
          setValues(structuredClone(valuesOf(offered, again.request)!));
          setRound(round + 1);
          setShownId(again.id);
        }}
      />
    </section>
  );
}

function parsed(text: string | undefined): Values | undefined {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined; // a link that somebody cut: the form starts empty
  }
}
