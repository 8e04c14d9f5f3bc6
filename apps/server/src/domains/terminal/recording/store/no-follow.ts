import { constants, createReadStream } from 'node:fs'
import { realpath } from 'node:fs/promises'
import type { Readable } from 'node:stream'

/** A file that is read; fails with ELOOP where it is a link. */
export function readNoFollow(
  path: string,
  options: { start?: number; end?: number; highWaterMark?: number } = {},
): Readable {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW
  // Numbers are flags as well, which the types do not know.
  return createReadStream(path, { ...options, flags: flags as unknown as string })
}

/** Throws where a path leads over a link, or to nothing: it was put there since the path was looked up. */
export async function refuseLinks(path: string): Promise<void> {
  if ((await realpath(path)) !== path)
    throw Object.assign(new Error('the path leads elsewhere'), { code: 'ELOOP', path })
}
