// The subpath `standpipe/framing`: every codec and their common interface.

export { blankLines } from '../wire/framing/blank-lines.ts';
export { framingByName, framingNames } from '../wire/framing/by-name.ts';
export { contentLength, MAX_HEADER_LINE_BYTES } from '../wire/framing/content-length.ts';
export { type FixedLengthOptions, fixedLength } from '../wire/framing/fixed-length.ts';
export * from '../wire/framing/framing.ts';
export { MAX_HEADER_LINES } from '../wire/framing/header-block.ts';
export { type LengthFormat, type LengthPrefixOptions, lengthPrefix } from '../wire/framing/length-prefix.ts';
export { newline } from '../wire/framing/newline.ts';
