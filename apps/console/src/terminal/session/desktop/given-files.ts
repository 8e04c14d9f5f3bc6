/** The calls about what a person and the machine of a desktop give each other. */
import { api, withQuery } from '../../../lib/api.ts'
import { putBytes } from '../../../lib/put-bytes.ts'

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

export interface GivenFiles {
  may_upload: boolean
  may_download: boolean
  bytes_left: number
  entries: GivenFile[]
}

const quiet = { quiet: true } as const
const filesOf = (session: string) => `/koko/desktops/${encodeURIComponent(session)}/files/`

export const readGivenFiles = (session: string) => api.get<GivenFiles>(filesOf(session), quiet)
export const giveFile = (session: string, file: File, signal: AbortSignal, onSent: (bytes: number) => void) =>
  putBytes({ address: withQuery(filesOf(session), { name: file.name }), body: file, signal, onSent })
export const removeGivenFile = (session: string, id: number) => api.delete(`${filesOf(session)}${id}/`, quiet)
export const givenFileAddress = (session: string, id: number) => `${filesOf(session)}${id}/`
