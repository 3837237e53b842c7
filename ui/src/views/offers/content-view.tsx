// One content block. Server data cannot inject markup. Images and audio come only from the bytes of the message, and only in types that
// the browser shows without running code. Links are shown and never followed automatically.

import type { ContentBlock, ResourceContents } from '../../api/shapes.ts';
import { HexView } from '../../parts/hex-view.tsx';
import { JsonTree } from '../../parts/json-tree.tsx';
import { addressOf } from '../../route.ts';
import { byteSize } from '../../text/amounts.ts';
import { download } from '../../text/copy.ts';
import { visible, visibleLine } from '../../text/visible.ts';
import { TextContent } from './text-content.tsx';

const pictures = /^image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml)$/;
const sounds = /^audio\/[\w.+-]+$/;
const base64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/;

interface Props {
  block: ContentBlock;
  server: string;
  /** The name of saved files, without their ending. */
  fileName?: string;
}

export function ContentView({ block, server, fileName = 'content' }: Props) {
  switch (block?.type) {
    case 'text':
      return <TextContent text={String(block.text)} label="Text" fileName={fileName} />;
    case 'image':
    case 'audio':
      return <Media data={block.data} mimeType={block.mimeType} fileName={fileName} />;
    case 'resource':
      return <ResourceView contents={block.resource} fileName={fileName} />;
    case 'resource_link':
      return (
        <div className="linked">
          <strong>{visibleLine(block.title ?? block.name ?? block.uri)}</strong>
          {block.mimeType && <span className="tag">{visibleLine(block.mimeType)}</span>}
          {block.size !== undefined && <span className="muted">{byteSize(block.size)}</span>}
          <code>{visibleLine(block.uri)}</code>
          {block.description && <p className="muted">{visible(block.description)}</p>}
          <a href={addressOf('resources', { server, name: block.uri })}>Open in Resources</a>
        </div>
      );
    default:
      return (
        <>
          <p className="note">Unknown content type.</p>
          <JsonTree value={block} label="Content as JSON" />
        </>
      );
  }
}

export function ResourceView({ contents, fileName }: { contents: ResourceContents; fileName: string }) {
  return (
    <div className="linked">
      <code>{visibleLine(String(contents.uri))}</code>
      {contents.mimeType && <span className="tag">{visibleLine(contents.mimeType)}</span>}
      {'text' in contents ? (
        <TextContent
          text={String(contents.text)}
          label="Text of the resource"
          mimeType={contents.mimeType}
          fileName={fileName}
        />
      ) : (
        <Media data={contents.blob} mimeType={contents.mimeType ?? ''} fileName={fileName} />
      )}
    </div>
  );
}

function Media({ data, mimeType, fileName }: { data: string; mimeType: string; fileName: string }) {
  if (typeof data !== 'string' || !base64.test(data)) return <p className="note bad">The data is not valid base64.</p>;
  const kind = mimeType.toLowerCase().split(';')[0]!.trim();
  const about = `${kind || 'no type'}, ${byteSize(Math.floor((data.length * 3) / 4))}`;
  return (
    <figure className="media">
      {pictures.test(kind) && <img src={`data:${kind};base64,${data}`} alt={`From the server: ${about}`} />}
      {/* biome-ignore lint/a11y/useMediaCaption: servers send no captions */}
      {sounds.test(kind) && <audio controls src={`data:${kind};base64,${data}`} aria-label={`Sound, ${about}`} />}
      {!pictures.test(kind) && !sounds.test(kind) && <HexView base64={data.replace(/\s/g, '')} offset={undefined} />}
      <figcaption className="muted">
        {visibleLine(about)}{' '}
        <button
          type="button"
          className="quiet"
          onClick={() => download(`${fileName}.${endingOf(kind)}`, [bytesOf(data)], '')}
        >
          Save
        </button>
      </figcaption>
    </figure>
  );
}

function bytesOf(data: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(data.replace(/\s/g, '')), (character) => character.charCodeAt(0));
}

/** The ending of a file of this type. The type is written by the server. */
function endingOf(kind: string): string {
  return /^[\w-]+\/([\w-]+)/.exec(kind)?.[1]?.replace('jpeg', 'jpg') ?? 'bin';
}
