/**
 * The calls of the file manager (docs/operate-files.md). Failures are ApiError, shown by the
 * caller.
 */
import { WIRE } from '@sallyport/contract/constants.ts'
import { ApiError, api, withQuery } from '../../../lib/api.ts'
import { readCookie } from '../../../lib/cookies.ts'
import { t } from '../../../lib/i18n.ts'
import { type Bytes, putBytes } from '../../../lib/put-bytes.ts'
import type { Entry } from './entries.ts'

const FILES = '/koko/files/'
const quiet = { quiet: true } as const

export interface Listing {
  is_machine: boolean
  /**
   * Files move without being copied between folders that have the same; null above the machines.
   */
  machine: string | null
  /** The path of the machine's own folder. */
  top: string | null
  may_upload: boolean
  may_download: boolean
  entries: Entry[]
}

export interface Existing {
  kind: 'file' | 'folder' | 'link' | 'other'
  /** Bytes. */
  size: number | null
  /** Unix seconds. */
  modified: number | null
}

export interface Details extends Existing {
  accessed: number | null
  mode: number | null
  uid: number | null
  gid: number | null
  /** Where a link leads. */
  target: string | null
  target_kind: Existing['kind'] | null
}

export interface Measured {
  files: number
  folders: number
  bytes: number
  /** Too much to count. */
  is_more: boolean
  /** What one archive may hold. */
  max_archive_bytes: number
}

/** The machine and account that a path leads to, also one that nobody is signed in to yet. */
export interface Place {
  asset: string | null
  system_user: string | null
}

export const listFolder = (path: string, hidden: boolean, signal?: AbortSignal) =>
  api.get<Listing>(FILES, { ...quiet, query: { path, hidden: hidden ? 1 : 0 }, ...(signal ? { signal } : {}) })
export const readPlace = (path: string) => api.get<Place>(`${FILES}place/`, { ...quiet, query: { path } })
export const measure = (paths: readonly string[]) => api.post<Measured>(`${FILES}measure/`, { paths }, quiet)
export const makeFolder = (path: string) => api.post(`${FILES}folders/`, { path }, quiet)
export const rename = (from: string, to: string) => api.post(`${FILES}rename/`, { from, to }, quiet)
export const remove = (path: string) => api.delete(FILES, { ...quiet, query: { path } })
export const readDetails = (path: string) => api.get<Details>(`${FILES}details/`, { ...quiet, query: { path } })

/** The entry at a path, undefined for none. @throws ApiError for anything else */
export async function findFile(path: string): Promise<Details | undefined> {
  try {
    return await readDetails(path)
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}

export const contentAddress = (path: string) => withQuery(`${FILES}content/`, { path })
export const archiveAddress = (folder: string, names: readonly string[]) =>
  withQuery(`${FILES}archive/`, { folder }) + names.map((name) => `&name=${encodeURIComponent(name)}`).join('')

/** The first bytes of a file. */
export async function readStart(path: string, limit: number): Promise<Uint8Array> {
  const answer = await fetch(withQuery(`${FILES}preview/`, { path, limit }))
  if (!answer.ok) throw await refusal(answer)
  return new Uint8Array(await answer.arrayBuffer())
}

async function refusal(answer: Response): Promise<ApiError> {
  return new ApiError(
    answer.status,
    await answer.json().catch(() => undefined),
    `${answer.status} ${answer.statusText}`,
  )
}

export interface Part extends Omit<Bytes, 'address'> {
  path: string
  offset: number
  replace: boolean
  /** Another part follows. */
  more: boolean
}

/** Sends one part of an upload. @throws as `putBytes` does */
export async function sendPart({ path, offset, replace, more, ...bytes }: Part): Promise<void> {
  const address = withQuery(`${FILES}content/`, { path, offset, replace: replace ? 1 : 0, more: more ? 1 : 0 })
  await putBytes({ address, ...bytes })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export interface CopyOrder {
  from: string
  to: string
  offset: number
  replace: boolean
}

/**
 * Copies a file from machine to machine; `onCopied` hears the bytes of this call. @throws ApiError,
 * with status 0 when it broke off
 */
export async function copyFile(
  order: CopyOrder,
  signal: AbortSignal,
  onCopied: (bytes: number) => void,
): Promise<void> {
  const csrf = readCookie(WIRE.csrfCookie)
  const answer = await fetch(`${FILES}copy/`, {
    method: 'POST',
    signal,
    headers: { 'content-type': 'application/json', ...(csrf ? { [WIRE.csrfHeader]: csrf } : {}) },
    body: JSON.stringify(order),
  }).catch((error: unknown) => {
    if (signal.aborted) throw error
    throw new ApiError(0, undefined, t('The server cannot be reached'))
  })
  if (!answer.ok) throw await refusal(answer)
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  try {
    for (;;) {
      const { value, done } = (await reader?.read()) ?? { value: undefined, done: true }
      if (done) break
      text += value
      const lines = text.split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) {
        const progress = parsed(line) as { bytes?: number; done?: boolean; error?: string }
        if (progress.error) throw new ApiError(400, undefined, progress.error)
        if (progress.bytes !== undefined) onCopied(progress.bytes)
        if (progress.done) return
      }
    }
  } catch (error) {
    if (signal.aborted || error instanceof ApiError) throw error
  }
  throw new ApiError(0, undefined, t('The server cannot be reached'))
}
