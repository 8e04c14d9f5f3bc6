/**
 * Uploads that had begun, kept in this browser: after the page was loaded again, the same file
 * chosen for the same place goes on where it stopped. Only names and sizes are kept, of files that
 * the machine has a part of.
 */

export interface KeptUpload {
  to: string
  /** Bytes. */
  size: number
  /** Milliseconds, as the file says. */
  modified: number
}

const MAX_KEPT = 200
const keyOf = (userId: string) => `file_uploads ${userId}`

export function keptUploads(userId: string): KeptUpload[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(userId)) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isKept) : []
  } catch {
    return []
  }
}

function isKept(one: unknown): one is KeptUpload {
  const { to, size, modified } = (one ?? {}) as Partial<Record<keyof KeptUpload, unknown>>
  return typeof to === 'string' && typeof size === 'number' && typeof modified === 'number'
}

function write(userId: string, list: readonly KeptUpload[]): void {
  try {
    localStorage.setItem(keyOf(userId), JSON.stringify(list.slice(-MAX_KEPT)))
  } catch {
    // A full store costs the going on after a reload, nothing else.
  }
}

export function keepUpload(userId: string, upload: KeptUpload): void {
  write(userId, [...keptUploads(userId).filter(({ to }) => to !== upload.to), upload])
}

export function forgetUpload(userId: string, path: string): void {
  write(
    userId,
    keptUploads(userId).filter(({ to }) => to !== path),
  )
}

/** Whether this very file was on its way to this place. */
export function wasKept(userId: string, upload: KeptUpload): boolean {
  return keptUploads(userId).some(
    ({ to, size, modified }) => to === upload.to && size === upload.size && modified === upload.modified,
  )
}
