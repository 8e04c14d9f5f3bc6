/**
 * Files dropped from the desk or chosen in a dialog: with their path, and folders without
 * any.
 */
import type { UploadItem } from './transfer-engine.ts'

/** More than this is no upload but an accident; the person sees a message. */
export const MAX_DROPPED = 20_000

export interface Dropped {
  items: UploadItem[]
  /** Folders with nothing in them. */
  empty: string[]
  /** There was more. */
  isCut: boolean
}

/**
 * Reads folders to their end. Must be called while the drop is being handled: afterwards the
 * browser has emptied it.
 */
export async function readDropped({ items, files }: DataTransfer): Promise<Dropped> {
  const entries = [...items].filter(({ kind }) => kind === 'file').map((item) => item.webkitGetAsEntry?.() ?? null)
  const found: Dropped = { items: [], empty: [], isCut: false }
  if (!entries.length || entries.some((entry) => !entry))
    return { ...found, items: [...files].map((file) => ({ path: file.name, file })) }
  for (const entry of entries) if (entry) await collect(entry, '', found)
  return found
}

async function collect(entry: FileSystemEntry, above: string, found: Dropped): Promise<void> {
  if (found.items.length + found.empty.length >= MAX_DROPPED) {
    found.isCut = true
    return
  }
  const path = above + entry.name
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))
    found.items.push({ path, file })
    return
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  let isEmpty = true
  for (;;) {
    // A hundred at a time, by the standard.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (!some.length) break
    isEmpty = false
    for (const one of some) await collect(one, `${path}/`, found)
  }
  if (isEmpty) found.empty.push(path)
}

/** Files chosen in a dialog, with the folders that they were chosen with. */
export function chosenFiles(list: FileList): Dropped {
  const all = [...list].map((file) => ({ path: file.webkitRelativePath || file.name, file }))
  return { items: all.slice(0, MAX_DROPPED), empty: [], isCut: all.length > MAX_DROPPED }
}
