/** The calls about what a person and the machine of a desktop give each other. */
import { api, withQuery } from '../../../lib/api.ts'
import { putBytes } from '../../../lib/put-bytes.ts'
import { FIRST_PART, nextPart } from '../../files/transfer/queue.ts'

/** As the machine calls the drive. */
export const DRIVE_NAME = 'Files'

export interface GivenFile {
  id: number
  name: string
  /** From the drive on. */
  path: string
  /** Bytes. */
  size: number
  /** Unix seconds. */
  modified: number
  /** The person has put it there, not the machine. */
  is_own: boolean
  /** The machine is still writing it. */
  is_open: boolean
}

/** On the machine's clipboard. */
export interface CopiedFile {
  id: number
  name: string
  /** From what was copied on. */
  path: string
  /** Bytes; null where the machine has not said. */
  size: number | null
}

export interface GivenFiles {
  may_upload: boolean
  may_download: boolean
  /** The person's files may go to the machine's clipboard. */
  may_paste: boolean
  bytes_left: number
  entries: GivenFile[]
  /** Copied on the machine; gone once something else is. */
  copied: CopiedFile[]
}

const quiet = { quiet: true } as const
const filesOf = (session: string) => `/koko/desktops/${encodeURIComponent(session)}/files/`

export const readGivenFiles = (session: string) => api.get<GivenFiles>(filesOf(session), quiet)

/** In parts, as a request may take a minute. Answers its number there. @throws as `putBytes` does */
export async function giveFile(
  session: string,
  file: File,
  signal: AbortSignal,
  onSent: (bytes: number) => void,
): Promise<number> {
  let length = FIRST_PART
  let upload: string | undefined
  for (let offset = 0; ; ) {
    const begin = offset
    const body = file.slice(begin, begin + length)
    const hasMore = begin + body.size < file.size
    const place = { ...(upload ? { upload, offset } : {}), ...(hasMore ? { more: 1 } : {}) }
    const began = performance.now()
    const answer = await putBytes({
      address: withQuery(filesOf(session), { name: file.name, ...place }),
      body,
      signal,
      onSent: (bytes) => onSent(begin + bytes),
    })
    if (!hasMore) return (answer as GivenFile).id
    upload = (answer as { upload: string }).upload
    offset += body.size
    length = nextPart(body.size, performance.now() - began)
  }
}

export const removeGivenFile = (session: string, id: number) => api.delete(`${filesOf(session)}${id}/`, quiet)
export const copiedFileAddress = (session: string, id: number) => `${filesOf(session)}copied/${id}/`
export const givenFileAddress = (session: string, id: number) => `${filesOf(session)}${id}/`
