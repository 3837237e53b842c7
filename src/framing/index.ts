// The subpath `standpipe/framing`: every codec and their common interface.

export { blankLines } from './blank-lines.ts';
export { framingByName, framingNames } from './by-name.ts';
export { contentLength, MAX_HEADER_LINE_BYTES } from './content-length.ts';
export { type FixedLengthOptions, fixedLength } from './fixed-length.ts';
export * from './framing.ts';
export { MAX_HEADER_LINES } from './header-block.ts';
export { type LengthFormat, type LengthPrefixOptions, lengthPrefix } from './length-prefix.ts';
export { newline } from './newline.ts';
