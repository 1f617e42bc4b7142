/** A session that was made in another folder: its file names the folder in the CLI's settings and in what was said. */
export interface MovedFolder {
  readonly from: string;
  readonly to: string;
}

const LINE_FEED = 0x0a;

/** Passes lines of JSON on, with the new folder wherever the old one stood. */
export async function* movedSession(
  session: AsyncIterable<Uint8Array>,
  { from, to }: MovedFolder,
): AsyncGenerator<Buffer> {
  const [old, own] = [inJson(from), inJson(to)];
  let rest: Uint8Array[] = [];
  for await (const chunk of session) {
    const end = chunk.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      yield moved(Buffer.concat([...rest, chunk.subarray(0, end)]));
      rest = [];
    }
    rest.push(chunk.subarray(end));
  }
  const last = Buffer.concat(rest);
  if (last.length > 0) yield moved(last);

  // Bytes as Latin-1, so that a character that a part cuts stays what it is.
  function moved(lines: Buffer): Buffer {
    return Buffer.from(lines.toString('latin1').replaceAll(old, own), 'latin1');
  }
}

/** The path of a session's file in the new folder. claude puts it in a folder named after the working folder. */
export function movedPath(path: string, { from, to }: MovedFolder): string {
  return path.replaceAll(asName(from), asName(to));
}

function inJson(text: string): string {
  return Buffer.from(JSON.stringify(text).slice(1, -1)).toString('latin1');
}

function asName(folder: string): string {
  return folder.replaceAll(/[^A-Za-z0-9]/g, '-');
}
