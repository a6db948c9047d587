// Numbers that are kept as text.

/** The bytes that a text in base64 says. */
export function bytesOf(text) {
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = characters.charCodeAt(at);
  return bytes;
}

/** Columns of numbers one after the other: [[type, length], ...]. */
export function columnsOf(text, kinds) {
  const bytes = bytesOf(text);
  let offset = 0;
  const columns = kinds.map(([Type, length]) => {
    const size = length * Type.BYTES_PER_ELEMENT;
    if (offset + size > bytes.length) {
      throw new RangeError(`${bytes.length} bytes are too few: ${offset + size} are needed`);
    }
    // A copy, because a column may start at any byte.
    const column = new Type(bytes.slice(offset, offset + size).buffer);
    offset += size;
    return column;
  });
  if (offset !== bytes.length) throw new RangeError(`${bytes.length} bytes are too many: ${offset} are needed`);
  return columns;
}
