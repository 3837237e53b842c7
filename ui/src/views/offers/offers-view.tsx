// Tools, resources or prompts of the servers: the list, and the form, result and history of the selected one.

import { useDeferredValue, useState } from 'react';
import type { Overview } from '../../../../src/app/inspector/api.ts';
import { Empty } from '../../parts/empty.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { addressOf, replaceParams, useRoute } from '../../route.ts';
import { useCell } from '../../state/cell.ts';
import { canAct, servers, source } from '../../state/inspected.ts';
import { loadOffer, type Offer, useOffers } from '../../state/offers.ts';
import { visibleLine } from '../../text/visible.ts';
import { CallPane } from './call-pane.tsx';
import { OfferList } from './offer-list.tsx';
import { matches, type OfferKind, offeredBy, unlisted } from './offered.ts';

const titles = { tools: 'Tools', resources: 'Resources', prompts: 'Prompts' } as const;

export default function OffersView({ kind }: { kind: OfferKind }) {
  const all = useCell(servers);
  const known = useOffers();
  const acts = useCell(canAct);
  const looked = useCell(source);
  const { params } = useRoute();
  const [search, setSearch] = useState('');
  const wanted = useDeferredValue(search); // typing does not wait for hundreds of rows
  const server = params.server ?? '';
  // With a name, `server` is the server of the selected offer, and `list` the server whose offers are listed.
  const listed = params.name === undefined ? server : (params.list ?? '');
  const offered = all.flatMap(({ name }) => offeredBy(name, known[name], kind));
  const shown = offered.filter((one) => (listed === '' || one.server === listed) && matches(one, wanted));
  const isKnown = all.some(({ name }) => name === server);
  const chosen =
    offered.find((one) => one.name === params.name && one.server === server) ??
    (kind === 'resources' && isKnown && params.name ? unlisted(server, params.name) : undefined);
  const asked = all.filter(({ name }) => listed === '' || name === listed);
  const status = all.find(({ name }) => name === chosen?.server)?.status;
  const watchedOnly = chosen && !(acts && status) ? watchedWords(looked, acts) : undefined;
  const missing =
    !chosen && params.name !== undefined ? missingWords(kind, params.name, server, isKnown, known[server]) : undefined;
  return (
    <>
      <div className="view-head">
        <h1>{titles[kind]}</h1>
        <SearchBox label={`Find in ${kind}`} value={search} onChange={setSearch} />
        <select aria-label="Server" value={listed} onChange={(event) => replaceParams({ server: event.target.value })}>
          <option value="">all servers</option>
          {all.map(({ name }) => (
            <option key={name} value={name}>
              {visibleLine(name)}
            </option>
          ))}
        </select>
        <button type="button" onClick={() => asked.forEach(({ name }) => void loadOffer(name))}>
          Reload
        </button>
      </div>
      <div className={chosen ? 'offers chosen' : 'offers'}>
        <OfferList kind={kind} offered={shown} chosen={chosen} known={known} asked={asked} listed={listed} />
        {chosen ? (
          <CallPane
            key={JSON.stringify([chosen.server, chosen.name])}
            offered={chosen}
            givenArgs={params.args}
            watchedOnly={watchedOnly}
          />
        ) : (
          <div className="call-pane">
            {looked && !acts && missing === undefined ? (
              <Empty title={`A ${looked.kind} can only be watched`}>
                Choose one of the {kind} to see its definition as it was recorded. Past calls are on the{' '}
                <a href={addressOf('wire', { method: 'tools/call' })}>wire</a>.
              </Empty>
            ) : missing === undefined ? (
              <Empty title={`Choose one of the ${kind}`}>Its form, results and call history are shown here.</Empty>
            ) : (
              <Empty title="Not found">{missing}</Empty>
            )}
          </div>
        )}
      </div>
    </>
  );
}

/** Why the tools of a server can only be read. */
function watchedWords(looked: Overview['source'] | undefined, acts: boolean): string {
  if (acts || looked?.kind === 'tap') {
    return 'A tap can only be watched: another program is connected to this server. The definitions are those of the recorded lists. To call tools, run the server with “standpipe up” or “standpipe inspect -- command”.';
  }
  return 'A recording can only be watched. The definitions are those of the recorded lists. To call tools, run the server with “standpipe up” or “standpipe inspect -- command”.';
}

function missingWords(
  kind: OfferKind,
  name: string,
  server: string,
  isKnown: boolean,
  offer: Offer | undefined,
): string | undefined {
  if (!isKnown) return `There is no server named “${visibleLine(server)}” here.`;
  if (offer?.state !== 'known') return undefined; // the list is still being read, or its error is shown
  return `The server “${visibleLine(server)}” lists no ${kind.slice(0, -1)} named “${visibleLine(name)}”.`;
}
